// Jobs are paired: each is held against itself under the other policy.
#include "sim/reports/policy_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/reports/report_words.h"

namespace sluice {
namespace {

double in_seconds(Duration d) { return static_cast<double>(d.count()) / 1000; }

bool ran(const SimulatedJob& job) { return !job.refused && job.started() && job.ended(); }

class Comparer {
 public:
  Comparer(const Workload& workload, const RunUnderPolicy& before, const RunUnderPolicy& after,
           const std::vector<NamesInForce>& names, std::uint64_t seed)
      : workload_(workload), before_(before), after_(after), names_(names), seed_(seed) {}

  void compare(PolicyComparison& out) {
    pair_jobs(out);
    figures(out);
    groups(out, "account", accounts_);
    groups(out, "QoS", qos_);
    groups(out, "user", users_);
  }

  // Jobs that name it or go under it by default.
  std::size_t jobs_of(std::string_view kind, const std::string& name) const {
    const auto& all = kind == "QoS" ? qos_ : kind == "account" ? accounts_ : partitions_;
    const auto found = all.find(name);
    return found == all.end() ? 0 : found->second.jobs;
  }

 private:
  // Of the jobs of one group: waits and slowdowns of those that ran under both, in order of
  // submission.
  struct Group {
    std::vector<double> before;
    std::vector<double> after;
    std::size_t jobs = 0;
    std::size_t refused_before = 0;
    std::size_t refused_after = 0;
    std::int64_t cpu_before = 0;
    std::int64_t cpu_after = 0;
  };

  void pair_jobs(PolicyComparison& out) {
    std::vector<std::array<Group*, 5>> groups_of;
    groups_of.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i)
      groups_of.push_back({&all_, &accounts_[names_[i].account], &qos_[names_[i].qos],
                           &partitions_[names_[i].partition],
                           &users_[workload_.users[workload_.requests[i].user]]});
    for (std::size_t i = 0; i < workload_.items.size(); ++i) {
      const WorkItem& item = workload_.items[i];
      const WorkRequest& request = workload_.request_of(item);
      const SimulatedJob& a = before_.simulation->jobs[i];
      const SimulatedJob& b = after_.simulation->jobs[i];
      const bool both = ran(a) && ran(b);
      for (Group* group : groups_of[item.request]) {
        ++group->jobs;
        group->refused_before += a.refused ? 1 : 0;
        group->refused_after += b.refused ? 1 : 0;
        group->cpu_before += a.cpu_ms;
        group->cpu_after += b.cpu_ms;
        if (!both) continue;
        group->before.push_back(in_seconds(a.start - item.submit));
        group->after.push_back(in_seconds(b.start - item.submit));
      }
      if (ran(a) != ran(b)) ++out.settled;
      if (!both) continue;
      ++out.both;
      if (a.start != b.start || a.end != b.end) ++out.moved;
      const double run = std::max(in_seconds(std::min(item.run, request.limit)), 10.0);
      slowdowns_.before.push_back(std::max(1.0, in_seconds(a.end - item.submit) / run));
      slowdowns_.after.push_back(std::max(1.0, in_seconds(b.end - item.submit) / run));
    }
  }

  static std::vector<double> differences(const Group& waits) {
    std::vector<double> out;
    for (std::size_t i = 0; i < waits.before.size(); ++i)
      out.push_back(waits.after[i] - waits.before[i]);
    return out;
  }

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }

