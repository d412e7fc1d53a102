// What a policy with everything in it costs over plain EASY: multifactor priority, fairshare,
// limits on every level, preemption, several nodes.
#include <cmath>

#include "bench/table.h"
#include "bench/traces.h"
#include "policyfile/read/policy_reader.h"
#include "sim/recorder.h"
#include "sim/reports/report.h"
#include "sim/simulation.h"
#include "sim/workloads/user_mapping.h"

namespace sluice::bench {
namespace {

// Three tiers of accounts for as many users, u1, u2, …, on one machine of that many CPUs.
std::string full_policy(std::size_t users, std::int32_t cpus) {
  constexpr std::int32_t kNode = 16;
  std::string text = fmt::format(
      "cluster: full\n"
      "nodes:\n  - name: n[1-{}]\n    cpus: {}\n    memory: 64G\n"
      "partitions:\n  main: {{nodes: all, default: yes}}\n"
      "qos:\n"
      "  normal: {{Priority: 100, MaxTRESPerUser: {{cpu: {}}}}}\n"
      "  urgent: {{Priority: 1000, Preempt: [normal, scavenge], MaxJobsPerUser: 20}}\n"
      "  scavenge: {{Priority: 1, UsageFactor: 0.5}}\n"
      "priority: {{type: multifactor, weight_age: 1000, weight_fairshare: 100000, "
      "weight_job_size: 500, weight_qos: 5000, half_life: 7d}}\n"
      "preemption: {{type: qos, mode: requeue}}\n"
      "scheduler: {{backfill_interval: 30s}}\n"
      "jobs: {{def_mem_per_cpu: 1G, min_job_age: 0s, max_job_count: 10000000}}\n"
      "accounts:\n",
      std::max(1, (cpus + kNode - 1) / kNode), kNode, cpus);
  const char* qos[] = {"normal", "normal", "normal", "urgent", "scavenge"};
  for (std::size_t account = 0; account * 20 < users; ++account) {
    text += fmt::format(
        "  a{}:\n    shares: {}\n    GrpTRES: {{cpu: {}}}\n    qos: [{}]\n    default_qos: {}\n"
        "    users: [",
        account + 1, 1 + account % 9, cpus, qos[account % 5], qos[account % 5]);
    for (std::size_t i = account * 20; i < std::min(users, account * 20 + 20); ++i)
      text += fmt::format("{}u{}", i % 20 == 0 ? "" : ", ", i + 1);
    text += "]\n";
  }
  return text;
}

struct Ran {
  double seconds = 0;
  SimulationReport report;
  std::size_t most_pending = 0;
};

Ran run(Workload workload, std::shared_ptr<const Policy> policy) {
  Ran ran;
  map_users(*policy, workload);
  Recorder recorder;
  SimulationOptions options;
  options.commit = [&](std::span<const Event> events) { return recorder.commit(events); };
  Simulation simulation;
  ran.seconds = time_of([&] { simulation = simulate(policy, workload, options).value(); });
  ran.most_pending = simulation.most_pending;
  ran.report = make_report(workload, simulation, workload.machine_cpus);
  return ran;
}

// Returns the seconds it took.
double compare(Table& table, const std::string& name, const Workload& workload,
               double at_least_rate) {
  const auto jobs = static_cast<double>(workload.items.size());
  const std::size_t users = workload.users.size();
  auto read = read_policy(full_policy(users, workload.machine_cpus), "full.yaml");
  if (!read) return table.wrong(name, read.error().text()), 0.0;
  const auto full = std::make_shared<const Policy>(std::move(*read));
  const auto easy = std::make_shared<const Policy>(machine_of(workload, SchedulerType::kEasy));
  Sample ours;
  Sample plain;
  Ran ran;
  // What takes seconds is steady enough to be run once.
  for (int i = 0; i < kRepeats && (i == 0 || ran.seconds < 2); ++i) {
    ran = run(workload, full);
    if (ran.report.ran + ran.report.refused + ran.report.left != workload.items.size())
      return table.wrong(name, "jobs were lost"), 0.0;
    if (ran.report.ran < workload.items.size() / 2)
      return table.wrong(name, "hardly anybody ran"), 0.0;
    ours.add(ran.seconds);
    plain.add(run(workload, easy).seconds);
  }
  const double rate = jobs / ours.median();
  table.row(name, time_text(ours.median()), time_text(plain.median()) + " plain EASY",
            ratio_text(ours, plain), rate,
            at_least(at_least_rate, fmt::format(">= {}/s", count_text(at_least_rate))));
  table.note("  jobs a second", count_text(rate), count_text(jobs / plain.median()),
             fmt::format("{} pushed out, {} waited",
                         count_text(static_cast<double>(ran.report.preemptions)),
                         count_text(static_cast<double>(ran.most_pending))));
  return ours.median();
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  using namespace sluice;
  using namespace sluice::bench;
  // "deep": only the one in which thousands wait.
  const bool only_deep = argc > 1 && std::string(argv[1]) == "deep";
  const std::size_t most = argc > 1 && !only_deep ? std::stoul(argv[1]) : 1'000'000;
  Table table("A policy with everything in it, and plain EASY (journal included, parsing not)");
  for (const Trace& trace : only_deep ? std::vector<Trace>{} : real_traces()) {
    Workload workload = parse_swf(trace.text, trace.name).value();
    if (workload.items.size() > most) workload.items.resize(most);
    compare(table, trace.name, workload, 170'000);
  }
  // What is pushed out begins again: at this load thousands wait.
  if (const std::int64_t deep = std::min<std::int64_t>(50'000, static_cast<std::int64_t>(most));
      deep >= 10'000) {
    GeneratorSettings settings;
    settings.jobs = deep;
    settings.users = 1000;
    settings.load_permille = 800;
    compare(table,
            fmt::format("generated, {} jobs, load 0.8", count_text(static_cast<double>(deep))),
            generate(settings), 100'000);
  }
  if (only_deep) return 0;
  double last = 0;
  for (const std::size_t jobs :
       {std::size_t{1'000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    const std::string name =
        fmt::format("generated, {} jobs, 1,000 users", count_text(static_cast<double>(jobs)));
    // Time grows at least as fast as the number of jobs.
    if (jobs > most || last * 10 > 300) {
      table.skipped(name, jobs > most ? "not asked for" : "it would take more than five minutes");
      break;
    }
    GeneratorSettings settings;
    settings.jobs = static_cast<std::int64_t>(jobs);
    settings.users = 1000;
    // What is pushed out begins again: at more than this the queue would grow for ever.
    settings.load_permille = 500;
    const double before = last;
    last = compare(table, name, generate(settings), 33'334);
    if (last == 0) break;
    if (before > 0 && jobs > 10'000) {
      const double exponent = std::log10(last / before);
      table.row("  time grows with the jobs as", fmt::format("n^{:.2f}", exponent), "", "",
                exponent, at_most(1.1, "<= n^1.1"));
    }
    const std::string memory = fmt::format("{:.0f} MB", peak_memory_mb());
    if (jobs < 1'000'000) {
      table.note("  peak memory so far", memory, "", "");
    } else {
      table.row("  a million jobs on one core", time_text(last), "", "", last,
                at_most(30, "<= 30 s"));
      table.row("  peak memory", memory, "", "", peak_memory_mb(), at_most(1024, "<= 1 GB"));
    }
  }
}
