// Who is pushed out for whom, as slurmctld 22.05.8 was seen to choose.
#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"

namespace sluice {
namespace {

// QoS low (10), low2 (20), normal (50) and high (100), which may push out the first two.
Policy by_qos(PreemptMode mode = PreemptMode::kRequeue) {
  Policy policy = small_policy();
  for (const auto& [name, priority] : std::initializer_list<std::pair<const char*, int>>{
           {"low", 10}, {"low2", 20}, {"normal", 50}, {"high", 100}}) {
    Qos& qos = policy.qos.emplace_back();
    qos.name = name;
    qos.priority = priority;
    policy.associations[0].qos.push_back(QosId(static_cast<std::uint32_t>(policy.qos.size() - 1)));
  }
  policy.qos[3].preempt = {QosId(0), QosId(1)};
  policy.preemption.type = PreemptType::kQos;
  policy.preemption.mode = mode;
  policy.scheduler.requeue_delay = minutes(2);
  return policy;
}

JobSpec of(const std::string& qos, std::int32_t count, const std::string& node = "") {
  JobSpec spec = cpus(count);
  spec.qos = qos;
  if (!node.empty()) spec.require_nodes = {node};
  return spec;
}

std::vector<JobId> victims_in(const Turn& turn) {
  std::vector<JobId> out;
  for (const Event& event : turn.events)
    if (const auto* ending = std::get_if<JobEnding>(&event.body)) out.push_back(ending->job);
  return out;
}
using Victims = std::vector<JobId>;

TEST(Preemption, TheLowestNumberGoesFirstAmongEquals) {
  Lab lab(by_qos());
  const JobId one = lab.submit(of("low", 2));
  lab.submit(of("low", 2));
  lab.submit(of("low", 2));
  lab.submit(of("low", 2));
  const JobId high = lab.submit(of("high", 2));
  EXPECT_EQ(victims_in(lab.turn()), Victims{one});
  EXPECT_EQ(lab.why(high), Rule::kResources);
  lab.obey();
  EXPECT_EQ(lab.state_of(high), JobState::kRunning);
  EXPECT_EQ(lab.why(one), Rule::kBeginTime);
}

TEST(Preemption, TheLowestQosGoesFirst) {
  Lab lab(by_qos());
  lab.submit(of("low2", 2, "n1"));
  const JobId low = lab.submit(of("low", 2, "n1"));
  lab.submit(of("low", 2, "n2"));
  lab.submit(of("low2", 2, "n2"));
  lab.submit(of("high", 2));
  EXPECT_EQ(victims_in(lab.turn()), Victims{low});
}

TEST(Preemption, NobodyGoesWhoseNodeIsNotTheOneChosen) {
  Lab lab(by_qos());
  lab.submit(of("low", 1, "n1"));
  lab.submit(of("normal", 3, "n1"));
  const JobId whole = lab.submit(of("low", 4, "n2"));
  lab.submit(of("high", 4));
  EXPECT_EQ(victims_in(lab.turn()), Victims{whole});
}

TEST(Preemption, TheOneThatTipsTheBalanceMayDoAlone) {
  Lab lab(by_qos());
  lab.submit(of("normal", 4, "n2"));
  lab.submit(of("low", 1, "n1"));
  const JobId larger = lab.submit(of("low", 3, "n1"));
  lab.submit(of("high", 3));
  EXPECT_EQ(victims_in(lab.turn()), Victims{larger});
}

TEST(Preemption, FewerNodesGoFirst) {
  Lab lab(by_qos());
  JobSpec both = of("low", 1);
  both.min_nodes = 2;
  lab.submit(both);
  const JobId alone = lab.submit(of("low", 3, "n1"));
  lab.submit(of("low", 3, "n2"));
  lab.submit(of("high", 1));
  EXPECT_EQ(victims_in(lab.turn()), Victims{alone});
}

TEST(Preemption, NobodyIsPushedOutWhereThereIsRoomOrALimit) {
  Policy policy = by_qos();
  policy.qos[3].group.tres.put(kTresCpu, 4);
  Lab lab(policy);
  lab.submit(of("low", 4));
  EXPECT_EQ(lab.state_of(lab.submit(of("high", 4))), JobState::kRunning);
  EXPECT_EQ(victims_in(lab.turn()), Victims{});
  const JobId limited = lab.submit(of("high", 1));
  EXPECT_EQ(victims_in(lab.turn()), Victims{});
  EXPECT_EQ(lab.why(limited), Rule::kGrpTres);
}

TEST(Preemption, WhoMayNotBeRequeuedIsCancelled) {
  Lab lab(by_qos());
  lab.submit(of("normal", 4, "n2"));
  JobSpec once = of("low", 4);
  once.requeue = false;
  const JobId low = lab.submit(once);
  lab.submit(of("high", 4));
  lab.obey();
  EXPECT_EQ(lab.state_of(low), JobState::kPreempted);
}

TEST(Preemption, GraceLetsTheVictimRunOnForAWhile) {
  Policy policy = by_qos();
  policy.qos[0].grace_time = seconds(15);
  Lab lab(policy);
  lab.submit(of("normal", 4, "n2"));
  const JobId low = lab.submit(of("low", 4));
  const JobId high = lab.submit(of("high", 4));
  EXPECT_EQ(lab.state_of(low), JobState::kRunning);
  EXPECT_EQ(lab.state().run_of(lab.job(low)).expected_end, lab.now() + seconds(15));
  lab.wait(seconds(15));
  EXPECT_EQ(lab.state_of(low), JobState::kCompleting);
  lab.obey();
  EXPECT_EQ(lab.state_of(high), JobState::kRunning);
  EXPECT_EQ(lab.state_of(low), JobState::kPending);
}

TEST(Preemption, WhoLeavesDuringGraceIsTreatedAsItsPartitionSays) {
  Policy policy = small_policy();
  policy.preemption.type = PreemptType::kPartitionPriority;
  policy.preemption.mode = PreemptMode::kCancel;
  policy.partitions[0].preempt_mode = PreemptMode::kRequeue;
  policy.partitions[0].grace_time = seconds(60);
  Partition high = policy.partitions[0];
  high.name = "high";
  high.is_default = false;
  high.priority_tier = 2;
  policy.partitions.push_back(high);
  policy.scheduler.requeue_delay = minutes(2);
  Lab lab(policy);
  lab.submit(cpus(4));
  const JobId low = lab.submit(cpus(4));
  JobSpec spec = cpus(4);
  spec.min_nodes = 2;
  spec.partitions = {"high"};
  lab.submit(spec);
  lab.end(low);
  EXPECT_EQ(lab.state_of(low), JobState::kPending);
}

TEST(Preemption, AnExemptVictimIsTakenWhenItsTimeIsOver) {
  Policy policy = by_qos();
  policy.preemption.exempt_time = seconds(30);
  Lab lab(policy);
  lab.submit(of("normal", 4, "n2"));
  const JobId low = lab.submit(of("low", 4));
  lab.submit(of("high", 4));
  EXPECT_EQ(lab.state_of(low), JobState::kRunning);
  lab.wait(seconds(30));
  EXPECT_EQ(lab.state_of(low), JobState::kCompleting);
}

TEST(Preemption, InOnePartitionThatSharesNothingNobodyIsSuspended) {
  Policy policy = by_qos(PreemptMode::kSuspend);
  policy.preemption.gang = true;
  Lab lab(policy);
  lab.submit(of("low", 4));
  lab.submit(of("low", 4));
  EXPECT_EQ(lab.why(lab.submit(of("high", 4))), Rule::kResources);
}

TEST(Preemption, SuspendedJobsKeepTheirCpusForTheirEqualsAndRunOnAfterwards) {
  Policy policy = small_policy();
  Partition high = policy.partitions[0];
  high.name = "high";
  high.is_default = false;
  high.priority_tier = 10;
  policy.partitions.push_back(high);
  policy.preemption.type = PreemptType::kPartitionPriority;
  policy.preemption.mode = PreemptMode::kSuspend;
  policy.preemption.gang = true;
  Lab lab(policy);
  const JobId one = lab.submit(cpus(4));
  const JobId two = lab.submit(cpus(4));
  JobSpec spec = cpus(4);
  spec.partitions = {"high"};
  const JobId top = lab.submit(spec);
  EXPECT_EQ(lab.state_of(one), JobState::kSuspended);
  EXPECT_EQ(lab.node_of(top), lab.node_of(one));
  spec.cpus_per_task = 1;
  lab.submit(spec);
  EXPECT_EQ(lab.state_of(two), JobState::kSuspended);
  EXPECT_EQ(lab.why(lab.submit(cpus(1))), Rule::kResources);
  lab.end(top);
  EXPECT_EQ(lab.state_of(one), JobState::kRunning);
}

TEST(Preemption, RunMinutesOfASuspendedJobGoDownAsIfItRan) {
  Policy policy = small_policy();
  policy.priority.type = PriorityType::kMultifactor;
  policy.associations[1].group.tres_run_minutes.put(kTresCpu, 15);
  Lab lab(policy);
  const JobId first = lab.submit(cpus(1));  // Ten minutes.
  lab.give(SuspendJob{{first, {}}, kRoot});
  const JobId second = lab.submit(cpus(1));
  EXPECT_EQ(lab.why(second), Rule::kGrpTresRunMinutes);
  lab.pass(minutes(4));
  lab.give(Tick{});
  EXPECT_EQ(lab.state_of(second), JobState::kPending);
  lab.pass(minutes(6));
  lab.give(Tick{});
  EXPECT_EQ(lab.state_of(second), JobState::kRunning);
  EXPECT_EQ(lab.state_of(first), JobState::kSuspended);
}

}  // namespace
}  // namespace sluice
