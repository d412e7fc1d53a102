// Adds up what became of the jobs.
#include "sim/reports/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/reports/share_due.h"
#include "sim/workloads/names_in_force.h"

namespace sluice {
namespace {

// Runs shorter than this count as if they took it: a second's wait is no slowdown of a second's
// job (Feitelson's bound).
constexpr double kShortRun = 10;

double in_seconds(Duration d) { return static_cast<double>(d.count()) / 1000; }

Distribution distribution_of(std::vector<double>& values) {
  Distribution out;
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
  out.p95 = rank(95);
  out.p99 = rank(99);
  out.most = values.back();
  return out;
}

// Rows by name; those of one grouping.
class Rows {
 public:
  struct Row {
    ShareRow row;
    std::vector<double> waits;
  };
  // Requests of one name share a row.
  Row& named(const std::string& name) {
    Row& row = rows_[name];
    row.row.name = name;
    return row;
  }

  std::vector<ShareRow> sorted(std::int64_t all, std::int64_t all_gpu) {
    std::vector<ShareRow> out;
    for (auto& [name, each] : rows_) {
      ShareRow& row = each.row;
      if (row.jobs == 0 && row.refused == 0 && row.left == 0 && row.cpu_ms == 0) continue;
      row.wait = distribution_of(each.waits);
      if (row.jobs > 0) row.mean_slowdown /= static_cast<double>(row.jobs);
      if (all > 0) row.share = static_cast<double>(row.cpu_ms) / static_cast<double>(all);
      if (all_gpu > 0)
        row.gpu_share = static_cast<double>(row.gpu_ms) / static_cast<double>(all_gpu);
      out.push_back(std::move(row));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const ShareRow& a, const ShareRow& b) { return a.cpu_ms > b.cpu_ms; });
    return out;
  }

 private:
  std::map<std::string, Row> rows_;
};

bool has_failed(JobState state) {
  return state == JobState::kFailed || state == JobState::kOutOfMemory;
}

constexpr double kHour = 3.6e6;  // In milliseconds.

std::vector<WaitedBecause> waited_because(const std::map<WaitPair, double>& found) {
  std::map<std::string, double> by_waiter;
  for (const auto& [pair, weight] : found) by_waiter[pair.first] += weight;
  std::vector<WaitedBecause> out;
  for (const auto& [pair, weight] : found)
    out.push_back({pair.first, pair.second, weight / kHour, weight / by_waiter[pair.first]});
  std::stable_sort(out.begin(), out.end(), [](const WaitedBecause& a, const WaitedBecause& b) {
    return a.hours > b.hours;
  });
  return out;
}

// Accounts that neither run nor wait are due nothing, and what they are due goes to the others.
void measure_fairness(SimulationReport& out) {
  const std::size_t steps = out.timeline.cpus.size();
  double weighted = 0;
  double used = 0;
  bool known = false;
  for (std::size_t step = 0; step < steps; ++step) {
    double held = 0;
    double due = 0;
    for (const ShareOverTime& each : out.account_shares) {
      if (!each.due || (each.cpus[step] <= 0 && each.pending[step] <= 0)) continue;
      held += each.cpus[step];
      due += *each.due;
    }
    double apart = 0;
    if (held > 0 && due > 0)
      for (const ShareOverTime& each : out.account_shares) {
        if (!each.due || (each.cpus[step] <= 0 && each.pending[step] <= 0)) continue;
        apart += std::abs(each.cpus[step] / held - *each.due / due);
      }
    out.fairness_steps.push_back(1 - apart / 2);
    if (held <= 0 || due <= 0) continue;
    known = true;
    const Duration length = step + 1 < steps ? out.timeline.step : out.timeline.last_step;
    const double cpu_ms = held * static_cast<double>(length.count());
    weighted += (1 - apart / 2) * cpu_ms;
    used += cpu_ms;
  }
  if (known)
    out.fairness = weighted / used;
  else
    out.fairness_steps.clear();
}

std::vector<NamedAmount> most_first(std::vector<NamedAmount> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const NamedAmount& a, const NamedAmount& b) { return a.count > b.count; });
  return counts;
}

}  // namespace

