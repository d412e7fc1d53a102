// Keeps the eligible jobs in order as events come in.
#include "policy/queue.h"

#include <algorithm>

#include "base/check.h"
#include "policy/preemption.h"
#include "policy/queue_fold.h"

namespace sluice {
namespace {

// A lambda, so that sorting does not call it by its address.
constexpr auto goes_before = [](const QueueEntry& a, const QueueEntry& b) {
  if (a.merit != b.merit) return a.merit > b.merit;
  if (a.order != b.order) return a.order < b.order;
  if (a.task != b.task) return a.task < b.task;
  return a.nth < b.nth;
};

// What a longer queue is made of lies beyond the caches: its memory is asked for this far ahead.
constexpr std::size_t kLongQueue = 4096;
constexpr std::size_t kAhead = 16;

// How many steps of pushing out lie below each QoS: what may push out goes before what it may
// push out, whatever their priorities, as slurmctld sorts its queue.
std::vector<std::uint8_t> push_out_ranks(const Policy& policy) {
  std::vector<std::uint8_t> rank(policy.qos.size(), 0);
  if (policy.preemption.type != PreemptType::kQos) return rank;
  // A policy without cycles settles after as many rounds as it has QoS.
  for (std::size_t round = 0; round < policy.qos.size(); ++round)
    for (std::size_t i = 0; i < policy.qos.size(); ++i)
      for (QosId below : policy.qos[i].preempt)
        if (below.index() != i && rank[below.index()] < 254)
          rank[i] =
              std::max<std::uint8_t>(rank[i], static_cast<std::uint8_t>(rank[below.index()] + 1));
  return rank;
}

// The push-out rank and the tier stay above it.
std::uint64_t with_priority(std::uint64_t merit, std::int64_t priority) {
  return (merit & ~std::uint64_t{0xffffffff}) |
         static_cast<std::uint64_t>(std::clamp<std::int64_t>(priority, 0, 0xffffffff));
}

}  // namespace

void Queue::adopt(const State& state) {
  policy_ = state.shared_policy();
  calculates_ = policy_->priority.type == PriorityType::kMultifactor;
  push_out_rank_ = push_out_ranks(state.policy());
  context_ = priority_context(state);
}

void Queue::apply(const State& state, const Event& event) {
  std::visit([&](const auto& body) { apply_body(state, event.at, body); }, event.body);
}

std::int64_t Queue::priority_for(const State& state, const Job& job, PartitionId partition,
                                 Instant now) const {
  if (!calculates_ && !state.shape_of_job(job).request->priority)
    return 0;  // In order of submission: the job's number decides.
  const auto& assoc = state.shape_of_job(job).assoc;
  const Fairshare& ranks = assoc ? ranks_with(assoc->value()) : fairshare_;
  return priority_of(state, context_, ranks, job, partition, now).total;
}

std::uint64_t Queue::merit_of(const State& state, const Shape& shape, PartitionId partition,
                              std::int64_t priority) const {
  const std::uint64_t rank = shape.qos ? push_out_rank_[shape.qos->index()] : 0;
  const auto tier =
      static_cast<std::uint64_t>(state.policy().partitions[partition.index()].priority_tier) &
      0xffff;
  return with_priority(rank << 48 | tier << 32, priority);
}

void Queue::insert(const State& state, const Job& job, Instant now) {
  const Shape& shape = state.shape_of_job(job);
  rate_the_lonely(state);
  const bool lonely = calculates_ && empty() && shape.partitions.size() == 1;
  Keys keys;
  bool is_first = true;
  std::uint8_t nth = 0;
  for (PartitionId partition : shape.partitions) {
    const std::int64_t priority = lonely ? 0 : priority_for(state, job, partition, now);
    QueueEntry entry;
    entry.merit = merit_of(state, shape, partition, priority);
    const bool in_array = job.array != JobId{};
    entry.order = in_array ? job.array.value() : job.id.value();
    // The record of an array stands where its first waiting task would.
    entry.task = in_array && !job.is_array ? job.task : 0;
    entry.job = job.id;
    entry.partition = partition;
    entry.nth = nth < 255 ? nth++ : nth;
    entry.cpus = static_cast<std::int32_t>(shape.asked[kTresCpu]);
    entry.special = job.is_array || !shape.only_cpus || shape.min_nodes > 1;
    if (entry.special) ++special_;
    entry.min_nodes = shape.min_nodes;
    entry.kind = kinds_.kind_of(shape);
    entry.pushes_out = may_push_anybody_out(state.policy(), shape);
    entry.limit = job.limit;
    const bool in_place =
        sorted_ == entries_.size() && (entries_.empty() || goes_before(entries_.back(), entry));
    entries_.push_back(entry);
    if (in_place) ++sorted_;
    const Key key{entry.merit, partition};
    if (is_first) {
      keys.first = key;
      keys.order = entry.order;
      keys.priority = priority;
    } else {
      keys.more = true;
      more_[job.id].push_back(key);
    }
    is_first = false;
  }
  if (is_first) return;
  keys_.insert(job.id, keys);
  if (lonely) leave_unrated(job.id, now);
  if (calculates_)
    rated_.insert(job.id, {priority_terms(state, context_, shape, shape.partitions.front()),
                           policy_->priority.accrue_always ? job.submitted : job.eligible_since});
}

void Queue::remove(JobId job) {
  const Keys* keys = keys_.find(job);
  if (keys == nullptr) return;
  if (entries_[head_].job == job && !keys->more && !entries_[head_].gone)
    leave(entries_[head_]);  // The first is the most likely to go.
  else
    erase_entry(job, keys->order, keys->first);
  if (keys->more) {
    for (const Key& key : more_.at(job)) erase_entry(job, keys->order, key);
    more_.erase(job);
  }
  keys_.erase(job);
  if (calculates_) rated_.erase(job);
  if (unrated_ == job) unrated_.reset();
  while (head_ < entries_.size() && entries_[head_].gone) ++head_;
}

void Queue::erase_entry(JobId job, std::uint32_t order, const Key& key) {
  // Whether the task index or 0 was filed depends on what the record stood for; the job's number
  // settles it.
  QueueEntry probe;
  probe.merit = key.merit;
  probe.order = order;
  probe.task = 0;
  probe.partition = PartitionId{};
  const auto is_it = [&](const QueueEntry& entry) {
    return entry.job == job && entry.partition == key.partition && !entry.gone;
  };
  const auto end_of_sorted = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  auto it =
      std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(std::min(head_, sorted_)),
                       end_of_sorted, probe, goes_before);
  while (it != end_of_sorted && it->merit == key.merit && it->order == order && !is_it(*it)) ++it;
  if (it == end_of_sorted || !is_it(*it))
    it = std::find_if(end_of_sorted, entries_.end(), is_it);  // A newcomer.
  CHECK(it != entries_.end(), "a queued job is not in the queue");
  leave(*it);
}

