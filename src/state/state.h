// One cluster's present, as the fold of its events.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/policy.h"
#include "model/reason.h"
#include "state/holding_changes.h"
#include "state/id_table.h"
#include "state/job_record.h"
#include "state/node_changes.h"
#include "state/node_ends.h"
#include "state/node_use.h"
#include "state/past_table.h"
#include "state/policy_names.h"
#include "state/reservation_record.h"
#include "state/shape.h"
#include "state/usage.h"

namespace sluice {

// When a job that holds nodes will have reached its limit.
struct ExpectedEnd {
  Instant at;
  std::uint64_t order = 0;  // Of starting; total order on ties.
  JobId job;
  std::int32_t cpus = 0;
};

struct Event;
struct StateSnapshot;

class State {
 public:
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // The only way anything changes. CHECKs that the transition is legal.
  void apply(const Event& event);
  // The same where the kind of event is known; defined in fold.h.
  template <class Body>
  void apply_body(Instant at, const Body& body);

  bool has_policy() const { return policy_ != nullptr; }
  const Policy& policy() const { return *policy_; }
  std::shared_ptr<const Policy> shared_policy() const { return policy_; }
  const PolicyNames& names() const { return names_; }
  Instant origin() const { return origin_; }

  const Job* find_job(JobId id) const { return jobs_.find(id); }
  const Job& job(JobId id) const { return jobs_.at(id); }
  const Shape& shape(SpecId id) const { return shapes_.at(id); }
  const Shape* find_shape(SpecId id) const { return shapes_.find(id); }
  const Shape& shape_of_job(const Job& job) const { return shapes_.at(job.spec); }
  const Run& run_of(const Job& job) const { return runs_[job.run - 1]; }
  // For walks through long queues: memory is asked for before it is needed, the job's first and
  // then, when that has come, its request's.
  void prefetch_job(JobId id) const { jobs_.prefetch(id); }
  void prefetch_shape(JobId id) const { shapes_.prefetch(jobs_.at(id).spec); }
  const Array* find_array(JobId id) const;
  // The task's own record, or nullptr when it never left the array record or is forgotten.
  const Job* find_task(JobId array, std::uint32_t task) const;
  // The tasks of an array that have records of their own.
  std::vector<JobId> task_records(JobId array) const;
  template <class Visit>
  void for_each_job(Visit visit) const {
    jobs_.for_each(visit);
  }
  std::size_t job_count() const { return jobs_.size(); }
  // With every task that waits in the record of its array: what Slurm's MaxJobCount counts.
  std::size_t task_count() const { return jobs_.size() + in_records_; }
  std::size_t pending_count() const { return pending_; }
  JobId next_job_id() const { return JobId(next_job_); }
  SpecId next_spec_id() const { return SpecId(next_spec_); }

  const std::vector<NodeUse>& nodes() const { return nodes_; }
  // Jobs that hold nodes and were not told to end, by expected end.
  const std::vector<ExpectedEnd>& expected_ends() const { return ends_; }
  // The same by node, of jobs that do not share CPUs there.
  const NodeEnds& node_ends() const { return node_ends_; }
  std::int64_t cpus_taken() const { return cpus_taken_; }
  // Jobs that hold nodes which no other user's jobs may be on.
  std::int32_t jobs_by_user() const { return jobs_by_user_; }
  std::uint64_t starts() const { return starts_; }  // Of all jobs so far.
  const HoldingChanges& holding_changes() const { return holding_changes_; }
  const NodeChanges& node_changes() const { return node_changes_; }

  UserId user_id(std::string_view name);  // Registers names the policy does not know.
  std::optional<UserId> find_user(std::string_view name) const;
  const std::string& user_name(UserId user) const { return user_names_[user.index()]; }
  std::size_t user_count() const { return user_names_.size(); }

  const AccountUsage& usage(AssocId assoc) const { return assoc_usage_[assoc.index()]; }
  const PastUsage& past(AssocId assoc) const { return assoc_past_.at(assoc.index()); }
  // Of every association, in the order of the policy: what fairshare looks at.
  const std::vector<double>& billing_seconds() const { return assoc_past_.billing_seconds(); }
  const QosUsage& usage(QosId qos) const { return qos_usage_[qos.index()]; }
  std::int64_t licenses_taken(LicenseId license) const { return licenses_[license.index()]; }
  Instant last_calculated() const { return last_calculated_; }
  // In the order in which they were made.
  const std::vector<KeptReservation>& reservations() const { return reservations_; }
  const KeptReservation* find_reservation(std::string_view name) const;

