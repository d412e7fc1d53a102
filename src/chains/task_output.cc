#include "chains/task_output.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "text/output_pattern.h"

namespace sluice {
namespace {

// Of what a task wrote, from its end: the message that ended it stands there.
constexpr std::streamoff kMostOutputRead = 1 << 20;

std::string end_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kMostOutputRead));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

OutputPaths output_paths(const Chain& chain, const Batch& batch, std::uint32_t index,
                         const std::string& node) {
  const JobSpec spec = batch_job(chain, batch);
  PatternFacts facts;
  const JobId job = batch.job ? batch.job->job : JobId{};
  facts.job = job;
  if (chain.array) {
    facts.array = job;
    facts.task = index - batch.offset;
  }
  const char* user = std::getenv("USER");
  facts.user = user != nullptr ? user : "";
  facts.job_name = spec.name;
  facts.first_node = node;
  const std::string& folder = spec.launch.working_directory;
  OutputPaths out;
  out.output =
      fill_pattern(spec.launch.stdout_path.empty() ? default_output(facts)
                                                   : std::string_view(spec.launch.stdout_path),
                   facts, folder);
  out.error = spec.launch.stderr_path.empty()
                  ? out.output
                  : fill_pattern(spec.launch.stderr_path, facts, folder);
  return out;
}

std::string job_name(const Chain& chain, const Batch& batch, std::uint32_t index) {
  if (!batch.job) return {};
  const std::uint32_t job = batch.job->job.value();
  return chain.array ? fmt::format("{}_{}", job, index - batch.offset) : std::to_string(job);
}

MatchStderr stderr_matcher(const Chain& chain, CapturedOutput captured) {
  return [&chain, captured = std::move(captured)](
             const Batch& batch, const TaskRun& run,
             const std::vector<std::string>& patterns) -> std::optional<std::size_t> {
    std::string text;
    if (chain.spec.launch.capture && captured)
      text = captured(job_name(chain, batch, run.index)).value_or("");
    else
      text = end_of_file(output_paths(chain, batch, run.index, run.node).error);
    for (std::size_t i = 0; i < patterns.size(); ++i)
      if (RE2::PartialMatch(text, RE2(patterns[i], RE2::Quiet))) return i;
    return std::nullopt;
  };
}

std::string problem_of_pattern(const std::string& pattern) {
  const RE2 read(pattern, RE2::Quiet);
  return read.ok() ? "" : read.error();
}

}  // namespace sluice