  static double percentile(std::vector<double> values, std::size_t percent) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[(values.size() * percent + 99) / 100 - 1];
  }

  void figures(PolicyComparison& out) const {
    const SimulationReport& a = *before_.report;
    const SimulationReport& b = *after_.report;
    const auto add = [&](std::string name, FigureUnit unit, double was, double is,
                         std::optional<Interval> interval = std::nullopt) {
      out.figures.push_back({std::move(name), unit, was, is, interval});
    };
    if (!all_.before.empty()) {
      add("mean wait", FigureUnit::kSeconds, mean(all_.before), mean(all_.after),
          interval_of_mean(differences(all_), seed_));
      for (const unsigned percent : {50U, 95U, 99U})
        add(percent == 50 ? "median wait" : fmt::format("p{} wait", percent), FigureUnit::kSeconds,
            percentile(all_.before, percent), percentile(all_.after, percent),
            interval_of_percentile(all_.before, all_.after, percent, seed_));
      add("mean slowdown", FigureUnit::kRatio, mean(slowdowns_.before), mean(slowdowns_.after),
          interval_of_mean(differences(slowdowns_), seed_));
    }
    for (const ResourceUse& use : a.resources)
      for (const ResourceUse& other : b.resources)
        if (use.name == other.name)
          add(use.name + " used", FigureUnit::kPercent, use.used, other.used);
    const auto count = [&](const char* name, std::size_t was, std::size_t is) {
      add(name, FigureUnit::kCount, static_cast<double>(was), static_cast<double>(is));
    };
    count("jobs that ran", a.ran, b.ran);
    count("refused", a.refused, b.refused);
    count("never ended", a.left, b.left);
    count("preemptions", a.preemptions, b.preemptions);
    add("CPU hours lost", FigureUnit::kHours, static_cast<double>(a.lost_ms) / 3.6e6,
        static_cast<double>(b.lost_ms) / 3.6e6);
    add("makespan", FigureUnit::kSeconds, in_seconds(a.makespan), in_seconds(b.makespan));
  }

  void groups(PolicyComparison& out, const std::string& kind,
              const std::map<std::string, Group>& all) const {
    const auto part = [](std::int64_t of, std::int64_t whole) {
      return whole > 0 ? static_cast<double>(of) / static_cast<double>(whole) : 0;
    };
    std::vector<ComparedGroup> found;
    for (const auto& [name, own] : all) {
      if (own.jobs == 0) continue;
      ComparedGroup group;
      group.kind = kind;
      group.name = name;
      group.refused_before = own.refused_before;
      group.refused_after = own.refused_after;
      group.share_before = part(own.cpu_before, all_.cpu_before);
      group.share_after = part(own.cpu_after, all_.cpu_after);
      group.jobs = own.before.size();
      group.wait_before = mean(own.before);
      group.wait_after = mean(own.after);
      const std::vector<double> changes = differences(own);
      group.interval = interval_of_mean(changes, seed_);
      group.verdict = verdict(group, changes);
      found.push_back(std::move(group));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const ComparedGroup& a, const ComparedGroup& b) {
                       return std::abs(a.wait_after - a.wait_before) * static_cast<double>(a.jobs) >
                              std::abs(b.wait_after - b.wait_before) * static_cast<double>(b.jobs);
                     });
    for (ComparedGroup& group : found) out.groups.push_back(std::move(group));
  }

  static Verdict verdict(const ComparedGroup& group, const std::vector<double>& changes) {
    const bool waits_same =
        std::all_of(changes.begin(), changes.end(), [](double change) { return change == 0; });
    if (waits_same && group.refused_before == group.refused_after) return Verdict::kSame;
    // More jobs refused weighs more than any wait.
    if (group.refused_after != group.refused_before)
      return group.refused_after > group.refused_before ? Verdict::kLoses : Verdict::kGains;
    if (group.interval.holds_zero()) return Verdict::kUnclear;
    return group.interval.high < 0 ? Verdict::kGains : Verdict::kLoses;
  }

  const Workload& workload_;
  RunUnderPolicy before_;
  RunUnderPolicy after_;
  const std::vector<NamesInForce>& names_;
  std::uint64_t seed_;
  Group all_;
  Group slowdowns_;  // Of the jobs that ran under both.
  std::map<std::string, Group> accounts_;
  std::map<std::string, Group> qos_;
  std::map<std::string, Group> partitions_;
  std::map<std::string, Group> users_;
};

