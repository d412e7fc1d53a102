// sluice logs: what a job has said, kept by the daemon or in its file.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/verbs.h"
#include "text/job_reference.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

struct Options {
  std::string job;
  bool follow = false;
  bool errors = false;
  ChainLogs of_chain;
};

Result<void> print(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(std::string("standard output: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// What the file has from there on.
Result<void> print_rest(int file, const std::string& path) {
  char piece[65536];
  while (true) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), path, {}});
    if (got == 0) return {};
    TRY_VOID(print({piece, static_cast<std::size_t>(got)}));
  }
}

Result<void> print_file(Connection& daemon, const JobCard& card, const Options& options) {
  const std::string& path =
      options.errors && !card.stderr_path.empty() ? card.stderr_path : card.stdout_path;
  if (path.empty())
    return failed("where its output went is no longer known", "look into its folder");
  int file = -1;
  bool ended = has_ended(card.line.state);
  const std::string target = "/v1/jobs/" + percent_encoded(options.job);
  while (file < 0) {
    file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0 || !options.follow || ended || errno != ENOENT) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    TRY(const JobCard again, daemon.fetch<JobCard>(target));
    ended = has_ended(again.line.state);
  }
  if (file < 0)
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), path,
                                       "see the job: sluice job " + options.job});
  TRY_VOID(print_rest(file, path));
  while (options.follow && !ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    TRY(const JobCard again, daemon.fetch<JobCard>(target));
    // What was written before its end is there now.
    ended = has_ended(again.line.state);
    TRY_VOID(print_rest(file, path));
  }
  ::close(file);
  return {};
}

Result<void> logs_of_job(const Options& options) {
  TRY_VOID(parse_job_reference(options.job).map([](const auto&) {}));
  TRY(Connection daemon, Connection::open());
  const std::string target = "/v1/jobs/" + percent_encoded(options.job);
  TRY(JobCard card, daemon.fetch<JobCard>(target));
  if (card.line.array && !card.line.task)
    return bad_input(fmt::format("{} is an array: every task has its own output", options.job),
                     fmt::format("name one: sluice logs {}_{}", options.job, 0));
  if (card.line.state == JobState::kPending && !options.follow)
    return failed("it has not started yet", "see why: sluice why " + options.job);
  if (!card.captured) {
    if (card.line.state == JobState::kPending) {
      TRY(card, daemon.fetch<JobCard>(target + "?wait=started"));
    }
    return print_file(daemon, card, options);
  }
  Result<void> printed;
  TRY_VOID(daemon.stream(target + "/output" + (options.follow ? "?follow=1" : ""),
                         [&](std::string_view bytes) {
                           printed = print(bytes);
                           return printed.has_value();
                         }));
  return printed;
}

Result<ExitCode> run(const Options& options) {
  const ChainLogs& wanted = options.of_chain;
  if (is_chain_id(options.job)) {
    if (options.follow || options.errors)
      return bad_input("--follow and --error are for one job",
                       "of a chain: sluice logs CHAIN --failed, or --tasks=3,7-9");
    ChainLogs logs = wanted;
    logs.chain = options.job;
    return elsewhere().chain_logs(logs);
  }
  if (wanted.failed || wanted.paths || !wanted.tasks.empty())
    return bad_input("--failed, --tasks and --paths are for chains", "type: sluice logs JOB");
  TRY_VOID(logs_of_job(options));
  return ExitCode::kDone;
}

}  // namespace

void add_logs(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("logs", "See what a job, or tasks of a chain, printed");
  auto options = std::make_shared<Options>();
  verb->add_option("JOB", options->job, "A job as 12, a task as 12_3; or a chain")->required();
  verb->add_flag("-f,--follow", options->follow, "Keep printing until the job has ended");
  verb->add_flag("-e,--error", options->errors, "Its standard error, where that has its own file");
  verb->add_flag("--failed", options->of_chain.failed, "Of a chain: tasks that were given up");
  verb->add_option("--tasks", options->of_chain.tasks, "Of a chain: these tasks, as in --array");
  verb->add_flag("--paths", options->of_chain.paths, "Of a chain: only the names of the files");
  verb->footer(
      "Examples:\n  sluice logs 12\n  sluice logs -f 12_3\n  sluice logs --error 12\n"
      "  sluice logs last --failed");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
