#include "top/watch.h"

#include <fmt/format.h>

#include <chrono>

#include "text/printable.h"
#include "views/row_fields.h"
#include "views/row_text.h"
#include "web/job_log.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

Instant now_on_clock() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

Result<std::string> asked(const WebSources& sources, const std::string& target) {
  TRY(HttpClient daemon, sources.daemon());
  TRY(HttpResponse answer, daemon.request("GET", target));
  if (answer.status == 200) return std::move(answer.body);
  const auto reply = from_json<ErrorReply>(answer.body);
  return failed(reply ? reply->error.what : fmt::format("the daemon answered {}", answer.status));
}

Result<std::string> printed(const WebSources& sources, std::vector<std::string> words) {
  TRY(OwnOutput ran, sources.command(std::move(words)));
  if (ran.output.starts_with('{')) return std::move(ran.output);
  return failed(ran.error.substr(0, ran.error.find('\n')));
}

template <class Row>
Result<std::vector<Row>> rows_of(const WebSources& sources, const std::string& target,
                                 std::vector<std::string> words) {
  if (!sources.has_daemon()) {
    TRY(const std::string json, printed(sources, std::move(words)));
    TRY(auto lines, from_json<Lines<Row>>(json));
    return std::move(lines.lines);
  }
  TRY(const std::string body, asked(sources, target));
  TRY(auto reader, RowTextReader<Row>::over(body));
  std::vector<Row> out;
  for (Row row{}; reader.next(row);) out.push_back(row);
  return out;
}

std::string log_of(const WebSources& sources, const std::string& job) {
  const auto piece = read_job_log(sources, job, LogStream::kOutput, std::nullopt);
  if (!piece) return printable(piece.error().text());
  return piece->note.empty() ? printable_lines(piece->bytes) : piece->note;
}

// The tasks of the array, or the one line of a job that is none.
Result<std::vector<QueueLine>> tasks_of(const WebSources& sources, const std::string& job) {
  if (sources.has_daemon())
    return rows_of<QueueLine>(
        sources, "/v1/queue?format=tsv&arrays=records&state=all&job=" + percent_encoded(job), {});
  TRY(const std::string json, sources.tasks(job));
  TRY(auto lines, from_json<Lines<QueueLine>>(json));
  return std::move(lines.lines);
}

// Of a Slurm cluster: its line of the queue, and what `sluice why` prints of one that waits.
std::vector<TopLine> slurm_job_lines(const WebSources& sources, const std::string& job,
                                     Instant now) {
  std::vector<TopLine> out;
  const auto lines = tasks_of(sources, job);
  if (!lines) return {{lines.error().what}};
  for (const QueueLine& line : *lines) {
    if (std::to_string(line.array.value_or(line.job).value()) != job && line.id != job) continue;
    JobCard card;
    card.line = line;
    card.requested = fmt::format("cpu={},mem={}M", line.cpus, line.memory_mb);
    if (line.gpus > 0) card.requested += fmt::format(",gres/gpu={}", line.gpus);
    out = job_view_lines(card, std::nullopt, now);
    if (line.waiting == 0) return out;
    const auto why = sources.command({"why", job});
    std::string_view text = why ? std::string_view(why->output) : std::string_view();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      out.push_back({printable(text.substr(0, end))});
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }
  return {{fmt::format("{} is not in the queue any more: sacct -j {}", job, job)}};
}

}  // namespace

TopWatch::TopWatch(WebSources sources, Duration pause)
    : sources_(std::move(sources)), pause_(pause), thread_([this] { serve(); }) {}

TopWatch::~TopWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wanted_.notify_all();
  thread_.join();
}

void TopWatch::look_at(TopView view, const std::string& job) {
  {
    const std::lock_guard lock(mutex_);
    view_ = view;
    job_ = job;
    now_ = true;
  }
  wanted_.notify_all();
}

void TopWatch::look_again() {
  {
    const std::lock_guard lock(mutex_);
    now_ = true;
  }
  wanted_.notify_all();
}

