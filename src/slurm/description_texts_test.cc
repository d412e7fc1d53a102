// A cluster of two accounts as Slurm 22.05.8 printed it: clive filled by a neighbour, maigan free.
#include "slurm/description_texts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cluster/task_need.h"
#include "slurm/accounting_rows.h"
#include "slurm/held_jobs.h"
#include "slurm/live_nodes.h"
#include "slurm/my_jobs.h"
#include "slurm/observation.h"
#include "slurm/submit_command.h"

namespace sluice {
namespace {

std::string recording(const std::string& name) {
  std::ifstream file("tests/recordings/pools/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name << " is missing: run the tests in the repository";
  return text.str();
}

DescriptionTexts recorded_texts() {
  return {recording("config"), recording("assoc_mgr"), recording("partitions"),  recording("nodes"),
          recording("queue"),  recording("qos"),       recording("assoc-alice"), {}};
}

TEST(DescriptionTexts, ReadsLimitsAndWhatStandsAgainstThem) {
  const Description seen = read_description(recorded_texts(), "alice");
  EXPECT_TRUE(seen.unseen.empty());
  EXPECT_EQ(seen.capabilities.software, "slurm 22.05.8");
  EXPECT_EQ(seen.capabilities.max_array_size, 1001U);
  const auto clive = seen.policy->find_qos("clive");
  ASSERT_TRUE(clive);
  const Qos& qos = seen.policy->qos[clive->index()];
  EXPECT_EQ(qos.group.tres.get(kTresMem), 320000);
  EXPECT_EQ(qos.group.tres.get(kTresCpu), 40);
  EXPECT_EQ(qos.group.tres.get(kTresGpu), 1);
  EXPECT_EQ(qos.group.tres.get(kTresNode), std::nullopt);
  EXPECT_EQ(seen.qos[clive->index()].tres[kTresMem], 262144);
  EXPECT_EQ(seen.qos[clive->index()].jobs, 1);
  EXPECT_EQ(seen.qos[clive->index()].submitted, 5);
  bool drew = false;
  for (const HolderUse& use : seen.users)
    if (use.qos == *clive && use.holder == "drew") drew = use.use.tres[kTresMem] == 262144;
  EXPECT_TRUE(drew);
}

TEST(DescriptionTexts, ReadsReservations) {
  DescriptionTexts texts = recorded_texts();
  const Description before = read_description(texts, "alice");
  EXPECT_TRUE(before.kept.empty());
  const std::string node = before.policy->nodes[0].name;
  texts.reservations =
      "ReservationName=r1 StartTime=1794842563 EndTime=1794846163 "
      "Duration=01:00:00 Nodes=" +
      node +
      " NodeCnt=1 CoreCnt=2 Features=(null) PartitionName=(null) "
      "Flags=MAINT,SPEC_NODES TRES=cpu=4 Users=root Groups=(null)\n"
      "ReservationName=lic StartTime=1794842563 EndTime=1794846163 "
      "Duration=01:00:00 Nodes=(null) NodeCnt=0 CoreCnt=0\n";
  const Description seen = read_description(texts, "alice");
  ASSERT_EQ(seen.kept.size(), 1U);
  EXPECT_EQ(seen.kept[0].reservation, "r1");
  EXPECT_EQ(seen.kept[0].nodes, std::vector<NodeId>{NodeId(0)});
  EXPECT_EQ(seen.kept[0].cpus, 2);
  EXPECT_EQ(seen.kept[0].end - seen.kept[0].start, minutes(60));
  texts.reservations = "No reservations in the system\n";
  EXPECT_TRUE(read_description(texts, "alice").kept.empty());
}

TEST(DescriptionTexts, ReadsTheTreeAndWhichQosMayBeUsed) {
  const Description seen = read_description(recorded_texts(), "alice");
  const Policy& policy = *seen.policy;
  const auto alice = policy.find_association("maigan", "alice", "");
  ASSERT_TRUE(alice);
  EXPECT_EQ(policy.associations[alice->index()].parent, policy.find_account("maigan"));
  EXPECT_EQ(policy.allowed_qos(*alice), std::vector<QosId>{*policy.find_qos("maigan")});
  EXPECT_EQ(policy.default_qos(*alice), policy.find_qos("maigan"));
  EXPECT_EQ(seen.associations[alice->index()].jobs, 1);
  const auto brusko = policy.find_association("brusko", "alice", "");
  ASSERT_TRUE(brusko);
  EXPECT_EQ(policy.default_qos(*brusko), policy.find_qos("normal"));
}

TEST(DescriptionTexts, ReadsNodesPartitionsAndWhoHoldsWhat) {
  const Description seen = read_description(recorded_texts(), "alice");
  const auto g1 = seen.policy->find_node("g1");
  ASSERT_TRUE(g1);
  EXPECT_EQ(seen.nodes[g1->index()].free_cpus, 124);
  EXPECT_EQ(seen.nodes[g1->index()].free_memory_mb, 998900);
  EXPECT_EQ(seen.nodes[g1->index()].free_gpus.size(), 2U);
  EXPECT_EQ(seen.nodes[g1->index()].free_gpus.front().type, "b200");
  ASSERT_EQ(seen.policy->partitions.size(), 2U);
  EXPECT_EQ(seen.policy->partitions[0].nodes.size(), 2U);
  EXPECT_TRUE(seen.policy->partitions[1].is_default);
  EXPECT_EQ(seen.policy->partitions[1].default_time, minutes(10));
  ASSERT_EQ(seen.jobs.size(), 5U);
  const HeldJob& gpu = seen.jobs[0];  // Asked for with --gpus.
  EXPECT_EQ(gpu.user, "drew");
  EXPECT_EQ(gpu.tres[kTresGpu], 1);
  EXPECT_EQ(gpu.nodes, std::vector<std::string>{"g1"});
  ASSERT_TRUE(gpu.ends_by);
  const HeldJob& waiting = seen.jobs[3];
  EXPECT_EQ(waiting.tasks, 8U);  // 1-50:7%2
  EXPECT_EQ(waiting.reason, "JobHeldUser");
  EXPECT_EQ(seen.jobs[2].tres[kTresMem], 128000);
}

TEST(DescriptionTexts, ReadsWhatAPartitionBills) {
  DescriptionTexts texts = recorded_texts();
  texts.partitions +=
      "\nPartitionName=billed Default=NO MaxTime=UNLIMITED State=UP "
      "TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0\n";
  const Description seen = read_description(texts, "alice");
  const Policy& policy = *seen.policy;
  const auto billed = policy.find_partition("billed");
  ASSERT_TRUE(billed);
  EXPECT_EQ(
      policy.partitions[billed->index()].billing_weights,
      (TresWeights{{kTresCpu, 1'000'000, 1}, {kTresMem, 250'000, 1024}, {kTresGpu, 2'000'000, 1}}));
  TaskNeed need;
  need.cpus = 8;
  need.memory_mb = 32 * 1024;
  EXPECT_EQ(need.billed(policy, billed)[kTresBilling], 16);
}

TEST(DescriptionTexts, DoesWithoutTheDatabase) {
  DescriptionTexts texts = recorded_texts();
  texts.qos_table.reset();
  texts.assoc_table.reset();
  const Description seen = read_description(texts, "alice");
  EXPECT_EQ(seen.unseen.size(), 2U);
  EXPECT_EQ(seen.qos[seen.policy->find_qos("clive")->index()].tres[kTresMem], 262144);
}

TEST(DescriptionTexts, SumsUpJobsWhereTheSiteHidesLimits) {
  DescriptionTexts texts = recorded_texts();
  texts.assoc_mgr = "Current Association Manager state\n";
  const Description seen = read_description(texts, "alice");
  ASSERT_EQ(seen.unseen.size(), 1U);
  const auto clive = seen.policy->find_qos("clive");
  ASSERT_TRUE(clive);
  EXPECT_EQ(seen.qos[clive->index()].tres[kTresMem], 262144);
  EXPECT_EQ(seen.qos[clive->index()].submitted, 5);
}

TEST(DescriptionTexts, CutOffAnywhereIsReadWithoutHarm) {
  const DescriptionTexts whole = recorded_texts();
  for (std::size_t cut = 0; cut < whole.assoc_mgr.size(); cut += 97) {
    DescriptionTexts texts = whole;
    texts.assoc_mgr.resize(cut);
    texts.nodes.resize(std::min(cut, texts.nodes.size()));
    texts.queue.resize(std::min(cut, texts.queue.size()));
    const Description seen = read_description(texts, "alice");
    EXPECT_EQ(seen.associations.size(), seen.policy->associations.size());
    EXPECT_EQ(seen.qos.size(), seen.policy->qos.size());
  }
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(DescriptionTexts, ReadsWhatPartitionsSetBeside) {
  DescriptionTexts texts = recorded_texts();
  EXPECT_FALSE(read_description(texts, "alice").partition_rules.at(0).root_only);
  texts.partitions = with(texts.partitions, "RootOnly=NO ReqResv=NO OverSubscribe=NO",
                          "RootOnly=YES ReqResv=YES OverSubscribe=FORCE:2");
  texts.partitions =
      with(texts.partitions, "JobDefaults=(null)", "JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=500");
  const Description seen = read_description(texts, "alice");
  const PartitionRules& rules = seen.partition_rules.at(0);
  EXPECT_TRUE(rules.root_only);
  EXPECT_TRUE(rules.needs_reservation);
  EXPECT_EQ(seen.policy->partitions[0].with_gpu, (WithGpu{2, 500}));
  EXPECT_EQ(seen.policy->partitions[0].oversubscribe, OverSubscribe::kForce);
  EXPECT_EQ(seen.policy->partitions[0].oversubscribe_jobs, 2);
}

TEST(DescriptionTexts, NodesInMaintenanceAreForTheJobsOfTheirReservation) {
  DescriptionTexts texts = recorded_texts();
  texts.nodes = with(texts.nodes, "State=MIXED", "State=MIXED+MAINTENANCE+RESERVED");
  const Description alone = read_description(texts, "alice");
  std::size_t node = 0;
  while (node < alone.nodes.size() && alone.nodes[node].usable) ++node;
  ASSERT_LT(node, alone.nodes.size()) << "without a reservation that is seen it is not usable";
  texts.reservations =
      "ReservationName=r1 StartTime=1794842563 EndTime=1794846163 Nodes=" +
      alone.policy->nodes[node].name +
      " NodeCnt=1 CoreCnt=1 Flags=MAINT,SPEC_NODES Users=alice,bob Accounts=clive\n";
  const Description seen = read_description(texts, "alice");
  EXPECT_TRUE(seen.nodes[node].usable);
  EXPECT_EQ(seen.kept.at(0).terms.users, (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(seen.kept.at(0).terms.accounts, std::vector<std::string>{"clive"});
  EXPECT_TRUE(seen.kept.at(0).terms.flags.maint);
}

// Such a job asks for no end, and a limit refuses it; without a DefaultTime it gets what limits
// allow.
TEST(DescriptionTexts, ADefaultTimeWithoutEndIsALimitOfItsOwn) {
  DescriptionTexts texts = recorded_texts();
  const auto partition_of = [&](const Description& seen) {
    return seen.policy->partitions[seen.policy->find_partition("hpg-default")->index()];
  };
  EXPECT_EQ(partition_of(read_description(texts, "alice")).default_time, minutes(10));
  const std::string known = "DefaultTime=00:10:00";
  texts.partitions.replace(texts.partitions.find(known), known.size(), "DefaultTime=UNLIMITED");
  EXPECT_EQ(partition_of(read_description(texts, "alice")).default_time,
            std::chrono::hours(24 * 365));
}

TEST(DescriptionTexts, ReadsLicenses) {
  DescriptionTexts texts = recorded_texts();
  texts.licenses =
      "LicenseName=matlab Total=5 Used=2 Free=2 Reserved=1 Remote=no\n"
      "LicenseName=comsol@server Total=3 Used=0 Free=3 Reserved=0 Remote=yes\n";
  const Description seen = read_description(texts, "alice");
  EXPECT_EQ(seen.policy->licenses, (std::vector<License>{{"matlab", 5}, {"comsol@server", 3}}));
  EXPECT_EQ(seen.licenses_taken, (std::vector<std::int64_t>{3, 0}));
}

TEST(DescriptionTexts, LimitFactorIsTheLastColumnOfAQos) {
  DescriptionTexts texts = recorded_texts();
  const Description before = read_description(texts, "alice");
  const auto clive = before.policy->find_qos("clive");
  EXPECT_FALSE(before.policy->qos.at(clive->index()).limit_factor_millionths);
  std::string table;
  std::istringstream lines(*texts.qos_table);
  for (std::string line; std::getline(lines, line);)
    table += line + (line.starts_with("clive|") ? "|1.500000" : "|") + "\n";
  texts.qos_table = table;
  const auto read = read_description(texts, "alice").policy;
  EXPECT_EQ(read->qos.at(clive->index()).limit_factor_millionths, 1'500'000);
}

TEST(LiveNodes, KnowsWhereJobsMayStart) {
  EXPECT_TRUE(is_usable_state("IDLE"));
  EXPECT_TRUE(is_usable_state("MIXED+PLANNED"));
  EXPECT_TRUE(is_usable_state("IDLE+CLOUD+POWERED_DOWN"));
  EXPECT_FALSE(is_usable_state("IDLE+DRAIN"));
  EXPECT_FALSE(is_usable_state("DOWN*"));
  EXPECT_FALSE(is_usable_state("IDLE*"));
}

TEST(MyJobs, ACommentMayHoldNewlinesAndBars) {
  const MyJobs mine = parse_my_jobs(recording("mine"));
  EXPECT_EQ(mine.unreadable, 0U);
  std::size_t carrying = 0;
  for (const MyJob& job : mine.jobs)
    if (carries(job.comment, "k7")) {
      ++carrying;
      EXPECT_EQ(job.comment, "sluice:k7 four\nlines|x");
      EXPECT_EQ(job.job, JobId(14));
      EXPECT_EQ(job.seen.reason, "QOSGrpMemLimit");
    }
  EXPECT_EQ(carrying, 4U);
  EXPECT_FALSE(carries("sluice:k77", "k7"));
}

TEST(AccountedTasks, FoldsStepsAndExpandsWhatWaits) {
  const auto tasks = parse_accounted_tasks(recording("sacct"));
  std::size_t waiting = 0;
  for (const AccountedTask& task : tasks) {
    if (task.job == JobId(14)) {
      ++waiting;
      EXPECT_EQ(task.seen.state, JobState::kPending);
    }
    if (task.job == JobId(8) && task.seen.task == 1U) {
      EXPECT_EQ(task.seen.state, JobState::kFailed);
      EXPECT_EQ(task.seen.exit_code, 3);
      EXPECT_EQ(task.seen.max_rss_kb, 2972);
    }
  }
  EXPECT_EQ(waiting, 4U);
}

// sacct that is cut off, or that knows less than it will, never makes a task fail that has not.
TEST(AccountedTasks, CutOffAnywhereNothingIsWrong) {
  const std::string whole = recording("sacct");
  const auto all = parse_accounted_tasks(whole);
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    for (const AccountedTask& task : parse_accounted_tasks(whole.substr(0, cut))) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const AccountedTask& other) {
        return other.job == task.job && other.seen.task == task.seen.task;
      });
      ASSERT_NE(same, all.end()) << cut;
      EXPECT_EQ(same->seen.state, task.seen.state) << cut;
      EXPECT_EQ(same->seen.exit_code, task.seen.exit_code) << cut;
    }
}

TEST(SubmitLines, FindsAKeyInTheLineThatSubmitted) {
  std::size_t found = 0;
  for (const SubmitLine& line : parse_submit_lines(recording("submit-lines")))
    if (carries(line.line, "k7")) {
      ++found;
      EXPECT_EQ(line.job.job, JobId(14));
    }
  EXPECT_EQ(found, 1U);
}

TEST(Observation, TasksThatWereCancelledAtOnceAreCancelledBeforeTheAccountingSaysSo) {
  const auto task = [](std::optional<std::uint32_t> index, JobState state) {
    SeenTask out;
    out.task = index;
    out.state = state;
    return out;
  };
  std::vector<AccountedTask> accounted(3);
  for (AccountedTask& row : accounted) row.job = JobId(7);
  accounted[0].seen = task(0, JobState::kCompleted);
  accounted[1].seen = task(1, JobState::kPending);
  accounted[2].seen = task(2, JobState::kPending);
  std::vector<MyJob> queue(1);
  queue[0].job = JobId(7);
  queue[0].seen = task(std::nullopt, JobState::kCancelled);
  const auto states = [&](const RemoteRef& ref) {
    std::vector<JobState> out;
    for (const SeenTask& seen : put_together(ref, queue, accounted)) out.push_back(seen.state);
    return out;
  };
  EXPECT_EQ(states({{JobId(7), Instant{}}, std::nullopt}),
            (std::vector{JobState::kCompleted, JobState::kCancelled, JobState::kCancelled}));
  EXPECT_EQ(states({{JobId(7), Instant{}}, 2}), std::vector{JobState::kCancelled});
  // Where the accounting has forgotten them, or does not answer, the queue's row stands for them.
  accounted.resize(1);
  EXPECT_EQ(states({{JobId(7), Instant{}}, std::nullopt}),
            (std::vector{JobState::kCancelled, JobState::kCompleted}));
}

TEST(Observation, TheQueueComesBeforeTheAccounting) {
  const MyJobs mine = parse_my_jobs(recording("mine"));
  const auto accounted = parse_accounted_tasks(recording("sacct"));
  const RemoteRef array{{JobId(18), Instant{}}, std::nullopt};
  const auto tasks = put_together(array, mine.jobs, accounted);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[1].exit_code, 2);
  // The accounting knows nothing yet: what the queue says counts.
  const auto early = put_together(array, mine.jobs, {});
  ASSERT_EQ(early.size(), 2U);
  EXPECT_EQ(early[1].exit_code, 2);
  // Another job had this number before.
  const RemoteRef later{{JobId(18), instant_at(seconds(1'900'000'000))}, std::nullopt};
  EXPECT_TRUE(put_together(later, mine.jobs, accounted).empty());
  // Not seen anywhere is not failed.
  EXPECT_TRUE(put_together({{JobId(99), Instant{}}, std::nullopt}, mine.jobs, accounted).empty());
}

}  // namespace
}  // namespace sluice
