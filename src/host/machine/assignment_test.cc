#include "host/machine/assignment.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "host/keeper/job_environment.h"
#include "text/output_pattern.h"

namespace sluice {
namespace {

using Variables = std::map<std::string, std::string>;

Variables variables_in(const std::string& block) {
  Variables found;
  for (std::size_t at = 0; at < block.size();) {
    const std::string entry = block.c_str() + at;
    const std::size_t equals = entry.find('=');
    EXPECT_NE(equals, std::string::npos) << entry;
    EXPECT_TRUE(found.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second)
        << entry << " is there twice";
    at += entry.size() + 1;
  }
  return found;
}

Variables recorded(const std::string& name) {
  std::ifstream file("tests/recordings/environment/env-" + name + ".stdout");
  EXPECT_TRUE(file) << name << ": run the test in the top folder of the repository";
  Variables found;
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    found[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return found;
}

// The cluster of tests/slurm/record.
class AssignmentTest : public testing::Test {
 protected:
  AssignmentTest() {
    policy_.cluster = "lab";
    for (const char* name : {"c1", "c2"}) {
      Node node;
      node.name = name;
      node.cpus = 4;
      node.memory_mb = 4000;
      policy_.nodes.push_back(node);
    }
    Node node;
    node.name = "g1";
    node.cpus = 8;
    node.memory_mb = 16000;
    node.gpus = {Gpu{"a100", "/dev/labgpu0"}, Gpu{"a100", "/dev/labgpu1"}};
    policy_.nodes.push_back(node);
    Partition partition;
    partition.name = "main";
    partition.default_mem_per_cpu_mb = 100;
    policy_.partitions.push_back(partition);
    identity_ = Identity{"ada", "ada", 1009, 1009, {1009}, "/home/ada", "/bin/bash"};
    request_.user = "ada";
    request_.launch.working_directory = "/work";
  }

  Assignment assignment() {
    RunFacts facts{run_,
                   request_,
                   policy_,
                   allocation_,
                   PartitionId(0),
                   "physics",
                   "normal",
                   array_,
                   restarts_,
                   false,
                   identities_.empty() ? nullptr : &identities_};
    return assignment_of(facts, identity_);
  }
  Variables environment() { return variables_in(assignment().environment); }

  // Everything that slurmd sets must be there with its value; what depends on the machine, the
  // controller's address or the caller's shell is left out.
  void expect_as_recorded(const std::string& name) {
    static const std::set<std::string> others{
        "SLURM_CONF",       "SLURM_WORKING_CLUSTER", "SLURM_GET_USER_ENV", "SLURM_EXPORT_ENV",
        "SLURM_SUBMIT_DIR", "SLURM_SUBMIT_HOST",     "SLURM_PRIO_PROCESS", "SLURM_DISTRIBUTION",
        "SLURM_TASK_PID",   "SLURM_JOB_UID",         "SLURM_JOB_GID"};
    const Variables real = recorded(name);
    const Variables ours = environment();
    const auto comparable = [&](const std::string& variable) {
      return !others.contains(variable) &&
             (variable.starts_with("SLURM") || variable.ends_with("_VISIBLE_DEVICES") ||
              variable == "GPU_DEVICE_ORDINAL" || variable == "ZE_AFFINITY_MASK" ||
              variable == "ENVIRONMENT" || variable == "HOSTNAME" || variable == "USER" ||
              variable == "LOGNAME" || variable == "SHELL" || variable == "TMPDIR");
    };
    for (const auto& [variable, value] : real) {
      if (!comparable(variable)) continue;
      const auto found = ours.find(variable);
      ASSERT_NE(found, ours.end()) << name << ": " << variable << "=" << value << " is missing";
      EXPECT_EQ(found->second, value) << name << ": " << variable;
    }
    for (const auto& [variable, value] : ours) {
      if (comparable(variable)) {
        EXPECT_TRUE(real.contains(variable)) << name << ": " << variable << "=" << value;
      }
    }
  }
  void on(std::uint32_t node, std::int32_t cpus, std::int64_t memory, std::uint64_t gpus = 0) {
    NodeShare share;
    share.node = NodeId(node);
    share.cpus = cpus;
    share.memory_mb = memory;
    share.gpus = gpus;
    allocation_.add(share);
  }

  Policy policy_;
  Identity identity_;
  JobSpec request_;
  RunKey run_{JobId(1), 1};
  Allocation allocation_;
  std::optional<ArrayFacts> array_;
  std::uint32_t restarts_ = 0;
  std::map<std::string, std::string> identities_;
};

TEST_F(AssignmentTest, OneJobHasSlurmdsVariables) {
  request_.name = "single";
  request_.cpus_per_task = 2;
  request_.memory = MemoryRequest{MemoryPer::kNode, 300};
  on(0, 2, 300);
  expect_as_recorded("single");
}

TEST_F(AssignmentTest, AJobThatAsksForNothingHasSlurmdsVariables) {
  request_.name = "plain";
  run_.job = JobId(2);
  on(1, 1, 100);
  expect_as_recorded("plain");
}

TEST_F(AssignmentTest, AnArrayTaskHasSlurmdsVariables) {
  request_.name = "array";
  request_.memory = MemoryRequest{MemoryPer::kCpu, 50};
  IndexSet tasks;
  tasks.insert_range(3, 11, 4);
  const Variables real = recorded("array.3");
  run_.job = JobId(static_cast<std::uint32_t>(std::stoul(real.at("SLURM_JOB_ID"))));
  array_ = array_facts(JobId(3), 3, tasks);
  on(real.at("SLURMD_NODENAME") == "c1" ? 0 : 1, 1, 50);
  expect_as_recorded("array.3");
}

TEST_F(AssignmentTest, GpusHaveSlurmdsVariables) {
  request_.name = "gpus";
  request_.tasks = 2;
  request_.gpus = {GpuRequest{GpusPer::kNode, "a100", 2}};
  run_.job = JobId(4);
  on(2, 2, 200, 0b11);
  expect_as_recorded("gpus");
}

TEST_F(AssignmentTest, GpusOfTheWholeJobHaveSlurmdsVariables) {
  request_.name = "gpus-flag";
  request_.cpus_per_gpu = 2;
  request_.memory = MemoryRequest{MemoryPer::kGpu, 64};
  request_.gpus = {GpuRequest{GpusPer::kJob, "", 1}};
  run_.job = JobId(5);
  on(2, 2, 64, 0b1);
  expect_as_recorded("gpus-flag");
}

TEST_F(AssignmentTest, TwoNodesHaveSlurmdsVariables) {
  request_.name = "two-nodes";
  request_.tasks = 3;
  request_.tasks_per_node = 2;
  run_.job = JobId(6);
  on(0, 2, 200);
  on(1, 2, 200);
  expect_as_recorded("two-nodes");
  EXPECT_EQ(assignment().cpus, 4);
  EXPECT_EQ(assignment().memory_mb, 400);
}

TEST_F(AssignmentTest, ARequeuedJobHasSlurmdsVariables) {
  request_.name = "again";
  run_ = RunKey{JobId(7), 2};
  restarts_ = 1;
  on(recorded("again.1").at("SLURMD_NODENAME") == "c1" ? 0 : 1, 1, 100);
  expect_as_recorded("again.1");
}

TEST_F(AssignmentTest, ASubmissionFromInsideAJobDoesNotLeakThatJobsValues) {
  on(0, 1, 100);
  for (const char* name : {"SLURM_CPU_BIND", "SLURM_MEM_PER_NODE", "SLURM_JOB_ID", "SLURM_NTASKS",
                           "SLURM_PROCID", "SLURM_ARRAY_TASK_ID", "SLURMD_NODENAME",
                           "CUDA_VISIBLE_DEVICES", "SLUICE_RUN", "HOSTNAME"}) {
    request_.launch.environment.push_back({name, "leaked"});
  }
  request_.launch.environment.push_back({"SLURM_CONF", "/etc/slurm.conf"});
  request_.launch.environment.push_back({"SLURM_SUBMIT_DIR", "/from/here"});
  request_.launch.environment.push_back({"SLUICE_DEVICE", "cpu"});
  request_.launch.environment.push_back({"MINE", "a=b c"});
  const Variables variables = environment();
  for (const auto& [name, value] : variables) EXPECT_NE(value, "leaked") << name;
  EXPECT_EQ(variables.at("SLURM_CONF"), "/etc/slurm.conf");
  EXPECT_EQ(variables.at("SLURM_SUBMIT_DIR"), "/from/here");
  EXPECT_EQ(variables.at("SLUICE_DEVICE"), "cpu");
  EXPECT_EQ(variables.at("MINE"), "a=b c");
}

TEST_F(AssignmentTest, TasksForEachNodeGiveTheNumberOfAllTasks) {
  on(0, 2, 100);
  request_.tasks.reset();
  request_.min_nodes = 2;
  request_.tasks_per_node = 2;
  const Variables variables = environment();
  EXPECT_EQ(variables.at("SLURM_NTASKS"), "4");
  EXPECT_EQ(variables.at("SLURM_NPROCS"), "4");
  EXPECT_EQ(variables.at("SLURM_NTASKS_PER_NODE"), "2");
}

TEST_F(AssignmentTest, RealGpusAreNamedByTheirIdentity) {
  identities_ = {{"/dev/labgpu0", "GPU-aaa"}, {"/dev/labgpu1", "GPU-bbb"}};
  on(2, 1, 100, 0b10);
  const Variables variables = environment();
  EXPECT_EQ(variables.at("CUDA_VISIBLE_DEVICES"), "GPU-bbb");
  EXPECT_EQ(variables.at("SLURM_JOB_GPUS"), "1");
  const Assignment told = assignment();
  EXPECT_EQ(told.devices, std::vector<std::string>{"/dev/labgpu1"});
  EXPECT_EQ(told.other_devices, std::vector<std::string>{"/dev/labgpu0"});
  allocation_ = Allocation();
  on(2, 1, 100);
  EXPECT_EQ(environment().at("CUDA_VISIBLE_DEVICES"), "NoDevFiles");
}

TEST_F(AssignmentTest, TheSubmittersUmaskAndLimitsAreForTheJob) {
  on(0, 1, 100);
  request_.launch.environment = {{"SLURM_UMASK", "0027"},
                                 {"SLURM_RLIMIT_NOFILE", "2048"},
                                 {"SLURM_RLIMIT_STACK", "18446744073709551615"},
                                 {"SLURM_RLIMIT_CORE", "nonsense"}};
  const Assignment told = assignment();
  EXPECT_EQ(told.umask, 027U);
  const std::vector<ResourceLimit> expected{{RLIMIT_NOFILE, 2048}, {RLIMIT_STACK, UINT64_MAX}};
  EXPECT_EQ(told.limits, expected);
  EXPECT_FALSE(variables_in(told.environment).contains("SLURM_UMASK"));
}

TEST_F(AssignmentTest, OutputHasADefaultNameAndIsInTheWorkingFolder) {
  on(0, 1, 100);
  EXPECT_EQ(assignment().stdout_path, "/work/slurm-1.out");
  IndexSet tasks;
  tasks.insert_range(0, 5);
  array_ = array_facts(JobId(9), 4, tasks);
  EXPECT_EQ(assignment().stdout_path, "/work/slurm-9_4.out");
  request_.launch.stdout_path = "log/%x-%A-%a.txt";
  request_.launch.stderr_path = "/tmp/err";
  request_.name = "n";
  EXPECT_EQ(assignment().stdout_path, "/work/log/n-9-4.txt");
  EXPECT_EQ(assignment().stderr_path, "/tmp/err");
  request_.launch.capture = true;
  EXPECT_EQ(assignment().stdout_path, "");
  EXPECT_EQ(assignment().stderr_path, "");
}

TEST(ArrayFacts, AStepIsThereOnlyWhereAllIsOneRange) {
  IndexSet tasks;
  tasks.insert_range(2, 20, 6);
  EXPECT_EQ(array_facts(JobId(1), 2, tasks).step, 6U);
  tasks.insert(3);
  EXPECT_EQ(array_facts(JobId(1), 2, tasks).step, 1U);
  IndexSet one;
  one.insert(7);
  EXPECT_EQ(array_facts(JobId(1), 7, one).step, 1U);
}

TEST(OutputPattern, FillsInAsSlurmstepdDoes) {
  PatternFacts facts;
  facts.job = JobId(128);
  facts.user = "ada";
  facts.job_name = "my job";
  facts.first_node = "c1.site";
  EXPECT_EQ(fill_pattern("%j-%4j-%12j", facts, "/w"), "/w/128-0128-0000000128");
  EXPECT_EQ(fill_pattern("/a/%u/%x.%N", facts, "/w"), "/a/ada/my job.c1");
  EXPECT_EQ(fill_pattern("%A_%a", facts, "/w"), "/w/128_4294967294");
  EXPECT_EQ(fill_pattern("100%%-%q-%", facts, "/w"), "/w/100%-%q-%");
  EXPECT_EQ(fill_pattern("%t.%n", facts, "/w"), "/w/0.0");
  EXPECT_EQ(fill_pattern("%J-%4J", facts, "/w"), "/w/128-0128");
  EXPECT_EQ(shown_pattern("%x-%A_%a-%u-%N-%4j-%%-%J", facts, "/w"),
            "/w/my job-128_4294967294-ada-%N-%4j-%%-%J");
  EXPECT_EQ(shown_pattern("a\\%j", facts, "/w"), "/w/a\\128");
  EXPECT_EQ(fill_pattern("/tmp/\\%j", facts, "/w"), "/tmp/%j");
  facts.array = JobId(120);
  facts.task = 7;
  EXPECT_EQ(fill_pattern("%A_%3a", facts, "/w"), "/w/120_007");
}

}  // namespace
}  // namespace sluice
