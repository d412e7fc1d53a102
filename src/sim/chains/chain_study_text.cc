// The study of a chain as a person reads it, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/chains/chain_study.h"
#include "sim/reports/report_words.h"
#include "text/memory.h"

namespace sluice {
namespace {

std::string memory_text(std::int64_t mb) { return format_memory_mb(mb, MemoryStyle::kExact); }

std::string time_text(Duration time) { return span_text(static_cast<double>(time.count()) / 1000); }

std::string range_text(const std::string& low, const std::string& high) {
  return low == high ? low : low + " to " + high;
}

double sum(const ChainStudyReport& report, double ChainLevelRow::*figure) {
  double out = 0;
  for (const ChainLevelRow& each : report.levels) out += each.*figure;
  return out;
}

std::string ended_text(const ChainStudyReport& report) {
  std::string out = fmt::format("{} completed", count_text(report.completed));
  for (const auto& [why, count] : report.given_up)
    out += fmt::format(", {} given up ({})", count_text(count), why);
  if (report.unfinished > 0) out += fmt::format(", {} never ended", count_text(report.unfinished));
  return out;
}

std::string hours(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value)
                      : count_text(static_cast<std::uint64_t>(value + 0.5));
}

}  // namespace

std::string chain_study_text(const ChainStudy& study, const ChainStudyReport& report,
                             const std::optional<ChainStudyReport>& top) {
  fmt::memory_buffer out;
  const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    out.push_back('\n');
  };
  std::string where;
  for (const std::string& account : study.accounts)
    where += (where.empty() ? " in " : ", ") + account;
  line("A chain of {} of {}{}{}", plural(report.tasks, "task"), study.user, where,
       report.others > 0 ? fmt::format(", beside {} of others", plural(report.others, "job")) : "");
  const NeedsModel& needs = study.needs;
  line("Tasks really need {} and {}{}.",
       range_text(memory_text(needs.least_memory_mb), memory_text(needs.most_memory_mb)),
       range_text(time_text(needs.shortest), time_text(needs.longest)),
       needs.fail_permille > 0 ? fmt::format("; {:.1f} % have a mistake that no retry helps",
                                             static_cast<double>(needs.fail_permille) / 10)
                               : "");
  line("");
  for (std::size_t i = 0; i < report.ladder.size(); ++i)
    line("  {:13} {}", fmt::format("level {}", i + 1), report.ladder[i]);
  if (!report.ladder_top.empty()) line("  no higher     {}", report.ladder_top);
  line("");
  line("  {:13} {} in {}", report.done ? "done after" : "not done",
       report.done ? time_text(*report.done) : "tasks wait for ever",
       plural(report.rounds, "round"));
  line("  {:13} {}", "tasks", ended_text(report));
  const double used = sum(report, &ChainLevelRow::cpu_hours);
  const double lost = sum(report, &ChainLevelRow::lost_cpu_hours);
  const double held = sum(report, &ChainLevelRow::memory_hours);
  line("  {:13} {}, {} of them ({:.0f} %) in runs that did not complete", "CPU hours", hours(used),
       hours(lost), used > 0 ? 100 * lost / used : 0.0);
  line("  {:13} {} GB hours asked for, {} needed by what completed", "memory", hours(held),
       hours(report.needed_memory_hours));
  line("");
  std::size_t width = 8;
  for (const ChainLevelRow& each : report.levels) width = std::max(width, each.asks.size());
  line("  {:{}} {:>7} {:>9} {:>8} {:>7} {:>7} {:>6} {:>9} {:>9}", "asked for", width, "runs",
       "completed", "memory", "time", "failed", "other", "mean wait", "CPU hours");
  for (const ChainLevelRow& each : report.levels)
    line("  {:{}} {:>7} {:>9} {:>8} {:>7} {:>7} {:>6} {:>9} {:>9}", each.asks, width,
         count_text(each.runs), count_text(each.completed), count_text(each.out_of_memory),
         count_text(each.out_of_time), count_text(each.failed), count_text(each.other),
         span_text(each.wait_seconds), hours(each.cpu_hours));
  if (report.pools.size() > 1 || study.accounts.size() > 1) {
    line("");
    line("  {:20} {:>7} {:>9} {:>9}", "pool", "runs", "completed", "CPU hours");
    for (const ChainPoolRow& each : report.pools)
      line("  {:20} {:>7} {:>9} {:>9}", each.pool, count_text(each.runs),
           count_text(each.completed), hours(each.cpu_hours));
  }
  if (top) {
    line("");
    line(
        "Had every task asked for the top of the ladder at once: {}, {}; {} CPU hours, {} GB "
        "hours.",
        top->done ? "done after " + time_text(*top->done) : "not done", ended_text(*top),
        hours(sum(*top, &ChainLevelRow::cpu_hours)),
        hours(sum(*top, &ChainLevelRow::memory_hours)));
  }
  return fmt::to_string(out);
}

