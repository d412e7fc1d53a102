// Adds up what became of the jobs.
#include "sim/report.h"

#include <algorithm>
#include <map>

namespace sluice {
namespace {

// Runs shorter than this count as if they took it: a second's wait is no slowdown of a second's
// job (Feitelson's bound).
constexpr double kShortRun = 10;

double in_seconds(Duration d) { return static_cast<double>(d.count()) / 1000; }

Spread spread_of(std::vector<double>& values) {
  Spread out;
  if (values.empty()) return out;
  double sum = 0;
  for (double value : values) sum += value;
  out.mean = sum / static_cast<double>(values.size());
  std::sort(values.begin(), values.end());
  const auto rank = [&](std::size_t percent) {
    return values[(values.size() * percent + 99) / 100 - 1];
  };
  out.median = rank(50);
  out.p90 = rank(90);
  out.p99 = rank(99);
  out.most = values.back();
  return out;
}

class Rows {
 public:
  ShareRow& row(const std::string& name) {
    ShareRow& row = rows_[name];
    if (row.name.empty()) row.name = name;
    return row;
  }
  std::vector<ShareRow> sorted(std::int64_t all) {
    std::vector<ShareRow> out;
    for (auto& [name, row] : rows_) {
      if (row.jobs == 0 && row.refused == 0 && row.cpu_ms == 0) continue;
      if (row.jobs > 0) {
        row.mean_wait /= static_cast<double>(row.jobs);
        row.mean_slowdown /= static_cast<double>(row.jobs);
      }
      if (all > 0) row.share = static_cast<double>(row.cpu_ms) / static_cast<double>(all);
      out.push_back(std::move(row));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const ShareRow& a, const ShareRow& b) { return a.cpu_ms > b.cpu_ms; });
    return out;
  }

 private:
  std::map<std::string, ShareRow> rows_;
};

}  // namespace

SimulationReport make_report(const Workload& workload, const Simulation& simulation,
                             std::int64_t cpus) {
  SimulationReport out;
  out.workload = workload.name;
  out.cpus = cpus;
  out.items = workload.items.size();
  out.skipped = workload.skipped;
  out.longest_queue = simulation.most_pending;
  out.journal_events = simulation.events;
  out.first_refusal = simulation.first_refusal;
  if (!out.first_refusal.empty())
    out.first_refused = workload.items[simulation.first_refused].number;

  out.stopped_early = simulation.stopped_early;
  if (!simulation.first_left_reason.empty()) {
    out.first_left = workload.items[simulation.first_left].number;
    out.first_left_reason = simulation.first_left_reason;
  }

  Rows accounts;
  Rows users;
  // Found once for every name rather than once for every job.
  std::vector<ShareRow*> account_rows;
  std::vector<ShareRow*> user_rows;
  for (const std::string& name : workload.accounts) account_rows.push_back(&accounts.row(name));
  for (const std::string& name : workload.users) user_rows.push_back(&users.row(name));
  std::vector<double> waits;
  std::vector<double> slowdowns;
  waits.reserve(workload.items.size());
  slowdowns.reserve(workload.items.size());
  for (std::size_t i = 0; i < workload.items.size(); ++i) {
    const WorkItem& item = workload.items[i];
    const WorkRequest& request = workload.request_of(item);
    const SimulatedJob& job = simulation.jobs[i];
    ShareRow* rows[] = {account_rows[request.account], user_rows[request.user]};
    if (job.refused) {
      ++out.refused;
      for (ShareRow* row : rows) ++row->refused;
      continue;
    }
    out.cpu_ms += job.cpu_ms;
    out.lost_ms += job.lost_ms;
    out.preemptions += job.preemptions;
    for (ShareRow* row : rows) {
      row->cpu_ms += job.cpu_ms;
      row->preemptions += job.preemptions;
    }
    if (!job.started() || !job.ended()) {
      ++out.left;
      continue;
    }
    ++out.ran;
    if (job.state == JobState::kTimeout) ++out.timed_out;
    if (job.state == JobState::kPreempted) ++out.preempted;
    const double wait = in_seconds(job.start - item.submit);
    const double run = in_seconds(std::min(item.run, request.limit));
    const double slowdown =
        std::max(1.0, in_seconds(job.end - item.submit) / std::max(run, kShortRun));
    waits.push_back(wait);
    slowdowns.push_back(slowdown);
    for (ShareRow* row : rows) {
      ++row->jobs;
      row->mean_wait += wait;
      row->mean_slowdown += slowdown;
    }
  }
  out.wait = spread_of(waits);
  out.slowdown = spread_of(slowdowns);
  if (out.ran > 0) out.makespan = simulation.last_end - simulation.first_submit;
  if (out.makespan > Duration(0)) {
    const double span = static_cast<double>(out.makespan.count());
    if (cpus > 0)
      out.utilisation = static_cast<double>(out.cpu_ms) / (span * static_cast<double>(cpus));
    out.jobs_per_hour = static_cast<double>(out.ran) * 3'600'000 / span;
  }
  out.accounts = accounts.sorted(out.cpu_ms);
  out.users = users.sorted(out.cpu_ms);
  return out;
}

}  // namespace sluice
