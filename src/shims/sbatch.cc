// sbatch: the parser of `sluice submit`, with Slurm's replies and errors.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/job_request.h"
#include "cli/local_time.h"
#include "shims/clusters.h"
#include "shims/help.h"
#include "shims/shim.h"
#include "shims/submission_words.h"
#include "shims/test_only.h"
#include "shims/words.h"
#include "text/batch_script.h"
#include "text/sbatch_option_table.h"
#include "text/sbatch_options.h"
#include "text/scan.h"
#include "views/record_line.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// The exit status of the job, or the worst of an array's tasks; 1 where a signal ended it.
int wait_for(ShimCall& call, std::uint32_t job) {
  const auto card = call.engine->fetch<JobCard>(fmt::format("/v1/jobs/{}?wait=ended", job));
  if (!card) return call.fail(card.error());
  const auto lines =
      call.engine->fetch<Lines<AccountLine>>(fmt::format("/v1/accounts?job={}", job));
  if (!lines) return call.fail(lines.error());
  int worst = 0;
  for (const AccountLine& line : lines->lines) {
    if (line.state == JobState::kCompleted) continue;
    const std::int64_t status =
        line.exit_signal != 0 ? 1 : std::max<std::int64_t>(line.exit_code, 1);
    worst = std::max(worst, static_cast<int>(status));
  }
  return worst;
}

// Where sbatch looks: in the job's folder, then in PATH; a name that is found nowhere stays.
std::string found_script(const SbatchCommandLine& line) {
  const std::filesystem::path name = line.script;
  std::error_code none;
  if (name.is_absolute()) return name;
  std::filesystem::path folder = std::filesystem::current_path(none);
  for (const GivenOption& option : line.options)
    if (sbatch_options()[option.row].shape.name == "chdir" && option.value) folder /= *option.value;
  if (std::filesystem::exists(folder / name, none)) return folder / name;
  if (line.script.starts_with('.')) return name;
  const std::string path = variable("PATH").value_or("");
  for (const std::string_view each : split(path, ':'))
    if (!each.empty() && std::filesystem::exists(std::filesystem::path(each) / name, none))
      return std::filesystem::path(each) / name;
  return name;
}

}  // namespace

int run_sbatch(ShimCall& call) {
  auto line = read_sbatch_arguments(call.arguments);
  if (!line) return complain_of_options(call, line.error());
  switch (line->action) {
    case SbatchAction::kHelp:
      return call.say(shim_help("sbatch")), 0;
    case SbatchAction::kUsage:
      return call.say(shim_usage("sbatch")), 0;
    case SbatchAction::kVersion:
      return call.say(kShimVersion), 0;
    case SbatchAction::kSubmit:
      break;
  }
  const std::string typed = line->script;
  if (!line->wrap && !typed.empty()) line->script = found_script(*line);
  auto request = request_of(*line);
  if (!request) {
    Error& error = request.error();
    std::error_code none;
    if (!error.where.empty() && error.where == line->script)
      return call.error(std::filesystem::is_directory(line->script, none)
                            ? "Batch script is empty!"
                            : "Unable to open file " + line->script),
             1;
    // A mistake in the script is named as the script was typed.
    if (!typed.empty() && error.what.starts_with(line->script + ":"))
      error.what.replace(0, line->script.size(), typed);
    return complain_of_options(call, error);
  }
  // `sluice submit` takes a program; sbatch takes scripts.
  if (!request->spec.launch.program.empty())
    return complain_of_options(call, check_batch_script("program").error());
  if (!take_request(call, *request)) return 1;
  if (!say_warnings(call, request->warnings)) return 1;
  if (const auto folder = check_folder_of(*request); !folder)
    return call.error(folder.error().what), 1;
  add_surroundings(*request);
  note_submit_line(call, request->spec);
  if (request->test_only) return test_only(call, *request);
  SubmitRequest wanted;
  wanted.jobs.push_back(request->spec);
  const auto reply = call.engine->submit(wanted);
  if (!reply) return call.fail(reply.error());
  if (reply->results.empty())
    return call.error("Batch job submission failed: Unspecified error"), 1;
  const SubmitResult& result = reply->results.front();
  if (!result.job) {
    return complain_of_refusal(call, "Batch job submission failed", result, request->spec), 1;
  }
  if (request->parsable)
    call.say(request->clusters.empty()
                 ? fmt::format("{}", result.job->value())
                 : fmt::format("{};{}", result.job->value(), request->clusters));
  else if (!request->quiet)
    call.say(request->clusters.empty() ? fmt::format("Submitted batch job {}", result.job->value())
                                       : fmt::format("Submitted batch job {} on cluster {}",
                                                     result.job->value(), request->clusters));
  if (!request->wait) return 0;
  call.flush();
  return wait_for(call, result.job->value());
}

}  // namespace sluice
