#include "slurm/question.h"

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr Duration kDoubtAfter = seconds(5);
constexpr Duration kSignOfLife = seconds(4);
constexpr std::string_view kDatabase = "slurmdbd";

// The least that each of them can be asked.
std::vector<std::string> sign_of_life(std::string_view daemon) {
  if (daemon == kDatabase) return {"sacctmgr", "--noheader", "show", "cluster", "format=Cluster"};
  return {"scontrol", "ping"};
}

}  // namespace

std::string_view daemon_asked(const std::vector<std::string>& argv) {
  const std::string_view program = argv.front();
  return program.starts_with("sacct") || program == "sreport" ? kDatabase : "slurmctld";
}

Result<CommandOutput> run_question(const std::vector<std::string>& argv,
                                   const std::vector<std::string>& environment, Duration limit) {
  const std::string_view daemon = daemon_asked(argv);
  const Doubt doubt{kDoubtAfter, [&]() -> std::optional<Error> {
                      const auto sign = run_command(sign_of_life(daemon), environment, kSignOfLife);
                      if (sign && sign->exit_code == 0) return std::nullopt;
                      return Error{
                          ErrorKind::kUnreachable,
                          fmt::format("{} does not answer: {} was given up after {} s", daemon,
                                      argv.front(), to_seconds(kDoubtAfter + kSignOfLife)),
                          {},
                          fmt::format("try again when {} is up", daemon)};
                    }};
  return run_command(argv, environment, limit, {}, &doubt);
}

}  // namespace sluice
