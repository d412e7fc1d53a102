#include "text/job_reference.h"

#include <fmt/format.h>

#include <limits>

#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {

Result<JobReference> parse_job_reference(std::string_view text) {
  const auto no_job = [&] {
    return bad_input(fmt::format("{} names no job", quoted(text)),
                     "write a job as 12, a task as 12_3, several as 12_[1-5,7]");
  };
  const std::size_t mark = text.find('_');
  const auto number = whole_number(text.substr(0, mark));
  if (!number || *number < 1 || *number > std::numeric_limits<std::uint32_t>::max())
    return no_job();
  JobReference out{JobId(static_cast<std::uint32_t>(*number)), std::nullopt};
  if (mark == std::string_view::npos) return out;
  std::string_view tasks = text.substr(mark + 1);
  if (tasks == "*") return out;
  const bool bracketed = tasks.size() >= 2 && tasks.front() == '[' && tasks.back() == ']';
  if (bracketed) tasks = tasks.substr(1, tasks.size() - 2);
  if (tasks.empty() || tasks.find('%') != std::string_view::npos) return no_job();
  if (!bracketed && !whole_number(tasks)) return no_job();
  auto spec = parse_array_spec(tasks);
  if (!spec) return no_job();
  out.tasks = std::move(spec->indices);
  return out;
}

std::string format_job_reference(const JobReference& reference) {
  if (!reference.tasks) return fmt::format("{}", reference.job.value());
  if (reference.tasks->size() == 1)
    return fmt::format("{}_{}", reference.job.value(), *reference.tasks->first());
  return fmt::format("{}_[{}]", reference.job.value(), compress_indices(*reference.tasks));
}

}  // namespace sluice
