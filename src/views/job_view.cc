#include "views/job_view.h"

#include <fmt/format.h>

#include "text/dependency.h"
#include "text/each_script.h"
#include "text/signal.h"
#include "text/tres.h"
#include "views/job_line.h"

namespace sluice {
namespace {

std::string gpu_places(std::uint64_t bits) {
  std::string out;
  for (int i = 0; i < 64; ++i)
    if (((bits >> i) & 1U) != 0) out += (out.empty() ? "" : ",") + std::to_string(i);
  return out;
}

void add_run(const State& state, const Job& job, JobCard& card) {
  const Policy& policy = state.policy();
  const Run& run = state.run_of(job);
  card.allocated = format_tres(run.tres, policy.tres);
  for (const NodeShare& share : run.allocation.shares())
    card.node_lines.push_back({policy.nodes[share.node.index()].name, share.cpus, share.memory_mb,
                               gpu_places(share.gpus)});
  if (run.preemptor != JobId{}) {
    const Job* preemptor = state.find_job(run.preemptor);
    card.preemptor = preemptor != nullptr ? job_id_text(state, *preemptor)
                                          : std::to_string(run.preemptor.value());
  }
  if (!has_ended(job.state)) return;
  card.ended = job.ended;
  card.exit_code = run.outcome.exit_code;
  card.exit_signal = run.outcome.signal;
  card.max_rss_kb = run.outcome.max_rss_kb;
  card.cpu_time = run.outcome.cpu_time;
}

// Of a script with a line for each task, that line; of any other, the script as it was named.
void show_command(const JobSpec& request, std::optional<std::uint32_t> task, JobCard& card) {
  card.command = request.launch.command;
  card.arguments = request.launch.arguments;
  auto own = task ? each_command(request.launch.script, *task) : std::nullopt;
  if (!own) return;
  card.command = std::move(*own);
  card.arguments.clear();
}

std::optional<std::uint32_t> task_of(const Job& job) {
  if (job.array == JobId{} || job.is_array) return std::nullopt;
  return job.task;
}

void add_request(const Policy& policy, const Shape& shape, JobCard& card) {
  const JobSpec& request = *shape.request;
  card.dependency = format_dependencies(request.dependencies);
  card.requested = format_tres(shape.asked, policy.tres);
  card.working_directory = request.launch.working_directory;
  card.stdin_path = request.launch.stdin_path;
  card.stdout_path = request.launch.stdout_path;
  card.stderr_path = request.launch.stderr_path;
  card.captured = request.launch.capture;
  card.comment = request.comment;
  card.constraint = request.constraint.text;
  card.requeue = request.requeue.value_or(policy.jobs.requeue);
  card.nice = request.nice;
  card.reservation = request.reservation;
  if (request.launch.signal) card.signal = format_signal_option({*request.launch.signal, false});
}

}  // namespace

const Job* find_record(const State& state, JobId job, std::optional<std::uint32_t> task) {
  if (!task) return state.find_job(job);
  if (const Job* own = state.find_task(job, *task)) return own;
  const Array* array = state.find_array(job);
  return array != nullptr && array->waiting.contains(*task) ? state.find_job(job) : nullptr;
}

const Job* first_waiting(const State& state, JobId array) {
  const Job* first = nullptr;
  state.for_each_job([&](const Job& job) {
    if (first == nullptr && job.array == array && job.state == JobState::kPending) first = &job;
  });
  return first;
}

JobCard job_card(const Engine& engine, const Job& job, Instant now,
                 std::optional<std::uint32_t> task) {
  const State& state = engine.state();
  const Shape& shape = state.shape_of_job(job);
  JobCard card;
  fill_line(engine, job, now, card.line);
  if (task && job.is_array) {
    card.line.task = task;
    card.line.id = fmt::format("{}_{}", job.array.value(), *task);
    card.line.tasks = 1;
    card.line.waiting = 1;
  }
  card.attempt = job.attempt;
  static constexpr const char* kHolders[] = {"", "user", "admin", "the end of its reservation"};
  card.held_by = kHolders[static_cast<std::size_t>(job.held)];
  add_request(state.policy(), shape, card);
  show_command(*shape.request, task ? task : task_of(job), card);
  if (job.eligible) card.eligible = job.eligible_since;
  if (job.begin > job.submitted) card.begin = job.begin;
  if (has_ended(job.state)) card.ended = job.ended;
  if (job.run != 0 && job.state != JobState::kPending) add_run(state, job, card);
  return card;
}

JobCard ended_card(const Ended& ended) {
  const Job& job = ended.job;
  const Policy& policy = *ended.policy;
  JobCard card;
  QueueLine& line = card.line;
  line.job = job.id;
  line.id = job.array == JobId{} ? fmt::format("{}", job.id.value())
            : !job.is_array      ? fmt::format("{}_{}", job.array.value(), job.task)
                                 : fmt::format("{}", job.array.value());
  if (job.array != JobId{}) line.array = job.array;
  if (job.array != JobId{} && !job.is_array) line.task = job.task;
  line.name = ended.shape.request->name;
  line.user = ended.shape.request->user;
  line.account = ended.shape.request->account;
  if (ended.shape.qos) line.qos = policy.qos[ended.shape.qos->index()].name;
  if (!ended.shape.partitions.empty())
    line.partition = policy.partitions[ended.shape.partitions.front().index()].name;
  line.state = ended.outcome.state;
  line.submitted = job.submitted;
  line.tasks = job.is_array ? static_cast<std::int64_t>(ended.tasks.size()) : 1;
  if (ended.run) {
    line.partition = policy.partitions[ended.run->partition.index()].name;
    line.nodes = nodes_text(policy, ended.run->allocation);
    line.started = ended.run->started;
    line.elapsed = elapsed_of(job, *ended.run, ended.at);
  }
  add_request(policy, ended.shape, card);
  show_command(*ended.shape.request, task_of(job), card);
  card.attempt = job.attempt;
  card.ended = ended.at;
  card.exit_code = ended.outcome.exit_code;
  card.exit_signal = ended.outcome.signal;
  return card;
}

}  // namespace sluice
