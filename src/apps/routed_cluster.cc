#include "apps/routed_cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/embedded_cluster.h"
#include "apps/routing_context.h"
#include "cli/command.h"
#include "slurm/job_update.h"
#include "slurm/submit_command.h"
#include "text/duration.h"

namespace sluice {
namespace {

// Sites forbid frequent polling; the own daemon may be asked as often as a person would look.
constexpr Duration kSlurmPause = seconds(30);
constexpr Duration kOwnPause = seconds(2);

}  // namespace

Result<RoutedCluster> open_cluster(const std::string& asked, Look look) {
  TRY(const std::string engine, chosen_engine(asked));
  RoutedCluster out;
  if (engine == "slurm") {
    out.cluster = this_slurm(look);
    out.slurm = true;
    out.look_again = kSlurmPause;
    out.nickname = "Slurm";
    return out;
  }
  out.cluster = std::make_unique<EmbeddedCluster>();
  out.look_again = kOwnPause;
  out.nickname = "the daemon";
  return out;
}

std::string usual_engine(const std::string& otherwise) {
  const std::string said = environment_value("SLUICE_ON");
  return said.empty() ? otherwise : said;
}

Result<std::string> chosen_engine(const std::string& asked, const std::string& otherwise) {
  const std::string engine = asked.empty() ? usual_engine(otherwise) : asked;
  if (engine == "slurm" || engine == "embedded") return engine;
  return bad_input(
      fmt::format("{}: there is no engine '{}'", asked.empty() ? "SLUICE_ON" : "--on", engine),
      "write embedded (this machine) or slurm");
}

bool names_slurm(std::span<char* const> argv) {
  constexpr std::string_view kOption = "--on";
  std::string engine = usual_engine();
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const std::string_view word = argv[i];
    if (word == kOption && i + 1 < argv.size()) engine = argv[i + 1];
    if (word.starts_with("--on=")) engine = word.substr(kOption.size() + 1);
  }
  return engine == "slurm";
}

void add_engine_option(Command& verb, std::string& engine) {
  verb.add_option("--on", engine,
                  "embedded (this machine) or slurm; SLUICE_ON says what it is without this");
}

std::vector<std::string> RoutedCluster::submit_line(const JobSpec& spec) const {
  std::vector<std::string> out = submit_command({spec, "KEY", true}, {}).argv;
  // The text goes through standard input; a person would name the file.
  if (spec.launch.command.starts_with('/'))
    std::replace(out.begin(), out.end(), std::string("/dev/stdin"), spec.launch.command);
  if (slurm) return out;
  out.front() = "submit";
  out.insert(out.begin(), "sluice");
  if (spec.launch.capture) {
    std::erase(out, "--output=/dev/null");
    std::erase(out, "--error=/dev/null");
    out.insert(out.begin() + 2, "--capture");
  }
  return out;
}

std::vector<std::string> RoutedCluster::update_line(const std::string& job,
                                                    const JobChange& change) const {
  if (slurm) return update_command(job, change);
  std::vector<std::string> out = {"sluice", "update", job};
  if (change.account) out.push_back("--account=" + *change.account);
  if (change.qos) out.push_back("--qos=" + *change.qos);
  if (change.partitions)
    out.push_back(fmt::format("--partition={}", fmt::join(*change.partitions, ",")));
  return out;
}

}  // namespace sluice
