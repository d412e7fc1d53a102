// Eight commands, each an argv of its own; nothing goes through a shell.
#include "apps/live_slurm.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "text/scan.h"

namespace sluice {
namespace {

// Slurm's own commands try for some time by themselves.
constexpr Duration kCommandLimit = seconds(150);

std::string first_line(std::string_view text) {
  for (const std::string_view line : split(text, '\n'))
    if (!without_blanks_around(line).empty()) return std::string(without_blanks_around(line));
  return "no message";
}

bool says(const CommandOutput& done, std::string_view words) {
  return done.error.find(words) != std::string::npos ||
         done.output.find(words) != std::string::npos;
}

}  // namespace

std::vector<std::string> slurm_environment() {
  std::vector<std::string> out = {"LC_ALL=C.UTF-8", "SLURM_TIME_FORMAT=%s"};
  // LD_PRELOAD and SLUICE_CLOCK are how tests give Slurm a clock of its own.
  for (const char* name :
       {"PATH", "HOME", "USER", "LOGNAME", "SLURM_CONF", "LD_PRELOAD", "SLUICE_CLOCK", "TZ"})
    if (const char* value = std::getenv(name); value != nullptr)
      out.push_back(fmt::format("{}={}", name, value));
  return out;
}

Result<CommandOutput> run_slurm(const std::vector<std::string>& argv) {
  TRY(CommandOutput done, run_command(argv, slurm_environment(), kCommandLimit));
  if (done.exit_code == 0) return done;
  Error error{ErrorKind::kFailed, {}, {}, {}};
  error.what = fmt::format("{} refused: {}", argv.front(),
                           first_line(done.error.empty() ? done.output : done.error));
  if (says(done, "privilege") || says(done, "permission denied") || says(done, "Invalid user id") ||
      says(done, "Access/permission")) {
    error.kind = ErrorKind::kNotAllowed;
    error.hint = "this needs a Slurm administrator: sacctmgr show user shows who is one";
  } else if (says(done, "onnection refused") || says(done, "Unable to contact") ||
             says(done, "contact slurm controller") || says(done, "timed out") ||
             says(done, "Problem talking to the database") || says(done, "slurm_persist_conn") ||
             says(done, "accounting storage is disabled") || says(done, "Could not establish") ||
             says(done, "slurm.conf") || says(done, "configuration source")) {
    error.kind = ErrorKind::kUnreachable;
    error.hint = "type: scontrol ping; sacctmgr show cluster";
  }
  return tl::unexpected(std::move(error));
}

Result<SlurmTexts> read_slurm_texts() {
  SlurmTexts texts;
  const TextCommand config = config_command();
  TRY(CommandOutput done, run_slurm(config.argv));
  texts.*config.text = std::move(done.output);
  const std::string cluster = cluster_name(texts.config);
  if (cluster.empty())
    return failed("scontrol show config names no cluster", "type: scontrol show config");
  for (const TextCommand& command : text_commands(cluster)) {
    TRY(CommandOutput answer, run_slurm(command.argv));
    texts.*command.text = std::move(answer.output);
  }
  return texts;
}

Result<LivePolicy> read_live_policy() {
  TRY(const SlurmTexts texts, read_slurm_texts());
  return import_policy(texts);
}

}  // namespace sluice
