// Jobs are paired: each is held against itself under the other policy.
#include "sim/reports/policy_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/reports/report_words.h"

namespace sluice {
namespace {

double in_seconds(Duration d) { return static_cast<double>(d.count()) / 1000; }

bool ran(const SimulatedJob& job) { return !job.refused && job.started() && job.ended(); }

// What of a row the other report has, too.
const ShareRow* row_named(const std::vector<ShareRow>& rows, const std::string& name) {
  for (const ShareRow& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

class Comparer {
 public:
  Comparer(const Workload& workload, const RunUnderPolicy& before, const RunUnderPolicy& after,
           std::uint64_t seed)
      : workload_(workload), before_(before), after_(after), seed_(seed) {}

  void compare(PolicyComparison& out) {
    pair_jobs(out);
    figures(out);
    groups(out, "account", before_.report->accounts, after_.report->accounts, accounts_);
    groups(out, "QoS", before_.report->qos, after_.report->qos, qos_);
    groups(out, "user", before_.report->users, after_.report->users, users_);
  }

 private:
  // Waits of the jobs of one group, in order of submission.
  struct Waits {
    std::vector<double> before;
    std::vector<double> after;
  };

  void pair_jobs(PolicyComparison& out) {
    for (std::size_t i = 0; i < workload_.items.size(); ++i) {
      const WorkItem& item = workload_.items[i];
      const WorkRequest& request = workload_.request_of(item);
      const SimulatedJob& a = before_.simulation->jobs[i];
      const SimulatedJob& b = after_.simulation->jobs[i];
      if (ran(a) != ran(b)) ++out.settled;
      if (!ran(a) || !ran(b)) continue;
      ++out.both;
      if (a.start != b.start || a.end != b.end) ++out.moved;
      const double was = in_seconds(a.start - item.submit);
      const double is = in_seconds(b.start - item.submit);
      const std::string qos = request.qos > 0 ? workload_.qos[request.qos - 1] : "(default)";
      for (Waits* waits : {&all_, &accounts_[workload_.accounts[request.account]], &qos_[qos],
                           &users_[workload_.users[request.user]]}) {
        waits->before.push_back(was);
        waits->after.push_back(is);
      }
      const double run = std::max(in_seconds(std::min(item.run, request.limit)), 10.0);
      slowdowns_.push_back(std::max(1.0, in_seconds(b.end - item.submit) / run) -
                           std::max(1.0, in_seconds(a.end - item.submit) / run));
    }
  }

  static std::vector<double> differences(const Waits& waits) {
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
      add("mean slowdown", FigureUnit::kRatio, b.slowdown.mean - mean(slowdowns_), b.slowdown.mean,
          interval_of_mean(slowdowns_, seed_));
      out.figures.back().before = a.slowdown.mean;
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
    add("CPU hours lost", FigureUnit::kCount, static_cast<double>(a.lost_ms) / 3.6e6,
        static_cast<double>(b.lost_ms) / 3.6e6);
    add("makespan", FigureUnit::kSeconds, in_seconds(a.makespan), in_seconds(b.makespan));
  }

  void groups(PolicyComparison& out, const std::string& kind, const std::vector<ShareRow>& before,
              const std::vector<ShareRow>& after, std::map<std::string, Waits>& waits) const {
    std::vector<ComparedGroup> found;
    for (const ShareRow& row : before) {
      ComparedGroup group;
      group.kind = kind;
      group.name = row.name;
      const ShareRow* other = row_named(after, row.name);
      group.refused_before = row.refused;
      group.refused_after = other == nullptr ? 0 : other->refused;
      group.share_before = row.share;
      group.share_after = other == nullptr ? 0 : other->share;
      const Waits& own = waits[row.name];
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
  std::uint64_t seed_;
  Waits all_;
  std::map<std::string, Waits> accounts_;
  std::map<std::string, Waits> qos_;
  std::map<std::string, Waits> users_;
  std::vector<double> slowdowns_;
};

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
                                  const RunUnderPolicy& after, std::vector<std::string> differences,
                                  std::uint64_t seed) {
  PolicyComparison out;
  out.workload = workload.name;
  out.before = before.report->rules;
  out.after = after.report->rules;
  out.jobs = workload.items.size();
  out.differences = std::move(differences);
  out.unexercised = after.report->unexercised;
  Comparer(workload, before, after, seed).compare(out);
  if (out.moved > 0 || out.settled > 0) return out;
  out.why_nothing = fmt::format("No difference: all {} start and end at the same second under both",
                                plural(out.both, "job"));
  if (out.differences.empty())
    out.why_nothing += ", because the two policies say the same.";
  else if (!out.unexercised.empty())
    out.why_nothing += ". No job touches what is listed above as unused; try a workload that does.";
  else
    out.why_nothing +=
        ". No job of this workload met a limit or a priority that differs; try a higher load.";
  return out;
}

}  // namespace sluice
