// The chain on a terminal: a bar for every round, and what to do next.
#include <fmt/format.h>

#include <algorithm>

#include "text/begin_time.h"
#include "text/duration.h"
#include "text/plural.h"
#include "views/chain_view.h"

namespace sluice {
namespace {

// "#####!!..   ": done, failed, running, waiting.
std::string bar(const ChainRow& row, std::size_t width) {
  if (row.tasks == 0) return std::string(width, ' ');
  std::string out;
  std::size_t seen = 0;
  const std::size_t ended =
      row.out_of_memory + row.timeout + row.interrupted + row.cancelled + row.failed;
  for (const auto& [count, mark] :
       {std::pair(row.done, '#'), {ended, '!'}, {row.running, '>'}, {row.waiting, '.'}}) {
    seen += count;
    out.resize(std::max(out.size(), seen * width / row.tasks), mark);
  }
  out.resize(width, ' ');
  return out;
}

std::string failures(const ChainRow& row) {
  std::string out;
  for (const auto& [count, word] : {std::pair(row.out_of_memory, "out of memory"),
                                    {row.timeout, "out of time"},
                                    {row.interrupted, "interrupted"},
                                    {row.cancelled, "cancelled"},
                                    {row.failed, "failed"}})
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, word);
  return out;
}

}  // namespace

std::optional<ChainPace> pace_of(const ChainView& view) {
  const std::size_t left = view.sum.waiting + view.sum.running;
  const Duration took = view.now - view.created;
  if (view.state != "active" || view.sum.completed == 0 || left == 0 || took < seconds(1))
    return std::nullopt;
  const auto completed = static_cast<std::int64_t>(view.sum.completed);
  return ChainPace{completed * 3600 / std::max<std::int64_t>(1, to_seconds(took)),
                   Duration(took.count() / completed * static_cast<std::int64_t>(left))};
}

std::string pace_line(const ChainView& view) {
  const auto pace = pace_of(view);
  if (!pace) return "";
  return fmt::format("{} an hour so far; about {} left at that rate\n",
                     plural(static_cast<std::uint64_t>(pace->tasks_per_hour), "task"),
                     format_short_duration(pace->left));
}

std::string chain_status(const ChainView& view, std::size_t width) {
  std::string out =
      fmt::format("Chain {}{}{}: {}, since {}\n{}\n", view.id, view.name.empty() ? "" : " ",
                  view.name, view.state, format_time(view.created), chain_sum_line(view));
  const std::size_t bar_width = width >= 120 ? 30 : 16;
  if (!view.rows.empty())
    out += fmt::format("\n{:>5}  {:<9} {:>7} {:>9}  {:<{}}  {:>6}/{:<6} {}\n", "ROUND", "JOB",
                       "MEMORY", "TIME", "", bar_width, "DONE", "TASKS", "FAILED");
  ChainRow total;
  std::size_t arrays = 0;
  std::string refused;
  for (const ChainRow& row : view.rows) {
    if (row.status == "WITHDRAWN") continue;
    if (row.status == "REFUSED") {
      refused +=
          fmt::format("{} task{} of round {} refused ({}, {}): {}\n", row.tasks,
                      row.tasks == 1 ? "" : "s", row.round, row.memory, row.time, row.refusal);
      continue;
    }
    total.done += row.done;
    total.out_of_memory += row.out_of_memory;
    total.timeout += row.timeout;
    total.interrupted += row.interrupted;
    total.failed += row.failed;
    total.tasks += row.tasks;
    ++arrays;
    std::string line =
        fmt::format("{:>5}  {:<9} {:>7} {:>9}  {}  {:>6}/{:<6} {}", row.round, row.job, row.memory,
                    row.time, bar(row, bar_width), row.done, row.tasks, failures(row));
    while (line.ends_with(' ')) line.pop_back();
    if (!row.with.empty()) line += "  with " + row.with;
    if (!row.pool.empty()) line += "  in " + row.pool;
    if (line.size() > width && width > 20) line.resize(width);
    out += line + "\n";
  }
  // Attempts, not tasks: a task that climbed is in several rounds.
  if (arrays > 1) {
    std::string line = fmt::format("{:>5}  {:<9} {:>7} {:>9}  {:<{}}  {:>6}/{:<6} {}", "total", "",
                                   "", "", "", bar_width, total.done, total.tasks, failures(total));
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  out += refused;
  for (const std::string& line : chain_move_lines(view)) out += line + "\n";
  const std::string speed = pace_line(view);
  if (!speed.empty()) out += "\n" + speed;
  if (view.state == "stopped")
    out += fmt::format(
        "Stopped: running tasks finish, nothing is resubmitted. Continue: sluice chain start {}\n",
        view.id);
  if (view.state == "active") {
    if (view.followed)
      out += "The daemon advances it.\n";
    else if (!view.handler.empty())
      out += fmt::format("Job {} advances it.\n", view.handler);
    else if (view.attended)
      out += fmt::format("ORPHANED: no job advances it. Type: sluice resume {}\n", view.id);
  }
  if (view.sum.given_up > 0)
    out += fmt::format(
        "What failed and why: sluice report {}; its output: sluice logs "
        "{} --failed\n",
        view.id, view.id);
  for (const std::string& note : view.notes) out += note + "\n";
  return out;
}

}  // namespace sluice
