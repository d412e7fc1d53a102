// Sets of neighbours, the tightest first.
#include "policy/node_selection.h"

#include <algorithm>

#include "policy/switch_selection.h"

namespace sluice {

bool NodeSelection::find() {
  if (std::ssize(offers_) < wanted_.least_nodes) return false;
  if (!find_with_fewer_small()) return false;
  return wanted_.pick != Pick::kBySwitch || wanted_.most_switches == 0 ||
         SwitchSelection(*this).leaves() <= wanted_.most_switches;
}

bool NodeSelection::find_with_fewer_small() {
  use_.assign(offers_.size(), Use::kOpen);
  if (find_among_those_left()) return true;
  // The smallest may have used up the nodes that the job may have: leave them out, one size more
  // at a time.
  std::int64_t most = 0;
  for (std::uint32_t i = 0; i < offers_.size(); ++i) most = std::max(most, room(i));
  for (std::int64_t count = 1; count < most; ++count)
    if (remove_small(count) && find_among_those_left()) return true;
  return false;
}

// CPUs, and GPUs where the job counts them as a whole.
std::int64_t NodeSelection::room(std::uint32_t i) const {
  std::int64_t out = std::int64_t{offers_[i].tasks} * wanted_.cpus_per_task;
  for (std::size_t need = 0; need < wanted_.gpus.size(); ++need) out += gpus_of(i, need);
  return out;
}

// Whether any was left out and enough nodes are left.
bool NodeSelection::remove_small(std::int64_t count) {
  std::int64_t left = std::count(use_.begin(), use_.end(), Use::kOut);
  left = std::ssize(offers_) - left;
  bool removed = false;
  for (std::uint32_t i = 0; i < offers_.size() && left > wanted_.least_nodes; ++i) {
    if (use_[i] == Use::kOut || offers_[i].required || room(i) > count) continue;
    use_[i] = Use::kOut;
    removed = true;
    --left;
  }
  return removed;
}

bool NodeSelection::find_among_those_left() {
  chosen_.clear();
  for (Use& use : use_)
    if (use == Use::kTaken) use = Use::kOpen;
  gpus_left_.assign(wanted_.gpus.begin(), wanted_.gpus.end());
  cpus_left_ = std::max<std::int64_t>(wanted_.tasks * wanted_.cpus_per_task, wanted_.least_nodes);
  nodes_left_ = std::max(wanted_.nodes, wanted_.least_nodes);
  least_left_ = wanted_.least_nodes;
  most_left_ = wanted_.most_nodes;
  for (std::uint32_t i = 0; i < offers_.size(); ++i) {
    if (!offers_[i].required) continue;
    if (most_left_ == 0) return false;
    take(i);
  }
  if (wanted_.pick == Pick::kBySwitch && !SwitchSelection(*this).joins_required()) return false;
  if (has_all()) return true;
  if (wanted_.pick == Pick::kLeastLoaded) {
    take_least_loaded();
  } else if (wanted_.pick == Pick::kBySwitch) {
    SwitchSelection(*this).take();
  } else if (wanted_.pick != Pick::kTightest) {
    take_in_order();
  } else {
    make_sets();
    while (most_left_ > 0) {
      Set* best = best_set();
      if (best == nullptr || take_from(*best)) break;
    }
  }
  // Fewer nodes than it would like will do.
  return cpus_left_ <= 0 && least_left_ <= 0 && has_all_gpus();
}

// As slurmctld goes along the nodes. A set that has nothing but named nodes so far is used again
// for what follows, and is then no longer the set of those nodes; only the first set behind a gap
// takes a named node that weighs otherwise, since it does not know yet what its nodes weigh.
void NodeSelection::make_sets() {
  sets_.clear();
  constexpr std::int64_t kUnknown = -1;
  constexpr std::int64_t kNothing = 0;  // What a set behind another weighs until it has a node.
  std::int64_t weight = kUnknown;
  std::uint32_t next_rank = 0;
  bool is_first = true;
  Set set;
  const auto begin_anew = [&](std::int64_t from) {
    const bool had_nodes = set.nodes > 0;
    if (had_nodes) {
      sets_.push_back(set);
      set = Set{};
    }
    set.first_required = -1;
    if (had_nodes || from == kUnknown) weight = from;
  };
  for (std::uint32_t i = 0; i < offers_.size(); ++i) {
    const Offer& offer = offers_[i];
    if (use_[i] == Use::kOut) continue;
    if (!is_first && offer.rank != next_rank) begin_anew(kUnknown);
    if (!wanted_.contiguous && weight != kUnknown && weight != offer.weight) begin_anew(kNothing);
    is_first = false;
    next_rank = offer.rank + 1;
    if (set.nodes == 0) set.begin = i;
    set.end = i + 1;
    if (offer.required) {
      if (set.first_required < 0) set.first_required = i;
      continue;
    }
    ++set.nodes;
    set.tasks += offer.tasks;
    set.weight = weight = offer.weight;
  }
  if (set.nodes > 0) sets_.push_back(set);
}

bool NodeSelection::has_enough_gpus(const Set& set) const {
  for (std::size_t need = 0; need < gpus_left_.size(); ++need) {
    std::int64_t has = 0;
    for (std::uint32_t i = set.begin; i < set.end; ++i)
      if (use_[i] == Use::kOpen) has += gpus_of(i, need);
    if (has < gpus_left_[need]) return false;
  }
  return true;
}

bool NodeSelection::suffices(const Set& set) const {
  return set.tasks * wanted_.cpus_per_task >= cpus_left_ && set.nodes >= least_left_ &&
         has_enough_gpus(set);
}

bool NodeSelection::beats(const Set& set, bool suffices, const Set& best,
                          bool best_suffices) const {
  if (best.first_required < 0 && set.first_required >= 0) return true;
  if (set.weight < best.weight) return true;
  if (set.weight == best.weight) {
    if (suffices && (!best_suffices || set.tasks < best.tasks)) return true;
    if (!suffices && set.tasks > best.tasks) return true;
  }
  return wanted_.contiguous && suffices && !best_suffices;
}

// Named nodes in several sets: no single set has them all.
bool NodeSelection::required_are_apart() const {
  return std::count_if(sets_.begin(), sets_.end(),
                       [](const Set& set) { return set.first_required >= 0; }) > 1;
}

NodeSelection::Set* NodeSelection::best_set() {
  const bool names_any = std::any_of(sets_.begin(), sets_.end(),
                                     [](const Set& set) { return set.first_required >= 0; });
  if (wanted_.contiguous && required_are_apart()) return nullptr;
  Set* best = nullptr;
  bool best_suffices = false;
  for (Set& set : sets_) {
    if (set.nodes == 0) continue;
    if (wanted_.contiguous && names_any && set.first_required < 0) continue;
    const bool enough = suffices(set);
    if (best != nullptr && !beats(set, enough, *best, best_suffices)) continue;
    best = &set;
    best_suffices = enough;
  }
  return wanted_.contiguous && !best_suffices ? nullptr : best;
}

// Whether the job has all it needs with it.
bool NodeSelection::take_from(Set& set) {
  const auto wants_more = [&] { return most_left_ > 0 && !has_all(); };
  if (set.first_required >= 0) {
    // Up from the first that is named, then down from it.
    const auto first = static_cast<std::uint32_t>(set.first_required);
    for (std::uint32_t i = first; i < set.end && wants_more(); ++i)
      if (use_[i] == Use::kOpen) take(i);
    for (std::uint32_t i = first; i-- > set.begin && wants_more();)
      if (use_[i] == Use::kOpen) take(i);
  } else {
    std::uint32_t begin = set.begin;
    std::uint32_t end = set.end;
    if (nodes_left_ <= 1) {
      std::int64_t tightest = -1;
      for (std::uint32_t i = begin; i < end; ++i) {
        if (use_[i] != Use::kOpen || !would_have_all_gpus(i)) continue;
        if (std::int64_t{offers_[i].tasks} * wanted_.cpus_per_task < cpus_left_) continue;
        if (tightest < 0 || offers_[i].tasks < offers_[static_cast<std::size_t>(tightest)].tasks)
          tightest = i;
      }
      if (tightest >= 0) {
        begin = static_cast<std::uint32_t>(tightest);
        end = begin + 1;
      }
    }
    for (std::uint32_t i = begin; i < end && wants_more(); ++i) {
      if (use_[i] != Use::kOpen) continue;
      // The last node it may have must hold the rest.
      if (most_left_ == 1 && std::int64_t{offers_[i].tasks} * wanted_.cpus_per_task < cpus_left_)
        continue;
      take(i);
    }
  }
  set.nodes = 0;
  set.tasks = 0;
  return has_all();
}

// The lightest first, else by name, upwards or from the end; with bf_busy_nodes those in use before
// all others.
void NodeSelection::take_in_order() {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < offers_.size(); ++i)
    if (use_[i] == Use::kOpen) order.push_back(i);
  if (wanted_.pick == Pick::kLast) std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool both_count = wanted_.pick == Pick::kBusyFirst;
    if (both_count && offers_[a].in_use != offers_[b].in_use) return offers_[a].in_use;
    return offers_[a].weight < offers_[b].weight;
  });
  for (std::uint32_t i : order) {
    if (most_left_ == 0 || has_all()) return;
    take(i);
  }
}

