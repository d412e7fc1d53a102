#include "apps/daemon_verb.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/local_time.h"
#include "daemon/daemon.h"
#include "host/keeper/keeper.h"
#include "pools/daemon_connection.h"
#include "shims/shims_verb.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  bool foreground = false;
  bool cancel_jobs = false;
  bool json = false;
  bool system = false;
  int ready = -1;
};

Result<Folders> folders_for(const Options& options) {
  TRY(Folders folders, daemon_folders(FolderSetting::of_this_process()));
  folders.for_everybody = options.system;
  return folders;
}

Result<ExitCode> run_here(const Options& options, int ready) {
  TRY(const Folders folders, folders_for(options));
  TRY(const std::string program, own_program());
  // Slurm's commands for jobs; a daemon without them is better than none.
  auto shims = make_folders(folders);
  if (shims) shims = make_shim_links(folders.shims(), program);
  if (!shims) fmt::print(stderr, "sluice: no Slurm commands for jobs: {}\n", shims.error().text());
  return static_cast<ExitCode>(run_daemon(DaemonSettings{folders, program, ready}));
}

Result<ExitCode> start(const Options& options) {
  if (options.foreground) return run_here(options, -1);
  TRY(const Folders folders, folders_for(options));
  const auto there = HttpClient::connect(folders.api_socket());
  if (!there && there.error().kind == ErrorKind::kNotAllowed)
    return tl::unexpected<Error>(there.error());
  const bool running = there.has_value() && daemon_answers(folders.api_socket());
  if (!running) TRY_VOID(start_daemon(folders));
  TRY(Connection daemon, Connection::open(StartDaemon::kNever));
  TRY(const std::string body, daemon.get("/v1/daemon"));
  if (options.json) {
    fmt::print("{}", body);
    return ExitCode::kDone;
  }
  TRY(const DaemonCard card, from_json<DaemonCard>(body));
  if (running && (card.scope == "machine") != options.system)
    return failed(options.system ? "a daemon that serves root alone runs already"
                                 : "a daemon that serves all users runs already",
                  "stop it first; jobs run on: sluice daemon stop");
  fmt::print("The daemon {} (process {}) and serves {}, socket {}\n",
             running ? "runs already" : "runs now", card.pid,
             card.scope == "machine" ? "all users" : "you alone", card.socket);
  return ExitCode::kDone;
}

Result<ExitCode> stop(const Options& options) {
  auto found = Connection::open(StartDaemon::kNever);
  if (!found && found.error().kind == ErrorKind::kUnreachable && !options.json) {
    fmt::print("No daemon runs.\n");
    return ExitCode::kDone;
  }
  TRY(Connection daemon, std::move(found));
  TRY(const DaemonCard card, daemon.fetch<DaemonCard>("/v1/daemon"));
  TRY(const std::string body,
      daemon.send("POST", "/v1/daemon/stop", to_json(StopRequest{options.cancel_jobs})));
  // Its socket goes first, its lock with the process: a daemon that starts must not find it.
  for (int i = 0; i < 12000 && (::kill(static_cast<pid_t>(card.pid), 0) == 0 || errno != ESRCH);
       ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (options.json)
    fmt::print("{}", body);
  else if (card.running > 0 && !options.cancel_jobs)
    fmt::print("The daemon has stopped; {} job{} at the next start.\n", card.running,
               card.running == 1 ? " runs on and is adopted" : "s run on and are adopted");
  else
    fmt::print("The daemon has stopped.\n");
  return ExitCode::kDone;
}

Result<ExitCode> status(const Options& options) {
  TRY(Connection daemon, Connection::open(StartDaemon::kNever));
  TRY(const std::string body, daemon.get("/v1/daemon"));
  if (options.json) {
    fmt::print("{}", body);
    return ExitCode::kDone;
  }
  TRY(const DaemonCard card, from_json<DaemonCard>(body));
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("  {:<12} {}\n", name, value);
  };
  fmt::print("sluice {} serves {}\n", card.version,
             card.scope == "machine" ? "every user of this machine" : "you");
  line("cluster", card.cluster);
  line("jobs",
       fmt::format("{} running, {} waiting, {} remembered", card.running, card.waiting, card.jobs));
  line("policy", card.policy_origin == "file"
                     ? card.policy_file
                     : "made from this machine; write " + card.policy_file + " to change it");
  std::string enforced;
  for (const auto& [what, means] : card.enforces)
    enforced += fmt::format("{}{} {}", enforced.empty() ? "" : ", ", what, means);
  line("enforced", enforced);
  line("since", full_local_time(card.started));
  line("process", fmt::format("{}, keeper {}", card.pid, card.keeper_pid));
  line("socket", card.socket);
  line("state", card.state_folder);
  const auto kilobytes = [](std::uint64_t bytes) { return (bytes + 1023) / 1024; };
  line("on disk",
       fmt::format("journal {} KB (a snapshot of {} KB and {} KB of events since), output {} KB",
                   kilobytes(card.journal_bytes), kilobytes(card.snapshot_bytes),
                   kilobytes(card.event_bytes), kilobytes(card.output_bytes)));
  return ExitCode::kDone;
}

