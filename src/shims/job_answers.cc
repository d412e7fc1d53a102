#include "shims/job_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shims/records.h"
#include "text/array_spec.h"
#include "text/job_reference.h"

namespace sluice {
namespace {

// The tasks of an array, and nothing of any other job.
std::optional<IndexSet> tasks_of(ShimCall& call, JobId job) {
  const auto records = fetch_records(*call.engine, fmt::format("state=all&job={}", job.value()));
  if (!records) return std::nullopt;
  IndexSet tasks;
  for (const RecordLine& it : *records) {
    if (!it.array || *it.array != job) continue;
    if (it.task) {
      tasks.insert(*it.task);
    } else if (const auto waiting = parse_array_spec(it.waiting)) {
      for (const std::uint32_t task : waiting->indices.to_vector()) tasks.insert(task);
    }
  }
  return tasks.empty() ? std::nullopt : std::optional(std::move(tasks));
}

std::string line_of(JobId job, const IndexSet& tasks, std::string_view why) {
  return fmt::format("{}_{}: {}", job.value(), format_array_tasks(ArraySpec{tasks, {}}, 0), why);
}

}  // namespace

std::string refusal_of(ShimCall& call, const std::string& typed, std::string_view why) {
  const auto reference = parse_job_reference(typed);
  if (reference && reference->tasks) return line_of(reference->job, *reference->tasks, why);
  if (reference)
    if (const auto tasks = tasks_of(call, reference->job))
      return line_of(reference->job, *tasks, why);
  return fmt::format("{} for job {}", why, typed);
}

JobAnswers complain_of_jobs(ShimCall& call, const std::string& typed, const ActionReply& reply) {
  JobAnswers out;
  for (const ActionResult& result : reply.results)
    out.refused = out.refused || !result.error.empty();
  if (!out.refused || call.quiet) return out;
  const auto reference = parse_job_reference(typed);
  if (!reference || !reference->tasks) {
    for (const ActionResult& result : reply.results) {
      if (result.error.empty()) continue;
      const std::string line = refusal_of(call, result.id, result.error);
      call.complain(line);
      if (line.starts_with(result.error)) out.last = result.error;
    }
    return out;
  }
  // slurmctld answers for all tasks together that it answers the same, in their order.
  std::vector<std::pair<std::string, IndexSet>> answers;
  for (const ActionResult& result : reply.results) {
    const auto one = parse_job_reference(result.id);
    if (!one || !one->tasks) continue;
    const std::string text = result.error.empty() ? "No error" : result.error;
    auto found = std::find_if(answers.begin(), answers.end(),
                              [&](const auto& each) { return each.first == text; });
    if (found == answers.end()) found = answers.insert(found, {text, IndexSet{}});
    for (const std::uint32_t task : one->tasks->to_vector()) found->second.insert(task);
  }
  for (const auto& [text, tasks] : answers) call.complain(line_of(reference->job, tasks, text));
  return out;
}

}  // namespace sluice
