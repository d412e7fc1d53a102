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
    const Event event{Instant{}, std::move(body)};
    state_.apply(event);
    queue_.apply(state_, event);
  }
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

TEST(Queue, WhoMayPushOutGoesBeforeWhomHeMayPushOut) {
  Policy policy = Waiting::policy();
  policy.preemption.type = PreemptType::kQos;
  policy.qos[1].preempt = {QosId(0)};
  Waiting waiting(policy);
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
  Policy policy = Waiting::policy();
  policy.preemption.type = PreemptType::kQos;
  policy.qos[1].preempt = {QosId(0)};
  Waiting waiting(policy);
  const JobId a = waiting.submit("low");
  const JobId b = waiting.submit("high");  // Not in place yet.
  waiting.cancel(a);
  waiting.cancel(b);
  const JobId c = waiting.submit("low");
  waiting.cancel(c);
  const JobId d = waiting.submit("high");
  EXPECT_EQ(waiting.order(), Jobs{d});
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

}  // namespace
}  // namespace sluice
