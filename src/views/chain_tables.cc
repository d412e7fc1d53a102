#include "views/chain_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? "–" : fmt::format("{}%", part * 100 / whole);
}

std::string gb_hours(std::int64_t mb_seconds) {
  // Small chains are shown in smaller units, so that they are not all zeros.
  if (std::abs(mb_seconds) < std::int64_t{1024} * 360)
    return fmt::format("{:.1f} GB·s", static_cast<double>(mb_seconds) / 1024.0);
  return fmt::format("{:.1f} GB·h", static_cast<double>(mb_seconds) / 1024.0 / 3600.0);
}

std::string signed_duration(std::int64_t whole_seconds) {
  return fmt::format("{}{}", whole_seconds < 0 ? "-" : "",
                     format_duration(seconds(std::abs(whole_seconds))));
}

// Where each array went, after its job.
void add_pools(const ChainView& view, ReportTable& table) {
  constexpr std::ptrdiff_t kAfterJob = 2;
  table.head.insert(table.head.begin() + kAfterJob, "Pool");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string>& row = table.rows[i];
    row.insert(row.begin() + kAfterJob, i < view.rows.size() ? view.rows[i].pool : std::string());
  }
}

}  // namespace

ReportTable rounds_of(const ChainView& view) {
  ReportTable out{{"Round", "Job ID", "Handler", "Memory", "Time", "Tasks", "Done", "OOM",
                   "Timeout", "Interrupted", "Cancelled", "Failed", "Status"},
                  {}};
  const auto text = [](std::size_t count) { return std::to_string(count); };
  const auto time = [](const ChainRow& row) {
    return row.with.empty() ? row.time : row.time + " with " + row.with;
  };
  for (const ChainRow& row : view.rows)
    out.rows.push_back({std::to_string(row.round), row.job, row.handler, row.memory, time(row),
                        text(row.tasks), text(row.done), text(row.out_of_memory), text(row.timeout),
                        text(row.interrupted), text(row.cancelled), text(row.failed),
                        row.refusal.empty() ? row.status : row.status + ": " + row.refusal});
  // Attempts, not tasks: a task that climbed is in several rounds.
  ChainRow sum;
  for (const ChainRow& row : view.rows) {
    if (row.status == "WITHDRAWN" || row.status == "REFUSED") continue;
    sum.tasks += row.tasks;
    sum.done += row.done;
    sum.out_of_memory += row.out_of_memory;
    sum.timeout += row.timeout;
    sum.interrupted += row.interrupted;
    sum.cancelled += row.cancelled;
    sum.failed += row.failed;
  }
  if (view.rows.size() > 1)
    out.rows.push_back({"Total", "", "", "", "", text(sum.tasks), text(sum.done),
                        text(sum.out_of_memory), text(sum.timeout), text(sum.interrupted),
                        text(sum.cancelled), text(sum.failed), ""});
  if (std::any_of(view.rows.begin(), view.rows.end(),
                  [](const ChainRow& row) { return !row.pool.empty(); }))
    add_pools(view, out);
  return out;
}

ReportTable failures_of(const ChainView& view) {
  ReportTable out{{"Task ID", "Status", "Exit Code", "Node", "Elapsed", "Why"}, {}};
  for (const GivenUpRow& row : view.given_up) {
    if (out.rows.size() == kFailuresShown) break;
    out.rows.push_back({std::to_string(row.task), row.state,
                        row.signal != 0 ? fmt::format("{}:{}", row.exit_code, row.signal)
                                        : std::to_string(row.exit_code),
                        row.node, row.elapsed ? format_duration(*row.elapsed) : "", row.why});
  }
  return out;
}

ReportTable counts(std::string head, const std::map<std::string, std::size_t>& table) {
  ReportTable out{{std::move(head), "Count"}, {}};
  std::vector<std::pair<std::string, std::size_t>> sorted(table.begin(), table.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [word, count] : sorted) out.rows.push_back({word, std::to_string(count)});
  return out;
}

ReportTable waste_of(const ChainView& view) {
  const Waste& waste = view.waste;
  ReportTable out{{"", "Asked", "Used", "Share"}, {}};
  out.rows.push_back({"Memory (runs whose peak is known)", gb_hours(waste.memory_of_known),
                      gb_hours(waste.memory_used),
                      percent(waste.memory_used, waste.memory_of_known)});
  out.rows.push_back({"Time",
                      waste.time_asked_s > 0 ? format_duration(seconds(waste.time_asked_s)) : "–",
                      format_duration(seconds(waste.time_used_s)),
                      percent(waste.time_used_s, waste.time_asked_s)});
  out.rows.push_back({"Time in runs that did not complete", "",
                      format_duration(seconds(waste.time_lost_s)),
                      percent(waste.time_lost_s, waste.time_used_s)});
  out.rows.push_back(
      {"Runs, and of these retries", std::to_string(waste.runs), std::to_string(waste.retries),
       percent(static_cast<std::int64_t>(waste.retries), static_cast<std::int64_t>(waste.runs))});
  return out;
}

ReportTable sizing_of(const SizingView& sizing) {
  ReportTable out{{"", "As submitted", "Learnt", "Saved", "Share"}, {}};
  if (!sizing.memory.empty())
    out.rows.push_back({"Memory", sizing.memory_before, sizing.memory,
                        gb_hours(sizing.memory_saved),
                        percent(sizing.memory_saved, sizing.memory_before_sum)});
  if (!sizing.time.empty())
    out.rows.push_back({"Time asked for", sizing.time_before, sizing.time,
                        signed_duration(sizing.time_saved_s),
                        percent(sizing.time_saved_s, sizing.time_before_sum)});
  return out;
}

std::string sizing_line(const SizingView& sizing) {
  return fmt::format(
      "{} {} asked for what the first ones had needed; {} of them had to be "
      "retried although the ladder's first level would have been enough.",
      sizing.tasks, sizing.tasks == 1 ? "task" : "tasks", sizing.retries);
}

std::string summary(const ChainView& view, std::string_view bold_open,
                    std::string_view bold_close) {
  std::string out = fmt::format("{}{}{} of {} {} completed.", bold_open, view.sum.completed,
                                bold_close, view.sum.tasks, view.sum.tasks == 1 ? "task" : "tasks");
  for (const auto& [why, count] : view.given_up_by_why)
    out += why == given_up_words(GivenUp::kWithdrawn)
               ? fmt::format(" {}{}{} cancelled.", bold_open, count, bold_close)
               : fmt::format(" {}{}{} failed ({}).", bold_open, count, bold_close, why);
  if (view.sum.waiting + view.sum.running > 0)
    out += fmt::format(" {}{}{} running, {}{}{} waiting.", bold_open, view.sum.running, bold_close,
                       bold_open, view.sum.waiting, bold_close);
  return out;
}

std::string round_title(const ChainRow& row) {
  return fmt::format("Round {}: {}{}{} (job {})", row.round, row.memory,
                     row.memory.empty() || row.time.empty() ? "" : ", ", row.time, row.job);
}

std::string runtime_line(const ChainRow& row) {
  std::string out;
  if (row.shortest)
    out = fmt::format("min={}, max={}", format_duration(*row.shortest),
                      format_duration(*row.longest));
  if (row.most_rss_kb)
    out += fmt::format("{}largest MaxRSS={}", out.empty() ? "" : ", ",
                       format_memory_mb((*row.most_rss_kb + 1023) / 1024));
  return out;
}

}  // namespace sluice
