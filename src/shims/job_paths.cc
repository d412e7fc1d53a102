#include "shims/job_paths.h"

#include <fmt/format.h>

#include "text/output_pattern.h"

namespace sluice {
namespace {

// What Slurm has for the task of a job that is no array.
constexpr std::uint32_t kNoTask = 0xfffffffe;

}  // namespace

JobPaths typed_paths(const RecordLine& record) {
  JobPaths paths{record.in, record.out, record.err};
  if (paths.in.empty()) paths.in = "/dev/null";
  if (paths.out.empty())
    paths.out = fmt::format("{}/slurm-{}.out", record.folder, record.job.value());
  if (paths.err.empty()) paths.err = paths.out;
  return paths;
}

JobPaths filled_paths(const RecordLine& record) {
  PatternFacts facts;
  facts.job = record.job;
  facts.array = record.array.value_or(JobId{});
  facts.task = record.task.value_or(kNoTask);
  facts.user = record.user;
  facts.job_name = record.name;
  const std::string_view out = record.out.empty() ? default_output(facts) : record.out;
  JobPaths paths;
  paths.in = record.in.empty() ? "/dev/null" : shown_pattern(record.in, facts, record.folder);
  paths.out = shown_pattern(out, facts, record.folder);
  paths.err = record.err.empty() ? paths.out : shown_pattern(record.err, facts, record.folder);
  return paths;
}

}  // namespace sluice
