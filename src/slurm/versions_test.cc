// The same cluster as the releases from 20.11 to 25.05 print it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "slurm/accounting_rows.h"
#include "slurm/description_texts.h"
#include "slurm/held_jobs.h"
#include "slurm/job_details.h"
#include "slurm/my_jobs.h"
#include "slurm/observation.h"
#include "slurm/past_runs.h"
#include "slurm/run_times.h"
#include "slurm/sacct.h"
#include "slurm/used_runs.h"
#include "slurm/version.h"
#include "text/scan.h"

namespace sluice {
namespace {

std::string content(const std::string& path) {
  std::ifstream file("tests/recordings/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path << " is missing: run the tests in the repository";
  return text.str();
}

class Versions : public testing::TestWithParam<const char*> {
 protected:
  std::string of(const std::string& name) const {
    return content(std::string("versions/") + GetParam() + "/" + name);
  }
  static bool at_least(const SlurmVersion& version) {
    return *read_slurm_version(GetParam()) >= version;
  }
};

TEST_P(Versions, TheClusterIsTheSame) {
  DescriptionTexts texts{content("pools/config"),     content("pools/assoc_mgr"),
                         content("pools/partitions"), content("pools/nodes"),
                         content("pools/queue"),      content("pools/qos"),
                         content("pools/assoc-alice")};
  const Description known = read_description(texts, "alice");
  texts.config = of("config");
  texts.assoc_mgr = of("assoc-mgr");
  texts.partitions = of("partitions");
  texts.nodes = of("nodes");
  texts.qos_table = of("qos");
  texts.reservations = of("reservations");
  const Description here = read_description(texts, "alice");
  ASSERT_EQ(here.kept.size(), 1U);
  EXPECT_EQ(here.kept[0].terms.users, (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(here.capabilities.software, std::string("slurm ") + GetParam());
  EXPECT_TRUE(here.unseen.empty());
  EXPECT_EQ(*here.policy, *known.policy);
  ASSERT_EQ(here.users.size(), known.users.size());
  for (std::size_t i = 0; i < here.users.size(); ++i) {
    EXPECT_EQ(here.users[i].holder, known.users[i].holder);
    EXPECT_EQ(here.users[i].use.tres, known.users[i].use.tres);
  }
  ASSERT_EQ(here.nodes.size(), known.nodes.size());
  for (std::size_t i = 0; i < here.nodes.size(); ++i)
    EXPECT_EQ(here.nodes[i].free_cpus, known.nodes[i].free_cpus);
}

TEST_P(Versions, OnesOwnJobsAreTheSame) {
  const MyJobs here = parse_my_jobs(of("mine"));
  const MyJobs known = parse_my_jobs(content("pools/mine"));
  EXPECT_EQ(here.unreadable, 0U);
  ASSERT_EQ(here.jobs.size(), known.jobs.size());
  for (std::size_t i = 0; i < here.jobs.size(); ++i) {
    EXPECT_EQ(here.jobs[i].seen, known.jobs[i].seen);
    EXPECT_EQ(here.jobs[i].comment, known.jobs[i].comment);
  }
}

// Words that came later are shown as they are.
TEST_P(Versions, EverybodysQueueIsTheSame) {
  const TresRegistry registry;
  const HeldJobs here = parse_held_jobs(of("queue"), registry);
  const HeldJobs known = parse_held_jobs(content("pools/queue"), registry);
  EXPECT_EQ(here.unreadable, 0U);
  EXPECT_TRUE(here.missing.empty());
  ASSERT_EQ(here.jobs.size(), known.jobs.size());
  ASSERT_GT(here.jobs.size(), 4U);
  for (std::size_t i = 0; i < here.jobs.size(); ++i) {
    EXPECT_EQ(here.jobs[i].job, known.jobs[i].job);
    EXPECT_EQ(here.jobs[i].state, known.jobs[i].state);
    EXPECT_EQ(here.jobs[i].tasks, known.jobs[i].tasks);
    EXPECT_EQ(here.jobs[i].tres, known.jobs[i].tres);
    EXPECT_EQ(here.jobs[i].nodes, known.jobs[i].nodes);
    EXPECT_EQ(here.jobs[i].ends_by, known.jobs[i].ends_by);
  }
  EXPECT_EQ(here.jobs[2].reason, at_least({24, 5, 0}) ? "MaxPoweredUpNodes" : "QOSGrpMemLimit");
}

// From 24.11 on a job whose node failed has an exit code, and before 22.05 srun has one line.
TEST_P(Versions, WhatTheAccountingRemembersIsTheSame) {
  const auto here = parse_accounted_tasks(of("sacct"));
  const auto known = parse_accounted_tasks(content("pools/sacct"));
  ASSERT_EQ(here.size(), known.size() + 2);
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(here[i].job, known[i].job);
    EXPECT_EQ(here[i].submitted, known[i].submitted);
    EXPECT_EQ(here[i].seen, known[i].seen);
  }
  EXPECT_EQ(here[known.size()].seen.state, JobState::kNodeFail);
  EXPECT_EQ(here.back().seen.state, JobState::kOutOfMemory);
  EXPECT_EQ(here.back().seen.step_out_of_memory, at_least({22, 5, 0}));
}

// A field that this sacct does not know makes it refuse the whole question.
TEST(SlurmVersion, TheOldestSacctKnowsWhatItIsAskedFor) {
  const auto fields_of = [](const std::vector<std::string>& command) {
    return split(std::string_view(command.back()).substr(std::string_view("--format=").size()),
                 ',');
  };
  const auto newest = submit_lines_command(Instant{}, SubmitLinesFrom::kNewest);
  const auto before = submit_lines_command(Instant{}, SubmitLinesFrom::kBefore);
  EXPECT_EQ(fields_of(newest).back(), "SubmitLine");
  EXPECT_EQ(fields_of(before).back(), "Comment");
  for (const auto& command : {accounted_jobs_command(std::vector{JobId(1)}), before,
                              past_runs_command("train", Instant{}), run_times_command(Instant{}),
                              used_runs_command(Instant{}, Instant{})})
    for (const std::string_view name : fields_of(command)) {
      bool known = false;
      for (std::size_t i = 0; i < kAccountingFields; ++i) {
        const AccountingFieldInfo& field = info_of(static_cast<AccountingField>(i));
        known = known || (field.name == name && field.since <= kOldestSlurm);
      }
      EXPECT_TRUE(known) << name;
    }
}

TEST_P(Versions, SharesOfJobsAreTheSame) {
  const auto here = parse_job_details(of("show-job"));
  const auto known = parse_job_details(content("queue-rows/show-job.stdout"));
  ASSERT_TRUE(here && known);
  ASSERT_EQ(here->size(), known->size());
  for (const auto& [job, shares] : *known) {
    ASSERT_EQ(here->at(job).size(), shares.size());
    EXPECT_EQ(here->at(job)[0].cpus, shares[0].cpus);
  }
}

INSTANTIATE_TEST_SUITE_P(Releases, Versions,
                         testing::Values("20.11.9", "21.08.8", "22.05.8", "23.02.7", "23.11.10",
                                         "24.05.4", "24.11.5", "25.05.3"),
                         [](const auto& release) {
                           std::string name = release.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

TEST(SlurmVersion, IsReadHoweverItIsPrinted) {
  EXPECT_EQ(read_slurm_version("slurm-wlm 22.05.8"), (SlurmVersion{22, 5, 8}));
  EXPECT_EQ(read_slurm_version("24.05.0-0rc1"), (SlurmVersion{24, 5, 0}));
  EXPECT_EQ(read_slurm_version("23.11"), (SlurmVersion{23, 11, 0}));
  EXPECT_EQ(read_slurm_version("slurm"), std::nullopt);
  EXPECT_LT((SlurmVersion{20, 11, 9}), (SlurmVersion{21, 8, 0}));
  EXPECT_EQ(format_slurm_version({22, 5, 8}), "22.05");
}

// Numbers begin again after a reset of Slurm's state.
TEST(Observation, ANumberThatWasUsedAgainIsAnotherJob) {
  const auto row = [](const char* state, int submit, const char* exit) {
    return std::string("7\037") + state + "\037" + exit + "\037" + std::to_string(submit) + "\037" +
           std::to_string(submit + 1) + "\037" + std::to_string(submit + 5) +
           "\037\037\037a\037q\037p\037n1\n";
  };
  const RemoteRef first{{JobId(7), instant_at(seconds(1000))}, std::nullopt};
  const RemoteRef second{{JobId(7), instant_at(seconds(2000))}, std::nullopt};
  const auto reused =
      parse_accounted_tasks(row("COMPLETED", 1000, "0:0") + row("FAILED", 2000, "1:0"));
  ASSERT_EQ(reused.size(), 2U);
  EXPECT_EQ(put_together(first, {}, reused).at(0).state, JobState::kCompleted);
  EXPECT_EQ(put_together(second, {}, reused).at(0).state, JobState::kFailed);
  EXPECT_EQ(put_together(second, {}, reused).at(0).restarts, 0);
  const auto requeued =
      parse_accounted_tasks(row("PREEMPTED", 1000, "0:0") + row("COMPLETED", 2000, "0:0"));
  ASSERT_EQ(requeued.size(), 1U);
  EXPECT_EQ(put_together(first, {}, requeued).at(0).restarts, 1);
  EXPECT_EQ(put_together(second, {}, requeued).at(0).state, JobState::kCompleted);
  // In the queue: a later submission is the same job only where it says that it was requeued.
  std::vector<MyJob> queue(1);
  queue[0].job = JobId(7);
  queue[0].submitted = instant_at(seconds(2000));
  queue[0].seen.state = JobState::kRunning;
  EXPECT_EQ(put_together(first, queue, reused).at(0).state, JobState::kCompleted);
  queue[0].seen.restarts = 1;
  EXPECT_EQ(put_together(first, queue, {}).at(0).state, JobState::kRunning);
  // Our own estimate of the time is a moment before it.
  queue[0].seen.restarts = 0;
  const RemoteRef estimated{{JobId(7), instant_at(seconds(1990)) - Duration(1)}, std::nullopt};
  EXPECT_EQ(put_together(estimated, queue, {}).at(0).state, JobState::kRunning);
}

// Seen on 22.05.8: squeue shows 35072 where a script exited with 137, sacct 9:0.
TEST(Observation, AnExitWith137IsOneWhicheverSourceShowsIt) {
  const auto row = [](const char* exit) {
    return std::string("7\037FAILED\037") + exit + "\0371000\0371001\0371005" +
           "\037\037\037a\037q\037p\037n1\n";
  };
  const RemoteRef ref{{JobId(7), instant_at(seconds(1000))}, std::nullopt};
  const auto accounted = parse_accounted_tasks(row("9:0"));
  EXPECT_EQ(put_together(ref, {}, accounted).at(0).exit_code, 137);
  EXPECT_EQ(put_together(ref, {}, parse_accounted_tasks(row("1:0"))).at(0).exit_code, 1);
  const auto killed = put_together(ref, {}, parse_accounted_tasks(row("0:9"))).at(0);
  EXPECT_EQ(killed.exit_code, 0);
  EXPECT_EQ(killed.signal, 9);
  std::vector<MyJob> queue(1);
  queue[0].job = JobId(7);
  queue[0].submitted = instant_at(seconds(1000));
  queue[0].seen.state = JobState::kFailed;
  queue[0].seen.end = instant_at(seconds(1005));
  for (const std::int32_t code : {9, 137}) {
    queue[0].seen.exit_code = code;
    EXPECT_EQ(put_together(ref, queue, accounted).at(0).exit_code, code);
  }
}

}  // namespace
}  // namespace sluice
