#include "views/record_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/age.h"
#include "policy/dependency.h"
#include "policy/priority.h"
#include "text/array_spec.h"
#include "text/dependency.h"
#include "text/each_script.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/licenses.h"
#include "text/mail_types.h"
#include "text/tres.h"
#include "views/job_line.h"

namespace sluice {
namespace {

// A job keeps the priority with which it started (unless CALCULATE_RUNNING has it calculated on),
// and one that may not start yet has one, too: the queue knows only those that wait for room.
std::int64_t shown_priority(const Engine& engine, const Job& job, const Shape& shape,
                            const Run* run, Instant now) {
  if (job.held != HeldBy::kNobody) return 0;
  const Queue& queue = engine.queue();
  if (queue.contains(job.id)) return queue.priority(job.id);
  if (run != nullptr)
    if (const auto running = queue.running_priority(engine.state(), job)) return *running;
  const PrioritySettings& settings = engine.state().policy().priority;
  const Instant at = run != nullptr ? run->started : now;
  const auto in = [&](PartitionId partition) {
    PriorityTerms terms = priority_terms(engine.state(), queue.context(), shape, partition);
    fill_fairshare(settings, queue.fairshare(), terms);
    const auto since = age_since(engine.state().policy(), shape, job);
    double first = 0;
    if (settings.type == PriorityType::kBasic)
      first = basic_part(engine.state().policy(), job.array != JobId{} ? job.array : job.id);
    else if (since)
      first = AgeScale(settings, at).part(to_seconds(*since));
    return priority_total(terms, first);
  };
  if (run != nullptr) return in(run->partition);
  std::int64_t most = 0;
  for (const PartitionId partition : shape.partitions) most = std::max(most, in(partition));
  return most;
}

template <class T>
bool passes(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

// squeue's word for why a job ended or waits.
std::string_view reason_after_end(const Job& job, const Run* run) {
  if (job.state == JobState::kCancelled && run == nullptr) {
    if (job.held == HeldBy::kUser) return "JobHeldUser";
    if (job.held == HeldBy::kAdmin) return "JobHeldAdmin";
    if (job.held == HeldBy::kReservationGone) return "ReservationDeleted";
  }
  const std::string_view word = end_word(job.state, run);
  return word.empty() ? "None" : word;
}

std::string dependency_text(const State& state, const Job& job, Instant now) {
  const Dependencies& all = state.shape_of_job(job).request->dependencies;
  // A job that never started keeps what it waited for.
  if (all.terms.empty() || (job.state != JobState::kPending && job.run != 0)) return {};
  std::vector<DependencyStatus> statuses;
  for (const DependencyVerdict verdict : term_verdicts(state, job, now))
    statuses.push_back(verdict == DependencyVerdict::kSatisfied ? DependencyStatus::kFulfilled
                       : verdict == DependencyVerdict::kNever   ? DependencyStatus::kFailed
                                                                : DependencyStatus::kUnfulfilled);
  return format_dependency_states(all, statuses);
}

std::string gpu_part(const Node& node, std::uint64_t bits) {
  std::string out;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> types;
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    if ((bits >> i & 1U) == 0) continue;
    if (types.empty() || types.back().first != node.gpus[i].type)
      types.emplace_back(node.gpus[i].type, std::vector<std::size_t>{});
    types.back().second.push_back(i);
  }
  for (const auto& [type, places] : types) {
    IndexSet set;
    for (const std::size_t i : places) set.insert(static_cast<std::uint32_t>(i));
    out += fmt::format("{}gpu:{}{}(IDX:{})", out.empty() ? "" : ",", type.empty() ? "" : type + ":",
                       places.size(), format_array_tasks(ArraySpec{set, {}}, 0));
  }
  return out;
}

std::string places_of(const Policy& policy, const Allocation& allocation) {
  std::string out;
  for (const NodeShare& share : allocation.shares()) {
    const Node& node = policy.nodes[share.node.index()];
    if (!out.empty()) out += ';';
    out += fmt::format("{} {} {} {} {}", node.name, share.first_cpu, share.cpus, share.memory_mb,
                       gpu_part(node, share.gpus));
  }
  return out;
}

void fill_request(const Policy& policy, const Shape& shape, RecordLine& out) {
  const JobSpec& request = *shape.request;
  if (shape.memory_per_gpu > 0) {
    out.memory_per = "gpu";
    out.memory_mb = shape.memory_per_gpu;
  } else if (shape.memory_per_cpu > 0) {
    out.memory_per = "cpu";
    out.memory_mb = shape.memory_per_cpu;
  } else {
    out.memory_per = "node";
    out.memory_mb = shape.memory_per_node;
  }
  out.tres_per_node = format_tres_per(request.gpus, GpusPer::kNode);
  out.tres_per_job = format_tres_per(request.gpus, GpusPer::kJob);
  out.tres_per_task = format_tres_per(request.gpus, GpusPer::kTask);
  out.tres_per_socket = format_tres_per(request.gpus, GpusPer::kSocket);
  out.features = request.constraint.text;
  out.licenses = format_licenses({request.licenses, request.any_license});
  out.comment = request.comment;
  out.wckey = request.wckey;
  out.reservation = request.reservation;
  out.folder = request.launch.working_directory;
  out.command = request.launch.command;
  out.nice = request.nice;
  const bool counts_cpus = request.overcommit || shape.cpus_with_each_gpu > 0;
  out.tasks = counts_cpus ? request.tasks.value_or(shape.min_nodes) : shape.tasks;
  out.cpus_per_task = request.cpus_per_task;
  out.tasks_per_node = request.tasks_per_node;
  out.max_nodes = request.max_nodes;
  out.min_cpus =
      std::int64_t{shape.cpus_per_task} * std::max(1, request.tasks_per_node.value_or(1));
  out.min_cpus = std::max<std::int64_t>(out.min_cpus, shape.least_cpus_on_node);
  out.cpus_per_gpu = request.cpus_per_gpu;
  out.tasks_per_socket = request.tasks_per_socket;
  out.tasks_per_core = request.tasks_per_core;
  out.min_sockets = request.min_sockets;
  out.min_cores_per_socket = request.min_cores_per_socket;
  out.threads_per_core = request.threads_per_core;
  out.contiguous = request.contiguous;
  if (request.max_switches) {
    const Duration most = policy.scheduler.max_switch_wait;
    out.max_switches = *request.max_switches;
    out.switch_wait = std::min(request.switch_wait.value_or(most), most);
  }
  out.required_nodes = compress_hostlist(request.require_nodes);
  out.excluded_nodes = compress_hostlist(request.exclude_nodes);
  out.sharing = shape.exclusive ? "exclusive" : shape.oversubscribe ? "oversubscribe" : "";
  if (request.sharing == NodeSharing::kUser) out.sharing = "user";
  out.time_min = request.time_min;
  out.deadline = request.deadline;
  out.batch = !request.launch.script.empty();
}

std::int64_t restarts_of(const Job& job) {
  if (job.attempt == 0) return 0;
  return job.state == JobState::kPending ? job.attempt : std::int64_t{job.attempt} - 1;
}

void fill_times(const Engine& engine, const Job& job, const Run* run, Instant now,
                RecordLine& out) {
  out.started.reset();
  out.ends.reset();
  out.planned.clear();
  if (run != nullptr) {
    out.started = run->started;
    if (has_ended(job.state))
      out.ends = run->ended;
    else if (job.limit < kForever)
      out.ends = run->expected_end;
    return;
  }
  if (has_ended(job.state)) {
    out.started = job.ended;
    out.ends = job.ended;
    return;
  }
  const Explanation why = engine.explanation(job.id);
  out.started = why.expected;
  if (!out.started && job.begin > now) out.started = job.begin;
  if (out.started && job.limit < kForever) out.ends = *out.started + job.limit;
  std::vector<std::string> names;
  for (const NodeId node : why.nodes)
    names.push_back(engine.state().policy().nodes[node.index()].name);
  out.planned = compress_hostlist(names);
}

// Of an array whose record has ended: those that never were jobs of their own.
IndexSet tasks_without_records(const State& state, const Job& record) {
  IndexSet left = state.shape_of_job(record).request->array->indices;
  for (const JobId own : state.task_records(record.id))
    if (own != record.id) left.erase(state.job(own).task);
  return left;
}

void fill_record(const Engine& engine, const Job& job, Instant now, RecordLine& out) {
  const State& state = engine.state();
  const Policy& policy = state.policy();
  const Shape& shape = state.shape_of_job(job);
  const JobSpec& request = *shape.request;
  const bool started = job.run != 0 && job.state != JobState::kPending;
  const Run* run = started && !state.run_of(job).allocation.empty() ? &state.run_of(job) : nullptr;
  out.job = job.id;
  out.array.reset();
  out.task.reset();
  out.waiting.clear();
  out.throttle.reset();
  if (job.array != JobId{}) {
    out.array = job.array;
    if (!job.is_array) out.task = job.task;
    if (const Array* array = state.find_array(job.array)) {
      if (array->throttle) out.throttle = *array->throttle;
      if (job.is_array && !has_ended(job.state))
        out.waiting = format_array_tasks(ArraySpec{array->waiting, array->throttle}, 0);
      else if (job.is_array && request.array)
        out.waiting = format_array_tasks(ArraySpec{tasks_without_records(state, job), {}}, 0);
    }
  }
  out.name = request.name;
  out.user = request.user;
  out.account = request.account;
  out.partition.clear();
  if (run != nullptr) {
    out.partition = policy.partitions[run->partition.index()].name;
  } else {
    for (const PartitionId id : shape.partitions)
      out.partition += (out.partition.empty() ? "" : ",") + policy.partitions[id.index()].name;
  }
  out.qos = shape.qos ? policy.qos[shape.qos->index()].name : "";
  out.state = job.state;
  out.reason = job.state == JobState::kPending
                   ? slurm_word(engine.explanation(job.id).reason, policy.tres)
                   : std::string(reason_after_end(job, run));
  out.priority = shown_priority(engine, job, shape, run, now);
  const TresVector& tres = run != nullptr ? run->tres : shape.asked;
  out.nodes = run != nullptr ? nodes_text(policy, run->allocation) : "";
  out.node_count =
      run != nullptr ? static_cast<std::int64_t>(run->allocation.size()) : shape.min_nodes;
  out.cpus = tres[kTresCpu];
  out.elapsed = run != nullptr ? elapsed_of(job, *run, now) : Duration(0);
  out.limit.reset();
  if (job.limit < kForever) out.limit = job.limit;
  out.submitted = job.submitted;
  fill_times(engine, job, run, now, out);
  fill_request(policy, shape, out);
  out.tres = format_tres(tres, policy.tres);
  out.dependency = dependency_text(state, job, now);
  out.eligible.reset();
  if ((job.eligible || job.state != JobState::kPending) && job.eligible_since != Instant{})
    out.eligible = std::max(job.eligible_since, job.begin);  // Later, where it was requeued.
  out.ages.reset();
  if (out.eligible)
    if (const auto since = age_since(policy, shape, job)) out.ages = std::max(*since, job.begin);
  out.suspended_at.reset();
  out.ran_before_suspension = Duration(0);
  if (job.state == JobState::kSuspended && run != nullptr) {
    out.suspended_at = run->suspended_at;
    out.ran_before_suspension = out.elapsed;
  }
  out.restarts = restarts_of(job);
  out.exit_code = run != nullptr && has_ended(job.state) ? run->outcome.exit_code : 0;
  out.exit_signal = run != nullptr && has_ended(job.state) ? run->outcome.signal : 0;
  out.requeue = request.requeue.value_or(policy.jobs.requeue);
  out.association.reset();
  if (shape.assoc) out.association = static_cast<std::int64_t>(shape.assoc->index()) + 1;
  out.in = request.launch.stdin_path;
  out.mail_types = variable_in(request.launch.environment, kMailTypeVariable);
  out.mail_user = variable_in(request.launch.environment, kMailUserVariable);
  out.out = request.launch.stdout_path;
  out.err = request.launch.stderr_path;
  out.places = run != nullptr ? places_of(policy, run->allocation) : "";
  out.preemptor.clear();
  if (run != nullptr && run->preemptor != JobId{})
    out.preemptor = std::to_string(run->preemptor.value());
}

// What the first of several nodes gives; "" where there is one alone.
std::string first_share_of(const Policy& policy, const Shape& shape, const Run& run) {
  const auto shares = run.allocation.shares();
  if (shares.size() < 2) return {};
  TresVector tres = tres_of(policy, shape, run.partition, Allocation(shares.front()));
  tres[kTresBilling] = 0;
  return format_tres(tres, policy.tres, TresOrder::kByName);
}

}  // namespace

void for_each_record(const Engine& engine, Instant now, const RecordFilter& filter,
                     const std::function<void(const Job&, RecordLine&)>& visit) {
  const State& state = engine.state();
  if (!state.has_policy()) return;
  RecordLine line;
  state.for_each_job([&](const Job& job) {
    if (filter.states.empty() && !filter.ended_too && has_ended(job.state)) return;
    if (!passes(filter.states, job.state)) return;
    if (!filter.jobs.empty() && !passes(filter.jobs, job.id) &&
        (job.array == JobId{} || !passes(filter.jobs, job.array)))
      return;
    const JobSpec& request = *state.shape_of_job(job).request;
    if (!passes(filter.users, request.user)) return;
    if (filter.viewer && !filter.viewer->sees_job(request.user, request.account)) return;
    fill_record(engine, job, now, line);
    visit(job, line);
  });
}

namespace {

JobDetails details_from(const Policy& policy, const Shape& shape, const Job& job, const Run* run,
                        std::int64_t priority) {
  const JobSpec& request = *shape.request;
  JobDetails out;
  for (const EnvironmentVariable& variable : request.launch.environment)
    if (variable.name == kSubmitLineVariable) out.line = variable.value;
  out.comment = request.comment;
  out.constraint = request.constraint.text;
  out.wckey = request.wckey;
  out.priority = priority;
  out.memory_mb = shape.asked[kTresMem];
  out.batch = !request.launch.script.empty();
  out.folder = request.launch.working_directory;
  out.eligible = job.eligible || job.attempt > 0 || job.eligible_since != Instant{};
  if (!out.eligible && has_ended(job.state)) out.reason = reason_after_end(job, run);
  out.requeue = request.requeue.value_or(policy.jobs.requeue);
  if (run != nullptr) out.first_share = first_share_of(policy, shape, *run);
  return out;
}

}  // namespace

JobDetails details_of(const Engine& engine, const Job& job, Instant now) {
  const State& state = engine.state();
  const bool started = job.run != 0 && job.state != JobState::kPending;
  const Run* run = started ? &state.run_of(job) : nullptr;
  const Shape& shape = state.shape_of_job(job);
  return details_from(state.policy(), shape, job, run,
                      shown_priority(engine, job, shape, run, now));
}

JobDetails details_of(const Engine& engine, const Ended& ended) {
  const Run* run = ended.run ? &*ended.run : nullptr;
  // Under another policy the numbers of its partition and its account mean others.
  const bool same_policy = ended.policy == engine.state().shared_policy();
  const std::int64_t priority = run != nullptr && same_policy
                                    ? shown_priority(engine, ended.job, ended.shape, run, ended.at)
                                    : ended.priority;
  JobDetails out = details_from(*ended.policy, ended.shape, ended.job, run, priority);
  // The script is not kept.
  if (ended.job.array != JobId{} && !ended.job.is_array)
    out.command = each_command(ended.shape.request->launch.script, ended.job.task);
  return out;
}

void fill_account_line(const Engine& engine, const Job& job, Instant now, AccountLine& out) {
  const State& state = engine.state();
  const Policy& policy = state.policy();
  RecordLine record;
  fill_record(engine, job, now, record);
  out = AccountLine{};
  out.job = record.job;
  out.array = record.array;
  out.task = record.task;
  out.waiting = record.waiting;
  out.attempt = job.attempt;
  out.name = record.name;
  out.user = record.user;
  out.account = record.account;
  out.partition = record.partition;
  out.qos = record.qos;
  out.state = record.state;
  out.exit_code = record.exit_code;
  out.exit_signal = record.exit_signal;
  out.submitted = record.submitted;
  out.eligible = record.eligible;
  // Tasks that their array's own limit holds back may start when one of them ends; a job with a
  // time to begin may start then.
  if (record.reason == "JobArrayTaskLimit") out.eligible.reset();
  if (job.run == 0 && !out.eligible && job.begin > job.submitted) out.eligible = job.begin;
  out.limit = record.limit;
  out.nodes = record.nodes;
  const Shape& shape = state.shape_of_job(job);
  out.requested = format_tres(shape.asked, policy.tres, TresOrder::kByName);
  out.association = record.association;
  out.details = details_of(engine, job, now);
  if (record.nodes.empty()) {
    if (!record.eligible || !out.eligible) out.details.reason = record.reason;
    if (has_ended(job.state)) {
      if (record.eligible) out.started = job.ended;
      out.ended = job.ended;
    }
    return;
  }
  const Run& run = state.run_of(job);
  out.started = run.started;
  if (has_ended(job.state)) out.ended = run.ended;
  out.elapsed = record.elapsed;
  out.max_rss_kb = run.outcome.max_rss_kb;
  out.cpu_time = run.outcome.cpu_time;
  out.allocated = format_tres(run.tres, policy.tres, TresOrder::kByName);
}

}  // namespace sluice
