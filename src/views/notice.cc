#include "views/notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/duration.h"
#include "text/printable.h"
#include "views/json.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, kNoticeEvents> kWords = {"job-end", "chain-done", "gave-up",
                                                                "pools-full"};
// A mail is read by a person.
constexpr std::size_t kCausesShown = 20;

void begin(JsonWriter& writer, std::string_view event, std::string_view subject,
           std::string_view text) {
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.notice/1");
  writer.key("event");
  writer.text(event);
  writer.key("subject");
  writer.text(subject);
  writer.key("text");
  writer.text(text);
}

void add(JsonWriter& writer, std::string_view name, std::string_view value) {
  writer.key(name);
  writer.text(value);
}

void add(JsonWriter& writer, std::string_view name, std::int64_t value) {
  writer.key(name);
  writer.number(value);
}

void add(JsonWriter& writer, std::string_view name, const std::optional<Instant>& value) {
  writer.key(name);
  if (value)
    writer.thousandths(value->time_since_epoch().count());
  else
    writer.null();
}

std::string_view verb_of(JobMail mail) {
  switch (mail) {
    case JobMail::kBegan:
      return "Began";
    case JobMail::kEnded:
      return "Ended";
    case JobMail::kFailed:
      return "Failed";
    case JobMail::kRequeued:
      return "Requeued";
    case JobMail::kTimeLimit:
      return "Reached time limit";
  }
  return "";
}

std::string job_text(const JobCard& job, std::string_view cluster) {
  const QueueLine& line = job.line;
  std::string out = fmt::format("Job {} ({}) of {} on {}: {}", line.id, printable(line.name),
                                line.user, cluster, slurm_name(line.state));
  if (job.exit_code || job.exit_signal)
    out += fmt::format(", exit code {}:{}", job.exit_code.value_or(0), job.exit_signal.value_or(0));
  out += '\n';
  if (!line.nodes.empty())
    out += fmt::format("Ran {} on {}\n", format_duration(line.elapsed), line.nodes);
  if (!job.working_directory.empty()) out += fmt::format("Folder: {}\n", job.working_directory);
  if (!job.captured && !job.stdout_path.empty())
    out += fmt::format("Output: {}\n", job.stdout_path);
  out += fmt::format("More: sluice job {}\n", line.id);
  return out;
}

}  // namespace

std::string_view notice_word(NoticeEvent event) { return kWords[static_cast<std::size_t>(event)]; }

std::string job_mail_subject(const JobCard& job, JobMail mail) {
  const QueueLine& line = job.line;
  const bool whole = line.array && !line.task;
  std::string out = fmt::format("Slurm {} Name={} {}",
                                whole ? fmt::format("Array Summary Job_id={}_* ({})",
                                                    line.array->value(), line.array->value())
                                      : fmt::format("Job_id={}", line.id),
                                line.name, verb_of(mail));
  if (mail == JobMail::kBegan)
    return out +
           fmt::format(", Queued time {}",
                       format_duration(line.started.value_or(line.submitted) - line.submitted));
  if (mail == JobMail::kRequeued) return out;
  if (!whole) out += fmt::format(", Run time {}", format_duration(line.elapsed));
  out += fmt::format(", {}", slurm_name(line.state));
  if (job.exit_signal.value_or(0) != 0)
    out += fmt::format(", ExitSignal {}", *job.exit_signal);
  else if (!whole || job.exit_code)
    out += fmt::format(", ExitCode {}", job.exit_code.value_or(0));
  return out;
}

std::string job_notice_json(const JobNotice& notice, std::string_view cluster) {
  const JobCard& job = notice.job;
  const QueueLine& line = job.line;
  std::string out;
  JsonWriter writer(out);
  std::string text = job_text(job, cluster);
  if (line.array && !line.task)
    text += fmt::format("{} of {} tasks did not complete\n", notice.failed_tasks, line.tasks);
  begin(writer,
        notice.mail == JobMail::kBegan      ? "job-begin"
        : notice.mail == JobMail::kRequeued ? "job-requeue"
                                            : notice_word(NoticeEvent::kJobEnd),
        job_mail_subject(job, notice.mail), text);
  add(writer, "cluster", cluster);
  writer.key("hooks");
  writer.boolean(notice.hooks);
  writer.key("mail_to");
  if (notice.mail_to)
    writer.text(*notice.mail_to);
  else
    writer.null();
  writer.key("job");
  writer.begin_object();
  add(writer, "id", line.id);
  add(writer, "name", line.name);
  add(writer, "user", line.user);
  add(writer, "account", line.account);
  add(writer, "qos", line.qos);
  add(writer, "partition", line.partition);
  add(writer, "state", slurm_name(line.state));
  add(writer, "exit_code", static_cast<std::int64_t>(job.exit_code.value_or(0)));
  add(writer, "exit_signal", static_cast<std::int64_t>(job.exit_signal.value_or(0)));
  add(writer, "nodes", line.nodes);
  add(writer, "submitted", std::optional(line.submitted));
  add(writer, "started", line.started);
  add(writer, "ended", job.ended);
  writer.key("elapsed");
  writer.thousandths(line.elapsed.count());
  add(writer, "tasks", line.tasks);
  add(writer, "failed_tasks", notice.failed_tasks);
  add(writer, "working_directory", job.working_directory);
  add(writer, "stdout_path", job.stdout_path);
  writer.end_object();
  writer.end_object();
  return out;
}

