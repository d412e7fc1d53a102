// What keeps a job out besides room: its partition, licenses, its array's throttle, limits.
#pragma once

#include <optional>

#include "model/reason.h"
#include "policy/policy_traits.h"
#include "policy/queue.h"
#include "policy/queue_entry.h"
#include "policy/shortcuts.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

class JobGates {
 public:
  JobGates(const Topology& topology, const PolicyTraits& traits, Shortcuts& shortcuts)
      : topology_(topology), traits_(traits), shortcuts_(shortcuts) {}

  // To be called when a pass begins.
  void begin(const Queue& queue) { queue_ = &queue; }

  // All that is looked at before nodes are.
  std::optional<Reason> before_nodes(const State& state, const QueueEntry& entry, const Job& job,
                                     const Shape& shape, Instant now) const;
  // Of these the partition and fairshare,
  std::optional<Reason> partition(const State& state, const QueueEntry& entry, const Job& job,
                                  const Shape& shape) const;
  // licenses, and the array's throttle and the limits.
  std::optional<Reason> licenses(const State& state, const Shape& shape) const;
  std::optional<Reason> own(const State& state, const QueueEntry& entry, const Job& job,
                            const Shape& shape, Instant now) const;
  // Both: what is looked at last is said.
  std::optional<Reason> licenses_and_own(const State& state, const QueueEntry& entry,
                                         const Job& job, const Shape& shape, Instant now) const;

  // Limits on what it would be given.
  std::optional<Reason> limit_of_given(const State& state, const Job& job, const Shape& shape,
                                       PartitionId partition, const Allocation& given,
                                       Instant now) const;
  // The same with what it asks for, as long as there is no room to give it.
  std::optional<Reason> limit_of_request(const State& state, const Job& job, const Shape& shape,
                                         PartitionId partition, Instant now) const;
  // Whether a limit that stops what it asks for stops whatever it would be given, too. GPUs and
  // named nodes may come with less than was asked for.
  bool asks_for_least(const QueueEntry& entry) const {
    return !traits_.given_may_pass && entry.kind != 0;
  }
  // Whether nothing but room stops the entry, where the reason is not wanted.
  bool are_open(const State& state, const QueueEntry& entry, Instant now) const;

 private:
  static std::optional<Reason> array(const State& state, const Job& job);
  std::optional<Reason> limit_before(const State& state, const Job& job, const Shape& shape,
                                     PartitionId partition, Instant now) const;

  const Topology& topology_;
  const PolicyTraits& traits_;
  Shortcuts& shortcuts_;
  const Queue* queue_ = nullptr;
};

}  // namespace sluice
