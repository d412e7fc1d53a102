// sluice run: a command as a job that is waited for, with its output here.
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/job_request.h"
#include "cli/submission.h"
#include "cli/verbs.h"
#include "cli/wait.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

// Signals go to the job; one that has not started yet is given up instead.
void forward_signals(std::uint32_t job) {
  const sigset_t set = forwarded_signals();
  while (true) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    auto daemon = Connection::open(StartDaemon::kNever);
    if (!daemon) continue;
    const auto card = daemon->fetch<JobCard>(fmt::format("/v1/jobs/{}", job));
    const std::string target = fmt::format("/v1/jobs/{}/", job);
    if (card && card->line.state == JobState::kPending && signal != SIGUSR1 && signal != SIGUSR2)
      static_cast<void>(daemon->send("POST", target + "cancel", {}));
    else
      static_cast<void>(
          daemon->send("POST", target + "signal", to_json(SignalRequest{signal, false})));
  }
}

bool print(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<ExitCode> run(std::span<const std::string> arguments, bool& wants_help) {
  TRY(SbatchCommandLine line, read_submit_arguments(arguments));
  wants_help = line.action != SbatchAction::kSubmit;
  if (wants_help) return ExitCode::kDone;
  if (line.script.empty())
    return bad_input("no command is given", "sluice run [OPTIONS] -- COMMAND [ARGUMENTS...]");
  TRY(const std::string program, find_command(line.script));
  const std::vector<std::string> command = line.arguments;
  const std::string name = line.script.substr(line.script.rfind('/') + 1);
  line.wrap = line.script;  // So that nothing is read as a script.
  line.script.clear();
  line.arguments.clear();
  TRY(SbatchRequest request, request_of(line));
  if (request.own.dry_run)
    return bad_input("run has no --dry-run", "type: sluice submit --dry-run SCRIPT");
  Launch& launch = request.spec.launch;
  launch.script.clear();
  launch.program = program;
  launch.arguments = command;
  launch.command = program;
  launch.capture = true;
  if (request.spec.name.empty() || request.spec.name == "wrap") request.spec.name = name;
  add_surroundings(request);
  const sigset_t set = forwarded_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  TRY(Connection daemon, Connection::open());
  SubmitRequest wanted;
  wanted.jobs.push_back(request.spec);
  TRY(const std::string body, send_submission(daemon, wanted));
  TRY(const auto reply, from_json<SubmitReply>(body));
  if (reply.results.empty() || !reply.results.front().job)
    return failed(
        "refused: " + (reply.results.empty() ? ""
                                             : reply.results.front().refusal +
                                                   (reply.results.front().detail.empty()
                                                        ? ""
                                                        : "\n  " + reply.results.front().detail)),
        "see what the machines have: sluice nodes");
  const std::uint32_t job = reply.results.front().job->value();
  std::thread(forward_signals, job).detach();
  {
    // Its own connection: this one ends with the output.
    TRY(Connection output, Connection::open());
    const auto heard = output.stream(fmt::format("/v1/jobs/{}/output?follow=1", job), print);
    if (!heard && heard.error().kind != ErrorKind::kFailed)
      return tl::unexpected<Error>(heard.error());
  }
  TRY(const JobCard card, daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}?wait=ended", job)));
  if (card.line.state != JobState::kCompleted && card.line.state != JobState::kFailed)
    fmt::print(stderr, "sluice: job {} ended: {}\n", job, slurm_name(card.line.state));
  if (request.own.json) fmt::print(stderr, "{}\n", to_json(card));
  return static_cast<ExitCode>(exit_status(card));
}

}  // namespace

std::optional<ExitCode> run_run(std::span<const std::string> arguments) {
  bool wants_help = false;
  const auto ended = run(arguments, wants_help);
  if (wants_help) return std::nullopt;
  return ended ? *ended : report(ended.error());
}

void add_run(Command& root, ExitCode&) {
  Command* verb =
      root.add_subcommand("run", "Run a command as a job, wait for it and see its output");
  verb->footer(
      "sluice run [OPTIONS] -- COMMAND [ARGUMENTS...]\n\n"
      "Takes sbatch's options. The exit status is the command's, 128 and the signal where one\n"
      "ended it. Signals (interrupt, terminate, hang up, USR1, USR2) go to the job. --json prints\n"
      "the job's card to standard error when it has ended.\n\n"
      "Examples:\n"
      "  sluice run -- hostname\n"
      "  sluice run -c 4 --mem=8G -t 30 -- make -j4\n"
      "  sluice run --gres=gpu:1 -- nvidia-smi");
}

}  // namespace sluice