std::string chain_notice_json(NoticeEvent event, const ChainView& chain, std::size_t newly) {
  std::string out;
  JsonWriter writer(out);
  const bool done = event == NoticeEvent::kChainDone;
  const std::string subject =
      done ? fmt::format("sluice: chain {} ({}) has ended: {} of {} {} completed", chain.name,
                         chain.id, chain.sum.completed, chain.sum.tasks,
                         chain.sum.tasks == 1 ? "task" : "tasks")
           : fmt::format("sluice: chain {} ({}) gave up {} {}", chain.name, chain.id, newly,
                         newly == 1 ? "task" : "tasks");
  std::string text =
      fmt::format("Chain {} ({}): {}\n", chain.name, chain.id, chain_sum_line(chain));
  std::size_t shown = 0;
  for (const auto& [why, tasks] : chain.given_up_by_why)
    if (shown++ < kCausesShown) text += fmt::format("{} given up: {}\n", tasks, why);
  text += fmt::format("More: sluice report {}\n", chain.id);
  begin(writer, notice_word(event), subject, text);
  writer.key("chain");
  writer.begin_object();
  add(writer, "id", chain.id);
  add(writer, "name", chain.name);
  add(writer, "state", chain.state);
  add(writer, "engine", chain.engine);
  add(writer, "tasks", static_cast<std::int64_t>(chain.sum.tasks));
  add(writer, "completed", static_cast<std::int64_t>(chain.sum.completed));
  add(writer, "given_up", static_cast<std::int64_t>(chain.sum.given_up));
  add(writer, "newly_given_up", static_cast<std::int64_t>(newly));
  add(writer, "retries", static_cast<std::int64_t>(chain.waste.retries));
  add(writer, "created", std::optional(chain.created));
  add(writer, "now", std::optional(chain.now));
  writer.key("causes");
  writer.begin_object();
  for (const auto& [why, tasks] : chain.given_up_by_why)
    add(writer, why, static_cast<std::int64_t>(tasks));
  writer.end_object();
  writer.end_object();
  writer.end_object();
  return out;
}

std::string pools_notice_json(std::string_view user, std::string_view what, Instant now) {
  std::string out;
  JsonWriter writer(out);
  begin(writer, notice_word(NoticeEvent::kPoolsFull),
        fmt::format("sluice: every pool is full; {} waits", what),
        fmt::format("Every pool of {} is full; {} waits for room.\nMore: sluice pools\n", user,
                    what));
  add(writer, "user", user);
  add(writer, "waits", what);
  add(writer, "now", std::optional(now));
  writer.end_object();
  return out;
}

Result<ReadNotice> read_notice(std::string_view json) {
  TRY(const JsonValue value, parse_json(json));
  ReadNotice out;
  const auto text = [&](std::string_view name) {
    const JsonValue* found = value.find(name);
    return found != nullptr && found->is(JsonValue::Kind::kText) ? found->text : std::string();
  };
  out.event = text("event");
  out.subject = text("subject");
  out.text = text("text");
  if (const std::string to = text("mail_to"); !to.empty()) out.mail_to = to;
  if (const JsonValue* hooks = value.find("hooks"))
    out.hooks = !hooks->is(JsonValue::Kind::kBoolean) || hooks->boolean;
  if (out.event.empty()) return bad_input("a notice without an event");
  return out;
}

std::string mail_text(std::string_view to, std::string_view subject, std::string_view text) {
  const auto one_line = [](std::string_view given) {
    std::string out(given);
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return out;
  };
  // A line with one dot ends the mail for a sendmail that is not told otherwise; -i tells it.
  return fmt::format(
      "To: {}\nSubject: {}\nContent-Type: text/plain; charset=utf-8\nAuto-Submitted: "
      "auto-generated\n\n{}",
      one_line(to), one_line(subject), text);
}

}  // namespace sluice
