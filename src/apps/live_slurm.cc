// Eight commands, each an argv of its own; nothing goes through a shell.
#include "apps/live_slurm.h"

#include <fmt/format.h>

#include <cstdlib>

#include "slurm/answers.h"

namespace sluice {
namespace {

// Slurm's own commands try for some time by themselves.
constexpr Duration kCommandLimit = seconds(150);

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
  return tl::unexpected(command_error(argv.front(), done));
}

Result<SlurmTexts> read_slurm_texts() {
  SlurmTexts texts;
  const TextCommand config = config_command();
  TRY(CommandOutput done, run_slurm(config.argv));
  texts.*config.text = std::move(done.output);
  const std::string cluster = cluster_name(texts.config);
  if (cluster.empty())
    return failed("scontrol show config names no cluster", "type: scontrol show config");
  for (const TextCommand& command : text_commands(cluster, slurm_version(texts.config))) {
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
