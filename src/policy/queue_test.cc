#include "policy/queue.h"

#include <gtest/gtest.h>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// A state and the queue that follows from it.
class Waiting {
 public:
  explicit Waiting(Policy policy) {
    apply(PolicyAdopted{std::make_shared<const Policy>(std::move(policy))});
  }
  static Policy policy() {
    PolicyBuilder b;
    b.qos("low", 0).qos("high", 10).user("ann", "root", 1);
    b.policy().priority = {};
    return b.policy();
  }
  JobId submit(const std::string& qos = "", std::vector<std::string> partitions = {"all"}) {
    JobSpec spec = Past::request("ann", "root");
    spec.qos = qos;
    spec.partitions = std::move(partitions);
    const SpecId id = state_.next_spec_id();
    apply(SpecDefined{id, std::make_shared<const JobSpec>(std::move(spec)), false});
    const JobId job = state_.next_job_id();
    apply(JobSubmitted{job, id, {}});
    return job;
  }
  void cancel(JobId job) { apply(JobEnded{job, 0, Outcome{.state = JobState::kCancelled}}); }
  template <class Body>
  void apply(Body body) {
    const Event event{now_, std::move(body)};
    state_.apply(event);
    queue_.apply(state_, event);
  }
  void pass(Duration time) { now_ += time; }
  // From the head on, as a pass sees it.
  std::vector<JobId> order() {
    queue_.tidy();
    std::vector<JobId> out;
    for (std::size_t i = queue_.head(); i < queue_.entries().size(); ++i)
      if (!queue_.entries()[i].gone) out.push_back(queue_.entries()[i].job);
    return out;
  }
  Queue& queue() { return queue_; }

 private:
  State state_;
  Queue queue_;
  Instant now_{};
};
using Jobs = std::vector<JobId>;

TEST(Queue, FirstComeFirstServed) {
  Waiting waiting(Waiting::policy());
  const JobId a = waiting.submit();
  const JobId b = waiting.submit();
  EXPECT_EQ(waiting.order(), (Jobs{a, b}));
  waiting.cancel(a);
  EXPECT_EQ(waiting.order(), Jobs{b});
}

Policy high_pushes_low_out() {
  Policy policy = Waiting::policy();
  policy.preemption.type = PreemptType::kQos;
  policy.qos[1].preempt = {QosId(0)};
  return policy;
}

TEST(Queue, WhoMayPushOutGoesBeforeWhomHeMayPushOut) {
  Waiting waiting(high_pushes_low_out());
  const JobId low = waiting.submit("low");
  const JobId high = waiting.submit("high");
  EXPECT_EQ(waiting.order(), (Jobs{high, low}));
}

TEST(Queue, AJobStandsThereOnceForEachOfItsPartitionsByTier) {
  Policy policy = Waiting::policy();
  policy.partitions.push_back(policy.partitions[0]);
  policy.partitions[1].name = "fast";
  policy.partitions[1].priority_tier = 5;
  Waiting waiting(policy);
  const JobId a = waiting.submit();
  const JobId b = waiting.submit("", {"all", "fast"});
  EXPECT_EQ(waiting.order(), (Jobs{b, a, b}));
  waiting.cancel(b);
  EXPECT_EQ(waiting.order(), Jobs{a});
}

TEST(Queue, ANewcomerWhoGoesFirstIsNotLostBehindOthersThatHaveGone) {
  Waiting waiting(high_pushes_low_out());
  const JobId a = waiting.submit("low");
  const JobId b = waiting.submit("high");  // Not in place yet.
  waiting.cancel(a);
  waiting.cancel(b);
  const JobId c = waiting.submit("low");
  waiting.cancel(c);
  const JobId d = waiting.submit("high");
  EXPECT_EQ(waiting.order(), Jobs{d});
}

