// The same figures as Markdown, HTML and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "policyfile/value.h"
#include "text/begin_time.h"
#include "text/duration.h"
#include "text/memory.h"
#include "views/chain_view.h"

namespace sluice {
namespace {

using Row = std::vector<std::string>;

// More are counted, not listed.
constexpr std::size_t kFailuresShown = 20;

struct Table {
  Row head;
  std::vector<Row> rows;
};

Table rounds_of(const ChainView& view) {
  Table out{{"Round", "Job ID", "Handler", "Memory", "Time", "Tasks", "Done", "OOM", "Timeout",
             "Interrupted", "Cancelled", "Failed", "Status"},
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
  return out;
}

Table failures_of(const ChainView& view) {
  Table out{{"Task ID", "Status", "Exit Code", "Node", "Elapsed", "Why"}, {}};
  for (const GivenUpRow& row : view.given_up) {
    if (out.rows.size() == kFailuresShown) break;
    out.rows.push_back({std::to_string(row.task), row.state,
                        row.signal != 0 ? fmt::format("{}:{}", row.exit_code, row.signal)
                                        : std::to_string(row.exit_code),
                        row.node, row.elapsed ? format_duration(*row.elapsed) : "", row.why});
  }
  return out;
}

Table counts(std::string head, const std::map<std::string, std::size_t>& table) {
  Table out{{std::move(head), "Count"}, {}};
  std::vector<std::pair<std::string, std::size_t>> sorted(table.begin(), table.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [word, count] : sorted) out.rows.push_back({word, std::to_string(count)});
  return out;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? "–" : fmt::format("{}%", part * 100 / whole);
}

std::string gb_hours(std::int64_t mb_seconds) {
  // Small chains are shown in smaller units, so that they are not all zeros.
  if (std::abs(mb_seconds) < std::int64_t{1024} * 360)
    return fmt::format("{:.1f} GB·s", static_cast<double>(mb_seconds) / 1024.0);
  return fmt::format("{:.1f} GB·h", static_cast<double>(mb_seconds) / 1024.0 / 3600.0);
}

Table waste_of(const ChainView& view) {
  const Waste& waste = view.waste;
  Table out{{"", "Asked", "Used", "Share"}, {}};
  out.rows.push_back({"Memory (runs whose peak is known)", gb_hours(waste.memory_of_known),
                      gb_hours(waste.memory_used),
                      percent(waste.memory_used, waste.memory_of_known)});
  out.rows.push_back({"Time", format_duration(seconds(waste.time_asked_s)),
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

std::string signed_duration(std::int64_t whole_seconds) {
  return fmt::format("{}{}", whole_seconds < 0 ? "-" : "",
                     format_duration(seconds(std::abs(whole_seconds))));
}

Table sizing_of(const SizingView& sizing) {
  Table out{{"", "As submitted", "Learnt", "Saved", "Share"}, {}};
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
      "{} {} asked for what the first ones had needed; {} of them had to come "
      "back although the ladder's first level would have sufficed.",
      sizing.tasks, sizing.tasks == 1 ? "task" : "tasks", sizing.retries);
}

std::string summary(const ChainView& view, std::string_view bold_open,
                    std::string_view bold_close) {
  std::string out = fmt::format("{}{}{} of {} tasks completed.", bold_open, view.sum.completed,
                                bold_close, view.sum.tasks);
  for (const auto& [why, count] : view.given_up_by_why)
    out += why == given_up_words(GivenUp::kWithdrawn)
               ? fmt::format(" {}{}{} cancelled.", bold_open, count, bold_close)
               : fmt::format(" {}{}{} failed ({}).", bold_open, count, bold_close, why);
  if (view.sum.waiting + view.sum.running > 0)
    out += fmt::format(" {}{}{} running, {}{}{} waiting.", bold_open, view.sum.running, bold_close,
                       bold_open, view.sum.waiting, bold_close);
  return out;
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown(const Table& table) {
  std::string out = "|";
  for (const std::string& name : table.head) out += fmt::format(" {} |", cell(name));
  out += "\n|";
  for (std::size_t i = 0; i < table.head.size(); ++i) out += "---|";
  out += "\n";
  for (const Row& row : table.rows) {
    out += "|";
    for (const std::string& one : row) out += fmt::format(" {} |", cell(one));
    out += "\n";
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string html(const Table& table) {
  std::string out = "<table><tr>";
  for (const std::string& name : table.head) out += fmt::format("<th>{}</th>", escaped(name));
  out += "</tr>\n";
  for (const Row& row : table.rows) {
    out += "<tr>";
    for (const std::string& one : row) out += fmt::format("<td>{}</td>", escaped(one));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

// One stacked bar for every array.
std::string plot(const ChainView& view) {
  constexpr int kWidth = 640;
  constexpr int kHeight = 18;
  std::string out = fmt::format("<svg width=\"{}\" height=\"{}\" role=\"img\">\n", kWidth + 120,
                                view.rows.size() * (kHeight + 6) + 4);
  std::size_t most = 1;
  for (const ChainRow& row : view.rows) most = std::max(most, row.tasks);
  int y = 2;
  for (const ChainRow& row : view.rows) {
    out += fmt::format("<text x=\"0\" y=\"{}\">round {}, {}</text>\n", y + 13, row.round,
                       escaped(row.memory));
    double x = 110;
    for (const auto& [count, colour] : {std::pair(row.done, "#2a7"),
                                        {row.out_of_memory, "#c33"},
                                        {row.timeout, "#e90"},
                                        {row.interrupted, "#88a"},
                                        {row.cancelled, "#aaa"},
                                        {row.failed, "#555"},
                                        {row.running, "#39d"},
                                        {row.waiting, "#ccc"}}) {
      const double width = static_cast<double>(count) * kWidth / static_cast<double>(most);
      if (count > 0)
        out += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
            width, kHeight, colour);
      x += width;
    }
    y += kHeight + 6;
  }
  return out +
         "</svg>\n<p class=\"key\"><b style=\"color:#2a7\">done</b> <b style=\"color:#c33\">out "
         "of memory</b> <b style=\"color:#e90\">out of time</b> <b style=\"color:#88a\">"
         "interrupted</b> <b style=\"color:#555\">failed</b> <b style=\"color:#39d\">running"
         "</b> <b style=\"color:#999\">waiting</b></p>\n";
}

// How many completed runs used how much of what they asked for.
std::string histogram(std::string_view title, const std::array<std::size_t, 10>& tenths) {
  constexpr int kBar = 30;
  constexpr int kHeight = 90;
  const std::size_t most = *std::max_element(tenths.begin(), tenths.end());
  if (most == 0) return "";
  std::string out = fmt::format(
      "<figure><figcaption>{}</figcaption><svg width=\"{}\" height=\"{}\" role=\"img\">\n", title,
      10 * (kBar + 4) + 20, kHeight + 34);
  for (std::size_t i = 0; i < tenths.size(); ++i) {
    const int x = static_cast<int>(i) * (kBar + 4);
    const int height = static_cast<int>(tenths[i] * kHeight / most);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#39d\"><title>{} runs</title>"
        "</rect>\n",
        x, kHeight - height + 14, kBar, height, tenths[i]);
    if (tenths[i] > 0)
      out +=
          fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, kHeight - height + 11, tenths[i]);
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}%</text>\n", x, kHeight + 28, i * 10);
  }
  return out + "</svg></figure>\n";
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

Value number(std::int64_t value) { return Value::scalar(std::to_string(value)); }
Value count_value(std::size_t value) { return Value::scalar(std::to_string(value)); }

}  // namespace

std::string chain_markdown(const ChainView& view, ReportDetail detail) {
  std::string out = fmt::format("## Chain: {}\n\n### Escalation Rounds\n\n{}", view.id,
                                markdown(rounds_of(view)));
  for (const std::string& line : chain_move_lines(view)) out += "\n" + line + "\n";
  if (detail == ReportDetail::kDetailed) {
    out += "\n### Task Details\n";
    for (const ChainRow& row : view.rows) {
      if (row.states.empty()) continue;
      out += fmt::format("\n#### {}\n\n**Status Distribution:**\n\n{}", round_title(row),
                         markdown(counts("Status", row.states)));
      if (const std::string runtime = runtime_line(row); !runtime.empty())
        out += fmt::format("\n**Runtime:** {}\n", runtime);
      if (!row.nodes.empty())
        out += fmt::format("\n**Nodes:**\n\n{}", markdown(counts("Node", row.nodes)));
    }
  }
  if (!view.given_up.empty()) {
    out += fmt::format("\n### Failed Tasks (Not Retried)\n\n**{}** tasks were given up.\n\n",
                       view.sum.given_up);
    if (view.given_up.size() > kFailuresShown)
      out += fmt::format("The first {}:\n\n", kFailuresShown);
    out += markdown(failures_of(view));
  }
  out += fmt::format("\n### Asked and used\n\n{}", markdown(waste_of(view)));
  if (view.sizing)
    out += fmt::format("\n### Learnt from the first tasks\n\n{}\n{}\n",
                       markdown(sizing_of(*view.sizing)), sizing_line(*view.sizing));
  out += fmt::format("\n### Summary\n\n{}\n", summary(view, "**", "**"));
  return out;
}

std::string chain_html(std::span<const ChainView> views, ReportDetail detail) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>sluice "
      "report</title>\n"
      "<style>body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
      "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.2em .6em;"
      "text-align:left}th{background:#f3f3f3}.key b{margin-right:1em}svg text{font:12px "
      "sans-serif}figure{display:inline-block;margin:0 2em 1em 0}</style></head><body>\n";
  for (const ChainView& view : views) {
    out += fmt::format("<h2>Chain: {}</h2>\n<p>{}, since {}. {}</p>\n", escaped(view.id),
                       view.state, format_time(view.created), summary(view, "<b>", "</b>"));
    out += plot(view) + html(rounds_of(view));
    if (detail == ReportDetail::kDetailed)
      for (const ChainRow& row : view.rows) {
        if (row.states.empty()) continue;
        out += fmt::format("<h3>{}</h3>\n{}<p>{}</p>\n{}", escaped(round_title(row)),
                           html(counts("Status", row.states)), escaped(runtime_line(row)),
                           html(counts("Node", row.nodes)));
      }
    if (!view.given_up.empty())
      out += fmt::format("<h3>Failed tasks (not retried): {}</h3>\n{}", view.sum.given_up,
                         html(failures_of(view)));
    out +=
        "<h3>Asked and used</h3>\n" + html(waste_of(view)) +
        histogram("Memory used of what was asked for, completed runs", view.waste.memory_tenths) +
        histogram("Time used of what was asked for, completed runs", view.waste.time_tenths);
    if (view.sizing)
      out += fmt::format("<h3>Learnt from the first tasks</h3>\n{}<p>{}</p>\n",
                         html(sizing_of(*view.sizing)), sizing_line(*view.sizing));
  }
  return out + "</body></html>\n";
}

std::string chain_json(std::span<const ChainView> views) {
  Value list = Value::list();
  for (const ChainView& view : views) {
    Value chain = Value::map();
    chain.add("id", Value::quoted_text(view.id));
    chain.add("name", Value::quoted_text(view.name));
    chain.add("state", Value::quoted_text(view.state));
    chain.add("created", Value::quoted_text(format_time(view.created)));
    chain.add("tasks", count_value(view.sum.tasks));
    chain.add("completed", count_value(view.sum.completed));
    chain.add("given_up", count_value(view.sum.given_up));
    chain.add("waiting", count_value(view.sum.waiting));
    chain.add("running", count_value(view.sum.running));
    if (!view.handler.empty()) chain.add("handler", number(std::stoll(view.handler)));
    Value rounds = Value::list();
    for (const ChainRow& row : view.rows) {
      Value one = Value::map();
      one.add("round", number(row.round));
      one.add("batch", number(row.batch));
      if (!row.job.empty()) one.add("job", number(std::stoll(row.job)));
      if (!row.handler.empty()) one.add("handler", number(std::stoll(row.handler)));
      one.add("memory", Value::quoted_text(row.memory));
      one.add("time", Value::quoted_text(row.time));
      one.add("partitions", Value::quoted_text(row.partitions));
      if (!row.with.empty()) one.add("with", Value::quoted_text(row.with));
      if (!row.moved_from.empty()) {
        one.add("account", Value::quoted_text(row.account));
        one.add("moved_from", number(std::stoll(row.moved_from)));
      }
      one.add("tasks", count_value(row.tasks));
      one.add("done", count_value(row.done));
      one.add("out_of_memory", count_value(row.out_of_memory));
      one.add("timeout", count_value(row.timeout));
      one.add("interrupted", count_value(row.interrupted));
      one.add("cancelled", count_value(row.cancelled));
      one.add("failed", count_value(row.failed));
      one.add("running", count_value(row.running));
      one.add("waiting", count_value(row.waiting));
      one.add("status", Value::quoted_text(row.status));
      if (!row.pool.empty()) one.add("pool", Value::quoted_text(row.pool));
      if (!row.refusal.empty()) one.add("refusal", Value::quoted_text(row.refusal));
      rounds.items.push_back(std::move(one));
    }
    chain.add("rounds", std::move(rounds));
    Value lost = Value::list();
    for (const GivenUpRow& row : view.given_up) {
      Value one = Value::map();
      one.add("task", number(row.task));
      one.add("state", Value::quoted_text(row.state));
      one.add("exit_code", number(row.exit_code));
      one.add("signal", number(row.signal));
      one.add("node", Value::quoted_text(row.node));
      one.add("why", Value::quoted_text(row.why));
      one.add("job", Value::quoted_text(row.job));
      lost.items.push_back(std::move(one));
    }
    chain.add("failed_tasks", std::move(lost));
    Value waste = Value::map();
    waste.add("memory_asked_mb_s", number(view.waste.memory_of_known));
    waste.add("memory_used_mb_s", number(view.waste.memory_used));
    waste.add("time_asked_s", number(view.waste.time_asked_s));
    waste.add("time_used_s", number(view.waste.time_used_s));
    waste.add("time_lost_s", number(view.waste.time_lost_s));
    waste.add("runs", count_value(view.waste.runs));
    waste.add("retries", count_value(view.waste.retries));
    chain.add("waste", std::move(waste));
    if (view.sizing) {
      Value sizing = Value::map();
      sizing.add("memory_before", Value::quoted_text(view.sizing->memory_before));
      sizing.add("memory", Value::quoted_text(view.sizing->memory));
      sizing.add("time_before", Value::quoted_text(view.sizing->time_before));
      sizing.add("time", Value::quoted_text(view.sizing->time));
      sizing.add("tasks", count_value(view.sizing->tasks));
      sizing.add("retries", count_value(view.sizing->retries));
      sizing.add("memory_saved_mb_s", number(view.sizing->memory_saved));
      sizing.add("time_saved_s", number(view.sizing->time_saved_s));
      chain.add("sizing", std::move(sizing));
    }
    list.items.push_back(std::move(chain));
  }
  Value out = Value::map();
  out.add("schema", Value::quoted_text("sluice-chains/1"));
  out.add("chains", std::move(list));
  return print_json(out);
}

}  // namespace sluice
