// Goes along the leaves of the tree.
#include "policy/switch_selection.h"

#include <algorithm>
#include <limits>

namespace sluice {
namespace {

constexpr std::int64_t kNoWeight = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kApart = std::numeric_limits<std::uint64_t>::max();

}  // namespace

template <class Count>
std::vector<std::int32_t> SwitchSelection::by_switch(Count count) const {
  std::vector<std::int32_t> out(tree_.size(), 0);
  for (std::uint32_t i = 0; i < offers_.size(); ++i) {
    const std::uint32_t leaf = tree_.leaf_of(offers_[i].node);
    if (leaf != SwitchTree::kNone && count(i)) ++out[leaf];
  }
  tree_.add_to_those_above(out);
  return out;
}

std::uint32_t SwitchSelection::top_of_required() const {
  const auto required = by_switch([&](std::uint32_t i) { return offers_[i].required; });
  std::uint32_t out = SwitchTree::kNone;
  for (std::uint32_t s = 0; s < tree_.size(); ++s)
    if (required[s] > 0 && (out == SwitchTree::kNone || tree_.level(s) > tree_.level(out))) out = s;
  return out;
}

bool SwitchSelection::joins_required() const {
  const bool any =
      std::any_of(offers_.begin(), offers_.end(), [](const Offer& o) { return o.required; });
  if (!any) return true;
  const std::uint32_t top = top_of_required();
  return top != SwitchTree::kNone &&
         std::all_of(offers_.begin(), offers_.end(), [&](const Offer& offer) {
           return !offer.required || tree_.reaches(top, offer.node);
         });
}

std::vector<std::int64_t> SwitchSelection::lightest_by_switch() const {
  std::vector<std::int64_t> out(tree_.size(), kNoWeight);
  for (std::uint32_t i = 0; i < offers_.size(); ++i) {
    if (nodes_.use_[i] == Use::kOut) continue;
    for (std::uint32_t s = tree_.leaf_of(offers_[i].node); s != SwitchTree::kNone;
         s = tree_.parent(s))
      out[s] = std::min(out[s], offers_[i].weight);
  }
  return out;
}

// The highest switch with enough nodes; of several as high the last with the lightest node.
std::uint32_t SwitchSelection::top() const {
  if (!nodes_.chosen_.empty()) return top_of_required();
  const auto count = by_switch([&](std::uint32_t i) { return nodes_.use_[i] != Use::kOut; });
  const std::vector<std::int64_t> lightest = lightest_by_switch();
  std::uint32_t out = SwitchTree::kNone;
  for (std::uint32_t s = 0; s < tree_.size(); ++s) {
    if (count[s] == 0 || count[s] < nodes_.least_left_) continue;
    if (out == SwitchTree::kNone ||
        (tree_.level(s) >= tree_.level(out) && lightest[s] <= lightest[out]))
      out = s;
  }
  return out;
}

bool SwitchSelection::suffices() const {
  std::int64_t cpus = 0;
  std::int32_t count = 0;
  std::vector<std::int64_t> gpus(nodes_.gpus_left_.size(), 0);
  for (std::uint32_t i = 0; i < offers_.size(); ++i) {
    if (!pool_[i]) continue;
    cpus += std::int64_t{offers_[i].tasks} * nodes_.wanted_.cpus_per_task;
    ++count;
    for (std::size_t need = 0; need < gpus.size(); ++need) gpus[need] += nodes_.gpus_of(i, need);
  }
  for (std::size_t need = 0; need < gpus.size(); ++need)
    if (gpus[need] < nodes_.gpus_left_[need]) return false;
  return cpus >= nodes_.cpus_left_ && count >= nodes_.least_left_;
}

bool SwitchSelection::make_pool(std::uint32_t top) {
  const auto may_join = [&](std::uint32_t i) {
    return nodes_.use_[i] == Use::kOpen && tree_.reaches(top, offers_[i].node);
  };
  std::vector<std::int64_t> weights;
  for (std::uint32_t i = 0; i < offers_.size(); ++i)
    if (may_join(i)) weights.push_back(offers_[i].weight);
  std::sort(weights.begin(), weights.end());
  weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
  pool_.assign(offers_.size(), false);
  std::vector<bool> lighter;
  for (const std::int64_t weight : weights) {
    lighter = pool_;
    for (std::uint32_t i = 0; i < offers_.size(); ++i)
      if (may_join(i) && offers_[i].weight == weight) pool_[i] = true;
    if (!suffices()) continue;
    for (std::uint32_t i = 0; i < offers_.size(); ++i) {
      if (!lighter[i]) continue;
      if (nodes_.most_left_ == 0) return false;
      nodes_.take(i);
    }
    return true;
  }
  return false;
}

void SwitchSelection::take_on(std::uint32_t leaf) {
  for (std::uint32_t i = 0; i < offers_.size(); ++i) {
    if (nodes_.most_left_ == 0 || nodes_.has_all()) return;
    if (pool_[i] && nodes_.use_[i] == Use::kOpen && tree_.leaf_of(offers_[i].node) == leaf)
      nodes_.take(i);
  }
}

void SwitchSelection::take() {
  const std::uint32_t top = this->top();
  if (top == SwitchTree::kNone || !make_pool(top)) return;
  const auto taken = by_switch([&](std::uint32_t i) { return nodes_.use_[i] == Use::kTaken; });
  used_.assign(tree_.size(), false);
  links_.assign(tree_.size(), 0);
  const auto use = [&](std::uint32_t s) {
    for (std::uint32_t other = 0; other < tree_.size(); ++other) {
      const std::uint32_t links = tree_.distance(other, s);
      links_[other] =
          links == SwitchTree::kNone || links_[other] == kApart ? kApart : links_[other] + links;
    }
  };
  for (std::uint32_t s = 0; s < tree_.size(); ++s) {
    if (taken[s] == 0) continue;
    used_[s] = true;
    if (tree_.is_leaf(s)) take_on(s);
  }
  for (std::uint32_t s = 0; s < tree_.size(); ++s)
    if (used_[s]) use(s);
  // A leaf that was taken from has nothing left for this.
  std::vector<std::int32_t> count =
      by_switch([&](std::uint32_t i) { return pool_[i] || nodes_.use_[i] == Use::kTaken; });
  while (nodes_.most_left_ > 0 && !nodes_.has_all()) {
    const std::uint32_t leaf = best_leaf(count);
    if (leaf == SwitchTree::kNone) return;
    use(leaf);
    take_on(leaf);
    count[leaf] = 0;
  }
}

std::uint32_t SwitchSelection::best_leaf(const std::vector<std::int32_t>& count) const {
  std::uint32_t best = SwitchTree::kNone;
  for (std::uint32_t s = 0; s < tree_.size(); ++s) {
    if (used_[s] || !tree_.is_leaf(s) || count[s] == 0 || links_[s] == kApart) continue;
    if (best == SwitchTree::kNone) {
      best = s;
      continue;
    }
    const int better = compare(s, best, count);
    if ((links_[s] < links_[best] && better >= 0) || (links_[s] == links_[best] && better > 0))
      best = s;
  }
  return best;
}

// The one that holds all, with the fewest nodes; where neither does, by what they are below of;
// then the one with more nodes.
int SwitchSelection::compare(std::uint32_t a, std::uint32_t b,
                             const std::vector<std::int32_t>& count) const {
  const auto above = [&](std::uint32_t s) {
    return tree_.parent(s) == SwitchTree::kNone ? s : tree_.parent(s);
  };
  const auto are_tops = [&] { return above(a) == a && above(b) == b; };
  while (true) {
    const bool a_fits = count[a] >= nodes_.nodes_left_;
    const bool b_fits = count[b] >= nodes_.nodes_left_;
    if (a_fits && b_fits && count[a] != count[b]) return count[a] < count[b] ? 1 : -1;
    if (a_fits != b_fits) return a_fits ? 1 : -1;
    if (a_fits || above(a) == above(b) || are_tops()) break;
    a = above(a);
    b = above(b);
  }
  if (count[a] != count[b]) return count[a] > count[b] ? 1 : -1;
  if (tree_.level(a) != tree_.level(b)) return tree_.level(a) < tree_.level(b) ? 1 : -1;
  return 0;
}

std::int32_t SwitchSelection::leaves() const {
  std::vector<std::uint32_t> on;
  for (const std::uint32_t i : nodes_.chosen_) {
    const std::uint32_t leaf = tree_.leaf_of(offers_[i].node);
    if (leaf != SwitchTree::kNone) on.push_back(leaf);
  }
  std::sort(on.begin(), on.end());
  return static_cast<std::int32_t>(std::unique(on.begin(), on.end()) - on.begin());
}

}  // namespace sluice
