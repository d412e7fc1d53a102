// When the books of running jobs were last changed, for code that remembers what they said.
#pragma once

#include <cstdint>
#include <vector>

#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

// Counted in changes so far: what was read at count() is still so while nothing it was read from
// changed later.
class HoldingChanges {
 public:
  std::uint64_t count() const { return count_; }
  // Of the user's jobs, in whatever account and QoS.
  std::uint64_t of(UserId user) const { return at(users_, user.index()); }
  // Of the association's and of all below it.
  std::uint64_t of(AssocId assoc) const { return at(associations_, assoc.index()); }
  std::uint64_t of(QosId qos) const { return at(qos_, qos.index()); }

  // A job of this shape in this partition begins or ends.
  void note(const Policy& policy, const Shape& shape, PartitionId partition);

 private:
  static std::uint64_t at(const std::vector<std::uint64_t>& times, std::size_t i) {
    return i < times.size() ? times[i] : 0;
  }
  void set(std::vector<std::uint64_t>& times, std::size_t i) const {
    if (i >= times.size()) times.resize(i + 1);
    times[i] = count_;
  }

  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> users_;
  std::vector<std::uint64_t> associations_;
  std::vector<std::uint64_t> qos_;
};

}  // namespace sluice
