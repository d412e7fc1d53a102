// Keeps the eligible jobs in order as events come in.
#include "policy/queue.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "policy/age.h"
#include "policy/preemption.h"
#include "policy/queue_fold.h"

namespace sluice {
namespace {

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

std::int64_t priority_in_merit(std::uint64_t merit) {
  return static_cast<std::int64_t>(merit & 0xffffffff);
}

}  // namespace

void Queue::adopt(const State& state) {
  policy_ = state.shared_policy();
  calculates_ = policy_->priority.type == PriorityType::kMultifactor;
  only_rises_ = calculates_ && policy_->priority.increase_only;
  limits_ages_ = policy_->limits_ages();
  push_out_rank_ = push_out_ranks(state.policy());
  context_ = priority_context(state);
}

void Queue::apply(const State& state, const Event& event) {
  std::visit([&](const auto& body) { apply_body(state, event.at, body); }, event.body);
}

// The rows of a request that waits for the first time are made here.
std::uint32_t Queue::rows_of(const State& state, SpecId spec) {
  std::uint32_t first = requests_.find(spec);
  if (first != WaitingRequests::kNone) return first;
  const Shape& shape = state.shape(spec);
  WaitingRequests::Row row;
  QueueEntry& entry = row.entry;
  entry.cpus = static_cast<std::int32_t>(shape.asked[kTresCpu]);
  entry.special = !shape.only_cpus || shape.min_nodes > 1;
  entry.min_nodes = shape.min_nodes;
  // What fits into a reservation says nothing of what fits elsewhere.
  entry.kind = shape.in_reservation ? 0 : kinds_.kind_of(shape);
  entry.pushes_out = may_push_anybody_out(*policy_, shape);
  const std::uint64_t rank = shape.qos ? push_out_rank_[shape.qos->index()] : 0;
  // Jobs of reservations go before all others that they may not push out.
  const std::uint64_t reserved = shape.in_reservation ? 1 : 0;
  std::uint32_t last = WaitingRequests::kNone;
  for (PartitionId partition : shape.partitions) {
    const auto tier =
        static_cast<std::uint64_t>(policy_->partitions[partition.index()].priority_tier) & 0xffff;
    entry.merit = rank << 49 | reserved << 48 | tier << 32;
    entry.partition = partition;
    last = requests_.add(spec, last, row, priority_terms(state, context_, shape, partition));
    if (first == WaitingRequests::kNone) first = last;
    if (entry.nth < 255) ++entry.nth;
  }
  return first;
}

std::int64_t Queue::priority_in(std::uint32_t, const PriorityTerms& terms, const Keys& keys) const {
  if (!calculates_) return priority_total(terms, basic_part(*policy_, JobId(keys.order)));
  const Instant rated = keys.round == round_ ? keys.entered : calculated_;
  return priority_total(terms, AgeScale(policy_->priority, rated).part(keys.since));
}

std::uint64_t Queue::merit_in(std::uint32_t row, const Keys& keys) const {
  return with_priority(requests_.row(row).entry.merit,
                       priority_in(row, requests_.terms(row), keys));
}

std::int64_t Queue::since(const State& state, const Job& job) const {
  if (!limits_ages_)
    return to_seconds(policy_->priority.accrue_always ? job.submitted : job.eligible_since);
  const auto since = age_since(*policy_, state.shape_of_job(job), job);
  return since ? to_seconds(*since) : std::numeric_limits<std::int64_t>::max();
}

void Queue::insert(const State& state, const Job& job, Instant now) {
  rate_the_lonely();
  const std::uint32_t first = rows_of(state, job.spec);
  if (first == WaitingRequests::kNone) return;
  const bool in_array = job.array != JobId{};
  Keys& keys = keys_.insert(job.id);
  keys.order = in_array ? job.array.value() : job.id.value();
  keys.request = first;
  keys.since = since(state, job);
  keys.entered = now;
  keys.round = round_;
  const bool lonely =
      calculates_ && !only_rises_ && empty() && requests_.row(first).next == WaitingRequests::kNone;
  for (std::uint32_t row = first; row != WaitingRequests::kNone; row = requests_.row(row).next) {
    QueueEntry& entry = entries_.emplace_back(requests_.row(row).entry);
    ++arrivals_;
    if (!lonely) {
      if (calculates_) rank(row);
      entry.merit = merit_in(row, keys);
    }
    entry.order = keys.order;
    // The record of an array stands where its first waiting task would; where its first tasks wait
    // apart from it, behind them.
    const std::uint32_t of_record = limits_ages_ ? std::numeric_limits<std::uint32_t>::max() : 0;
    entry.task = !in_array ? 0 : job.is_array ? of_record : job.task;
    entry.job = job.id;
    entry.special = entry.special || job.is_array;
    if (entry.special) ++special_;
    entry.limit = job.limit;
    entry.since = keys.since;
    const std::size_t before = entries_.size() - 1;
    if (!order_is_due_ && sorted_ == before &&
        (before == 0 || goes_before(entries_[before - 1], entry)))
      ++sorted_;
  }
  requests_.enter(first);
  if (lonely) unrated_ = job.id;
}

void Queue::remove(JobId job) {
  const Keys* found = keys_.find(job);
  if (found == nullptr) return;
  if (order_is_due_) put_in_order();  // It is looked for by its merit.
  const Keys keys = *found;
  const auto merit = [&](std::uint32_t row) {
    return only_rises_ ? find_entry(job, row)->merit : merit_in(row, keys);
  };
  const bool single = requests_.row(keys.request).next == WaitingRequests::kNone;
  if (entries_[head_].job == job && single && !entries_[head_].gone) {
    leave(entries_[head_]);  // The first is the most likely to go.
  } else {
    for (std::uint32_t row = keys.request; row != WaitingRequests::kNone;
         row = requests_.row(row).next)
      erase_entry(job, merit(row), keys.order, row);
  }
  keys_.erase(job);
  requests_.leave(keys.request);
  if (unrated_ == job) unrated_.reset();
  while (head_ < entries_.size() && entries_[head_].gone) ++head_;
}

void Queue::erase_entry(JobId job, std::uint64_t merit, std::uint32_t order, std::uint32_t row) {
  // Whether the task index or 0 was filed depends on what the record stood for; the job's number
  // settles it.
  QueueEntry probe;
  probe.merit = merit;
  probe.order = order;
  const auto is_it = [&](const QueueEntry& entry) {
    return entry.job == job && entry.request == row && !entry.gone;
  };
  const auto end_of_sorted = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  auto it =
      std::lower_bound(entries_.begin() + static_cast<std::ptrdiff_t>(std::min(head_, sorted_)),
                       end_of_sorted, probe, goes_before);
  while (it != end_of_sorted && it->merit == merit && it->order == order && !is_it(*it)) ++it;
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
  requests_.clear();
  unrated_.reset();
  order_is_due_ = false;
  special_ = 0;
  head_ = 0;
  gaps_ = 0;
  sorted_ = 0;
  state.for_each_job([&](const Job& job) {
    if (job.state == JobState::kPending && job.eligible) insert(state, job, now);
  });
  tidy();
}

// The factors of all that wait, once for each request.
void Queue::rank_all() {
  const auto each_row = [&](auto visit) {
    for (std::uint32_t row : requests_.with_jobs())
      for (; row != WaitingRequests::kNone; row = requests_.row(row).next) visit(row);
  };
  // Together, so that the accounts are gone through once.
  each_row([&](std::uint32_t row) { want_rank(requests_.terms(row).row, fairshare_); });
  rank_wanted(*policy_, fairshare_);
  each_row([&](std::uint32_t row) {
    fill_fairshare(policy_->priority, fairshare_, requests_.terms(row));
  });
}

// The same jobs in a new order, when somebody looks at it.
void Queue::recalculate(const State& state, Instant now) {
  note_usage(state, fairshare_);
  ++layout_;
  ++round_;
  calculated_ = now;
  if (gaps_ > 0) std::erase_if(entries_, [](const QueueEntry& entry) { return entry.gone; });
  gaps_ = 0;
  head_ = 0;
  unrated_.reset();
  order_is_due_ = entries_.size() > 1;
  if (calculates_ && !only_rises_ && entries_.size() == 1) unrated_ = entries_.front().job;
  sorted_ = entries_.size();
  if (only_rises_ && !entries_.empty()) put_in_order();
}

// Whoever came after priorities were calculated has its merit, but no place yet.
void Queue::put_in_order() {
  order_is_due_ = false;
  if (calculates_) {
    rank_all();
    rate(sorted_, AgeScale(policy_->priority, calculated_));
  } else {
    order_.mend(entries_);
  }
  sorted_ = entries_.size();
}

// Gives the first so many their merits, and all their places.
void Queue::rate(std::size_t count, const AgeScale& age) {
  const auto merit = [&](const QueueEntry& entry) {
    const std::int64_t total =
        priority_total(requests_.terms(entry.request), age.part(entry.since));
    if (only_rises_ && total < priority_in_merit(entry.merit)) return entry.merit;
    return with_priority(entry.merit, total);
  };
  if (entries_.size() <= kLongQueue) {
    for (std::size_t i = 0; i < count; ++i) entries_[i].merit = merit(entries_[i]);
    return order_.mend(entries_);
  }
  // Each is read once where all keep their places.
  constexpr std::size_t kAhead = 32;
  std::size_t in_order = 0;
  for (; in_order < entries_.size(); ++in_order) {
    if (in_order + kAhead < entries_.size()) __builtin_prefetch(&entries_[in_order + kAhead], 1);
    QueueEntry& entry = entries_[in_order];
    if (in_order < count) entry.merit = merit(entry);
    if (in_order > 0 && goes_before(entry, entries_[in_order - 1])) break;
  }
  if (in_order == entries_.size()) return;
  std::vector<QueuePlace>& places = order_.places();
  places.resize(entries_.size());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (i + kAhead < entries_.size()) __builtin_prefetch(&entries_[i + kAhead]);
    const QueueEntry& entry = entries_[i];
    places[i] = {i > in_order && i < count ? merit(entry) : entry.merit, entry.order, i};
  }
  order_.arrange(entries_);
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

void Queue::rank(std::uint32_t row) {
  PriorityTerms& terms = requests_.terms(row);
  fill_fairshare(policy_->priority, ranks_with(terms.row), terms);
}

void Queue::rate_the_lonely() {
  if (!unrated_) return;
  const JobId job = *unrated_;
  unrated_.reset();
  std::size_t i = head_;
  while (entries_[i].job != job || entries_[i].gone) ++i;
  rank(entries_[i].request);
  entries_[i].merit = merit_in(entries_[i].request, keys_.at(job));
  sorted_ = std::min(sorted_, i);  // Its place among those that have gone is not known.
}

const QueueEntry* Queue::find_entry(JobId job, std::uint32_t row) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const QueueEntry& entry) {
    return entry.job == job && entry.request == row && !entry.gone;
  });
  CHECK(found != entries_.end(), "a queued job is not in the queue");
  return &*found;
}

std::int64_t Queue::last_priority(JobId job, std::uint32_t row, const Keys& keys) const {
  if (only_rises_) return priority_in_merit(find_entry(job, row)->merit);
  PriorityTerms terms = requests_.terms(row);
  if (unrated_ == job || order_is_due_)
    fill_fairshare(policy_->priority, ranks_with(terms.row), terms);
  return priority_in(row, terms, keys);
}

std::int64_t Queue::priority(JobId job) const {
  const Keys* keys = keys_.find(job);
  return keys == nullptr ? 0 : last_priority(job, keys->request, *keys);
}

std::int64_t Queue::priority(const QueueEntry& entry) const {
  return last_priority(entry.job, entry.request, keys_.at(entry.job));
}

std::optional<std::int64_t> Queue::running_priority(const State& state, const Job& job) const {
  if (!calculates_ || !policy_->priority.calculate_running || !holds_nodes(job.state))
    return std::nullopt;
  const Run& run = state.run_of(job);
  return priority_of(state, context_, fairshare(), job, run.partition,
                     std::max(run.started, state.last_calculated()))
      .total;
}

}  // namespace sluice
