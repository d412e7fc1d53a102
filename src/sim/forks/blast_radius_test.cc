// What a change of policy does to a queue that is there already.
#include "sim/forks/blast_radius.h"

#include <gtest/gtest.h>

#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

const std::string kNodes = "nodes: [{name: \"n[1-2]\", cpus: 4, memory: 8G}]\n";

std::shared_ptr<const Policy> policy_of(const std::string& text) {
  auto policy = read_policy(kNodes + text, "policy.yaml");
  EXPECT_TRUE(policy) << policy.error().text();
  return std::make_shared<const Policy>(policy ? *policy : Policy{});
}

QueuedJob job(const std::string& id, const std::string& user, std::int32_t cpus,
              const std::string& qos = "normal") {
  QueuedJob out;
  out.id = id;
  out.request.name = "job";
  out.request.user = user;
  out.request.account = "a";
  out.request.qos = qos;
  out.request.partitions = {"main"};
  out.request.tasks = cpus;
  out.request.cpus_per_task = 1;
  out.request.min_nodes = out.request.max_nodes = 1;
  out.request.time_limit = minutes(60);
  out.submitted = instant_at(seconds(1000));
  return out;
}

QueuedJob running(QueuedJob job, const std::string& node) {
  job.state = JobState::kRunning;
  job.started = instant_at(seconds(1100));
  job.shares = {{node, job.request.tasks.value(), 0, {}}};
  return job;
}

std::vector<std::string> effects(const std::string& before, const std::string& after,
                                 const std::vector<QueuedJob>& jobs) {
  std::vector<std::string> out;
  for (const JobEffect& effect :
       blast_radius(policy_of(before), policy_of(after), jobs, instant_at(seconds(2000))))
    out.push_back(effect.job + " " + std::string(effect_word(effect.effect)) + ": " + effect.text);
  return out;
}

using Lines = std::vector<std::string>;
const std::string kPeople =
    "accounts: {a: {users: [ann, bob]}}\njobs: {memory_is_consumable: no}\n";

TEST(BlastRadius, IsNothingWhereNothingChanges) {
  EXPECT_EQ(effects(kPeople, kPeople, {running(job("1", "ann", 4), "n1"), job("2", "bob", 8)}),
            Lines{});
}

TEST(BlastRadius, NamesWhomANewLimitBlocks) {
  EXPECT_EQ(effects(kPeople, kPeople + "qos: {normal: {GrpTRES: cpu=4}}\n",
                    {running(job("1", "ann", 4), "n1"), job("2", "bob", 2)}),
            Lines{"2 (job, bob) blocked: QOSGrpCpuLimit (GrpTRES cpu of qos normal is 4, 4 used, "
                  "it asks for 2)"});
}

TEST(BlastRadius, NamesWhomALimitNoLongerStops) {
  EXPECT_EQ(effects(kPeople + "qos: {normal: {GrpTRES: cpu=4}}\n", kPeople,
                    {running(job("1", "ann", 4), "n1"), job("2", "bob", 2)}),
            Lines{"2 (job, bob) freed: waits no longer for QOSGrpCpuLimit, starts at once"});
}

TEST(BlastRadius, NamesTheJobsOfAUserWhoGoes) {
  EXPECT_EQ(effects(kPeople, "accounts: {a: {users: [ann]}}\njobs: {memory_is_consumable: no}\n",
                    {running(job("1", "bob", 4), "n1"), job("2", "ann", 2)}),
            Lines{"1 (job, bob) ends: bob is no longer in account a"});
}

TEST(BlastRadius, NamesWhoIsPushedOut) {
  const std::string qos =
      "accounts: {a: {qos: [normal, high], users: [ann, bob]}}\n"
      "jobs: {memory_is_consumable: no}\n";
  const std::vector<QueuedJob> jobs = {running(job("1", "bob", 4), "n1"),
                                       running(job("2", "bob", 4), "n2"),
                                       job("3", "ann", 4, "high")};
  const Lines seen = effects(
      qos + "qos: {high: {}}\n",
      qos +
          "qos: {high: {Preempt: normal, Priority: 10}}\npreemption: {type: qos, mode: requeue}\n",
      jobs);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_NE(seen.front().find("preempted: makes room for 3 (job, ann)"), std::string::npos);
}

TEST(BlastRadius, NamesThePlaceInTheQueue) {
  const std::string qos =
      "accounts: {a: {qos: [normal, high], users: [ann, bob]}}\n"
      "jobs: {memory_is_consumable: no}\npriority: {weight_qos: 1000}\n";
  const std::vector<QueuedJob> jobs = {running(job("1", "bob", 4), "n1"),
                                       running(job("2", "bob", 4), "n2"), job("3", "ann", 4),
                                       job("4", "bob", 4, "high")};
  EXPECT_EQ(effects(qos + "qos: {high: {}}\n", qos + "qos: {high: {Priority: 10}}\n", jobs),
            (Lines{"3 (job, ann) moved: place 2 in the queue, was 1 (priority 1, was 1)",
                   "4 (job, bob) moved: place 1 in the queue, was 2 (priority 1000, was 1)"}));
}

}  // namespace
}  // namespace sluice