TopSnapshot TopWatch::latest() {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void TopWatch::serve() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    now_ = false;
    const TopView view = view_;
    const std::string job = job_;
    lock.unlock();
    auto snapshot = fetched(view, job);
    lock.lock();
    if (snapshot) {
      latest_ = std::move(*snapshot);
    } else {
      // What was seen last stays, with its age; but not under another view's name.
      if (latest_.view != view || latest_.job != job)
        latest_ = TopSnapshot{view, job, {}, {}, {}, {}, {}};
      latest_.problem = snapshot.error().what;
    }
    wanted_.wait_for(lock, std::chrono::milliseconds(pause_.count()),
                     [this] { return now_ || ended_; });
  }
}

Result<TopSnapshot> TopWatch::fetched(TopView view, const std::string& job) {
  TopSnapshot out;
  out.view = view;
  out.job = job;
  const Instant now = now_on_clock();
  if (view == TopView::kQueue) {
    TRY(const auto lines,
        rows_of<QueueLine>(sources_, "/v1/queue?format=tsv", {"queue", "--json"}));
    out.table = queue_view_table(lines, now);
  } else if (view == TopView::kTasks) {
    TRY(const auto lines, tasks_of(sources_, job));
    out.table = task_view_table(lines, now);
  } else if (view == TopView::kChain) {
    TRY(OwnOutput ran, sources_.command({"report", job, "--format", "text"}));
    if (ran.output.empty()) return failed(ran.error.substr(0, ran.error.find('\n')));
    out.log = printable_lines(ran.output);
  } else if (view == TopView::kNodes) {
    TRY(const auto lines, rows_of<NodeLine>(sources_, "/v1/nodes?format=tsv", {"nodes", "--json"}));
    out.table = node_view_table(lines);
  } else if (view == TopView::kPools) {
    TRY(const std::string json, printed(sources_, {"pools", "--json"}));
    out.table = pool_view_table(json);
  } else if (view == TopView::kChains) {
    TRY(const std::string json, printed(sources_, {"list", "--json"}));
    out.table = chain_view_table(json);
  } else if (!sources_.has_daemon()) {
    out.lines = slurm_job_lines(sources_, job, now);
    out.log = log_of(sources_, job);
  } else {
    const std::string target = "/v1/jobs/" + percent_encoded(job);
    TRY(const std::string body, asked(sources_, target));
    TRY(const JobCard card, from_json<JobCard>(body));
    std::optional<WhyCard> why;
    if (card.line.waiting > 0)
      if (const auto said = asked(sources_, target + "/why"))
        if (auto read = from_json<WhyCard>(*said)) why = std::move(*read);
    out.lines = job_view_lines(card, why, now);
    // The tasks that wait have written nothing.
    const bool is_array = card.line.array && !card.line.task;
    out.log = is_array ? "none yet" : log_of(sources_, job);
  }
  out.at = now;
  return out;
}

std::string TopWatch::cancel(TopView view, const std::string& key) {
  if (view == TopView::kChains || view == TopView::kChain) {
    const auto ran = sources_.command({"cancel", key});
    if (!ran) return ran.error().what;
    return ran->exit_code == 0 ? key + ": cancelled" : ran->error.substr(0, ran->error.find('\n'));
  }
  if (!sources_.has_daemon()) {
    const auto done = sources_.cancel(key);
    return done ? key + ": cancelled" : done.error().what;
  }
  auto daemon = sources_.daemon();
  if (!daemon) return daemon.error().what;
  const auto answer = daemon->request("POST", "/v1/jobs/" + percent_encoded(key) + "/cancel", "{}");
  if (!answer) return answer.error().what;
  if (const auto reply = from_json<ActionReply>(answer->body))
    for (const ActionResult& result : reply->results)
      if (!result.error.empty()) return result.id + ": " + result.error;
  return answer->status == 200 ? key + ": cancelled" : fmt::format("{}: refused", key);
}

}  // namespace sluice
