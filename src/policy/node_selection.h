// Which of the nodes with room a job gets: the rule of Slurm's select/cons_tres.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"
#include "policy/switch_tree.h"

namespace sluice {

// A node with room for at least one task.
struct Offer {
  NodeId node;
  std::uint32_t rank = 0;   // Place among all nodes by name; neighbours differ by one.
  std::int64_t weight = 0;  // Lower first.
  std::int32_t tasks = 0;   // Room for so many.
  std::int32_t threads = 1;
  bool required = false;   // Named by the job.
  std::int32_t share = 0;  // Of a node that was chosen: the most tasks it is to have.
  std::int32_t free_cpus = 0;
  std::int32_t cpus = 1;  // Free or not.
  bool in_use = false;    // Now: Pick::kBusyFirst.
};

// Which of the nodes with room come first.
enum class Pick : std::uint8_t {
  kTightest,     // Sets of neighbours, the tightest first.
  kInOrder,      // --spread-job: by name.
  kLeastLoaded,  // CR_LLN: those with the largest part of their CPUs free.
  kLast,         // pack_serial_at_end: by name, from the end.
  kBusyFirst,    // bf_busy_nodes: those with jobs on them now.
  kBySwitch,     // topology/tree: on as few leaf switches as it can (switch_selection.cc).
};

struct Wanted {
  std::int32_t least_nodes = 1;
  std::int32_t most_nodes = 1;
  std::int32_t nodes = 1;  // Taken where there are as many.
  std::int64_t tasks = 1;
  std::int32_t cpus_per_task = 1;
  bool whole_nodes = false;
  std::int32_t least_cpus = 0;  // Of every node, whatever its tasks need.
  bool contiguous = false;
  Pick pick = Pick::kTightest;
  std::span<const std::int32_t> gpus;  // Of the whole job, by need.
  const SwitchTree* switches = nullptr;
  std::int32_t most_switches = 0;  // Leaf switches it may be on; 0: any number.
};

// Nodes that follow each other by name and weigh the same form a set. The lightest set that
// suffices with the least to spare is used first; of it the single node that suffices with the
// least to spare, else its nodes in order; then the next set. Each node gives what it has, less a
// CPU for every node that has to follow.
class NodeSelection {
 public:
  // Offers are in order of rank. `gpus` has what each of them has for each need, offer by offer.
  NodeSelection(std::vector<Offer>& offers, std::span<const std::int32_t> gpus,
                const Wanted& wanted)
      : offers_(offers), gpus_(gpus), wanted_(wanted) {}

  // Whether it found enough; then chosen() are the places of the nodes among the offers.
  bool find();
  std::span<const std::uint32_t> chosen() const { return chosen_; }

 private:
  friend class SwitchSelection;  // Pick::kBySwitch
  struct Set {
    std::uint32_t begin = 0;  // Among the offers.
    std::uint32_t end = 0;
    std::int32_t nodes = 0;  // Without those that are required.
    std::int64_t tasks = 0;
    std::int64_t weight = 0;
    std::int64_t first_required = -1;
  };

  bool find_with_fewer_small();
  bool find_among_those_left();
  void make_sets();
  bool has_enough_gpus(const Set& set) const;
  bool suffices(const Set& set) const;
  bool beats(const Set& set, bool suffices, const Set& best, bool best_suffices) const;
  Set* best_set();
  bool required_are_apart() const;
  bool take_from(Set& set);
  void take_in_order();
  void take_least_loaded();
  std::int64_t cpus_to_take(std::uint32_t i) const;
  void take(std::uint32_t i);
  std::int64_t room(std::uint32_t i) const;
  bool has_all() const { return nodes_left_ <= 0 && cpus_left_ <= 0 && has_all_gpus(); }
  bool has_all_gpus() const;
  bool would_have_all_gpus(std::uint32_t i) const;
  std::int32_t gpus_of(std::uint32_t i, std::size_t need) const {
    return gpus_[i * wanted_.gpus.size() + need];
  }
  bool remove_small(std::int64_t count);

  std::vector<Offer>& offers_;
  std::span<const std::int32_t> gpus_;
  const Wanted& wanted_;
  enum class Use : std::uint8_t { kOpen, kTaken, kOut };
  std::vector<Use> use_;
  std::vector<Set> sets_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::int64_t> gpus_left_;
  std::int64_t cpus_left_ = 0;
  std::int32_t nodes_left_ = 0;
  std::int32_t least_left_ = 0;
  std::int32_t most_left_ = 0;
};

// Of nodes each of which has room for the whole job, the one it gets, in one walk.
class OneNodeSelection {
 public:
  // In order of rank.
  void offer(NodeId node, std::uint32_t rank, std::int64_t weight, std::int32_t tasks) {
    if (rank != next_rank_ || weight != weight_) {
      close();
      weight_ = weight;
    }
    if (sum_ == 0 || tasks < tightest_) {
      node_ = node;
      tightest_ = tasks;
    }
    sum_ += tasks;
    next_rank_ = rank + 1;
  }
  // The node, if any was offered.
  const NodeId* find() {
    close();
    return best_sum_ > 0 ? &best_ : nullptr;
  }

 private:
  void close() {
    if (sum_ > 0 && (best_sum_ == 0 || weight_ < best_weight_ ||
                     (weight_ == best_weight_ && sum_ < best_sum_))) {
      best_ = node_;
      best_weight_ = weight_;
      best_sum_ = sum_;
    }
    sum_ = 0;
  }

  NodeId node_;
  std::uint32_t next_rank_ = 0;
  std::int64_t weight_ = 0;
  std::int32_t tightest_ = 0;
  std::int64_t sum_ = 0;
  NodeId best_;
  std::int64_t best_weight_ = 0;
  std::int64_t best_sum_ = 0;
};

}  // namespace sluice