void Queue::leave(QueueEntry& entry) {
  entry.gone = true;
  if (entry.special) --special_;
  ++gaps_;
}

void Queue::sort_newcomers() {
  ++layout_;
  head_ = std::min(head_, sorted_);  // A newcomer may go before others that have gone.
  const auto newcomers = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(newcomers, entries_.end(), goes_before);
  std::inplace_merge(entries_.begin() + static_cast<std::ptrdiff_t>(head_), newcomers,
                     entries_.end(), goes_before);
  sorted_ = entries_.size();
  while (head_ < entries_.size() && entries_[head_].gone) ++head_;
}

void Queue::close_gaps() {
  ++layout_;
  std::erase_if(entries_, [](const QueueEntry& entry) { return entry.gone; });
  gaps_ = 0;
  head_ = 0;
  sorted_ = entries_.size();
}

void Queue::rebuild(const State& state, Instant now) {
  if (state.policy().priority.type == PriorityType::kMultifactor) note_usage(state, fairshare_);
  ++layout_;
  entries_.clear();
  keys_ = {};
  rated_ = {};
  unrated_.reset();
  more_.clear();
  special_ = 0;
  head_ = 0;
  gaps_ = 0;
  sorted_ = 0;
  state.for_each_job([&](const Job& job) {
    if (job.state == JobState::kPending && job.eligible) insert(state, job, now);
  });
  tidy();
}

