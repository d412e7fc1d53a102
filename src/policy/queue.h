// The eligible jobs in the order in which they are looked at.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/event.h"
#include "policy/fairshare.h"
#include "policy/priority.h"
#include "policy/request_kinds.h"
#include "state/id_table.h"
#include "state/state.h"

namespace sluice {

// A job in one of its partitions.
struct QueueEntry {
  std::uint64_t merit = 0;  // Larger goes first: push-out rank, partition tier, priority.
  std::uint32_t order = 0;  // Then smaller: the job's number (its array's, for a task),
  std::uint32_t task = 0;   // and the task's index.
  JobId job;
  PartitionId partition;
  std::int32_t cpus = 0;
  bool gone = false;
  bool pushes_out = false;  // May be able to push others out.
  bool special = false;     // Asks for more than CPUs of one node, or stands for several tasks.
  std::uint8_t nth = 0;     // Which of the job's partitions; the first it names goes first.
  std::int32_t min_nodes = 1;
  // Of requests of one kind the larger are no easier to place: CPUs, nodes and time say it all.
  // 0: compares with none.
  std::uint32_t kind = 0;
  Duration limit{0};
};

// Derived from the state by the same events, so a replay gives the same queue. Entries that leave
// stay as gaps until enough have gathered.
class Queue {
 public:
  // To be told every event after the state has taken it in.
  void apply(const State& state, const Event& event);
  // The same where the kind of event is known; defined in queue_fold.h.
  template <class Body>
  void apply_body(const State& state, Instant at, const Body& body);

  // For a state that was not folded from its events.
  void restore(const State& state, Instant now) {
    adopt(state);
    rebuild(state, now);
  }

  // Puts newcomers in their places and closes the gaps. Not while somebody walks the entries.
  void tidy() {
    if (sorted_ < entries_.size()) sort_newcomers();
    // Gaps before the head cost nothing; a few behind it are cheaper than closing them.
    if ((gaps_ - head_ > 4 || head_ > 256) && gaps_ * 4 > entries_.size()) close_gaps();
  }

  const std::vector<QueueEntry>& entries() const { return entries_; }
  std::size_t head() const { return head_; }  // No live entry before this.
  // Stays the same while entries keep their places and newcomers go to the end.
  std::uint64_t layout() const { return layout_; }
  std::size_t size() const { return entries_.size() - gaps_; }
  bool empty() const { return size() == 0; }
  // Nobody waits for more than CPUs of one node, and no entry stands for several tasks.
  bool only_cpus() const { return special_ == 0; }
  const Fairshare& fairshare() const;  // With everything that sshare shows.
  const PriorityContext& context() const { return context_; }
  // As it was when last calculated; 0 for a job that is not in the queue.
  std::int64_t priority(JobId job) const;
  bool contains(JobId job) const { return keys_.find(job) != nullptr; }

 private:
  friend class QueueFold;
  // Where a job's entries are to be found.
  struct Key {
    std::uint64_t merit = 0;
    PartitionId partition;
  };
  struct Keys {
    Key first;
    std::uint32_t order = 0;
    bool more = false;  // It asks for several partitions: the others are in more_.
    std::int64_t priority = 0;
  };
  // What a calculated priority is made of besides fairshare and age.
  struct Rated {
    PriorityTerms terms;
    Instant since;  // Its age began.
  };
  void insert(const State& state, const Job& job, Instant now);
  void rate(const State& state, QueueEntry& entry, Instant now);
  void recalculate_entries(const State& state, Instant now);
  // With the factor of that association.
  const Fairshare& ranks_with(std::uint32_t row) const;
  // A job that waits alone has no place among others to be found; its priority is worked out when
  // somebody asks, or when another comes.
  void leave_unrated(JobId job, Instant now);
  void rate_the_lonely(const State& state);
  std::int64_t priority_for(const State& state, const Job& job, PartitionId partition,
                            Instant now) const;
  std::uint64_t merit_of(const State& state, const Shape& shape, PartitionId partition,
                         std::int64_t priority) const;
  void recalculate(const State& state, Instant now);
  void remove(JobId job);
  void rebuild(const State& state, Instant now);
  void leave(QueueEntry& entry);
  void sort_newcomers();
  void close_gaps();
  void erase_entry(JobId job, std::uint32_t order, const Key& key);
  void adopt(const State& state);

  std::vector<QueueEntry> entries_;
  std::size_t head_ = 0;
  std::size_t sorted_ = 0;  // Entries from here on are newcomers in no order.
  std::size_t gaps_ = 0;
  std::size_t special_ = 0;
  std::uint64_t layout_ = 0;
  mutable Fairshare fairshare_;  // Weighed when somebody looks.
  std::shared_ptr<const Policy> policy_;
  PriorityContext context_;
  bool calculates_ = false;  // priority/multifactor
  std::optional<JobId> unrated_;
  Instant unrated_at_{};                     // When its priority was to be calculated.
  std::vector<std::uint8_t> push_out_rank_;  // By QoS: above everything it may push out.

  IdTable<JobId, Keys> keys_;
  IdTable<JobId, Rated> rated_;  // In its first partition; only where priorities are calculated.
  std::map<JobId, std::vector<Key>> more_;
  RequestKinds kinds_;
};

}  // namespace sluice
