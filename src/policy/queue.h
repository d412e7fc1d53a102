// The eligible jobs in the order in which they are looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policy/fairshare.h"
#include "policy/priority.h"
#include "policy/queue_entry.h"
#include "policy/queue_order.h"
#include "policy/request_kinds.h"
#include "policy/waiting_requests.h"
#include "state/id_table.h"
#include "state/state.h"

namespace sluice {

struct Event;

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

  // Puts everybody in the place that is due to it and closes the gaps. Not while somebody walks the
  // entries.
  void tidy() {
    if (order_is_due_) put_in_order();
    if (sorted_ < entries_.size()) sort_newcomers();
    // Gaps before the head cost nothing; a few behind it are cheaper than closing them.
    if ((gaps_ - head_ > 4 || head_ > 256) && gaps_ * 4 > entries_.size()) close_gaps();
  }

  // Whether the entries are in order: else somebody came, or priorities were calculated, since they
  // were last put in order.
  bool is_tidy() const { return !order_is_due_ && sorted_ == entries_.size(); }
  const std::vector<QueueEntry>& entries() const { return entries_; }
  std::size_t head() const { return head_; }  // No live entry before this.
  // Stays the same while entries keep their order and newcomers go to the end.
  std::uint64_t layout() const { return layout_; }
  // How many ever came: all that came since it was another number stand at the end, or have left.
  std::uint64_t arrivals() const { return arrivals_; }
  std::size_t size() const { return entries_.size() - gaps_; }
  bool empty() const { return size() == 0; }
  // Nobody waits for more than CPUs of one node, and no entry stands for several tasks.
  bool only_cpus() const { return special_ == 0; }
  const Fairshare& fairshare() const;  // With everything that sshare shows.
  const PriorityContext& context() const { return context_; }
  // As it was when last calculated; 0 for a job that is not in the queue.
  std::int64_t priority(JobId job) const;
  std::int64_t priority(const QueueEntry& entry) const;  // In the entry's partition.
  // Of a job that runs, where CALCULATE_RUNNING has it calculated with the others.
  std::optional<std::int64_t> running_priority(const State& state, const Job& job) const;
  bool contains(JobId job) const { return keys_.find(job) != nullptr; }

 private:
  friend class QueueFold;
  // Where a job's entries are to be found: their merit follows from these.
  struct Keys {
    std::uint32_t order = 0;
    std::uint32_t request = 0;  // Its first row.
    std::int64_t since = 0;
    Instant entered{};
    std::uint32_t round = 0;  // Of calculating, when it entered.
  };
  void insert(const State& state, const Job& job, Instant now);
  std::uint32_t rows_of(const State& state, SpecId spec);
  void rank(std::uint32_t row);
  void rank_all();
  void rate(std::size_t count, const AgeScale& age);
  // With the factor of that association.
  const Fairshare& ranks_with(std::uint32_t row) const;
  // A job that waits alone has no place among others to be found; its priority is worked out when
  // somebody asks, or when another comes.
  void rate_the_lonely();
  std::int64_t priority_in(std::uint32_t row, const PriorityTerms& terms, const Keys& keys) const;
  std::uint64_t merit_in(std::uint32_t row, const Keys& keys) const;
  std::int64_t last_priority(JobId job, std::uint32_t row, const Keys& keys) const;
  const QueueEntry* find_entry(JobId job, std::uint32_t row) const;
  void recalculate(const State& state, Instant now);
  void put_in_order();
  void remove(JobId job);
  std::int64_t since(const State& state, const Job& job) const;
  void rebuild(const State& state, Instant now);
  void leave(QueueEntry& entry);
  void sort_newcomers();
  void close_gaps();
  void erase_entry(JobId job, std::uint64_t merit, std::uint32_t order, std::uint32_t row);
  void adopt(const State& state);

  std::vector<QueueEntry> entries_;
  std::size_t head_ = 0;
  std::size_t sorted_ = 0;  // Entries from here on are newcomers in no order.
  // Priorities were calculated and nobody has looked at the order since: those that waited then
  // have the merits and places of an earlier time.
  bool order_is_due_ = false;
  std::size_t gaps_ = 0;
  std::size_t special_ = 0;
  std::uint64_t layout_ = 0;
  std::uint64_t arrivals_ = 0;
  mutable Fairshare fairshare_;  // Weighed when somebody looks.
  std::shared_ptr<const Policy> policy_;
  PriorityContext context_;
  bool calculates_ = false;  // priority/multifactor
  // INCR_ONLY: what a job had stays where it is more than what it would get. So priorities are
  // calculated at once, and an entry's merit says more than its keys.
  bool only_rises_ = false;
  bool limits_ages_ = false;  // Not all that wait gain priority by age.
  std::optional<JobId> unrated_;
  std::uint32_t round_ = 0;  // How often priorities were calculated, and when last.
  Instant calculated_{};
  std::vector<std::uint8_t> push_out_rank_;  // By QoS: above everything it may push out.

  IdTable<JobId, Keys> keys_;
  WaitingRequests requests_;
  QueueOrder order_;
  RequestKinds kinds_;
};

}  // namespace sluice
