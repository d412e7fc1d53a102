// The report as a person reads it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/reports/report.h"
#include "sim/reports/report_words.h"

namespace sluice {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", count_text(bytes));
  if (bytes < 1'000'000) return fmt::format("{} kB", bytes / 1000);
  return fmt::format("{}.{} MB", count_text(bytes / 1'000'000), bytes / 100'000 % 10);
}

// Few hours with a digit more: 0 would be none.
std::string hours_text(double hours) {
  if (hours >= 10) return count_text(static_cast<std::uint64_t>(hours + 0.5));
  return hours > 0 && hours < 0.05 ? "<0.1" : fmt::format("{:.1f}", hours);
}

std::string start_text(Instant start) {
  return start == SimulatedJob::kNever ? "never"
                                       : count_text(static_cast<std::uint64_t>(to_seconds(start)));
}

constexpr std::size_t kSpark = 40;  // Characters of a sparkline.

}  // namespace

std::vector<std::string> left_out_texts(const SkippedLines& left_out) {
  std::vector<std::string> out;
  const auto say = [&](std::size_t number, std::string_view noun, std::string_view why) {
    if (number > 0) out.push_back(fmt::format("{} {}", plural(number, noun), why));
  };
  say(left_out.without_size, "line", "without a size or a run time");
  say(left_out.never_started, "line", "of jobs that never started");
  say(left_out.not_ended, "line", "of jobs that had not ended");
  say(left_out.by_rule, "job", "by the mapping rules");
  say(left_out.bad_lines, "line", "that cannot be read, the first of them:");
  return out;
}

namespace {

class Text {
 public:
  explicit Text(const SimulationReport& report) : report_(report) {}

  std::string write(const ReportRows& rows) {
    headline();
    jobs();
    figures();
    shares("account", report_.accounts, rows.accounts);
    shares("user", report_.users, rows.users);
    shares("QoS", report_.qos, std::nullopt);
    shares("partition", report_.partitions, std::nullopt);
    waited_because();
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
    std::string machine = plural(static_cast<std::uint64_t>(report_.cpus), "CPU");
    for (const ResourceUse& each : report_.resources)
      if (each.name == "GPUs")
        machine += fmt::format(" and {}", plural(static_cast<std::uint64_t>(each.capacity), "GPU"));
    line("{} on {} under {}", report_.workload, machine, report_.rules);
    if (!report_.people.empty()) line("{}", report_.people);
    for (const std::string& sentence : report_.unexercised) line("{}", sentence);
    line("");
  }

  void jobs() {
    std::string ran = fmt::format("{} ran", count_text(report_.ran));
    if (report_.timed_out > 0)
      ran += fmt::format(", {} of them into their time limit", count_text(report_.timed_out));
    if (report_.failed > 0) ran += fmt::format(", {} failed", count_text(report_.failed));
    if (report_.preempted > 0)
      ran += fmt::format(", {} were preempted for good", count_text(report_.preempted));
    line("  jobs          {}: {}", count_text(report_.items), ran);
    if (report_.refused > 0)
      line("  refused       {}, job {} first; they are in no figure below",
           count_text(report_.refused), report_.first_refused);
    constexpr std::size_t kReasons = 4;
    for (std::size_t i = 0; i < std::min(report_.refusals.size(), kReasons); ++i)
      line("                {}: {}",
           count_text(static_cast<std::uint64_t>(report_.refusals[i].count)),
           report_.refusals[i].what);
    if (report_.stopped_early)
      line("  stopped early {} of them had not ended; the figures are about those that had",
           count_text(report_.left));
    else if (report_.left > 0)
      line("  never ended   {}, the first, job {}, waits for ever: {}", count_text(report_.left),
           report_.first_left, report_.first_left_reason);
    left_out();
    line("");
  }

  void left_out() {
    for (const std::string& each : left_out_texts(report_.left_out))
      line("  left out      {}", each);
    for (const std::string& bad : report_.left_out.first_bad) line("                {}", bad);
  }

  void figures() {
    if (report_.ran == 0) return;
    const Distribution& slow = report_.slowdown;
    line("  {:12} {:>10} {:>10} {:>10} {:>10} {:>10}", "", "mean", "median", "p95", "p99", "max");
    for (const auto& [name, spread] :
         {std::pair{"wait", &report_.wait}, std::pair{"response", &report_.response}})
      line("  {:12} {:>10} {:>10} {:>10} {:>10} {:>10}", name, span_text(spread->mean),
           span_text(spread->median), span_text(spread->p95), span_text(spread->p99),
           span_text(spread->most));
    line("  {:12} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}", "slowdown", slow.mean,
         slow.median, slow.p95, slow.p99, slow.most);
    line("");
    resources();
    line("  makespan      {}, {:.1f} jobs an hour", span_text(seconds_of(report_.makespan)),
         report_.jobs_per_hour);
    line("  longest queue {}", plural(report_.longest_queue, "job"));
    const auto of_starts = [&](std::size_t count) {
      return 100 * static_cast<double>(count) /
             static_cast<double>(std::max<std::size_t>(report_.starts, 1));
    };
    line("  backfill      {:.1f} % of starts, {:.1f} % came before a job submitted earlier",
         of_starts(report_.backfilled), of_starts(report_.overtakes));
    waited_for();
    if (report_.fairness)
      line("  fairness      {}  {:.2f} (1: accounts with jobs got what they are due)",
           sparkline(report_.fairness_steps, kSpark, 1), *report_.fairness);
    if (report_.preemptions == 0)
      line("  preemptions   none");
    else
      line("  preemptions   {}, {} CPU hours to be done again ({:.1f} % of all)",
           count_text(report_.preemptions),
           hours_text(static_cast<double>(report_.lost_ms) / 3.6e6),
           100 * static_cast<double>(report_.lost_ms) /
               static_cast<double>(std::max<std::int64_t>(report_.cpu_ms, 1)));
  }

