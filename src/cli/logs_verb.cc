// sluice logs: what a job has said, kept by the daemon or in its file.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cli/attached_job.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/job_ends.h"
#include "cli/log_text.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "cli/verbs.h"
#include "system/open_plain_file.h"
#include "text/array_spec.h"
#include "text/job_reference.h"
#include "text/last_lines.h"
#include "text/program_output.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

struct Options {
  std::string job;
  bool follow = false;
  bool errors = false;
  std::optional<std::uint32_t> tail;  // Lines.
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

// Where output goes: straight on, or only its last lines when all of it has come; into a text
// where one is given.
class Sink {
 public:
  explicit Sink(std::optional<std::uint32_t> tail, std::string* text = nullptr)
      : tail_(tail), text_(text) {}
  Result<void> take(std::string_view bytes) {
    if (!bytes.empty()) ends_line_ = bytes.back() == '\n';
    if (!tail_) return pass_on(bytes);
    kept_ += bytes;
    // Only so much of it can be needed.
    if (kept_.size() > kLongest) kept_ = std::string(last_lines(kept_, *tail_));
    return {};
  }
  // Another user's text could do to this terminal what its control sequences say.
  void escape_for_terminal() { escapes_ = text_ == nullptr && ::isatty(STDOUT_FILENO) == 1; }
  // What comes from now on is new and is all wanted.
  Result<void> flush() {
    if (!tail_) return {};
    const std::string last(last_lines(kept_, *tail_));
    kept_.clear();
    tail_.reset();
    return pass_on(last);
  }
  bool ends_line() const { return ends_line_; }

 private:
  Result<void> pass_on(std::string_view bytes) {
    if (text_ != nullptr) {
      *text_ += bytes;
      return {};
    }
    if (!escapes_) return print(bytes);
    cut_ += bytes;
    const std::size_t whole = whole_characters(cut_);
    const std::string shown = printable_output(std::string_view(cut_).substr(0, whole));
    cut_.erase(0, whole);
    return print(shown);
  }
  static constexpr std::size_t kLongest = std::size_t{4} << 20;
  std::optional<std::uint32_t> tail_;
  std::string* text_;
  std::string kept_;
  bool ends_line_ = true;
  bool escapes_ = false;
  std::string cut_;  // The beginning of a character whose rest has not come yet.
};

// What the file has from there on.
Result<void> print_rest(int file, const std::string& path, Sink& sink) {
  char piece[65536];
  while (true) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), path, {}});
    if (got == 0) return {};
    TRY_VOID(sink.take({piece, static_cast<std::size_t>(got)}));
  }
}

const std::string& path_of(const JobCard& card, const Options& options) {
  return options.errors && !card.stderr_path.empty() ? card.stderr_path : card.stdout_path;
}

Result<void> print_file(Connection& daemon, const JobCard& card, const Options& options,
                        Sink& sink) {
  const std::string& path = path_of(card, options);
  if (path.empty() && has_ended(card.line.state) && !card.line.started)
    return failed(fmt::format("job {} never started, so it printed nothing", card.line.id),
                  "see what became of it: sluice job " + options.job);
  if (path.empty())
    return failed("where its output went is no longer known", "look into its folder");
  OpenedFile opened;
  bool ended = has_ended(card.line.state);
  const std::string target = "/v1/jobs/" + percent_encoded(options.job);
  while (!opened.is_open()) {
    // There what is not wanted goes; it has nothing to read.
    opened = path == "/dev/null" ? OpenedFile{::open("/dev/null", O_RDONLY | O_CLOEXEC), 0}
                                 : open_plain_file(path);
    if (opened.is_open() || !options.follow || ended || opened.problem != ENOENT) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    TRY(const JobCard again, daemon.fetch<JobCard>(target));
    ended = has_ended(again.line.state);
  }
  if (opened.problem != 0)
    return tl::unexpected<Error>(Error{ErrorKind::kFailed,
                                       card.failure ? *card.failure : std::strerror(opened.problem),
                                       path, "see the job: sluice job " + options.job});
  if (!opened.is_open())
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, "is not a plain file", path, {}});
  const int file = opened.descriptor;
  TRY_VOID(print_rest(file, path, sink));
  if (options.follow) TRY_VOID(sink.flush());
  while (options.follow && !ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    TRY(const JobCard again, daemon.fetch<JobCard>(target));
    // What was written before its end is there now.
    ended = has_ended(again.line.state);
    TRY_VOID(print_rest(file, path, sink));
  }
  ::close(file);
  return {};
}

