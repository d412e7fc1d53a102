// A sorted vector: a few thousand entries, walked far more often than changed.
#include "policy/openings.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {
namespace {

bool comes_before(const Opening& a, const Opening& b) {
  return a.from != b.from ? a.from < b.from : a.node < b.node;
}

}  // namespace

void Openings::sort() { std::sort(all_.begin(), all_.end(), comes_before); }

void Openings::sort_nearly_sorted() {
  for (std::size_t i = 1; i < all_.size(); ++i) {
    if (!comes_before(all_[i], all_[i - 1])) continue;
    const Opening moved = all_[i];
    std::size_t at = i;
    for (; at > 0 && comes_before(moved, all_[at - 1]); --at) all_[at] = all_[at - 1];
    all_[at] = moved;
  }
}

std::vector<Opening>::iterator Openings::find(Instant from, NodeId node) {
  const Opening probe{from, {}, node};
  const auto at = std::lower_bound(all_.begin(), all_.end(), probe, comes_before);
  CHECK(at != all_.end() && at->from == from && at->node == node, "no such opening");
  return at;
}

void Openings::insert(const Opening& opening) {
  all_.insert(std::upper_bound(all_.begin(), all_.end(), opening, comes_before), opening);
}

void Openings::erase(Instant from, NodeId node) { all_.erase(find(from, node)); }

void Openings::move(Instant from, const Opening& to) {
  const auto at = find(from, to.node);
  const auto place = std::upper_bound(at, all_.end(), to, comes_before);
  std::move(at + 1, place, at);
  *(place - 1) = to;
}

void Openings::shorten(Instant from, NodeId node, Instant until) {
  find(from, node)->until = until;
}

}  // namespace sluice