// Of the lightest the one with the largest part of its CPUs free, again and again.
void NodeSelection::take_least_loaded() {
  const auto is_freer = [&](const Offer& a, const Offer& b) {
    return std::int64_t{a.free_cpus} * b.cpus > std::int64_t{b.free_cpus} * a.cpus;
  };
  while (most_left_ > 0 && !has_all()) {
    const std::uint32_t none = static_cast<std::uint32_t>(offers_.size());
    std::uint32_t best = none;
    for (std::uint32_t i = 0; i < none; ++i) {
      if (use_[i] != Use::kOpen) continue;
      const bool is_better =
          best == none || offers_[i].weight < offers_[best].weight ||
          (offers_[i].weight == offers_[best].weight && is_freer(offers_[i], offers_[best]));
      if (is_better) best = i;
    }
    if (best == none) return;
    take(best);
  }
}

std::int64_t NodeSelection::cpus_to_take(std::uint32_t i) const {
  const Offer& offer = offers_[i];
  const std::int64_t cpus = std::int64_t{offer.tasks} * wanted_.cpus_per_task;
  if (wanted_.whole_nodes) return cpus;
  const std::int64_t kept = std::int64_t{std::max(least_left_ - 1, 0)} * offer.threads;
  if (cpus <= cpus_left_ - kept) return cpus;
  return std::max<std::int64_t>({cpus_left_ - kept, wanted_.cpus_per_task, wanted_.least_cpus});
}

void NodeSelection::take(std::uint32_t i) {
  Offer& offer = offers_[i];
  const std::int64_t cpus = cpus_to_take(i);
  offer.share = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, cpus / std::max(1, wanted_.cpus_per_task)));
  cpus_left_ -= cpus;
  --nodes_left_;
  --least_left_;
  --most_left_;
  for (std::size_t need = 0; need < gpus_left_.size(); ++need) gpus_left_[need] -= gpus_of(i, need);
  use_[i] = Use::kTaken;
  chosen_.push_back(i);
}

bool NodeSelection::has_all_gpus() const {
  return std::all_of(gpus_left_.begin(), gpus_left_.end(),
                     [](std::int64_t left) { return left <= 0; });
}

bool NodeSelection::would_have_all_gpus(std::uint32_t i) const {
  for (std::size_t need = 0; need < gpus_left_.size(); ++need)
    if (gpus_left_[need] > gpus_of(i, need)) return false;
  return true;
}

}  // namespace sluice