TEST(Queue, NewcomersAreInPlaceAfterUsageWasResetToo) {
  Waiting waiting(high_pushes_low_out());
  const JobId a = waiting.submit("low");
  const JobId b = waiting.submit("low");
  waiting.cancel(a);
  const JobId c = waiting.submit("high");  // Not in place yet.
  waiting.apply(UsageWasReset{});
  EXPECT_EQ(waiting.order(), (Jobs{c, b}));
  waiting.cancel(c);
  EXPECT_EQ(waiting.order(), Jobs{b});
}

TEST(Queue, ALongQueueIsInOrderOfItsPrioritiesAndAnybodyCanLeaveIt) {
  PolicyBuilder b;
  b.qos("low", 0).qos("high", 10).user("ann", "root", 1);
  b.policy().priority.type = PriorityType::kMultifactor;
  b.policy().priority.weight_age = 1000;
  b.policy().priority.weight_qos = 1;
  Policy policy = b.policy();
  policy.partitions.push_back(policy.partitions[0]);
  policy.partitions[1].name = "other";
  Waiting waiting(policy);
  Jobs jobs;
  for (std::size_t i = 0; i < 3 * kLongQueue; ++i) {
    if (i % 8 == 5)
      jobs.push_back(waiting.submit("low", {"all", "other"}));
    else
      jobs.push_back(waiting.submit(i % 3 == 0 ? "high" : "low"));
    if (i % 5 == 0) waiting.pass(seconds(150));
  }
  const auto check = [&] {
    const Jobs order = waiting.order();
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::int64_t before = waiting.queue().priority(order[i - 1]);
      const std::int64_t now = waiting.queue().priority(order[i]);
      ASSERT_TRUE(before > now || (before == now && order[i - 1] <= order[i])) << "at " << i;
    }
  };
  for (int round = 0; round < 3; ++round) {
    waiting.pass(minutes(5));
    waiting.apply(PrioritiesCalculated{});
    check();
    jobs.push_back(waiting.submit("high"));
    for (std::size_t i = 0; i < jobs.size(); i += 7) {
      waiting.cancel(jobs[i]);
      EXPECT_FALSE(waiting.queue().contains(jobs[i]));
      jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    check();
  }
  for (const JobId job : jobs) waiting.cancel(job);
  EXPECT_TRUE(waiting.queue().empty());
}

TEST(Queue, KnowsWhetherAnybodyWaitsForMoreThanCpus) {
  Waiting waiting(Waiting::policy());
  waiting.submit();
  EXPECT_TRUE(waiting.queue().only_cpus());
  JobSpec spec = Past::request("ann", "root");
  spec.partitions = {"all"};
  spec.min_nodes = 2;
  waiting.apply(SpecDefined{SpecId(2), std::make_shared<const JobSpec>(spec), false});
  waiting.apply(JobSubmitted{JobId(2), SpecId(2), {}});
  EXPECT_FALSE(waiting.queue().only_cpus());
  waiting.cancel(JobId(2));
  EXPECT_TRUE(waiting.queue().only_cpus());
}

// INCR_ONLY: whoever was given a priority keeps it, and whoever comes later gets what is due now.
TEST(Queue, APriorityNeverFallsWhereItMayOnlyRise) {
  PolicyBuilder b;
  b.user("ann", "root", 1).user("bob", "root", 1);
  b.policy().priority = {};
  b.policy().priority.type = PriorityType::kMultifactor;
  b.policy().priority.weight_fairshare = 1000;
  b.policy().priority.increase_only = true;
  Waiting waiting(b.policy());
  const JobId runs = waiting.submit();
  const JobId first = waiting.submit();
  const std::int64_t before = waiting.queue().priority(first);
  NodeShare share;
  share.cpus = 1;
  waiting.apply(JobStarted{runs, 1, PartitionId(0), Allocation(share)});
  waiting.pass(minutes(10));
  waiting.apply(PrioritiesCalculated{});
  const JobId second = waiting.submit();
  EXPECT_EQ(waiting.queue().priority(first), before);
  EXPECT_LT(waiting.queue().priority(second), before);
  EXPECT_EQ(waiting.order(), (Jobs{first, second}));
  waiting.cancel(first);
  EXPECT_EQ(waiting.order(), (Jobs{second}));
}

}  // namespace
}  // namespace sluice