Result<ExitCode> reload(const Options& options) {
  TRY(Connection daemon, Connection::open(StartDaemon::kNever));
  TRY(const std::string body, daemon.send("POST", "/v1/daemon/reload", {}));
  if (options.json) {
    fmt::print("{}", body);
    return ExitCode::kDone;
  }
  TRY(const ReloadReply reply, from_json<ReloadReply>(body));
  for (const FindingLine& finding : reply.findings)
    fmt::print(stderr, "{}: {}: {} [{}]\n", finding.where, finding.severity, finding.what,
               finding.rule);
  fmt::print("{}\n", reply.changed ? "The new policy is in force; no job was lost."
                                   : "The policy is as it was.");
  return ExitCode::kDone;
}

Command* add(Command& parent, ExitCode& exit_code, const std::shared_ptr<Options>& options,
             const char* name, const char* what, Result<ExitCode> (*run)(const Options&)) {
  Command* verb = parent.add_subcommand(name, what);
  verb->add_flag("--json", options->json, "As JSON");
  verb->callback([options, run, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
  return verb;
}

}  // namespace

void add_daemon(Command& root, ExitCode& exit_code) {
  Command* daemon = root.add_subcommand("daemon", "Start, stop, see or reload the daemon");
  daemon->require_subcommand(1);
  auto options = std::make_shared<Options>();
  Command* starts = add(*daemon, exit_code, options, "start",
                        "Start it; other commands do so by themselves", &start);
  const auto add_system = [&](Command* to) {
    to->add_flag("--system", options->system,
                 "As root: serve every user of the machine (jobs.allow_groups limits them)");
  };
  starts->add_flag("-f,--foreground", options->foreground,
                   "Stay in the foreground until it is stopped");
  add_system(starts);
  starts->footer(
      "Serves only the user who starts it. Root's serves all users where --system asks "
      "for it.\n\n"
      "Examples:\n  sluice daemon start\n  sluice daemon start --foreground\n"
      "  sluice daemon start --system");
  Command* stops = add(*daemon, exit_code, options, "stop",
                       "Stop it; jobs keep running and are adopted later", &stop);
  stops->add_flag("--cancel-jobs", options->cancel_jobs, "End all jobs first");
  stops->footer("Examples:\n  sluice daemon stop\n  sluice daemon stop --cancel-jobs");
  add(*daemon, exit_code, options, "status", "See how it is", &status)
      ->footer(
          "Examples:\n  sluice daemon status\n  sluice daemon status --json | jq .policy_file");
  add(*daemon, exit_code, options, "reload", "Take a changed policy without losing a job", &reload)
      ->footer(
          "Examples:\n  sluice daemon reload\n  sluice policy check policy.yaml && sluice "
          "daemon reload");
  Command* runs = daemon->add_subcommand("run", "Be the daemon: for systemd");
  runs->add_option("--ready-fd", options->ready, "Writes there when it is ready")->type_name("N");
  add_system(runs);
  runs->footer("Examples:\n  sluice daemon run --system\n  SLUICE_HOME=/tmp/try sluice daemon run");
  runs->callback([options, &exit_code] {
    const auto ended = run_here(*options, options->ready);
    exit_code = ended ? *ended : report(ended.error());
  });
}

void add_keeper(Command& root, ExitCode&) {
  root.add_subcommand("keeper", "Hold the jobs' processes; the daemon starts it")->group("");
}

std::optional<ExitCode> run_keeper_verb(std::span<const std::string> arguments) {
  const auto settings = read_keeper_arguments(arguments);
  if (!settings) return report(settings.error());
  return static_cast<ExitCode>(run_keeper(*settings));
}

}  // namespace sluice
