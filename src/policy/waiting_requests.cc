// Gives requests their rows and takes those that nobody uses.
#include "policy/waiting_requests.h"

namespace sluice {

std::uint32_t WaitingRequests::add(SpecId spec, std::uint32_t last, const Row& row,
                                   const PriorityTerms& terms) {
  std::uint32_t i = static_cast<std::uint32_t>(rows_.size());
  if (free_.empty()) {
    rows_.push_back(row);
    terms_.push_back(terms);
  } else {
    i = free_.back();
    free_.pop_back();
    rows_[i] = row;
    terms_[i] = terms;
  }
  rows_[i].spec = spec;
  rows_[i].entry.request = i;
  if (last != kNone) {
    rows_[last].next = i;
  } else {
    first_.insert(spec, i);
  }
  return i;
}

void WaitingRequests::drop_idle() {
  for (std::uint32_t first = 0; first < rows_.size(); ++first) {
    const SpecId spec = rows_[first].spec;
    if (spec == SpecId{} || rows_[first].jobs > 0 || find(spec) != first) continue;
    first_.erase(spec);
    for (std::uint32_t i = first; i != kNone;) {
      free_.push_back(i);
      const std::uint32_t next = rows_[i].next;
      rows_[i] = Row{};
      i = next;
    }
  }
}

}  // namespace sluice
