// sluice job: everything about one job.
#include <fmt/format.h>

#include <memory>

#include "cli/attached_job.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/job_ends.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/rough_duration.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

struct Options {
  std::string job;
  bool json = false;
};

class Card {
 public:
  // `ends`: of an array.
  Card(const JobCard& card, const std::optional<JobEnds>& ends)
      : card_(card), line_(card.line), ends_(ends) {}

  std::string text() {
    out_ = fmt::format("{} {}  {}\n", line_.array && !line_.task ? "array" : "job",
                       bold(display_, line_.id), printable(line_.name));
    add("state", state());
    if (ends_ && !ends_->tasks.empty()) add("ended", ends_->counts());
    if (card_.failure) add("went wrong", *card_.failure);
    add("user", line_.user + (line_.account.empty() ? "" : ", account " + line_.account) +
                    (line_.qos.empty() ? "" : ", QoS " + line_.qos));
    add("partition", line_.partition);
    if (line_.waiting > 0 && !line_.reason.empty())
      add("waits for",
          line_.reason + (line_.detail.empty() ? "" : fmt::format(" ({})", line_.detail)));
    if (line_.expected)
      add("expected",
          full_local_time(*line_.expected) + (line_.planned.empty() ? "" : " on " + line_.planned));
    if (!card_.held_by.empty()) add("held by", card_.held_by);
    add("reservation", card_.reservation);
    add("depends on", card_.dependency);
    add("asks for", card_.requested);
    add("holds", line_.done > 0 ? "" : card_.allocated);
    for (const JobNodeLine& node : card_.node_lines)
      if (line_.done == 0)
        add("on " + node.node, fmt::format("{} CPU{}, {}{}", node.cpus, node.cpus == 1 ? "" : "s",
                                           format_memory_mb(node.memory_mb),
                                           node.gpus.empty() ? "" : ", GPUs " + node.gpus));
    times();
    if (!ends_) result();
    gpus();
    add("command", command());
    add("folder", card_.working_directory);
    if (ends_) {
      add("output", fmt::format("of every task: sluice logs {}", ends_->job));
      if (ends_->failed().size() > 0) {
        add("failures", fmt::format("sluice logs {} --failed", ends_->job));
        add("again", fmt::format("sluice rerun {} --failed", ends_->job));
      }
    } else {
      add("output", is_attached(card_) ? "where the command was typed that waited for it"
                    : card_.captured   ? "kept: sluice logs " + line_.id
                                       : card_.stdout_path);
      add("errors", card_.stderr_path);
    }
    add("signal", card_.signal);
    add("comment", card_.comment);
    add("makes room for", card_.preemptor);
    return out_;
  }

 private:
  void add(std::string_view name, const std::string& value) {
    if (!value.empty()) out_ += fmt::format("  {:<14} {}\n", name, printable(value));
  }
  std::string state() const {
    if (line_.tasks > 1)
      return fmt::format("{} tasks: {} running, {} waiting, {} done", line_.tasks, line_.running,
                         line_.waiting, line_.done);
    std::string out(slurm_name(line_.state));
    if (card_.attempt > 1) out += fmt::format(", run {}", card_.attempt);
    return out;
  }
  void times() {
    add("submitted", full_local_time(line_.submitted));
    if (card_.begin) add("not before", full_local_time(*card_.begin));
    if (line_.started) add("started", full_local_time(*line_.started));
    if (card_.ended) add("ended", full_local_time(*card_.ended));
    if (line_.started) add("ran", format_short_duration(line_.elapsed));
    add("limit", line_.limit ? format_short_duration(*line_.limit) : "none");
    if (line_.ends_by) add("ends by", full_local_time(*line_.ends_by));
  }
  void result() {
    if (!card_.exit_code) return;
    add("exit code", fmt::format("{}{}", *card_.exit_code,
                                 card_.exit_signal.value_or(0) != 0
                                     ? fmt::format(", signal {}", *card_.exit_signal)
                                     : ""));
    if (card_.max_rss_kb.value_or(0) > 0)
      add("most memory",
          format_memory_mb((*card_.max_rss_kb + 1023) / 1024, MemoryStyle::kRounded));
    if (card_.cpu_time) add("CPU time", format_rough_duration(*card_.cpu_time));
  }
  void gpus() {
    if (!card_.gpu_percent) return;
    add("GPU use",
        fmt::format("{}% on average{}, {} of memory in use at most", *card_.gpu_percent,
                    card_.ended ? "" : " so far",
                    format_memory_mb(card_.gpu_memory_mb.value_or(0), MemoryStyle::kRounded)));
  }
  std::string command() const {
    if (card_.command == "(null)") return {};  // Slurm's word for a script that is no file.
    std::string out = card_.command;
    if (is_attached(card_)) return out;  // What it runs there is known to that command alone.
    for (const std::string& argument : card_.arguments) out += " " + argument;
    return out;
  }

  const JobCard& card_;
  const QueueLine& line_;
  const std::optional<JobEnds>& ends_;
  Display display_ = Display::of_stdout();
  std::string out_;
};

Result<void> run(const Options& options) {
  TRY(const std::string job, one_meant_by(options.job));
  if (is_chain_id(job))
    return bad_input(fmt::format("{} is a chain", job), "see its progress: sluice status " + job);
  TRY(Connection daemon, Connection::open());
  TRY(const std::string body, daemon.get("/v1/jobs/" + percent_encoded(job)));
  if (options.json) {
    fmt::print("{}", body);
    return {};
  }
  TRY(const JobCard card, from_json<JobCard>(body));
  std::optional<JobEnds> ends;
  if (card.line.array && !card.line.task) {
    TRY(ends, ends_of(daemon, card.line.array->value()));
  }
  fmt::print("{}", Card(card, ends).text());
  return {};
}

}  // namespace

void add_job(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("job", "See everything about one job");
  auto options = std::make_shared<Options>();
  verb->add_option("JOB", options->job, "A job as 12, a task as 12_3; or last")->required();
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice job 12\n  sluice job last\n  sluice job 12_3 --json | jq .max_rss_kb");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
