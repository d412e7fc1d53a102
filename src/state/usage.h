// How much each association and QoS holds, now and in the recent past.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/tres.h"

namespace sluice {

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
  // Jobs on each node, and nodes with any: only where a limit counts nodes, each of them once.
  std::vector<std::uint32_t> node_jobs;
  std::int64_t nodes = 0;
  friend bool operator==(const Holding&, const Holding&) = default;
};

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