namespace {

SimulationReport report_of(const Workload& workload, const Simulation& simulation,
                           std::int64_t cpus, const std::vector<NamesInForce>& names) {
  SimulationReport out;
  out.workload = workload.name;
  out.cpus = cpus;
  out.items = workload.items.size();
  out.left_out = workload.left_out;
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
  Rows qos;
  Rows partitions;
  // The four rows of each request.
  std::vector<std::array<Rows::Row*, 4>> rows_of;
  rows_of.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    rows_of.push_back({&accounts.named(names[i].account),
                       &users.named(workload.users[workload.requests[i].user]),
                       &qos.named(names[i].qos), &partitions.named(names[i].partition)});
  std::vector<double> waits;
  std::vector<double> responses;
  std::vector<double> slowdowns;
  for (std::vector<double>* each : {&waits, &responses, &slowdowns})
    each->reserve(workload.items.size());
  std::int64_t gpu_ms = 0;
  for (std::size_t i = 0; i < workload.items.size(); ++i) {
    const WorkItem& item = workload.items[i];
    const WorkRequest& request = workload.request_of(item);
    const SimulatedJob& job = simulation.jobs[i];
    const std::array<Rows::Row*, 4>& rows = rows_of[item.request];
    if (job.refused) {
      ++out.refused;
      for (Rows::Row* each : rows) ++each->row.refused;
      continue;
    }
    out.cpu_ms += job.cpu_ms;
    gpu_ms += job.gpu_ms;
    out.lost_ms += job.lost_ms;
    out.preemptions += job.preemptions;
    for (Rows::Row* each : rows) {
      each->row.cpu_ms += job.cpu_ms;
      each->row.gpu_ms += job.gpu_ms;
      each->row.lost_ms += job.lost_ms;
      each->row.preemptions += job.preemptions;
    }
    if (!job.started() || !job.ended()) {
      ++out.left;
      for (Rows::Row* each : rows) ++each->row.left;
      continue;
    }
    ++out.ran;
    if (job.state == JobState::kTimeout) ++out.timed_out;
    if (job.state == JobState::kPreempted) ++out.preempted;
    if (has_failed(job.state)) ++out.failed;
    const double wait = in_seconds(job.start - item.submit);
    const double response = in_seconds(job.end - item.submit);
    const double run = in_seconds(std::min(item.run, request.limit));
    const double slowdown = std::max(1.0, response / std::max(run, kShortRun));
    waits.push_back(wait);
    responses.push_back(response);
    slowdowns.push_back(slowdown);
    for (Rows::Row* each : rows) {
      ++each->row.jobs;
      each->waits.push_back(wait);
      each->row.mean_slowdown += slowdown;
    }
  }
  out.response = distribution_of(responses);
  out.wait = distribution_of(waits);
  out.slowdown = distribution_of(slowdowns);
  if (out.ran > 0) out.makespan = simulation.last_end - simulation.first_submit;
  if (out.makespan > Duration(0)) {
    const double span = static_cast<double>(out.makespan.count());
    if (cpus > 0)
      out.utilisation = static_cast<double>(out.cpu_ms) / (span * static_cast<double>(cpus));
    out.jobs_per_hour = static_cast<double>(out.ran) * 3'600'000 / span;
  }
  out.accounts = accounts.sorted(out.cpu_ms, gpu_ms);
  out.users = users.sorted(out.cpu_ms, gpu_ms);
  out.qos = qos.sorted(out.cpu_ms, gpu_ms);
  out.partitions = partitions.sorted(out.cpu_ms, gpu_ms);
  for (const auto& [what, count] : simulation.refusals)
    out.refusals.push_back({what, static_cast<double>(count)});
  out.refusals = most_first(std::move(out.refusals));
  double waiting = 0;
  for (const auto& [word, weight] : simulation.wait_causes.reasons) waiting += weight;
  for (const auto& [word, weight] : simulation.wait_causes.reasons)
    out.waited_for.push_back({word, weight / waiting, weight / kHour});
  std::stable_sort(out.waited_for.begin(), out.waited_for.end(),
                   [](const WaitedReason& a, const WaitedReason& b) { return a.part > b.part; });
  out.accounts_waited = waited_because(simulation.wait_causes.accounts);
  out.users_waited = waited_because(simulation.wait_causes.users);
  out.overtakes = simulation.overtakes;
  out.starts = simulation.starts;
  out.backfilled = simulation.backfilled;
  out.timeline = simulation.timeline;
  for (std::size_t i = 0; i < simulation.timeline_accounts.size(); ++i)
    out.account_shares.push_back({workload.accounts[simulation.timeline_accounts[i]],
                                  simulation.timeline.account_cpus[i],
                                  simulation.timeline.account_pending[i], std::nullopt});
  for (std::size_t i = 0; i < simulation.timeline_users.size(); ++i)
    out.user_shares.push_back({workload.users[simulation.timeline_users[i]],
                               simulation.timeline.user_cpus[i],
                               simulation.timeline.user_pending[i], std::nullopt});
  return out;
}

}  // namespace

SimulationReport make_report(const Workload& workload, const Simulation& simulation,
                             std::int64_t cpus) {
  return report_of(workload, simulation, cpus, names_as_written(workload));
}

SimulationReport make_report(const Workload& workload, const Simulation& simulation,
                             const std::shared_ptr<const Policy>& policy) {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int64_t memory = 0;
  for (const Node& node : policy->nodes) {
    cpus += node.cpus;
    gpus += std::ssize(node.gpus);
    memory += node.memory_mb;
  }
  SimulationReport out = report_of(workload, simulation, cpus, names_in_force(*policy, workload));
  const SharesDue due = shares_due(policy);
  const auto fill = [](auto& rows, const auto& shares) {
    for (auto& row : rows)
      if (const auto at = shares.find(row.name); at != shares.end()) row.due = at->second;
  };
  fill(out.accounts, due.accounts);
  fill(out.users, due.users);
  fill(out.account_shares, due.accounts);
  fill(out.user_shares, due.users);
  measure_fairness(out);
  const auto add = [&](const char* name, double capacity, const std::vector<double>& held) {
    if (capacity <= 0 || held.empty()) return;
    out.resources.push_back({name, capacity, out.timeline.mean_of(held) / capacity});
  };
  const Timeline& timeline = out.timeline;
  if (!timeline.cpus.empty())
    out.resources.push_back({"CPUs", static_cast<double>(cpus), out.utilisation});
  add("GPUs", static_cast<double>(gpus), timeline.gpus);
  if (policy->jobs.memory_is_consumable)
    add("memory", static_cast<double>(memory), timeline.memory_mb);
  return out;
}

}  // namespace sluice
