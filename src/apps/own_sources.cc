#include "apps/own_sources.h"

#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "pools/daemon_connection.h"
#include "pools/verbs/slurm_lists.h"
#include "slurm/command.h"
#include "text/job_reference.h"
#include "wire/api_fields.h"

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

// A log is followed by reading its file: Slurm is asked where that is, once.
class KnownFiles {
 public:
  Result<WrittenFiles> of(const std::string& job) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = files_.find(job); known != files_.end()) return known->second;
    }
    TRY(SlurmOutput found, output_on_slurm(job));
    WrittenFiles out{std::move(found.stdout_path), std::move(found.stderr_path), found.has_started};
    const std::lock_guard lock(mutex_);
    if (files_.size() >= kMost) files_.clear();
    if (out.has_started) files_[job] = out;
    return out;
  }

 private:
  static constexpr std::size_t kMost = 1000;
  std::mutex mutex_;
  std::map<std::string, WrittenFiles> files_;
};

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
  } else {
    sources.tasks = [](const std::string& array) -> Result<std::string> {
      std::optional<JobId> named;
      if (!array.empty()) {
        TRY(const JobReference reference, parse_job_reference(array));
        named = reference.job;
      }
      TRY(std::vector<QueueLine> lines, tasks_of_slurm(named));
      return to_json(Lines<QueueLine>{"sluice.queue/1", std::move(lines)});
    };
    sources.output_paths = [known = std::make_shared<KnownFiles>()](const std::string& job) {
      return known->of(job);
    };
    sources.cancel = [](const std::string& job) { return cancel_on_slurm(job); };
  }
  sources.command = [cluster](std::vector<std::string> words) {
    return run_own_command(cluster, std::move(words), kLongestCommand);
  };
  return sources;
}

}  // namespace sluice
