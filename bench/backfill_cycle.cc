// One full backfill cycle over long queues, beside a bare plan of the same jobs.
#include <optional>

#include "bench/cluster.h"
#include "bench/plan_floor.h"
#include "bench/table.h"
#include "model/event.h"

namespace sluice::bench {
namespace {

constexpr std::int32_t kBusyMinutes = 60;

// As the engine has them, in its order.
std::vector<PlanJob> plan_jobs(const Engine& engine) {
  std::vector<PlanJob> jobs;
  for (const QueueEntry& entry : engine.queue().entries())
    if (!entry.gone)
      jobs.push_back({entry.cpus, static_cast<std::int32_t>(to_seconds(entry.limit) / 60)});
  return jobs;
}

// Nothing is planned while the node is busy, and the first in the queue begins right afterwards.
std::string wrong_plan(const Engine& engine, Instant busy_until) {
  bool first = true;
  for (const QueueEntry& entry : engine.queue().entries()) {
    if (entry.gone) continue;
    const auto expected = engine.explanation(entry.job).expected;
    if (first && expected != busy_until) return "the first does not begin when the node is free";
    first = false;
    if (expected && *expected < busy_until) return "a plan begins while the node is busy";
  }
  return first ? "nobody waits" : std::string();
}

void one_node(Table& table, std::size_t pending, double target_seconds) {
  const std::string figure = fmt::format("cycle, 1 node of 256 CPUs, {} pending",
                                         count_text(static_cast<double>(pending)));
  Queueing cluster(make_cluster({}));
  cluster.tell(SubmitJob{cluster.request(0, 256, kBusyMinutes)});
  const Instant busy_until = cluster.now() + minutes(kBusyMinutes);
  const auto submitted = cluster.submit_many(pending, 200);
  if (!submitted) return table.skipped(figure, "submitting them takes more than a minute");
  Sample cycle;
  Sample floor;
  Sample pruned;
  const std::vector<PlanJob> jobs = plan_jobs(cluster.engine());
  for (int i = 0; i <= kRepeats; ++i) {
    // A change makes a cycle due, the interval lets it happen; the cycle alone is timed.
    cluster.tell(SubmitJob{cluster.request(1, 200, 500)});
    cluster.pass(minutes(1));
    const double took = time_of([&] { cluster.tell(Tick{}); });
    const double bare =
        time_of([&] { plan_floor(jobs, 256, kBusyMinutes, 24 * 60, Pruning::kNo); });
    const double bare_pruned =
        time_of([&] { plan_floor(jobs, 256, kBusyMinutes, 24 * 60, Pruning::kYes); });
    if (i == 0) {
      const std::string wrong = wrong_plan(cluster.engine(), busy_until);
      if (!wrong.empty()) return table.wrong(figure, wrong);
      continue;
    }
    cycle.add(took);
    floor.add(bare);
    pruned.add(bare_pruned);
  }
  table.row(figure, time_text(cycle.median()), time_text(floor.median()) + " plain",
            ratio_text(cycle, floor), cycle.median(),
            at_most(target_seconds, "<= " + time_text(target_seconds)));
  table.note("", "", time_text(pruned.median()) + " pruned", ratio_text(cycle, pruned));
  table.note("  submitting, a job", time_text(*submitted / static_cast<double>(pending)), "", "");
}

// 64 jobs of 4 CPUs run; one ends, and whoever may start does.
void reaction(Table& table) {
  constexpr std::size_t kPending = 100'000;
  ClusterSize size;
  size.backfill_interval = std::chrono::hours(24);
  Queueing cluster(make_cluster(size));
  for (int i = 0; i < 64; ++i) cluster.tell(SubmitJob{cluster.request(i, 4, 600)});
  if (!cluster.submit_many(kPending, 200))
    return table.skipped("reaction to one end", "submitting takes more than a minute");
  Sample sample;
  for (int i = 0; i < 50; ++i) {
    cluster.pass(seconds(1));
    const JobId job = cluster.engine().state().expected_ends().front().job;
    const std::uint32_t attempt = cluster.engine().state().job(job).attempt;
    sample.add(time_of([&] {
      cluster.tell(RunEnded{job, attempt, Outcome{.state = JobState::kCompleted}});
    }));
  }
  if (cluster.engine().state().pending_count() < kPending - 100)
    return table.wrong("reaction to one end", "far more started than there was room for");
  table.row("reaction to one end, 100,000 pending", time_text(sample.median()), "",
            fmt::format("{} at most", time_text(sample.most())), sample.median(),
            at_most(1e-3, "<= 1 ms"));
}

// No node is planned for two jobs at one time, and whoever comes first has a plan.
std::string overlapping_plan(const Engine& engine) {
  struct Plan {
    NodeId node;
    Instant from;
    Instant until;
  };
  std::vector<Plan> plans;
  bool first = true;
  for (const QueueEntry& entry : engine.queue().entries()) {
    if (entry.gone) continue;
    const Explanation plan = engine.explanation(entry.job);
    if (first && !plan.expected) return "the first has no plan";
    first = false;
    if (!plan.expected) continue;
    for (NodeId node : plan.nodes)
      plans.push_back({node, *plan.expected, *plan.expected + entry.limit});
  }
  std::sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) {
    return a.node != b.node ? a.node < b.node : a.from < b.from;
  });
  for (std::size_t i = 1; i < plans.size(); ++i)
    if (plans[i].node == plans[i - 1].node && plans[i].from < plans[i - 1].until)
      return fmt::format("node {} is planned twice at one time", plans[i].node.value() + 1);
  return plans.size() < 1000 ? "hardly anybody is planned" : std::string();
}

