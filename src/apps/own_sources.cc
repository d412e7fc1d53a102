#include "apps/own_sources.h"

#include <unistd.h>

#include <string_view>

#include "pools/daemon_connection.h"
#include "slurm/command.h"

namespace sluice {
namespace {

constexpr Duration kLongestCommand = seconds(60);

std::vector<std::string> own_environment(ShownCluster cluster) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("SLUICE_ON=")) out.emplace_back(*one);
  out.emplace_back(cluster == ShownCluster::kSlurm ? "SLUICE_ON=slurm" : "SLUICE_ON=embedded");
  return out;
}

}  // namespace

Result<OwnOutput> run_own_command(ShownCluster cluster, std::vector<std::string> words,
                                  Duration limit) {
  TRY(const std::string program, own_program());
  words.insert(words.begin(), program);
  TRY(CommandOutput ran, run_command(words, own_environment(cluster), limit));
  return OwnOutput{ran.exit_code, std::move(ran.output), std::move(ran.error)};
}

Result<WebSources> own_sources(ShownCluster cluster) {
  WebSources sources;
  if (cluster == ShownCluster::kEmbedded) {
    TRY_VOID(connect_to_daemon(StartDaemon::kIfAbsent).map([](const HttpClient&) {}));
    sources.daemon = [] { return connect_to_daemon(StartDaemon::kNever); };
  }
  sources.command = [cluster](std::vector<std::string> words) {
    return run_own_command(cluster, std::move(words), kLongestCommand);
  };
  return sources;
}

}  // namespace sluice
