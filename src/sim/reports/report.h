// What a simulation came to: waits, slowdowns, use, and who got what.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/reports/comparison.h"
#include "sim/simulation.h"
#include "sim/workloads/workload.h"

namespace sluice {

// Percentiles are by nearest rank.
struct Distribution {
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double most = 0;
};

// Jobs of one account, user, QoS or partition.
struct ShareRow {
  std::string name;
  std::size_t jobs = 0;  // That ran; without any, waits and slowdown mean nothing.
  std::size_t refused = 0;
  std::size_t left = 0;  // Neither refused nor ended.
  std::size_t preemptions = 0;
  Distribution wait;  // Seconds.
  double mean_slowdown = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t gpu_ms = 0;
  std::int64_t lost_ms = 0;
  double share = 0;           // Of all CPU time,
  double gpu_share = 0;       // of all GPU time,
  std::optional<double> due;  // and what it is due by the policy's shares.
};

// What the machine has, and how much of it was held from the first submission to the last end.
struct ResourceUse {
  std::string name;  // "CPUs", "GPUs", "memory"
  double capacity = 0;
  double used = 0;  // 0 to 1.
};

struct NamedAmount {
  std::string what;
  double count = 0;
};

// What waiting was for.
struct WaitedReason {
  std::string what;  // Slurm's word, and whose limit it is.
  double part = 0;   // Of all waiting.
  double hours = 0;  // Jobs times hours.
};

// One waited because another held what it waited for.
struct WaitedBecause {
  std::string waiter;
  std::string holder;  // The same name: its own limit, or its own other jobs.
  double hours = 0;    // Jobs times hours,
  double part = 0;     // and the part of all that the waiter waited.
};

// One account or user over time: what it held of all CPUs that were in use, beside what it is due.
struct ShareOverTime {
  std::string name;
  std::vector<double> cpus;     // Held, step by step as in the timeline,
  std::vector<double> pending;  // and jobs that wait.
  std::optional<double> due;
};

struct SimulationReport {
  std::string workload;
  std::string rules;   // "easy", or the policy's file.
  std::string people;  // How a policy's users came by the jobs; empty without a policy.
  std::vector<std::string> unexercised;  // What of the policy no job touches.
  std::int64_t cpus = 0;
  std::size_t items = 0;
  bool stopped_early = false;  // These are the items that were submitted by then.
  SkippedLines left_out;
  std::size_t refused = 0;
  std::string first_refusal;
  std::uint32_t first_refused = 0;  // Its number in the trace.
  std::size_t ran = 0;              // Started and ended; what the figures below are about.
  std::size_t timed_out = 0;
  std::size_t preempted = 0;                   // Ended for good when they were pushed out.
  std::size_t left = 0;                        // Neither refused nor ended.
  std::uint32_t first_left = 0;                // Its number in the trace,
  std::string first_left_reason;               // and Slurm's word for why it still waits.
  std::size_t failed = 0;                      // By the workload's own doing.
  std::vector<NamedAmount> refusals;           // By what the submitter is told, most often first.
  std::vector<WaitedReason> waited_for;        // Largest first.
  std::vector<WaitedBecause> accounts_waited;  // The same; of accounts,
  std::vector<WaitedBecause> users_waited;     // and of users.
  std::size_t starts = 0;                      // Of runs, those that began again included,
  std::size_t backfilled = 0;                  // and those of them that backfill began.
  std::size_t overtakes = 0;                   // Starts ahead of a job that was submitted earlier.
  Distribution wait;                           // Seconds, to the first start.
  Distribution response;                       // Seconds, to the end.
  Distribution slowdown;                       // Bounded by runs of ten seconds.
  double utilisation = 0;                      // Of the CPUs.
  std::vector<ResourceUse> resources;
  std::int64_t cpu_ms = 0;
  std::int64_t lost_ms = 0;  // In runs that were pushed out and began again.
  Duration makespan{0};      // First submission to last end.
  double jobs_per_hour = 0;
  std::size_t preemptions = 0;
  std::size_t longest_queue = 0;
  std::vector<ShareRow> accounts;  // By CPU time, then name.
  std::vector<ShareRow> users;
  std::vector<ShareRow> qos;                  // "(default)" where nothing names one.
  std::vector<ShareRow> partitions;           // The same.
  Timeline timeline;                          // Where the simulation was observed.
  std::vector<ShareOverTime> account_shares;  // Those with the most work,
  std::vector<ShareOverTime> user_shares;     // of accounts and of users.
  // How near shares were to what was due, of those accounts that had jobs, step by step: 1 less
  // half of all differences; and the mean over what was used. Nothing where shares are not known.
  std::vector<double> fairness_steps;
  std::optional<double> fairness;
  std::uint64_t journal_events = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t journal_digest = 0;
  std::optional<Comparison> comparison;
  std::string compared_with;
};

SimulationReport make_report(const Workload& workload, const Simulation& simulation,
                             std::int64_t cpus);
// The same with what the policy is needed for: shares that are due, use of each resource.
SimulationReport make_report(const Workload& workload, const Simulation& simulation,
                             const std::shared_ptr<const Policy>& policy);

// How many accounts and users are listed; nothing is all of them.
struct ReportRows {
  std::optional<std::size_t> accounts = 10;
  std::optional<std::size_t> users = 10;
};

// "12 lines without a size or a run time", one for each reason; lines that cannot be read last.
std::vector<std::string> left_out_texts(const SkippedLines& left_out);

// For people: a screen. The same report gives the same text.
std::string report_text(const SimulationReport& report, const ReportRows& rows);
// For programs: one value, with every account and user.
std::string report_json(const SimulationReport& report);
// A line a job: when it was submitted, started and ended, and what became of it. Empty where it did
// not come to that.
std::string jobs_csv(const Workload& workload, const Simulation& simulation);

}  // namespace sluice
