// One line of text for every event.
#include <fmt/format.h>

#include <bit>
#include <chrono>

#include "engine/codec.h"

namespace sluice {
namespace {

// Below this a time counts from the start of a story or a trace, above it from 1970.
constexpr Duration kTenYears = std::chrono::hours(24 * 3652);

std::string time_text(Instant at) {
  const std::int64_t seconds_in_all = to_seconds(at);
  const std::int64_t millis = (at - instant_at(seconds(seconds_in_all))).count();
  const std::string fraction = millis != 0 ? fmt::format(".{:03}", millis) : "";
  if (at.time_since_epoch() >= kTenYears) {
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds_in_all)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       fraction);
  }
  const bool before = seconds_in_all < 0;
  const std::int64_t all = before ? -seconds_in_all : seconds_in_all;
  return fmt::format("{}{}:{:02}:{:02}{}", before ? "-" : "", all / 3600, all / 60 % 60, all % 60,
                     fraction);
}

class Sentence {
 public:
  explicit Sentence(const Policy* policy) : policy_(policy) {}

  std::string operator()(const PolicyAdopted& e) const {
    if (!e.policy) return "policy adopted";
    return fmt::format("policy of {} adopted: {} nodes, {} partitions, {} associations, {} QoS",
                       e.policy->cluster, e.policy->nodes.size(), e.policy->partitions.size(),
                       e.policy->associations.size(), e.policy->qos.size());
  }
  std::string operator()(const SpecDefined& e) const {
    std::string out = fmt::format("request {}", e.spec.value());
    if (!e.request) return out;
    if (!e.request->name.empty()) out += " '" + e.request->name + "'";
    out += " of " + e.request->user;
    if (!e.request->account.empty()) out += " in account " + e.request->account;
    if (!e.request->qos.empty()) out += ", QoS " + e.request->qos;
    if (e.request->array) out += fmt::format(", {} tasks", e.request->array->indices.size());
    return out;
  }
  std::string operator()(const JobSubmitted& e) const {
    return fmt::format("job {} submitted, request {}", e.job.value(), e.spec.value());
  }
  std::string operator()(const JobBecameEligible& e) const { return job(e.job, "became eligible"); }
  std::string operator()(const DependencyDecided& e) const {
    return fmt::format("job {}: its dependency {}", e.job.value(),
                       e.never ? "can never come true" : "came true");
  }
  std::string operator()(const TaskSplit& e) const {
    return fmt::format("task {} of array {} became job {}", e.task, e.array.value(), e.job.value());
  }
  std::string operator()(const JobStarted& e) const {
    std::int64_t cpus = 0;
    int gpus = 0;
    for (const NodeShare& share : e.allocation.shares()) {
      cpus += share.cpus;
      gpus += std::popcount(share.gpus);
    }
    std::string out = fmt::format("job {} started on {} ({} cpu{}", e.job.value(),
                                  nodes(e.allocation), cpus, cpus == 1 ? "" : "s");
    if (gpus > 0) out += fmt::format(", {} gpu{}", gpus, gpus == 1 ? "" : "s");
    out += ")";
    if (e.attempt > 1) out += fmt::format(", attempt {}", e.attempt);
    return out;
  }
  std::string operator()(const JobSuspended& e) const {
    switch (e.by) {
      case SuspendedBy::kUser:
        break;
      case SuspendedBy::kPreemption:
        return fmt::format("job {} suspended, makes room for job {}", e.job.value(),
                           e.preemptor.value());
      case SuspendedBy::kGang:
        return job(e.job, "suspended, its time slice is over");
    }
    return job(e.job, "suspended");
  }
  std::string operator()(const JobResumed& e) const { return job(e.job, "resumed"); }
  std::string operator()(const PreemptionWarned& e) const {
    return fmt::format("job {} warned, makes room for job {} at {}", e.job.value(),
                       e.preemptor.value(), time_text(e.deadline));
  }
  std::string operator()(const JobEnding& e) const {
    std::string out = fmt::format("job {} told to end: {}", e.job.value(), slurm_name(e.as));
    if (e.preemptor != JobId{}) out += fmt::format(", makes room for job {}", e.preemptor.value());
    if (e.requeue) out += ", to be requeued";
    return out;
  }
  std::string operator()(const RequeueWithdrawn& e) const {
    return job(e.job, "will not be requeued after all");
  }
  std::string operator()(const JobEnded& e) const {
    std::string out = fmt::format("job {} ended: {}", e.job.value(), slurm_name(e.outcome.state));
    if (e.outcome.exit_code != 0) out += fmt::format(", exit code {}", e.outcome.exit_code);
    if (e.outcome.signal != 0) out += fmt::format(", signal {}", e.outcome.signal);
    return out;
  }
  std::string operator()(const JobRequeued& e) const {
    return fmt::format("job {} requeued, not before {}{}", e.job.value(), time_text(e.begin),
                       e.held ? ", held" : "");
  }
  std::string operator()(const JobHeld& e) const {
    if (e.by == HeldBy::kReservationGone) return job(e.job, "held: its reservation is over");
    return job(e.job, e.by == HeldBy::kAdmin ? "held by an administrator" : "held");
  }
  std::string operator()(const AgeBegan& e) const { return job(e.job, "gains priority by age"); }
  std::string operator()(const JobReleased& e) const { return job(e.job, "released"); }
  std::string operator()(const JobChanged& e) const {
    return fmt::format("job {} changed to request {}", e.job.value(), e.spec.value());
  }
  std::string operator()(const TimeLimitChanged& e) const {
    return fmt::format("job {} has a new time limit of {}", e.job.value(),
                       time_text(instant_at(e.limit)));
  }
  std::string operator()(const ThrottleChanged& e) const {
    if (!e.throttle) return fmt::format("array {} has no throttle any more", e.array.value());
    return fmt::format("array {} may run {} tasks at once", e.array.value(), *e.throttle);
  }
  std::string operator()(const TasksCancelled& e) const {
    return fmt::format("{} tasks of array {} cancelled", e.tasks.size(), e.array.value());
  }
  std::string operator()(const NodeChanged& e) const {
    const char* state = e.state == NodeState::kUp     ? "up"
                        : e.state == NodeState::kDown ? "down"
                                                      : "draining";
    std::string out = fmt::format("node {} is {}", node(e.node), state);
    if (!e.why.empty()) out += ": " + e.why;
    return out;
  }
  std::string operator()(const PrioritiesCalculated&) const { return "priorities calculated"; }
  std::string operator()(const UsageWasReset&) const { return "usage reset"; }
  std::string operator()(const JobForgotten& e) const { return job(e.job, "forgotten"); }
  std::string operator()(const ReservationMade& e) const {
    return fmt::format("reservation {} of {} from {} to {}", e.reservation.name,
                       fmt::format("{} nodes", e.reservation.nodes.size()),
                       time_text(e.reservation.start), time_text(e.reservation.end));
  }
  std::string operator()(const ReservationRemoved& e) const {
    return fmt::format("reservation {} removed", e.name);
  }
  std::string operator()(const LimitSignalled& e) const {
    return job(e.job, "signalled before its time limit");
  }
  std::string operator()(const TaskPutInLine& e) const {
    return job(e.job, "put in line behind a task of its array");
  }

 private:
  static std::string job(JobId id, std::string_view what) {
    return fmt::format("job {} {}", id.value(), what);
  }
  std::string node(NodeId id) const {
    if (policy_ != nullptr && id.index() < policy_->nodes.size())
      return policy_->nodes[id.index()].name;
    return fmt::format("#{}", id.value());
  }
  std::string nodes(const Allocation& allocation) const {
    constexpr std::size_t kNamed = 4;  // More make no line that a person reads.
    std::string out;
    std::size_t count = 0;
    for (const NodeShare& share : allocation.shares()) {
      if (++count > kNamed) return out + fmt::format(",… {} nodes", allocation.size());
      if (count > 1) out += ",";
      out += node(share.node);
    }
    return out.empty() ? "no node" : out;
  }
  const Policy* policy_;
};

}  // namespace

std::string describe(const Event& event, const Policy* policy) {
  return time_text(event.at) + " " + std::visit(Sentence(policy), event.body);
}

}  // namespace sluice