namespace {

std::string body_json(const ChainStudyReport& r) {
  std::string out = fmt::format(
      "\"tasks\": {}, \"completed\": {}, \"never_ended\": {}, \"rounds\": {}, "
      "\"done_seconds\": {}, \"cpu_hours\": {:.6f}, \"lost_cpu_hours\": {:.6f}, "
      "\"memory_gb_hours\": {:.6f}, \"needed_memory_gb_hours\": {:.6f}, \"others\": {}, "
      "\"others_refused\": {}",
      r.tasks, r.completed, r.unfinished, r.rounds,
      r.done ? fmt::format("{:.3f}", static_cast<double>(r.done->count()) / 1000) : "null",
      sum(r, &ChainLevelRow::cpu_hours), sum(r, &ChainLevelRow::lost_cpu_hours),
      sum(r, &ChainLevelRow::memory_hours), r.needed_memory_hours, r.others, r.others_refused);
  const auto list = [&](std::string_view name, const auto& all, auto&& one) {
    out += fmt::format(", \"{}\": [", name);
    for (std::size_t i = 0; i < all.size(); ++i) out += (i > 0 ? ", " : "") + one(all[i]);
    out += "]";
  };
  list("given_up", r.given_up, [](const auto& each) {
    return fmt::format("{{\"why\": {}, \"tasks\": {}}}", json_text(each.first), each.second);
  });
  list("ladder", r.ladder, [](const std::string& each) { return json_text(each); });
  list("levels", r.levels, [](const ChainLevelRow& each) {
    return fmt::format(
        "{{\"asks\": {}, \"memory_mb\": {}, \"runs\": {}, \"completed\": {}, \"out_of_memory\": "
        "{}, \"out_of_time\": {}, \"failed\": {}, \"other\": {}, \"mean_wait_seconds\": {:.3f}, "
        "\"cpu_hours\": {:.6f}, \"lost_cpu_hours\": {:.6f}, \"memory_gb_hours\": {:.6f}}}",
        json_text(each.asks), each.memory_mb, each.runs, each.completed, each.out_of_memory,
        each.out_of_time, each.failed, each.other, each.wait_seconds, each.cpu_hours,
        each.lost_cpu_hours, each.memory_hours);
  });
  list("pools", r.pools, [](const ChainPoolRow& each) {
    return fmt::format("{{\"pool\": {}, \"runs\": {}, \"completed\": {}, \"cpu_hours\": {:.6f}}}",
                       json_text(each.pool), each.runs, each.completed, each.cpu_hours);
  });
  return out;
}

}  // namespace

std::string chain_study_json(const ChainStudyReport& report,
                             const std::optional<ChainStudyReport>& top) {
  std::string out = "{\"schema\": \"sluice.sim.chain/1\", " + body_json(report);
  if (top) out += ", \"top_at_once\": {" + body_json(*top) + "}";
  return out + "}\n";
}

}  // namespace sluice
