#include "cli/engine_choice.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/command.h"

namespace sluice {

std::string usual_engine(const std::string& otherwise) {
  const char* said = std::getenv("SLUICE_ON");
  return said == nullptr || *said == '\0' ? otherwise : std::string(said);
}

Result<std::string> chosen_engine(const std::string& asked, const std::string& otherwise) {
  const std::string engine = asked.empty() ? usual_engine(otherwise) : asked;
  if (engine == "slurm" || engine == "embedded") return engine;
  return bad_input(
      fmt::format("{}: there is no engine '{}'", asked.empty() ? "SLUICE_ON" : "--on", engine),
      "write embedded (this machine) or slurm");
}

void add_engine_option(Command& verb, std::string& engine) {
  verb.add_option("--on", engine, "embedded (this machine) or slurm; the default is in SLUICE_ON");
}

}  // namespace sluice
