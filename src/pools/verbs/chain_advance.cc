// sluice chain advance: what handler jobs run, and what the daemon starts when tasks have ended.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/look_answer.h"
#include "chains/chain_folders.h"
#include "cli/command.h"
#include "host/files/files.h"
#include "pools/chain_context.h"
#include "pools/chain_look.h"
#include "pools/routing_context.h"
#include "pools/verbs/chain_verb.h"

namespace sluice {
namespace {

// A handler of a minute must be done before Slurm ends it.
constexpr Duration kHandlerPatience = seconds(30);

// We are a job that Slurm started. The one whose number we carry, or whose key we were found by.
std::optional<RemoteJob> ourselves(const Chain& chain, Cluster& cluster) {
  const std::string number = environment_value("SLURM_JOB_ID");
  for (const Handler& handler : chain.handlers) {
    if (handler.gone) continue;
    if (handler.job && std::to_string(handler.job->job.value()) == number) return handler.job;
    if (handler.job) continue;
    if (const auto found = cluster.find(handler.key))
      for (const RemoteJob& job : *found)
        if (std::to_string(job.job.value()) == number) return job;
  }
  return std::nullopt;
}

Result<ExitCode> advance(const std::string& id) {
  auto open = OpenChain::open(chain_ports(), id, kHandlerPatience);
  if (!open) {
    if (open.error().kind != ErrorKind::kNoCapacity) return tl::unexpected<Error>(open.error());
    // The process that holds it looks once more before letting go.
    TRY_VOID(leave_word(chain_folder(id), "a handler came\n"));
    fmt::print("{}; it was notified\n", open.error().what);
    return ExitCode::kDone;
  }
  (*open)->attend(ourselves((*open)->chain(), (*open)->cluster()));
  const Instant begin = now_on_clock();
  for (;;) {
    const auto progress = (*open)->step();
    const bool again = !progress || progress->uncertain || progress->unseen;
    if (progress) {
      say_notes(*progress);
      fmt::print("{}: {}\n", id, progress->words());
      if (!again || progress->ended) return ExitCode::kDone;
    } else {
      fmt::print("{}: {}\n", id, progress.error().text());
    }
    std::fflush(stdout);
    if (now_on_clock() - begin > kHandlerPatience) break;
    wait_for(kBetweenChainLooks);
  }
  return ExitCode::kDone;
}

// What the daemon starts for a chain on this machine when tasks have ended.
Result<LookAnswer> follow(const std::filesystem::path& folder) {
  ::setenv("SLUICE_CHAINS", folder.parent_path().c_str(), 1);
  const std::string id = folder.filename().string();
  std::error_code problem;
  if (!std::filesystem::exists(folder / "ledger.db", problem)) return LookAnswer::kNothingMore;
  auto open = OpenChain::open(chain_ports(StartDaemon::kNever), id, kChainPatience);
  if (!open) {
    if (open.error().kind != ErrorKind::kNoCapacity) return tl::unexpected<Error>(open.error());
    TRY_VOID(leave_word(chain_folder(id), "tasks have ended\n"));
    return LookAnswer::kSoon;
  }
  TRY(const Progress progress, (*open)->step());
  say_notes(progress);
  if (progress.settled + progress.handed_in + progress.resized + progress.moved > 0 ||
      progress.ended)
    fmt::print("{}: {}\n", id, progress.words());
  if (progress.ended) return LookAnswer::kNothingMore;
  return progress.uncertain || progress.unseen || progress.waits_for_room ||
                 (*open)->may_find_room()
             ? LookAnswer::kSoon
             : LookAnswer::kWhenTasksEnd;
}

// What it says goes to the chain's folder; the daemon's end of standard output tells that it ended.
ExitCode follow_quietly(const std::string& folder) {
  const std::string log = folder + "/handlers.log";
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file >= 0) {
    (void)::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  const auto answer = follow(folder);
  return answer ? ExitCode(static_cast<int>(*answer)) : report(answer.error());
}

}  // namespace

void add_chain_advance(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("advance", "What handler jobs run");
  verb->group("");  // Not in the help.
  auto given = std::make_shared<std::string>();
  auto followed = std::make_shared<std::string>();
  verb->add_option("CHAIN", *given);
  verb->add_option("--follow", *followed);
  verb->callback([given, followed, &exit_code] {
    if (!followed->empty()) {
      exit_code = follow_quietly(*followed);
      return;
    }
    const auto done = advance(*given);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