// Captured output comes from the daemon. Where that is restarted it goes on from the byte it had
// come to; what is put back into the queue is followed into its next run.
Result<void> print_captured(Connection& daemon, JobCard card, const Options& options, Sink& sink) {
  const std::string target = "/v1/jobs/" + percent_encoded(options.job);
  if (!options.follow) {
    Result<void> printed;
    TRY_VOID(daemon.stream(target + "/output", [&](std::string_view bytes) {
      printed = sink.take(bytes);
      return printed.has_value();
    }));
    return printed;
  }
  std::uint64_t from = 0;
  for (bool ended = false; !ended;) {
    // Asked before its output is: when it has ended by then, all of it comes.
    ended = has_ended(card.line.state);
    Result<void> printed;
    const auto streamed = daemon.stream(fmt::format("{}/output?follow=1&from={}", target, from),
                                        [&](std::string_view bytes) {
                                          from += bytes.size();
                                          printed = sink.take(bytes);
                                          if (printed) printed = sink.flush();
                                          return printed.has_value();
                                        });
    if (!printed) return printed;
    if (!streamed && streamed.error().kind != ErrorKind::kUnreachable) return streamed;
    if (!streamed) {
      TRY_VOID(daemon.wait_until_back(streamed.error()));
      ended = false;
    }
    const std::uint32_t attempt = card.attempt;
    TRY(card, daemon.fetch<JobCard>(target));
    if (card.attempt != attempt && attempt > 0) from = 0;
    // The daemon that stopped may have ended the stream in good order.
    if (!ended && streamed && !has_ended(card.line.state))
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return sink.flush();
}

Result<void> logs_of_job(Connection& daemon, const Options& options, Sink& sink) {
  const std::string target = "/v1/jobs/" + percent_encoded(options.job);
  TRY(JobCard card, daemon.fetch<JobCard>(target));
  if (card.line.user != own_user()) sink.escape_for_terminal();
  if (card.line.state == JobState::kPending && !options.follow)
    return failed("it has not started yet", "see why: sluice why " + options.job);
  if (options.of_chain.paths) {
    if (card.captured)
      return failed("its output is kept by the daemon", "see it: sluice logs " + options.job);
    return print(path_of(card, options) + "\n");
  }
  if (is_attached(card))
    return failed("its output went to where `sluice run` was typed",
                  "to keep it: sluice submit --capture --wrap=COMMAND");
  if (card.captured) return print_captured(daemon, std::move(card), options, sink);
  if (card.line.state == JobState::kPending) {
    TRY(card, daemon.fetch<JobCard>(target + "?wait=started"));
  }
  return print_file(daemon, card, options, sink);
}

// What a job printed, as a value. A job without output has the reason in the place of its text.
Result<LogText> log_of_job(Connection& daemon, const Options& options) {
  TRY(const JobCard card, daemon.fetch<JobCard>("/v1/jobs/" + percent_encoded(options.job)));
  LogText out;
  out.job = options.job;
  out.task = card.line.task;
  out.state = slurm_name(card.line.state);
  if (!card.captured) out.file = path_of(card, options);
  out.with_text = !options.of_chain.paths;
  if (!out.with_text) return out;
  Sink sink(options.tail, &out.text);
  auto done = logs_of_job(daemon, options, sink);
  if (done) done = sink.flush();
  if (!done) out.problem = done.error().what;
  return out;
}

// Each task below a heading that says how it ended.
class ArrayLogs {
 public:
  ArrayLogs(Connection& daemon, const Options& options, std::uint32_t array, IndexSet named)
      : daemon_(daemon), options_(options), array_(array), named_(std::move(named)) {}

  Result<ExitCode> print_all() {
    for (;;) {
      // Before what has ended is looked at: what ends in between is there next time.
      TRY(const JobCard card, daemon_.fetch<JobCard>(fmt::format("/v1/jobs/{}", array_)));
      TRY(const JobEnds ends, ends_of(daemon_, array_));
      for (const auto& [task, end] : ends.tasks)
        if (is_wanted(task) && !(options_.of_chain.failed && end.state == JobState::kCompleted))
          TRY_VOID(print_task(task, end.text()));
      const bool over = card.line.waiting + card.line.running == 0;
      if (!options_.follow) {
        if (!options_.of_chain.failed && !over) TRY_VOID(print_running());
        break;
      }
      if (over) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    if (options_.of_chain.json)
      fmt::print("{}\n", logs_json(logs_));
    else if (printed_.size() == 0 && !options_.of_chain.paths)
      fmt::print(stderr, "sluice: {}\n",
                 options_.of_chain.failed ? "no task has failed" : "no task has started yet");
    return ExitCode::kDone;
  }

 private:
  bool is_wanted(std::uint32_t task) const {
    return (named_.size() == 0 || named_.contains(task)) && !printed_.contains(task);
  }
  Result<void> print_running() {
    TRY(const auto lines, daemon_.fetch<Lines<QueueLine>>(
                              fmt::format("/v1/queue?arrays=records&state=R,S,CG&job={}", array_)));
    for (const QueueLine& line : lines.lines)
      if (line.task && is_wanted(*line.task))
        TRY_VOID(print_task(*line.task, std::string(slurm_name(line.state))));
    return {};
  }
  Result<void> print_task(std::uint32_t task, const std::string& state) {
    Options one = options_;
    one.follow = false;
    one.job = fmt::format("{}_{}", array_, task);
    if (options_.of_chain.json) {
      TRY(LogText log, log_of_job(daemon_, one));
      log.state = state;
      logs_.push_back(std::move(log));
      printed_.insert(task);
      return {};
    }
    if (!options_.of_chain.paths)
      TRY_VOID(
          print(fmt::format("{}==> {} {} <==\n", printed_.size() > 0 ? "\n" : "", one.job, state)));
    printed_.insert(task);
    Sink sink(options_.tail);
    auto done = logs_of_job(daemon_, one, sink);
    if (done) done = sink.flush();
    // One that left nothing hides no other.
    if (!done) return print(fmt::format("({})\n", done.error().what));
    return sink.ends_line() || options_.of_chain.paths ? Result<void>() : print("\n");
  }

  Connection& daemon_;
  const Options& options_;
  std::uint32_t array_;
  IndexSet named_;  // Empty: all.
  IndexSet printed_;
  std::vector<LogText> logs_;  // For --json.
};

Result<ExitCode> run_one(Options options) {
  const ChainLogs& wanted = options.of_chain;
  if (is_chain_id(options.job)) {
    if (options.follow || options.errors)
      return bad_input("--follow and --error are for jobs and arrays",
                       "of a chain: sluice logs CHAIN --failed, or --tasks=3,7-9");
    ChainLogs logs = wanted;
    logs.chain = options.job;
    logs.tail = options.tail;
    return elsewhere().chain_logs(logs);
  }
  TRY(const JobReference reference, parse_job_reference(options.job));
  IndexSet named = reference.tasks.value_or(IndexSet());
  if (!wanted.tasks.empty()) {
    TRY(const ArraySpec spec, parse_array_spec(wanted.tasks));
    named = spec.indices;
  }
  TRY(Connection daemon, Connection::open());
  if (options.follow) daemon.wait_through_restarts();
  const bool is_one_task = reference.tasks && reference.tasks->size() == 1;
  if (!is_one_task) {
    const std::uint32_t job = reference.job.value();
    TRY(const JobCard card, daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}", job)));
    if (card.line.array && card.line.array->value() == job)
      return ArrayLogs(daemon, options, job, std::move(named)).print_all();
    if (wanted.failed || named.size() > 0)
      return bad_input(fmt::format("job {} is not an array", job),
                       fmt::format("type: sluice logs {}", job));
  }
  if (wanted.json) {
    TRY(const LogText log, log_of_job(daemon, options));
    fmt::print("{}\n", logs_json({&log, 1}));
    return ExitCode::kDone;
  }
  Sink sink(options.tail);
  TRY_VOID(logs_of_job(daemon, options, sink));
  TRY_VOID(sink.flush());
  return ExitCode::kDone;
}

Result<ExitCode> run(Options options) {
  TRY(const std::vector<std::string> jobs, meant_by(std::vector<std::string>{options.job}));
  ExitCode worst = ExitCode::kDone;
  for (const std::string& job : jobs) {
    // A routed submission is several jobs.
    if (jobs.size() > 1 && !options.of_chain.json && !options.of_chain.paths)
      TRY_VOID(print(fmt::format("{}==> job {} <==\n", job == jobs.front() ? "" : "\n", job)));
    options.job = job;
    TRY(const ExitCode code, run_one(options));
    worst = std::max(worst, code);
  }
  return worst;
}

}  // namespace

void add_logs(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("logs", "See what a job, or tasks of a chain, printed");
  auto options = std::make_shared<Options>();
  verb->add_option("ID", options->job, "A job or array as 12, tasks as 12_3, a chain, or last")
      ->required();
  auto* follow =
      verb->add_flag("-f,--follow", options->follow,
                     "Keep printing until the job has ended; of an array, each task as it ends");
  verb->add_flag("-e,--error", options->errors, "Its standard error, where that has its own file");
  verb->add_flag("--failed", options->of_chain.failed,
                 "Of an array: tasks that failed; of a chain: those given up");
  verb->add_option("--tail", options->tail, "Only the last LINES lines of each")
      ->type_name("LINES");
  verb->add_option("--tasks", options->of_chain.tasks,
                   "Of an array or a chain: these tasks, as in --array");
  verb->add_flag("--paths", options->of_chain.paths, "Only the names of the files");
  verb->add_flag("--json", options->of_chain.json, "As JSON")->excludes(follow);
  verb->footer(
      "The tasks of an array stand below headings that say how they ended.\n\n"
      "Examples:\n  sluice logs 12\n  sluice logs -f 12_3\n  sluice logs --error 12\n"
      "  sluice logs last --failed --tail 5");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
