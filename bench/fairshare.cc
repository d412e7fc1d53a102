// Fairshare of 10,000 users, and the priorities of a million waiting jobs.
#include "policy/fairshare.h"

#include "bench/cluster.h"
#include "bench/table.h"
#include "model/event.h"
#include "policy/priority.h"
#include "policy/queue.h"

namespace sluice::bench {
namespace {

// Ten thousand users in 500 accounts, everybody with some usage.
class Past {
 public:
  explicit Past(std::size_t specs) {
    ClusterSize size;
    size.nodes = 1000;
    size.cpus = 64;
    size.accounts = 500;
    size.users_each = 20;
    policy_ = std::make_shared<const Policy>(make_cluster(size));
    apply(PolicyAdopted{policy_});
    for (std::size_t i = 0; i < specs; ++i) {
      auto request = std::make_shared<JobSpec>();
      const User& user = policy_->users[i * 7919 % policy_->users.size()];
      request->user = user.name;
      request->account = user.default_account;
      request->qos = "normal";
      request->partitions = {"main"};
      request->tasks = static_cast<std::int32_t>(1 + i % 64);
      request->time_limit = minutes(5 + static_cast<std::int64_t>(i % 500));
      apply(SpecDefined{SpecId(static_cast<std::uint32_t>(i + 1)), request, true});
    }
  }
  JobId submit(std::size_t spec) {
    const JobId job(++last_);
    apply(JobSubmitted{job, SpecId(static_cast<std::uint32_t>(spec + 1)), std::nullopt});
    return job;
  }
  void run(JobId job) {
    NodeShare share;
    share.node = NodeId(job.value() % 1000);
    share.cpus = 1;
    apply(JobStarted{job, 1, PartitionId(0), Allocation(share)});
    now_ += minutes(1);
    apply(JobEnded{job, 1, Outcome{}});
  }
  const State& state() const { return state_; }
  Instant now() const { return now_; }
  void apply(EventBody body) { state_.apply(Event{now_, std::move(body)}); }

 private:
  std::shared_ptr<const Policy> policy_;
  State state_;
  Instant now_ = instant_at(seconds(1'000'000));
  std::uint32_t last_ = 0;
};

// The floor: usage decayed, rolled up over parents and ranked by share over use within each
// account, on plain arrays.
double fairshare_floor(const Policy& policy, std::vector<double>& usage, std::vector<double>& level,
                       std::vector<std::uint32_t>& order) {
  const std::size_t count = policy.associations.size();
  std::vector<double> rolled(count);
  for (std::size_t i = 0; i < count; ++i) rolled[i] = (usage[i] *= 0.999999);
  for (std::size_t i = count; i-- > 1;) rolled[policy.associations[i].parent->index()] += rolled[i];
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t parent = policy.associations[i].parent->index();
    level[i] =
        static_cast<double>(policy.associations[i].shares) * rolled[parent] / (rolled[i] + 1e-9);
  }
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const bool ends =
        i == count || policy.associations[i].parent != policy.associations[begin].parent;
    if (!ends) continue;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
              order.begin() + static_cast<std::ptrdiff_t>(i),
              [&](std::uint32_t a, std::uint32_t b) { return level[a] > level[b]; });
    begin = i;
  }
  return level[order.back()];
}

void fairshare(Table& table) {
  Past past(10'000);
  for (std::size_t i = 0; i < 10'000; ++i) past.run(past.submit(i));
  const Policy& policy = past.state().policy();
  Fairshare out;
  compute_fairshare(past.state(), out);
  double factors = 0;
  for (const FairshareRow& row : out.rows) factors += row.factor;
  // Fair Tree gives n users n ranks: n/n, (n-1)/n, …, 1/n, ties apart.
  if (factors < 5000 || factors > 10'000)
    return table.wrong("fairshare", "the ranks do not add up");
  std::vector<double> usage(policy.associations.size(), 1);
  std::vector<double> level(policy.associations.size());
  std::vector<std::uint32_t> order(policy.associations.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::uint32_t>(i);
    usage[i] = static_cast<double>((i * 2654435761U) % 1000);
  }
  double kept = 0;
  const auto samples = interleaved({[&] { compute_fairshare(past.state(), out); },
                                    [&] { kept += fairshare_floor(policy, usage, level, order); }},
                                   20);
  if (kept < 0) table.wrong("fairshare", "the floor");
  table.row("fairshare, 10,000 users in 500 accounts", time_text(samples[0].median()),
            time_text(samples[1].median()), ratio_text(samples[0], samples[1]), samples[0].median(),
            at_most(0.8e-3, "<= 800 µs"));
}

void priorities(Table& table) {
  constexpr std::size_t kJobs = 1'000'000;
  constexpr std::size_t kSpecs = 20'000;
  Past past(kSpecs);
  std::vector<JobId> jobs;
  jobs.reserve(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) jobs.push_back(past.submit(i % kSpecs));
  Queue queue;
  queue.apply(past.state(), Event{past.now(), PolicyAdopted{past.state().shared_policy()}});
  Instant now = past.now() + minutes(90);
  // As the engine does it at every PriorityCalcPeriod: ranks, priorities, and their order.
  const auto calculate = [&] {
    now += minutes(5);
    queue.apply(past.state(), Event{now, PrioritiesCalculated{}});
    queue.tidy();
  };
  calculate();
  Fairshare shares;
  compute_fairshare(past.state(), shares);
  const PriorityContext context = priority_context(past.state());
  for (std::size_t i = 0; i < kJobs; i += 9973) {
    const Job& job = past.state().job(jobs[i]);
    if (priority_of(past.state(), context, shares, job, PartitionId(0), now).total !=
        queue.priority(jobs[i]))
      return table.wrong("priorities", "in the queue they differ from one by one");
  }
  // The floor: one multiplication and two additions a job, from arrays.
  std::vector<double> age(kJobs, 0.5);
  std::vector<std::uint32_t> spec(kJobs);
  std::vector<double> part(kSpecs, 1000);
  for (std::size_t i = 0; i < kJobs; ++i) spec[i] = static_cast<std::uint32_t>(i % kSpecs);
  std::vector<std::int64_t> bare(kJobs);
  const auto samples =
      interleaved({calculate, [&] {
                     for (std::size_t i = 0; i < kJobs; ++i)
                       bare[i] = static_cast<std::int64_t>(age[i] * 1000 + part[spec[i]]);
                   }});
  table.row("priorities of 1,000,000 pending jobs", time_text(samples[0].median()),
            time_text(samples[1].median()), ratio_text(samples[0], samples[1]), samples[0].median(),
            at_most(20e-3, "<= 20 ms"));
}

}  // namespace
}  // namespace sluice::bench

int main() {
  sluice::bench::Table table("Fairshare and priority, beside the same sums over plain arrays");
  sluice::bench::fairshare(table);
  sluice::bench::priorities(table);
}