// Whose factor is asked for has been ranked.
void Queue::rate(const State& state, QueueEntry& entry, Instant now) {
  Keys& keys = keys_.at(entry.job);
  if (keys.first.partition == entry.partition) {
    const Rated& rated = rated_.at(entry.job);
    keys.priority = priority_total(policy_->priority, fairshare_, rated.terms, rated.since, now);
    entry.merit = with_priority(entry.merit, keys.priority);
    keys.first.merit = entry.merit;
    return;
  }
  const std::int64_t priority = priority_for(state, state.job(entry.job), entry.partition, now);
  entry.merit = with_priority(entry.merit, priority);
  for (Key& key : more_.at(entry.job))
    if (key.partition == entry.partition) key.merit = entry.merit;
}

void Queue::recalculate_entries(const State& state, Instant now) {
  unrated_.reset();
  if (entries_.size() == 1) return leave_unrated(entries_.front().job, now);
  // Together, so that the accounts are gone through once.
  if (entries_.size() >= fairshare_.rows.size()) {
    rank_noted_usage(*policy_, fairshare_);
  } else {
    for (const QueueEntry& entry : entries_) want_rank(rated_.at(entry.job).terms.row, fairshare_);
    rank_wanted(*policy_, fairshare_);
  }
  const std::size_t ahead = entries_.size() > kLongQueue ? entries_.size() - kAhead : 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i < ahead) {
      keys_.prefetch(entries_[i + kAhead].job);
      rated_.prefetch(entries_[i + kAhead].job);
    }
    rate(state, entries_[i], now);
  }
}

// The same jobs in a new order.
void Queue::recalculate(const State& state, Instant now) {
  note_usage(state, fairshare_);
  ++layout_;
  std::erase_if(entries_, [](const QueueEntry& entry) { return entry.gone; });
  gaps_ = 0;
  head_ = 0;
  if (calculates_ && !entries_.empty()) recalculate_entries(state, now);
  if (!std::is_sorted(entries_.begin(), entries_.end(), goes_before))
    std::sort(entries_.begin(), entries_.end(), goes_before);
  sorted_ = entries_.size();
}

const Fairshare& Queue::ranks_with(std::uint32_t row) const {
  if (fairshare_.ranked) return fairshare_;
  want_rank(row, fairshare_);
  rank_wanted(*policy_, fairshare_);
  return fairshare_;
}

const Fairshare& Queue::fairshare() const {
  if (!fairshare_.ranked) rank_noted_usage(*policy_, fairshare_);
  fill_norm_usage(fairshare_);
  return fairshare_;
}

void Queue::leave_unrated(JobId job, Instant now) {
  unrated_ = job;
  unrated_at_ = now;
}

void Queue::rate_the_lonely(const State& state) {
  if (!unrated_) return;
  const JobId job = *unrated_;
  unrated_.reset();
  std::size_t i = head_;
  while (entries_[i].job != job || entries_[i].gone) ++i;
  ranks_with(rated_.at(job).terms.row);
  rate(state, entries_[i], unrated_at_);
  sorted_ = std::min(sorted_, i);  // Its place among those that have gone is not known.
}

std::int64_t Queue::priority(JobId job) const {
  const Keys* keys = keys_.find(job);
  if (keys == nullptr) return 0;
  if (unrated_ != job) return keys->priority;
  const Rated& rated = rated_.at(job);
  return priority_total(policy_->priority, ranks_with(rated.terms.row), rated.terms, rated.since,
                        unrated_at_);
}

}  // namespace sluice
