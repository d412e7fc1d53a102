#include "cli/job_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "text/array_spec.h"
#include "text/job_reference.h"
#include "text/printable.h"
#include "views/row_text.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

std::string lower_words(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  return out;
}

}  // namespace

int TaskEnd::status() const {
  if (state == JobState::kCompleted) return 0;
  return exit_signal != 0 ? 128 + exit_signal : std::max(exit_code, 1);
}

std::string TaskEnd::text() const {
  std::string out(slurm_name(state));
  if (exit_code != 0) out += fmt::format(" (exit code {})", exit_code);
  // Above these there are no signals: Slurm's own marks.
  constexpr std::int32_t kLastSignal = 64;
  if (exit_code == 0 && exit_signal > 0 && exit_signal <= kLastSignal &&
      state == JobState::kFailed && exit_signal != 53)
    out += fmt::format(" (signal {})", exit_signal);
  return out;
}

IndexSet JobEnds::failed() const {
  IndexSet out;
  for (const auto& [task, end] : tasks)
    if (end.state != JobState::kCompleted) out.insert(task);
  return out;
}

int JobEnds::worst() const {
  int out = 0;
  for (const auto& [task, end] : tasks) out = std::max(out, end.status());
  return out;
}

std::string JobEnds::counts() const {
  std::map<JobState, std::size_t> by_state;
  for (const auto& [task, end] : tasks) ++by_state[end.state];
  std::string out;
  for (const auto& [state, count] : by_state)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, lower_words(slurm_name(state)));
  return out;
}

std::string JobEnds::summary() const {
  if (!is_array)
    return fmt::format("{}: {}{}{}\n", job,
                       tasks.empty() ? std::string("has ended") : tasks.begin()->second.text(),
                       went_wrong.empty() ? "" : ": ", went_wrong);
  std::string out =
      fmt::format("{}: {} task{}: {}\n", job, tasks.size(), tasks.size() == 1 ? "" : "s", counts());
  const IndexSet bad = failed();
  if (bad.size() == 0) return out;
  std::string names = compress_indices(bad);
  constexpr std::size_t kLongest = 60;
  if (names.size() > kLongest) names = names.substr(0, kLongest) + "…";
  out += fmt::format("  not completed:  {}\n", names);
  if (!went_wrong.empty())
    out += fmt::format("  went wrong:     {} ({}_{})\n", went_wrong, job, *bad.first());
  out += fmt::format("  their output:   sluice logs {} --failed\n", job);
  out += fmt::format("  run them again: sluice rerun {} --failed\n", job);
  return out;
}

Result<JobEnds> ends_of(Connection& daemon, std::uint32_t job) {
  TRY(const std::string body,
      daemon.get(fmt::format("/v1/history?job={}&format=tsv&fields=id,job,array,task,attempt,name,"
                             "state,exit_code,exit_signal,elapsed,requeued",
                             job)));
  TRY(auto rows, RowTextReader<HistoryLine>::over(body));
  JobEnds out;
  out.job = job;
  for (HistoryLine line; rows.next(line);) {
    if (line.requeued) continue;
    const bool of_array = line.array && line.array->value() == job;
    // A task's own number may be asked for too.
    if (!of_array && line.job.value() != job) continue;
    out.is_array = out.is_array || of_array;
    out.name = line.name;
    const TaskEnd end{line.state, line.exit_code, line.exit_signal, line.attempt, line.elapsed};
    IndexSet tasks;
    if (!of_array) {
      tasks.insert(0);
    } else if (line.task) {
      tasks.insert(*line.task);
    } else if (const auto reference = parse_job_reference(line.id); reference && reference->tasks) {
      // Tasks that were cancelled together before they started.
      tasks = *reference->tasks;
    }
    for (const std::uint32_t task : tasks.to_vector()) {
      const auto [known, is_new] = out.tasks.try_emplace(task, end);
      if (!is_new && known->second.attempt < end.attempt) known->second = end;
    }
  }
  if (const IndexSet bad = out.failed(); bad.size() > 0) {
    const std::string id =
        out.is_array ? fmt::format("{}_{}", job, *bad.first()) : fmt::format("{}", job);
    TRY(const JobCard card, daemon.fetch<JobCard>("/v1/jobs/" + id));
    if (card.failure) out.went_wrong = printable(*card.failure);
  }
  return out;
}

}  // namespace sluice