// Seconds of the first cycle, or nothing where it could not be measured.
std::optional<double> many_nodes(Table& table, std::size_t pending) {
  const std::string figure = fmt::format("cycle, 1,000 nodes, 5,000 users, {} pending",
                                         count_text(static_cast<double>(pending)));
  ClusterSize size;
  size.nodes = 1000;
  size.cpus = 64;
  size.accounts = 500;
  size.users_each = 10;
  Queueing cluster(make_cluster(size));
  for (int i = 0; i < 1000; ++i) cluster.tell(SubmitJob{cluster.request(i, 64, 30 + i % 600)});
  // The first that waits has a cycle at once; the next is due a minute later.
  cluster.tell(SubmitJob{cluster.request(1, 200, 500)});
  if (!cluster.submit_many(pending, 200)) {
    table.skipped(figure, "submitting them takes more than a minute");
    return std::nullopt;
  }
  cluster.pass(minutes(1));
  const double cold = time_of([&] { cluster.tell(Tick{}); });
  if (const std::string wrong = overlapping_plan(cluster.engine()); !wrong.empty()) {
    table.wrong(figure, wrong);
    return std::nullopt;
  }
  table.row(figure, time_text(cold), "", "cold", cold, at_most(0.2, "<= 200 ms"));
  return cold;
}

void many_nodes(Table& table) {
  const auto some = many_nodes(table, 10'000);
  if (some && *some > 3)
    table.skipped("  the same with 100,000", "it would take minutes");
  else if (some)
    many_nodes(table, 100'000);
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  using namespace sluice::bench;
  const std::string only = argc > 1 ? argv[1] : "";
  Table table(
      "One full backfill cycle, depth limits lifted, full semantics; a bare plan of the same jobs");
  if (only == "1000") one_node(table, 1000, 15e-3);
  if (only.empty() || only == "10000") one_node(table, 10'000, 15e-3);
  if (only.empty() || only == "100000") one_node(table, 100'000, 100e-3);
  if (only.empty() || only == "1000000") one_node(table, 1'000'000, 1);
  if (only.empty() || only == "reaction") reaction(table);
  if (only.empty() || only == "nodes") many_nodes(table);
}