std::vector<ComparedRefusal> refusals_of(const SimulationReport& before,
                                         const SimulationReport& after) {
  std::map<std::string, ComparedRefusal> found;
  for (const NamedAmount& each : before.refusals)
    found[each.what].before = static_cast<std::size_t>(each.count);
  for (const NamedAmount& each : after.refusals)
    found[each.what].after = static_cast<std::size_t>(each.count);
  std::vector<ComparedRefusal> out;
  for (auto& [what, refusal] : found) {
    refusal.what = what;
    out.push_back(std::move(refusal));
  }
  const auto apart = [](const ComparedRefusal& each) {
    return each.before > each.after ? each.before - each.after : each.after - each.before;
  };
  std::stable_sort(out.begin(), out.end(), [&](const ComparedRefusal& a, const ComparedRefusal& b) {
    return apart(a) > apart(b);
  });
  return out;
}

// Priorities and what they are made of.
bool sets_an_order(const Difference& difference) {
  if (difference.subject == "priority") return true;
  for (const char* word : {"shares ", "Priority ", "priority"})
    if (difference.text.starts_with(word)) return true;
  return false;
}

// Whether a job waited for a limit of that holder.
bool was_waited_for(const SimulationReport& report, const std::string& holder) {
  return std::any_of(report.waited_for.begin(), report.waited_for.end(),
                     [&](const WaitedReason& each) { return each.what.ends_with(" " + holder); });
}

// Why one setting that differs made no difference to any job.
std::string why_no_effect(const Difference& difference, const Comparer& comparer,
                          const SimulationReport& report) {
  const auto named = [&](std::string_view kind) -> std::optional<std::string> {
    if (!difference.subject.starts_with(kind)) return std::nullopt;
    return difference.subject.substr(kind.size() + 1);
  };
  const std::size_t jobs = report.items;
  const bool nobody_waited = report.wait.most <= 0;
  if (difference.text.starts_with("description ")) return "a description is for people";
  const bool order = sets_an_order(difference);
  if (const auto qos = named("QoS")) {
    if (comparer.jobs_of("QoS", *qos) == 0)
      return fmt::format("0 of {} jobs use QoS {}", count_text(jobs), *qos);
    if (!order && !was_waited_for(report, *qos) && report.refused == 0)
      return fmt::format("none of the {} of that QoS waited for a limit of it or was refused",
                         plural(comparer.jobs_of("QoS", *qos), "job"));
  } else if (const auto account = named("account")) {
    if (!order && !was_waited_for(report, *account) && report.refused == 0)
      return "no job of the account or of those below it waited for a limit of it or was refused";
  } else if (const auto partition = named("partition")) {
    if (comparer.jobs_of("partition", *partition) == 0 &&
        comparer.jobs_of("partition", "(default)") == 0)
      return fmt::format("0 of {} jobs go to partition {}", count_text(jobs), *partition);
  }
  if (nobody_waited) return "no job waited, so it decided nothing; try a higher load";
  if (order) return "it changes priorities, and no job overtakes another because of it";
  return "no job of this workload met it; try a higher load";
}

}  // namespace

std::string_view verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kGains:
      return "gains";
    case Verdict::kLoses:
      return "loses";
    case Verdict::kUnclear:
      return "unclear";
  }
  return "";
}

PolicyComparison compare_policies(const Workload& workload, const RunUnderPolicy& before,
                                  const RunUnderPolicy& after,
                                  const std::vector<Difference>& differences,
                                  const std::vector<NamesInForce>& names, std::uint64_t seed) {
  PolicyComparison out;
  out.workload = workload.name;
  out.before = before.report->rules;
  out.after = after.report->rules;
  out.people = before.report->people;
  out.jobs = workload.items.size();
  for (const Difference& each : differences) out.differences.push_back(each.sentence());
  out.unexercised = after.report->unexercised;
  Comparer comparer(workload, before, after, names, seed);
  comparer.compare(out);
  out.refusals = refusals_of(*before.report, *after.report);
  if (out.moved > 0 || out.settled > 0) return out;
  out.why_nothing = fmt::format("No difference: all {} start and end at the same second under both",
                                plural(out.both, "job"));
  out.why_nothing +=
      differences.empty() ? ", because the two policies say the same." : ". Setting by setting:";
  for (const Difference& each : differences)
    out.why_each.push_back(
        fmt::format("{}: {}.", each.sentence(), why_no_effect(each, comparer, *after.report)));
  return out;
}

}  // namespace sluice