  // Pending jobs that wait for their begin time, and jobs to forget, both by time.
  const std::set<std::pair<Instant, JobId>>& begins() const { return begins_; }
  const std::deque<std::pair<Instant, JobId>>& ended() const { return ended_; }
  const std::set<std::pair<Instant, JobId>>& warned() const { return warned_; }
  const std::set<JobId>& suspended() const { return suspended_; }
  // Jobs that run and are still to get the signal they asked for.
  const std::set<JobId>& awaiting_signal() const { return awaiting_signal_; }
  // Jobs that may hold nodes beyond start plus limit: were suspended, are told to end.
  const std::set<JobId>& overstaying() const { return overstaying_; }
  // Jobs whose fate hangs on this one (by its number, or its array's).
  std::vector<JobId> dependents_of(JobId job) const;
  // All that wait for other jobs by number.
  std::set<JobId> dependents() const;
  bool anybody_depends() const { return !dependents_.empty() || !singletons_.empty(); }
  std::vector<JobId> singletons_of(UserId user, std::string_view name) const;

  // Everything, and everything again in a state that is new: snapshot.h.
  StateSnapshot snapshot() const;
  void restore(const StateSnapshot& from);

  // What is wrong with the books, or "" when they agree with the jobs: see invariants.cc.
  std::string broken_invariant() const;
  // Everything as text, line by line, and the first line that differs or "".
  std::vector<std::string> dump() const;
  std::string difference_from(const State& other) const;

 private:
  friend class StateFold;

  std::shared_ptr<const Policy> policy_;
  PolicyNames names_;
  Instant origin_{};
  Instant last_calculated_{};
  Instant now_{};
  IdTable<SpecId, Shape> shapes_;
  IdTable<JobId, Job> jobs_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
  std::map<JobId, Array> arrays_;
  std::map<std::pair<JobId, std::uint32_t>, JobId> tasks_;
  std::size_t pending_ = 0;
  std::size_t in_records_ = 0;  // Tasks that wait in records of arrays, beyond one a record.
  std::uint32_t next_job_ = 1;
  std::uint32_t next_spec_ = 1;
  std::uint64_t starts_ = 0;
  HoldingChanges holding_changes_;
  NodeChanges node_changes_;
  std::vector<NodeUse> nodes_;
  std::int64_t cpus_taken_ = 0;
  std::int32_t jobs_by_user_ = 0;
  std::vector<ExpectedEnd> ends_;
  NodeEnds node_ends_;
  std::vector<std::string> user_names_;
  std::map<std::string, UserId, std::less<>> users_;
  std::vector<AccountUsage> assoc_usage_;
  std::int64_t decayed_count_ = 0;  // Of seconds that were booked last, and what they counted.
  double decayed_seconds_ = 0;
  PastTable assoc_past_;
  std::vector<QosUsage> qos_usage_;
  std::vector<std::int64_t> licenses_;
  std::vector<KeptReservation> reservations_;
  std::set<std::pair<Instant, JobId>> begins_;
  std::deque<std::pair<Instant, JobId>> ended_;
  std::set<std::pair<Instant, JobId>> warned_;
  std::set<JobId> suspended_;
  std::set<JobId> awaiting_signal_;
  std::set<JobId> overstaying_;
  std::map<JobId, std::set<JobId>> dependents_;
  std::map<std::pair<UserId, std::string>, std::set<JobId>> singletons_;
};

// The partition QoS and the job's, in the order in which limits are looked up.
struct QosPair {
  std::optional<QosId> first;
  std::optional<QosId> second;
  LimitHolder first_holder = LimitHolder::kNone;
  LimitHolder second_holder = LimitHolder::kNone;
};
inline QosPair qos_in_order(const Policy& policy, PartitionId partition,
                            std::optional<QosId> job_qos) {
  const std::optional<QosId> part_qos = policy.partitions[partition.index()].qos;
  if (!part_qos || part_qos == job_qos) {
    const LimitHolder holder = part_qos && !policy.qos[job_qos->index()].flags.over_part_qos
                                   ? LimitHolder::kPartitionQos
                                   : LimitHolder::kJobQos;
    return {job_qos, std::nullopt, holder, LimitHolder::kNone};
  }
  if (!job_qos) return {part_qos, std::nullopt, LimitHolder::kPartitionQos, LimitHolder::kNone};
  if (policy.qos[job_qos->index()].flags.over_part_qos)
    return {job_qos, part_qos, LimitHolder::kJobQos, LimitHolder::kPartitionQos};
  return {part_qos, job_qos, LimitHolder::kPartitionQos, LimitHolder::kJobQos};
}

// Every QoS that a submission counts against while it waits, once: its own and that of each
// partition it names.
template <class Visit>
void for_each_waiting_qos(const Policy& policy, const Shape& shape, Visit visit) {
  if (shape.qos) visit(*shape.qos);
  for (std::size_t i = 0; i < shape.partitions.size(); ++i) {
    const std::optional<QosId> qos = policy.partitions[shape.partitions[i].index()].qos;
    bool seen = !qos || qos == shape.qos;
    for (std::size_t k = 0; k < i && !seen; ++k)
      seen = policy.partitions[shape.partitions[k].index()].qos == qos;
    if (!seen) visit(*qos);
  }
}

}  // namespace sluice
