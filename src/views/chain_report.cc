// The same figures as Markdown, text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "policyfile/read/value.h"
#include "text/begin_time.h"
#include "text/memory.h"
#include "views/chain_tables.h"

namespace sluice {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown(const ReportTable& table) {
  std::string out = "|";
  for (const std::string& name : table.head) out += fmt::format(" {} |", cell(name));
  out += "\n|";
  for (std::size_t i = 0; i < table.head.size(); ++i) out += "---|";
  out += "\n";
  for (const ReportTable::Row& row : table.rows) {
    out += "|";
    for (const std::string& one : row) out += fmt::format(" {} |", cell(one));
    out += "\n";
  }
  return out;
}

// In characters, not bytes.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Columns that are empty in every row are left out.
// What never happened in any round needs no column in a terminal.
ReportTable without_zeros(ReportTable table) {
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    const auto is_zero = [i](const ReportTable::Row& row) { return row[i] == "0"; };
    if (table.head[i] == "Tasks" || table.head[i] == "Done") continue;
    if (!std::all_of(table.rows.begin(), table.rows.end(), is_zero)) continue;
    for (ReportTable::Row& row : table.rows) row[i].clear();
  }
  return table;
}

std::string aligned(const ReportTable& table) {
  std::vector<std::size_t> widths(table.head.size(), 0);
  for (const ReportTable::Row& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!row[i].empty())
        widths[i] = std::max({widths[i], display_width(row[i]), table.head[i].size()});
  std::string out;
  const auto add = [&](const ReportTable::Row& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      line += row[i] + std::string(widths[i] + 2 - std::min(widths[i], display_width(row[i])), ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  if (table.rows.empty()) return "";
  add(table.head);
  for (const ReportTable::Row& row : table.rows) add(row);
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
    out += fmt::format("\n### Failed Tasks (Not Retried)\n\n**{}** {} given up.\n\n",
                       view.sum.given_up, view.sum.given_up == 1 ? "task was" : "tasks were");
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

std::string chain_text(const ChainView& view, ReportDetail detail) {
  std::string out = fmt::format("{} ({}), {} since {}\n{}\n", view.name, view.id, view.state,
                                format_time(view.created), summary(view, "", ""));
  out += pace_line(view) + "\n" + aligned(without_zeros(rounds_of(view)));
  for (const std::string& line : chain_move_lines(view)) out += line + "\n";
  if (detail == ReportDetail::kDetailed)
    for (const ChainRow& row : view.rows) {
      if (row.states.empty()) continue;
      out += fmt::format("\n{}\n{}", round_title(row), aligned(counts("Status", row.states)));
      if (const std::string runtime = runtime_line(row); !runtime.empty()) out += runtime + "\n";
      out += aligned(counts("Node", row.nodes));
    }
  if (!view.given_up.empty()) {
    out += fmt::format("\nGiven up: {}{}\n{}", view.sum.given_up,
                       view.given_up.size() > kFailuresShown
                           ? fmt::format(" (the first {}; all: --format html)", kFailuresShown)
                           : "",
                       aligned(failures_of(view)));
    for (std::size_t i = 0; i < std::min(view.given_up.size(), kFailuresShown); ++i)
      if (!view.given_up[i].last_lines.empty())
        out += fmt::format("\nTask {} wrote last:\n{}\n", view.given_up[i].task,
                           view.given_up[i].last_lines);
  }
  out += "\n" + aligned(waste_of(view));
  if (view.sizing)
    out += fmt::format("\n{}{}\n", aligned(sizing_of(*view.sizing)), sizing_line(*view.sizing));
  return out;
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
    if (const auto pace = pace_of(view)) {
      chain.add("tasks_per_hour", number(pace->tasks_per_hour));
      chain.add("left_s", number(to_seconds(pace->left)));
    }
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
      if (!row.task_list.empty()) one.add("task_list", Value::quoted_text(row.task_list));
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
