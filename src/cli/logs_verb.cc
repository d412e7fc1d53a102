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

Result<void> run(const Options& options) {
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

}  // namespace

void add_logs(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("logs", "See what a job has printed");
  auto options = std::make_shared<Options>();
  verb->add_option("JOB", options->job, "A job as 12, a task as 12_3")->required();
  verb->add_flag("-f,--follow", options->follow, "Go on until the job has ended");
  verb->add_flag("-e,--error", options->errors, "Its standard error, where that has its own file");
  verb->footer(
      "Examples:\n  sluice logs 12\n  sluice logs -f 12_3\n  sluice logs --error 12\n"
      "Of a chain: sluice logs CHAIN --failed, sluice chain logs --help");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
