// Each command is an argv of its own; nothing goes through a shell.
#include "slurm/run_slurm.h"

#include <fmt/format.h>

#include <cstdlib>

#include "slurm/answers.h"
#include "slurm/question.h"

namespace sluice {
namespace {

// Slurm's own commands try for some time by themselves.
constexpr Duration kCommandLimit = seconds(150);

// A Slurm without a name is not one that can be asked about its accounts.
Result<SlurmIdentity> named(SlurmIdentity identity) {
  if (identity.cluster.empty())
    return failed("scontrol show config names no cluster", "type: scontrol show config");
  return identity;
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

Result<CommandOutput> try_slurm(const std::vector<std::string>& argv,
                                std::optional<Duration> limit) {
  return run_command(argv, slurm_environment(), limit.value_or(kCommandLimit));
}

Result<CommandOutput> ask_slurm(const std::vector<std::string>& argv,
                                std::optional<Duration> limit) {
  TRY(CommandOutput done, run_question(argv, slurm_environment(), limit.value_or(kCommandLimit)));
  if (done.exit_code == 0) return done;
  return tl::unexpected(command_error(argv.front(), done));
}

Result<SlurmIdentity> slurm_identity(std::optional<Duration> limit) {
  TRY(const CommandOutput config, ask_slurm(config_command().argv, limit));
  return named(identity_in(config.output));
}

Result<SlurmTexts> read_slurm_texts() {
  SlurmTexts texts;
  TRY(CommandOutput done, ask_slurm(config_command().argv));
  texts.config = std::move(done.output);
  TRY(const SlurmIdentity identity, named(identity_in(texts.config)));
  if (const auto command = switches_command(texts.config)) {
    TRY(CommandOutput answer, ask_slurm(command->argv));
    texts.switches = std::move(answer.output);
  }
  for (const TextCommand& command :
       text_commands(identity.cluster, read_slurm_version(identity.version))) {
    TRY(CommandOutput answer, ask_slurm(command.argv));
    texts.*command.text = std::move(answer.output);
  }
  return texts;
}

}  // namespace sluice
