// Requests that found no place in a backfill pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "policy/queue_entry.h"

namespace sluice {

// Resources only shrink during a pass, so a request for at least as much of the same kind in the
// same partition will find no place either.
class HopelessRequests {
 public:
  bool covers(const QueueEntry& asked) {
    if (asked.kind == 0 || groups_.empty()) return false;
    // Most that wait ask for what another before them asked for.
    if (asked.request >= known_.size()) known_.resize(asked.request + 1);
    Known& known = known_[asked.request];
    if (known.since == cleared_ && known.limit <= asked.limit) return true;
    const Group& stairs = group(asked);
    const bool hopeless = std::any_of(stairs.begin(), stairs.end(), [&](const Stair& stair) {
      return stair.nodes <= asked.min_nodes && covers(stair.steps, asked.cpus, asked.limit);
    });
    if (hopeless) known = {cleared_, asked.limit};
    return hopeless;
  }
  // `from_cpus`: where the search showed that none finds a place that asks for so many, on however
  // many nodes.
  void add(const QueueEntry& entry, std::optional<std::int32_t> from_cpus) {
    if (entry.kind == 0) return;
    const std::int32_t nodes = from_cpus ? 1 : entry.min_nodes;
    Group& stairs = group(entry);
    auto stair = std::find_if(stairs.begin(), stairs.end(),
                              [&](const Stair& s) { return s.nodes == nodes; });
    if (stair == stairs.end()) stair = stairs.insert(stairs.end(), Stair{nodes, {}});
    add(stair->steps, from_cpus.value_or(entry.cpus), entry.limit);
  }
  // After a job was pushed out there may be room again.
  void clear() {
    groups_.clear();
    last_ = nullptr;
    ++cleared_;
  }

 private:
  // With more CPUs come shorter limits: a longer one would be covered by the step before it.
  struct Step {
    std::int32_t cpus = 0;
    Duration limit{0};
  };
  struct Stair {
    std::int32_t nodes = 0;
    std::vector<Step> steps;
  };
  using Group = std::vector<Stair>;
  using Key = std::pair<PartitionId, std::uint32_t>;

  static std::vector<Step>::const_iterator first_beyond(const std::vector<Step>& steps,
                                                        std::int32_t cpus) {
    return std::partition_point(steps.begin(), steps.end(),
                                [&](const Step& step) { return step.cpus <= cpus; });
  }
  // Of those with no more CPUs the last is the shortest.
  static bool covers(const std::vector<Step>& steps, std::int32_t cpus, Duration limit) {
    const auto beyond = first_beyond(steps, cpus);
    return beyond != steps.begin() && std::prev(beyond)->limit <= limit;
  }
  static void add(std::vector<Step>& steps, std::int32_t cpus, Duration limit) {
    if (covers(steps, cpus, limit)) return;
    auto first = first_beyond(steps, cpus);
    if (first != steps.begin() && std::prev(first)->cpus == cpus) --first;
    const auto end =
        std::find_if(first, steps.cend(), [&](const Step& step) { return step.limit < limit; });
    steps.insert(steps.erase(first, end), Step{cpus, limit});
  }
  Group& group(const QueueEntry& entry) {
    const Key key{entry.partition, entry.kind};
    if (last_ == nullptr || key != last_key_) {
      last_key_ = key;
      last_ = &groups_[key];
    }
    return *last_;
  }

  // By row of the waiting requests: one of it that asked for that long was hopeless.
  struct Known {
    std::uint64_t since = 0;  // Valid where nothing was cleared after that.
    Duration limit{0};
  };
  std::vector<Known> known_;
  std::uint64_t cleared_ = 1;
  std::map<Key, Group> groups_;
  Key last_key_;
  Group* last_ = nullptr;
};

}  // namespace sluice
