#include "views/job_line.h"

#include <fmt/format.h>

#include "text/array_spec.h"
#include "text/hostlist.h"
#include "views/reason_text.h"

namespace sluice {
namespace {

std::string names_of(const Policy& policy, std::span<const NodeId> nodes) {
  if (nodes.empty()) return {};
  if (nodes.size() == 1) return policy.nodes[nodes.front().index()].name;
  std::vector<std::string> names;
  for (const NodeId node : nodes) names.push_back(policy.nodes[node.index()].name);
  return compress_hostlist(names);
}

// Whether what a line shows of a request is the same.
bool ask_alike(const Shape& a, const Shape& b) {
  const JobSpec& one = *a.request;
  const JobSpec& other = *b.request;
  const auto same = [&](TresIndex tres) { return a.asked[tres] == b.asked[tres]; };
  return one.name == other.name && one.user == other.user && one.account == other.account &&
         a.qos == b.qos && same(kTresCpu) && same(kTresMem) && same(kTresGpu) &&
         a.min_nodes == b.min_nodes && a.partitions == b.partitions;
}

}  // namespace

std::string_view end_word(JobState state, const Run* run) {
  switch (state) {
    case JobState::kFailed:
      return run != nullptr && run->outcome.signal != 0 ? "JobLaunchFailure" : "NonZeroExitCode";
    case JobState::kTimeout:
      return "TimeLimit";
    case JobState::kOutOfMemory:
      return "OutOfMemory";
    case JobState::kNodeFail:
      return "NodeDown";
    default:
      return "";
  }
}

std::string nodes_text(const Policy& policy, const Allocation& allocation) {
  const auto shares = allocation.shares();
  if (shares.size() == 1) return policy.nodes[shares.front().node.index()].name;
  std::vector<NodeId> nodes;
  for (const NodeShare& share : shares) nodes.push_back(share.node);
  return names_of(policy, nodes);
}

std::string job_id_text(const State& state, const Job& job) {
  if (job.array == JobId{}) return fmt::format_int(job.id.value()).str();
  if (!job.is_array) return fmt::format("{}_{}", job.array.value(), job.task);
  const Array* array = state.find_array(job.array);
  if (array == nullptr) return fmt::format("{}", job.array.value());
  return fmt::format("{}_[{}]", job.array.value(),
                     format_array_tasks(ArraySpec{array->waiting, array->throttle}));
}

Duration elapsed_of(const Job& job, const Run& run, Instant now) {
  const Instant until = has_ended(job.state) ? run.ended : now;
  Duration elapsed = until - run.started - run.suspended_for;
  if (job.state == JobState::kSuspended) elapsed -= now - run.suspended_at;
  return std::max(elapsed, Duration(0));
}

bool is_alike(const Engine& engine, const Job& job, const Job& other, const Explanation& others) {
  const auto is_plain = [](const Job& it) {
    return it.state == JobState::kPending && it.array == JobId{};
  };
  if (!is_plain(job) || !is_plain(other)) return false;
  const State& state = engine.state();
  const bool one_request = job.spec == other.spec;
  if (!one_request && !ask_alike(state.shape_of_job(job), state.shape_of_job(other))) return false;
  const Explanation why = engine.explanation(job.id);
  const Rule rule = why.reason.rule;
  // When it may begin is a job's own, and what it depends on a request's.
  return why.reason == others.reason && rule != Rule::kBeginTime &&
         (one_request || (rule != Rule::kDependency && rule != Rule::kDependencyNeverSatisfied)) &&
         why.expected == others.expected && why.nodes == others.nodes;
}

void fill_own_fields(const Engine& engine, const Job& job, QueueLine& out) {
  if (job.array == JobId{}) {
    const fmt::format_int digits(job.id.value());
    out.id.assign(digits.data(), digits.size());
  } else {
    out.id = job_id_text(engine.state(), job);
  }
  out.job = job.id;
  out.priority = job.held == HeldBy::kNobody ? engine.queue().priority(job.id) : 0;
  out.limit.reset();
  if (job.limit < kForever) out.limit = job.limit;
  out.submitted = job.submitted;
}

void fill_line(const Engine& engine, const Job& job, Instant now, QueueLine& out) {
  const State& state = engine.state();
  const Policy& policy = state.policy();
  const Shape& shape = state.shape_of_job(job);
  const JobSpec& request = *shape.request;
  const bool started = job.run != 0 && job.state != JobState::kPending;
  const Run* run = started ? &state.run_of(job) : nullptr;
  const bool held_nodes = run != nullptr && !run->allocation.empty();

  fill_own_fields(engine, job, out);
  out.array.reset();
  out.task.reset();
  if (job.array != JobId{}) out.array = job.array;
  if (job.array != JobId{} && !job.is_array) out.task = job.task;
  out.name = request.name;
  out.user = request.user;
  out.account = request.account;
  out.partition.clear();
  if (held_nodes) {
    out.partition = policy.partitions[run->partition.index()].name;
  } else {
    for (const PartitionId partition : shape.partitions)
      out.partition +=
          (out.partition.empty() ? "" : ",") + policy.partitions[partition.index()].name;
  }
  out.qos = shape.qos ? policy.qos[shape.qos->index()].name : "";
  out.state = job.state;
  const TresVector& tres = held_nodes ? run->tres : shape.asked;
  out.cpus = tres[kTresCpu];
  out.memory_mb = tres[kTresMem];
  out.gpus = tres[kTresGpu];
  out.node_count = held_nodes ? static_cast<std::int64_t>(run->allocation.size()) : shape.min_nodes;
  out.nodes = held_nodes ? nodes_text(policy, run->allocation) : "";
  out.started.reset();
  out.ends_by.reset();
  out.elapsed = Duration(0);
  if (held_nodes) {
    out.started = run->started;
    out.elapsed = elapsed_of(job, *run, now);
    if (holds_nodes(job.state) && job.limit < kForever) out.ends_by = run->expected_end;
  }
  out.reason.clear();
  out.detail.clear();
  out.planned.clear();
  out.expected.reset();
  if (job.state == JobState::kPending) {
    const Explanation why = engine.explanation(job.id);
    out.reason = slurm_word(why.reason, policy.tres);
    out.detail = reason_detail(engine, job, why, now);
    out.expected = why.expected;
    out.planned = names_of(policy, why.nodes);
  } else {
    out.reason = end_word(job.state, run);
  }
  out.tasks = 1;
  if (job.is_array)
    if (const Array* array = state.find_array(job.array))
      out.tasks = static_cast<std::int64_t>(array->waiting.size());
  out.waiting = job.state == JobState::kPending ? out.tasks : 0;
  out.running = holds_nodes(job.state) ? out.tasks : 0;
  out.done = has_ended(job.state) ? out.tasks : 0;
}

}  // namespace sluice