  static double seconds_of(Duration span) { return static_cast<double>(span.count()) / 1000; }

  void resources() {
    const Timeline& t = report_.timeline;
    if (report_.resources.empty()) line("  utilisation   {:.2f} %", report_.utilisation * 100);
    for (const ResourceUse& each : report_.resources) {
      const std::vector<double>& held = each.name == "CPUs"   ? t.cpus
                                        : each.name == "GPUs" ? t.gpus
                                                              : t.memory_mb;
      line("  {:13} {}  {:.1f} %{}", each.name, sparkline(held, kSpark, each.capacity),
           each.used * 100, each.name == "CPUs" ? " utilisation" : "");
    }
    if (!t.pending.empty())
      line("  queue         {}  {:.1f} jobs on average", sparkline(t.pending, kSpark),
           t.mean_of(t.pending));
    if (!t.pending.empty())
      line("                {:<{}}{}", "0", kSpark - 3, span_text(seconds_of(report_.makespan)));
  }

  void waited_for() {
    if (report_.waited_for.empty()) return;
    constexpr std::size_t kReasons = 5;
    for (std::size_t i = 0; i < std::min(report_.waited_for.size(), kReasons); ++i) {
      const WaitedReason& each = report_.waited_for[i];
      line("  {:13} {:>3.0f} % {} ({} job hours)", i == 0 ? "waited for" : "", 100 * each.part,
           each.what, hours_text(each.hours));
    }
  }

  // Rows wait, columns hold what they wait for.
  void waited_because() {
    constexpr std::size_t kMost = 6;
    std::vector<std::string> names;
    for (const WaitedBecause& each : report_.accounts_waited)
      for (const std::string* name : {&each.waiter, &each.holder})
        if (names.size() < kMost && std::find(names.begin(), names.end(), *name) == names.end())
          names.push_back(*name);
    if (names.size() < 2) return;
    std::size_t width = 12;
    for (const std::string& name : names) width = std::max(width, name.size());
    line("");
    std::string head = fmt::format("  {:{}} {:>9}", "waited on", width, "job hours");
    for (const std::string& name : names) head += fmt::format("  {:>8.8}", name);
    line("{}", head);
    for (const std::string& waiter : names) {
      double hours = 0;
      std::string row;
      for (const WaitedBecause& each : report_.accounts_waited)
        if (each.waiter == waiter) hours += each.hours;
      if (hours <= 0) continue;
      for (const std::string& holder : names) {
        double part = 0;
        for (const WaitedBecause& each : report_.accounts_waited)
          if (each.waiter == waiter && each.holder == holder) part = each.part;
        row += part > 0 ? fmt::format("  {:>6.0f} %", 100 * part) : fmt::format("  {:>8}", "-");
      }
      line("  {:{}} {:>9}{}", waiter, width, hours_text(hours), row);
    }
  }

  void shares(std::string_view noun, const std::vector<ShareRow>& all,
              std::optional<std::size_t> most) {
    const std::size_t shown = std::min(most.value_or(all.size()), all.size());
    // A trace that names no groups has one account, and nothing to say about it.
    if (shown == 0 ||
        (all.size() == 1 && (all.front().name == "unknown" || all.front().name == "(default)")))
      return;
    std::size_t width = 12;
    bool due = false;
    bool gpus = false;
    bool preemptions = false;
    bool refused = false;
    for (std::size_t i = 0; i < shown; ++i) {
      width = std::max(width, all[i].name.size());
      due = due || all[i].due.has_value();
      gpus = gpus || all[i].gpu_ms > 0;
      preemptions = preemptions || all[i].preemptions > 0;
      refused = refused || all[i].refused > 0;
    }
    line("");
    line("  {:{}} {:>8}{} {:>9} {:>9} {:>8} {:>7}{}{}{}", noun, width, "jobs",
         refused ? fmt::format(" {:>8}", "refused") : "", "wait", "p95 wait", "slowdown", "share",
         due ? fmt::format(" {:>7}", "due") : "", gpus ? fmt::format(" {:>7}", "of GPUs") : "",
         preemptions ? "  preempted" : "");
    for (std::size_t i = 0; i < shown; ++i) {
      const ShareRow& row = all[i];
      const bool ran = row.jobs > 0;
      const auto percent = [](double part) { return fmt::format(" {:>5.1f} %", part * 100); };
      std::string rest;
      if (due) rest += row.due ? percent(*row.due) : fmt::format(" {:>7}", "-");
      if (gpus) rest += percent(row.gpu_share);
      if (preemptions) rest += fmt::format("  {:>9}", count_text(row.preemptions));
      line("  {:{}} {:>8}{} {:>9} {:>9} {:>8} {:>5.1f} %{}", row.name, width, count_text(row.jobs),
           refused ? fmt::format(" {:>8}", count_text(row.refused)) : "",
           ran ? span_text(row.wait.mean) : "-", ran ? span_text(row.wait.p95) : "-",
           ran ? fmt::format("{:.2f}", row.mean_slowdown) : "-", row.share * 100, rest);
    }
    if (shown < all.size())
      line("  … and {} more (--{}s=all)", count_text(all.size() - shown), noun);
  }

  void comparison(const Comparison& c) {
    line("");
    line("  compared      {} of {} start times are those of {}",
         count_text(c.compared - c.differing), count_text(c.compared), report_.compared_with);
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
