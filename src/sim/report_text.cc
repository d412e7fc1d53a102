// The report as a person reads it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/report.h"
#include "text/duration.h"

namespace sluice {
namespace {

std::string count(std::uint64_t value) {
  const std::string digits = fmt::to_string(value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plural(std::uint64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", count(value), noun, value == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", count(bytes));
  if (bytes < 1'000'000) return fmt::format("{} kB", bytes / 1000);
  return fmt::format("{}.{} MB", count(bytes / 1'000'000), bytes / 100'000 % 10);
}

std::string span_text(double seconds_in_all) {
  return format_short_duration(seconds(static_cast<std::int64_t>(seconds_in_all + 0.5)));
}

std::string start_text(Instant start) {
  return start == SimulatedJob::kNever ? "never"
                                       : count(static_cast<std::uint64_t>(to_seconds(start)));
}

class Text {
 public:
  explicit Text(const SimulationReport& report) : report_(report) {}

  std::string write(const ReportRows& rows) {
    headline();
    jobs();
    figures();
    shares("account", report_.accounts, rows.accounts);
    shares("user", report_.users, rows.users);
    line("");
    line("  journal       {}, {}, digest {:016x}", plural(report_.journal_events, "event"),
         bytes_text(report_.journal_bytes), report_.journal_digest);
    if (report_.comparison) comparison(*report_.comparison);
    return fmt::to_string(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_.push_back('\n');
  }

  void headline() {
    line("{} on {} under {}", report_.workload,
         plural(static_cast<std::uint64_t>(report_.cpus), "CPU"), report_.rules);
    if (!report_.people.empty()) line("{}", report_.people);
    line("");
  }

  void jobs() {
    std::string ran = fmt::format("{} ran", count(report_.ran));
    if (report_.timed_out > 0)
      ran += fmt::format(", {} of them into their time limit", count(report_.timed_out));
    if (report_.preempted > 0)
      ran += fmt::format(", {} were preempted for good", count(report_.preempted));
    line("  jobs          {}: {}", count(report_.items), ran);
    if (report_.refused > 0)
      line("  refused       {}, the first was job {}: {}", count(report_.refused),
           report_.first_refused, report_.first_refusal);
    if (report_.stopped_early)
      line("  stopped early {} of them had not ended; the figures are about those that had",
           count(report_.left));
    else if (report_.left > 0)
      line("  never ended   {}, the first, job {}, waits for ever: {}", count(report_.left),
           report_.first_left, report_.first_left_reason);
    if (report_.skipped > 0)
      line("  left out      {} without a size or a run time", plural(report_.skipped, "line"));
    line("");
  }

  void figures() {
    const Spread& wait = report_.wait;
    const Spread& slow = report_.slowdown;
    line("  {:12}  {:>12} {:>12} {:>12} {:>12} {:>12}", "", "mean", "median", "p90", "p99", "max");
    line("  {:12}  {:>12} {:>12} {:>12} {:>12} {:>12}", "wait", span_text(wait.mean),
         span_text(wait.median), span_text(wait.p90), span_text(wait.p99), span_text(wait.most));
    line("  {:12}  {:>12.3f} {:>12.0f} {:>12.0f} {:>12.0f} {:>12.0f}", "  in seconds", wait.mean,
         wait.median, wait.p90, wait.p99, wait.most);
    line("  {:12}  {:>12.4f} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f}", "slowdown", slow.mean,
         slow.median, slow.p90, slow.p99, slow.most);
    line("");
    line("  utilisation   {:.2f} %", report_.utilisation * 100);
    line("  makespan      {}", format_short_duration(report_.makespan));
    line("  throughput    {:.1f} jobs an hour", report_.jobs_per_hour);
    line("  longest queue {}", plural(report_.longest_queue, "job"));
    if (report_.preemptions == 0) {
      line("  preemptions   none");
    } else {
      line("  preemptions   {}, {:.0f} CPU hours to be done again", count(report_.preemptions),
           static_cast<double>(report_.lost_ms) / 3.6e6);
    }
  }

  void shares(std::string_view noun, const std::vector<ShareRow>& all,
              std::optional<std::size_t> most) {
    const std::size_t shown = std::min(most.value_or(all.size()), all.size());
    // A trace that names no groups has one account, and nothing to say about it.
    if (shown == 0 || (all.size() == 1 && all.front().name == "unknown")) return;
    std::size_t width = 12;
    for (std::size_t i = 0; i < shown; ++i) width = std::max(width, all[i].name.size());
    line("");
    line("  {:{}}  {:>10} {:>14} {:>12} {:>14} {:>8} {:>12}", noun, width, "jobs", "mean wait",
         "slowdown", "CPU hours", "share", "preemptions");
    for (std::size_t i = 0; i < shown; ++i) {
      const ShareRow& row = all[i];
      line("  {:{}}  {:>10} {:>14} {:>12.2f} {:>14.1f} {:>6.2f} % {:>12}{}", row.name, width,
           count(row.jobs), span_text(row.mean_wait), row.mean_slowdown,
           static_cast<double>(row.cpu_ms) / 3.6e6, row.share * 100, count(row.preemptions),
           row.refused > 0 ? fmt::format("  ({} refused)", count(row.refused)) : "");
    }
    if (shown < all.size()) line("  … and {} more (--{}s=all)", count(all.size() - shown), noun);
  }

  void comparison(const Comparison& c) {
    line("");
    line("  compared      {} of {} start times are those of {}", count(c.compared - c.differing),
         count(c.compared), report_.compared_with);
    if (c.only_ours > 0) line("                {} it does not have", plural(c.only_ours, "job"));
    if (c.only_theirs > 0) line("                {} only it has", plural(c.only_theirs, "job"));
    if (c.first.empty()) return;
    line("");
    line("  {:>12} {:>14} {:>14} {:>14}", "job", "submitted", "starts", "there");
    for (const DifferentStart& d : c.first)
      line("  {:>12} {:>14} {:>14} {:>14}", d.number, start_text(d.submit), start_text(d.ours),
           start_text(d.theirs));
  }

  const SimulationReport& report_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string report_text(const SimulationReport& report, const ReportRows& rows) {
  return Text(report).write(rows);
}

}  // namespace sluice
