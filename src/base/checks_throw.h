// Where input cannot be right, that is a mistake to report, not one of ours to die of.
#pragma once

#include <stdexcept>

namespace sluice {

// What a CHECK throws instead of ending the process while a ChecksThrow is in force.
class BrokenCheck : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// What was being changed when a CHECK threw is of no use afterwards.
class ChecksThrow {
 public:
  ChecksThrow();
  ~ChecksThrow();
  ChecksThrow(const ChecksThrow&) = delete;
  ChecksThrow& operator=(const ChecksThrow&) = delete;
};

}  // namespace sluice
