#include "daemon/quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "views/job_view.h"

namespace sluice {
namespace {

// Where the policy names none: some thousand scripts of the usual size.
constexpr std::int64_t kUsualRequestsMb = 32;
// A record takes about 300 bytes: 30 MB.
constexpr std::int64_t kMostRecords = 100'000;
// Each job that waits for another is noted with that one: a node of a set.
constexpr std::int64_t kTieBytes = 64;
constexpr std::chrono::seconds kCountAgainAfter(1);

std::int64_t bytes_of(const JobSpec& spec) {
  const Launch& launch = spec.launch;
  std::size_t bytes = sizeof(JobSpec) + launch.script.size() + launch.command.size() +
                      launch.working_directory.size() + launch.stdin_path.size() +
                      launch.stdout_path.size() + launch.stderr_path.size() + spec.name.size() +
                      spec.comment.size() + spec.dependencies.terms.size() * sizeof(Dependency);
  for (const std::string& argument : launch.arguments) bytes += sizeof argument + argument.size();
  for (const EnvironmentVariable& variable : launch.environment)
    bytes += sizeof variable + variable.name.size() + variable.value.size();
  for (const std::string& node : spec.require_nodes) bytes += sizeof node + node.size();
  for (const std::string& node : spec.exclude_nodes) bytes += sizeof node + node.size();
  // An array is a bit a task.
  if (spec.array) bytes += spec.array->indices.last().value_or(0) / 8;
  return static_cast<std::int64_t>(bytes);
}

std::int64_t bytes_of_ties(const Dependencies& dependencies) {
  return static_cast<std::int64_t>(dependencies.terms.size()) * kTieBytes;
}

}  // namespace

void Quotas::count_again() {
  loads_.clear();
  const State& state = engine_.state();
  std::set<SpecId> seen;
  state.for_each_job([&](const Job& job) {
    const Shape& shape = state.shape_of_job(job);
    Load& load = loads_[shape.request->user];
    ++load.records;
    if (!has_ended(job.state)) {
      const Array* array = job.is_array ? state.find_array(job.array) : nullptr;
      load.tasks += array != nullptr ? static_cast<std::int64_t>(array->waiting.size()) : 1;
    }
    if (seen.insert(job.spec).second) load.bytes += bytes_of(*shape.request);
    if (job.dependency == DependencyState::kWaiting)
      load.bytes += bytes_of_ties(shape.request->dependencies);
  });
  counted_ = std::chrono::steady_clock::now();
}

std::optional<Error> Quotas::beyond(const Load& load, const Load& more) const {
  const JobSettings& jobs = engine_.state().policy().jobs;
  const std::int64_t most_tasks = jobs.max_jobs_per_user > 0
                                      ? std::int64_t{jobs.max_jobs_per_user}
                                      : std::max<std::int64_t>(1, jobs.max_job_count / 2);
  const auto full = [](std::string what) {
    return Error{ErrorKind::kNoCapacity,
                 std::move(what),
                 {},
                 "wait until some of your jobs have ended: sluice queue --me"};
  };
  if (load.tasks + more.tasks > most_tasks)
    return full(
        fmt::format("one user may have {} jobs and tasks here (max_jobs_per_user); you have "
                    "{} and ask for {} more",
                    most_tasks, load.tasks, more.tasks));
  if (load.records + more.records > kMostRecords)
    return full(fmt::format("one user may have {} jobs that are remembered; you have {}",
                            kMostRecords, load.records));
  const std::int64_t most_mb =
      jobs.max_requests_per_user_mb > 0 ? jobs.max_requests_per_user_mb : kUsualRequestsMb;
  if (load.bytes + more.bytes > most_mb << 20)
    return full(
        fmt::format("the scripts, environments and dependencies of one user's jobs may have {} MB "
                    "here (max_requests_per_user)",
                    most_mb));
  return std::nullopt;
}

std::optional<Error> Quotas::refuse(const std::string& user, const Load& more) {
  if (!counted_) count_again();
  auto problem = beyond(loads_[user], more);
  if (problem && std::chrono::steady_clock::now() - *counted_ >= kCountAgainAfter) {
    count_again();
    problem = beyond(loads_[user], more);
  }
  if (problem) return problem;
  Load& load = loads_[user];
  load.tasks += more.tasks;
  load.records += more.records;
  load.bytes += more.bytes;
  return std::nullopt;
}

std::optional<Error> Quotas::refuse(const Actor& actor, const SubmitRequest& request) {
  if (actor.is_operator || request.test_only || !engine_.state().has_policy()) return std::nullopt;
  const std::uint64_t jobs = std::uint64_t{request.copies} * request.jobs.size();
  if (jobs > kMostJobsAtOnce)
    return Error{
        ErrorKind::kBadInput,
        fmt::format("{} jobs in one request; at most {} are taken at once", jobs, kMostJobsAtOnce),
        {},
        "submit them as one array: --array"};
  Load more;
  for (const JobSpec& spec : request.jobs) {
    more.records += request.copies;
    more.tasks += std::int64_t{request.copies} *
                  (spec.array ? static_cast<std::int64_t>(spec.array->indices.size()) : 1);
    more.bytes += bytes_of(spec) + std::int64_t{request.copies} * bytes_of_ties(spec.dependencies);
  }
  return refuse(actor.user, more);
}

std::optional<Error> Quotas::refuse_records(const Actor& actor, std::size_t records) {
  if (actor.is_operator || !engine_.state().has_policy()) return std::nullopt;
  return refuse(actor.user, Load{0, static_cast<std::int64_t>(records), 0});
}

std::optional<Error> Quotas::refuse_targets(const Actor& actor, std::span<const JobRef> targets,
                                            const JobChange* change) {
  const State& state = engine_.state();
  if (actor.is_operator || !state.has_policy()) return std::nullopt;
  Load more;
  SpecId before;
  for (const JobRef& target : targets) {
    const Job* job = find_record(state, target.job, target.task);
    if (job == nullptr) continue;
    const JobSpec& spec = *state.shape_of_job(*job).request;
    // The engine refuses the others, or a coordinator asks.
    if (spec.user != actor.user) continue;
    if (change != nullptr && change->dependencies)
      more.bytes += bytes_of_ties(*change->dependencies);
    else if (change != nullptr || target.task)
      more.bytes += bytes_of_ties(spec.dependencies);
    // Those that follow each other and are changed alike share the new request.
    if (change != nullptr && job->spec != before) more.bytes += bytes_of(spec);
    before = job->spec;
  }
  return more.bytes == 0 ? std::nullopt : refuse(actor.user, more);
}

std::int64_t Quotas::bytes_to_change(const JobRef& target) const {
  const State& state = engine_.state();
  const Job* job = find_record(state, target.job, target.task);
  return job == nullptr ? 0 : bytes_of(*state.shape_of_job(*job).request);
}

}  // namespace sluice
