// How much each association and QoS holds, now and in the recent past.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/tres.h"

namespace sluice {

// The running jobs of one QoS whose UsageFactor is not 1: their part of a book.
struct FactoredRuns {
  QosId qos;
  std::int64_t jobs = 0;
  TresVector tres;
  TresVector tres_end;
  friend bool operator==(const FactoredRuns&, const FactoredRuns&) = default;
};

// What running jobs hold and what was submitted, of an association, a QoS, or one user or account
// inside a QoS.
struct Holding {
  TresVector tres;
  std::int64_t jobs = 0;       // Running.
  std::int64_t submitted = 0;  // Pending and running, tasks counted one by one.
  // Sum over the running jobs of TRES times start plus limit (seconds since the state's origin), so
  // that what is still to run is known at any time: this minus now times what they hold. Time goes
  // on for suspended jobs.
  TresVector tres_end;
  // What of that counts otherwise in limits on run minutes; few QoS have a factor.
  std::vector<FactoredRuns> factored;
  // Jobs on each node, and nodes with any: only where a limit counts nodes, each of them once.
  std::vector<std::uint32_t> node_jobs;
  std::int64_t nodes = 0;
  friend bool operator==(const Holding&, const Holding&) = default;
};

// Writes a run down under its QoS, or (sign -1) takes it out again.
inline void count_factored(Holding& holding, QosId qos, const TresVector& tres,
                           const TresVector& tres_end, std::int64_t sign) {
  auto at = std::lower_bound(holding.factored.begin(), holding.factored.end(), qos,
                             [](const FactoredRuns& runs, QosId id) { return runs.qos < id; });
  if (at == holding.factored.end() || at->qos != qos)
    at = holding.factored.insert(at, FactoredRuns{qos, 0, {}, {}});
  at->jobs += sign;
  for (std::uint8_t i = 0; i < kMaxTres; ++i) {
    at->tres[TresIndex(i)] += sign * tres[TresIndex(i)];
    at->tres_end[TresIndex(i)] += sign * tres_end[TresIndex(i)];
  }
  if (at->jobs == 0) holding.factored.erase(at);
}

// What was used up, decaying with the half-life.
struct PastUsage {
  double billing_seconds = 0;  // What fairshare looks at.
  double wall_seconds = 0;
  std::array<double, kMaxTres> tres_seconds{};
  friend bool operator==(const PastUsage&, const PastUsage&) = default;
};

struct AccountUsage {
  Holding now;
  friend bool operator==(const AccountUsage&, const AccountUsage&) = default;
};

// Holdings of users, or of accounts, inside one QoS; made when first needed.
class HolderTable {
 public:
  Holding& at(std::size_t holder) {
    if (holder >= row_of_.size()) row_of_.resize(holder + 1);
    if (row_of_[holder] == 0) {
      rows_.emplace_back();
      row_of_[holder] = static_cast<std::uint32_t>(rows_.size());
    }
    return rows_[row_of_[holder] - 1];
  }
  const Holding* find(std::size_t holder) const {
    if (holder >= row_of_.size() || row_of_[holder] == 0) return nullptr;
    return &rows_[row_of_[holder] - 1];
  }

 private:
  std::vector<std::uint32_t> row_of_;  // Row number plus one.
  std::vector<Holding> rows_;
};

struct QosUsage {
  Holding now;
  PastUsage past;
  HolderTable users;     // By UserId.
  HolderTable accounts;  // By the AssocId of the account.
};

}  // namespace sluice
