// Admission: what is filled in, and what is refused with which words.
#include "policy/admission.h"

#include <gtest/gtest.h>

#include "policy/past_for_tests.h"
#include "policy/refusal.h"

namespace sluice {
namespace {

// Partition "all" of one node (4 CPUs, 1000 MB) by default, "big" of two with GPUs; accounts lab
// and team, ann of both.
class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() {
    Policy& p = policy();
    b_.node("g1", 16, 64'000).gpus = std::vector<Gpu>(4, Gpu{"a100", ""});
    b_.node("g2", 16, 64'000).gpus = std::vector<Gpu>(2, Gpu{"l4", ""});
    p.nodes[1].features = {"fast"};
    b_.partition("big", {NodeId(1), NodeId(2)});
    all().is_default = true;
    b_.qos("normal", 0).qos("high", 10);
    b_.account("lab", "root", 1).account("team", "root", 1);
    b_.user("ann", "lab", 1).user("ann", "team", 1).user("bob", "team", 1);
    p.associations[0].qos = {QosId(0)};
    p.users.emplace_back().name = "ann";
    p.users[0].default_account = "team";
    p.jobs.default_mem_per_cpu_mb = 100;
    spec_.user = "ann";
  }

  Policy& policy() { return b_.policy(); }
  Partition& all() { return policy().partitions[0]; }
  Partition& big() { return policy().partitions[1]; }
  Association& team() { return policy().associations[2]; }
  EnforcePartLimits& enforce() { return policy().jobs.enforce_part_limits; }

  Admission ask() {
    past_.emplace(policy());
    return admit(past_->state(), spec_, past_->now());
  }
  JobSpec accepted() {
    const Admission answer = ask();
    if (const auto* refused = std::get_if<Refusal>(&answer)) {
      ADD_FAILURE() << refused->message;
      return {};
    }
    return *std::get<0>(answer);
  }
  std::string refused() { return message(ask()); }
  static std::string message(const Admission& answer) {
    const auto* found = std::get_if<Refusal>(&answer);
    return found != nullptr ? found->message : "accepted";
  }
  Reason reason() { return std::get<Refusal>(ask()).reason; }

  PolicyBuilder b_;
  JobSpec spec_;
  std::optional<Past> past_;
};

TEST_F(AdmissionTest, FillsInWhatWasLeftOpen) {
  all().default_time = minutes(30);
  const JobSpec job = accepted();
  EXPECT_EQ(job.account, "team");
  EXPECT_EQ(job.qos, "normal");
  EXPECT_EQ(job.partitions, std::vector<std::string>{"all"});
  EXPECT_EQ(job.time_limit, minutes(30));
  EXPECT_EQ(job.memory, (MemoryRequest{MemoryPer::kCpu, 100}));
  EXPECT_EQ(job.name, "sbatch");
}

TEST_F(AdmissionTest, TakesTheTimeFromThePartitionsDefaultThenTheLimitsThenItsMost) {
  all().default_time = minutes(30);
  all().max_time = minutes(90);
  policy().qos[0].job.max_wall = minutes(120);
  EXPECT_EQ(accepted().time_limit, minutes(30));
  all().default_time.reset();
  EXPECT_EQ(accepted().time_limit, minutes(120));
  policy().qos[0].job.max_wall.reset();
  EXPECT_EQ(accepted().time_limit, minutes(90));
  all().max_time.reset();
  EXPECT_EQ(accepted().time_limit, std::nullopt);
}

TEST_F(AdmissionTest, TakesTheMemoryFromThePartitionThenTheClusterThenTheWholeNode) {
  all().default_mem_per_node_mb = 300;
  EXPECT_EQ(accepted().memory, (MemoryRequest{MemoryPer::kNode, 300}));
  all().default_mem_per_node_mb.reset();
  policy().jobs.default_mem_per_cpu_mb.reset();
  EXPECT_EQ(accepted().memory, (MemoryRequest{MemoryPer::kNode, 0}));
  policy().jobs.memory_is_consumable = false;
  EXPECT_EQ(accepted().memory, std::nullopt);
}

TEST_F(AdmissionTest, ChoosesTheQosOfTheAssociation) {
  team().qos = {QosId(1)};
  EXPECT_EQ(accepted().qos, "high") << "the only one allowed";
  team().qos = {QosId(0), QosId(1)};
  EXPECT_EQ(accepted().qos, "normal");
  team().default_qos = QosId(1);
  EXPECT_EQ(accepted().qos, "high");
}

TEST_F(AdmissionTest, RefusesUnknownAccountsAndUsers) {
  spec_.account = "nowhere";
  EXPECT_EQ(refused(), "Invalid account or account/partition combination specified");
  spec_.account.clear();
  spec_.user = "eve";
  EXPECT_EQ(refused(), "Invalid account or account/partition combination specified");
  policy().enforce.associations = false;
  EXPECT_EQ(refused(), "accepted");
}

TEST_F(AdmissionTest, RefusesUnknownAndForbiddenQos) {
  spec_.qos = "nothing";
  EXPECT_EQ(refused(), "Invalid qos specification");
  spec_.qos = "high";
  EXPECT_EQ(refused(), "Invalid qos specification");
  policy().enforce.qos = false;
  EXPECT_EQ(refused(), "accepted");
}

TEST_F(AdmissionTest, RefusesUnknownAndClosedPartitions) {
  spec_.partitions = {"all", "nowhere"};
  EXPECT_EQ(refused(), "Invalid partition name specified");
  spec_.partitions = {"all"};
  all().state = PartitionState::kDrain;
  EXPECT_EQ(refused(), "Required partition not available (inactive or drain)");
  all().state = PartitionState::kDown;
  EXPECT_EQ(refused(), "accepted");
  spec_.partitions.clear();
  all().is_default = false;
  EXPECT_EQ(refused(), "No partition specified or system default partition");
}

TEST_F(AdmissionTest, LooksAtGroupsWhateverEnforcePartLimitsSays) {
  all().allow_groups = {"wheel"};
  EXPECT_EQ(refused(), "User's group not permitted to use this partition");
}

TEST_F(AdmissionTest, HoldsPartitionLimitsAgainstASubmissionOnlyWhereEnforced) {
  all().max_time = minutes(5);
  spec_.time_limit = minutes(6);
  EXPECT_EQ(refused(), "accepted");
  enforce() = EnforcePartLimits::kAny;
  EXPECT_EQ(refused(), "Requested time limit is invalid (missing or exceeds some limit)");
  EXPECT_EQ(reason().limit, 300);
  EXPECT_EQ(reason().asked, 360);
  spec_.time_min = minutes(3);
  EXPECT_EQ(refused(), "Requested time limit is invalid (missing or exceeds some limit)");
  spec_.time_min.reset();
  spec_.time_limit.reset();
  spec_.min_nodes = 2;
  spec_.tasks = 2;
  EXPECT_EQ(refused(), "Node count specification invalid");
  enforce() = EnforcePartLimits::kNo;
  EXPECT_EQ(refused(), "accepted") << "waits with PartitionNodeLimit";
  spec_.min_nodes.reset();
  spec_.tasks = 5;
  EXPECT_EQ(refused(), "accepted") << "waits with PartitionConfig";
  enforce() = EnforcePartLimits::kAll;
  EXPECT_EQ(refused(), "More processors requested than permitted");
  spec_.tasks = 1;
  all().allow_accounts = {"lab"};
  EXPECT_EQ(refused(), "Invalid account or account/partition combination specified");
  all().allow_accounts.clear();
  all().deny_qos = {"normal"};
  EXPECT_EQ(refused(), "Invalid qos specification");
}

TEST_F(AdmissionTest, NeedsOneOfSeveralPartitionsOrAllAsEnforced) {
  using Names = std::vector<std::string>;
  all().max_time = minutes(5);
  spec_.time_limit = minutes(6);
  spec_.partitions = {"all", "big", "all"};
  EXPECT_EQ(accepted().partitions, (Names{"all", "big"}));
  enforce() = EnforcePartLimits::kAny;
  EXPECT_EQ(accepted().partitions, (Names{"all", "big"}));
  enforce() = EnforcePartLimits::kAll;
  EXPECT_EQ(refused(), "Requested time limit is invalid (missing or exceeds some limit)");
  big().allow_accounts = {"lab"};
  EXPECT_EQ(refused(), "Requested time limit is invalid (missing or exceeds some limit)");
  enforce() = EnforcePartLimits::kAny;
  EXPECT_EQ(refused(), "Invalid account or account/partition combination specified")
      << "the last objection";
  enforce() = EnforcePartLimits::kNo;
  EXPECT_EQ(accepted().partitions, (Names{"all", "big"}));
}

TEST_F(AdmissionTest, LeavesClosedAndForbiddenPartitionsOutOfSeveral) {
  spec_.partitions = {"all", "big"};
  all().state = PartitionState::kDrain;
  enforce() = EnforcePartLimits::kAll;
  EXPECT_EQ(accepted().partitions, std::vector<std::string>{"big"});
  all().state = PartitionState::kUp;
  all().allow_groups = {"wheel"};
  EXPECT_EQ(refused(), "User's group not permitted to use this partition");
  enforce() = EnforcePartLimits::kNo;
  EXPECT_EQ(accepted().partitions, std::vector<std::string>{"big"});
}

TEST_F(AdmissionTest, RaisesNodesToThePartitionsLeast) {
  big().min_nodes = 2;
  spec_.partitions = {"big"};
  EXPECT_EQ(accepted().min_nodes, 2);
  spec_.min_nodes = 2;
  spec_.max_nodes = 1;
  EXPECT_EQ(refused(), "Node count specification invalid");
}

TEST_F(AdmissionTest, GivesMoreCpusToMemoryBeyondMaxMemPerCpu) {
  policy().jobs.max_mem_per_cpu_mb = 100;
  spec_.memory = MemoryRequest{MemoryPer::kCpu, 250};
  EXPECT_EQ(accepted().cpus_per_task, 3);
  EXPECT_EQ(accepted().memory, (MemoryRequest{MemoryPer::kCpu, 84}));
  spec_.memory = MemoryRequest{MemoryPer::kNode, 350};
  EXPECT_EQ(accepted().cpus_per_task, 4);
  policy().jobs.max_mem_per_cpu_mb.reset();
  policy().jobs.max_mem_per_node_mb = 300;
  EXPECT_EQ(refused(), "accepted") << "waits with MaxMemPerLimit";
  enforce() = EnforcePartLimits::kAny;
  EXPECT_EQ(refused(), "Memory required by task is not available");
}

TEST_F(AdmissionTest, RefusesWhatNoNodeCouldEverHold) {
  const std::string no = "Requested node configuration is not available";
  spec_.partitions = {"big"};
  spec_.memory = MemoryRequest{MemoryPer::kNode, 64'001};
  EXPECT_EQ(refused(), no);
  spec_.memory = MemoryRequest{MemoryPer::kCpu, 4001};
  spec_.cpus_per_task = 16;
  EXPECT_EQ(refused(), no);
  spec_.memory.reset();
  spec_.cpus_per_task = 17;
  EXPECT_EQ(refused(), no);
  spec_.cpus_per_task = 1;
  spec_.gpus = {GpuRequest{GpusPer::kNode, "", 5}};
  EXPECT_EQ(refused(), no);
  spec_.gpus = {GpuRequest{GpusPer::kNode, "l4", 2}};
  EXPECT_EQ(refused(), "accepted");
  spec_.gpus = {GpuRequest{GpusPer::kNode, "h100", 1}};
  EXPECT_EQ(refused(), no);
  spec_.gpus = {GpuRequest{GpusPer::kJob, "", 6}};
  EXPECT_EQ(refused(), "accepted");
  spec_.gpus = {GpuRequest{GpusPer::kJob, "", 7}};
  EXPECT_EQ(refused(), no);
  spec_.gpus.clear();
  spec_.constraint.any_of = {{"fast"}};
  EXPECT_EQ(refused(), "accepted");
  spec_.min_nodes = 2;
  EXPECT_EQ(refused(), no) << "only one node is fast";
  spec_.min_nodes.reset();
  spec_.constraint.any_of = {{"blue"}};
  EXPECT_EQ(refused(), "Invalid feature specification");
}

TEST_F(AdmissionTest, AcceptsWhatANodeThatIsDownCouldHold) {
  past_.emplace(policy());
  past_->apply(NodeChanged{NodeId(0), NodeState::kDown, "broken"});
  EXPECT_EQ(message(admit(past_->state(), spec_, past_->now())), "accepted");
}

TEST_F(AdmissionTest, KnowsItsNodes) {
  spec_.require_nodes = {"nobody"};
  EXPECT_EQ(refused(), "Invalid node name specified");
  spec_.require_nodes = {"g1"};
  EXPECT_EQ(refused(), "Requested node configuration is not available");
  enforce() = EnforcePartLimits::kAny;
  EXPECT_EQ(refused(), "Requested nodes not in this partition");
  spec_.partitions = {"big"};
  EXPECT_EQ(refused(), "accepted");
  spec_.exclude_nodes = {"g1"};
  EXPECT_EQ(refused(), "Invalid node name specified");
}

TEST_F(AdmissionTest, KnowsItsLicensesAndGpus) {
  policy().licenses = {License{"matlab", 2}};
  spec_.licenses = {LicenseRequest{"matlab", 2}};
  EXPECT_EQ(refused(), "accepted");
  spec_.licenses[0].count = 3;
  EXPECT_EQ(refused(), "Invalid license specification");
  spec_.licenses[0] = LicenseRequest{"maple", 1};
  EXPECT_EQ(refused(), "Invalid license specification");
  spec_.licenses.clear();
  for (Node& node : policy().nodes) node.gpus.clear();
  spec_.gpus = {GpuRequest{GpusPer::kNode, "", 1}};
  EXPECT_EQ(refused(), "Invalid generic resource (gres) specification");
}

TEST_F(AdmissionTest, BoundsTheIndexOfAnArrayNotItsSize) {
  policy().jobs.max_array_size = 100;
  spec_.array.emplace();
  EXPECT_EQ(refused(), "Invalid job array specification") << "an array of no tasks";
  spec_.array->indices.insert(99);
  EXPECT_EQ(refused(), "accepted");
  spec_.array->indices.insert(100);
  EXPECT_EQ(refused(), "Invalid job array specification");
}

TEST_F(AdmissionTest, CountsTheTasksOfAnArray) {
  policy().qos[0].user.max_submit_jobs = 3;
  spec_.array.emplace();
  spec_.array->indices.insert_range(0, 3);
  EXPECT_EQ(
      refused(),
      "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)");
  EXPECT_EQ(slurm_word(reason(), policy().tres), "QOSMaxSubmitJobPerUserLimit");
}

TEST_F(AdmissionTest, DoesNotWaitForJobsThatAreGone) {
  spec_.dependencies.terms = {Dependency{DependencyType::kAfterOk, JobId(77), {}, {}},
                              Dependency{DependencyType::kSingleton, {}, {}, {}}};
  EXPECT_EQ(accepted().dependencies.terms.size(), 1u);
  spec_.dependencies.any = true;
  EXPECT_TRUE(accepted().dependencies.terms.empty()) << "one of them suffices";
}

TEST_F(AdmissionTest, TakesPrioritiesFromOperatorsOnly) {
  spec_.priority = 0;
  EXPECT_FALSE(accepted().hold);
  spec_.priority = 500;
  EXPECT_EQ(accepted().priority, std::nullopt);
  spec_.nice = -10;
  EXPECT_EQ(refused(), "Invalid --nice value");
  policy().users[0].admin_level = AdminLevel::kOperator;
  EXPECT_EQ(accepted().priority, 500);
  EXPECT_EQ(accepted().nice, -10);
}

TEST_F(AdmissionTest, RefusesADeadlineThatHasPassed) {
  spec_.time_limit = minutes(10);
  spec_.deadline = instant_at(minutes(9));
  EXPECT_EQ(refused(), "accepted");
  spec_.deadline = instant_at(minutes(0));
  EXPECT_EQ(refused(), "Requested time limit is invalid (missing or exceeds some limit)");
  spec_.deadline.reset();
  spec_.time_min = minutes(11);
  EXPECT_EQ(refused(), "Invalid time-min specification (exceeds job's time or other limits)");
}

TEST_F(AdmissionTest, ChecksAChangeWithoutCountingTheJobTwice) {
  policy().qos[0].group.submit_jobs = 1;
  policy().associations[1].max_submit_jobs = 0;
  const JobSpec before = accepted();
  const Job& job = past_->state().job(past_->submit(before));
  JobSpec after = before;
  after.time_limit = minutes(20);
  const auto change = [&] {
    return message(admit_change(past_->state(), job, after, past_->now()));
  };
  EXPECT_EQ(change(), "accepted");
  after.account = "lab";
  EXPECT_EQ(change(), refusal::kLimits);
  after.account = "nowhere";
  EXPECT_EQ(change(), refusal::kAccount);
  after = before;
  after.qos = "high";
  EXPECT_EQ(change(), refusal::kQos);
  after = before;
  after.memory = MemoryRequest{MemoryPer::kNode, 1'000'000};
  EXPECT_EQ(change(), "accepted") << "it waits until somebody changes it again";
  after.priority = 0;
  EXPECT_TRUE(std::get<0>(admit_change(past_->state(), job, after, past_->now()))->hold);
  after = before;
  after.dependencies.terms = {Dependency{DependencyType::kAfterAny, job.id, {}, {}}};
  EXPECT_EQ(change(), refusal::kDependency);
}

}  // namespace
}  // namespace sluice
