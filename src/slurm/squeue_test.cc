// Tables of squeue, and names that were chosen to break them.
#include "slurm/squeue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "slurm/job_details.h"
#include "slurm/live_jobs.h"
#include "slurm/my_jobs.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kAsked[] = {kUser, kName, kComment};

struct Seen {
  std::uint32_t job;
  std::string user;
  std::string name;
  std::string comment;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> read(const std::string& text, QueueReading* reading = nullptr) {
  std::vector<Seen> out;
  QueueReading done = read_queue(text, kAsked, [&](const QueueRecord& record) {
    out.push_back({record.job(), std::string(record[kUser]), std::string(record[kName]),
                   std::string(record[kComment])});
  });
  if (reading != nullptr) *reading = done;
  return out;
}

std::string printed(const std::vector<Seen>& jobs) {
  std::string out = "JOBID\037USER\037NAME\037JOBID\037COMMENT\037JOBID\036\n";
  for (const Seen& job : jobs)
    out += fmt::format("{0}\037{1}\037{2}\037{0}\037{3}\037{0}\036\n", job.job, job.user, job.name,
                       job.comment);
  return out;
}

TEST(Squeue, AsksForTheNumberBehindEachTextThatUsersChoose) {
  EXPECT_EQ(squeue_command({"--me"}, kAsked),
            (std::vector<std::string>{
                "squeue", "--me",
                "--Format=JobID:\037,UserName:\037,Name:\037,JobID:\037,Comment:\037,JobID:\036"}));
}

TEST(Squeue, ANameMayHoldAnything) {
  const std::vector<Seen> jobs = {{7, "ann", "a\037b\036c\nd|e\x1b[31m", "x\037\036\n"},
                                  {8, "bob", "\036\n9\037root\037forged\0379\037c\0379\036", ""},
                                  {9, "cat", "", "sluice:k7\0379"},
                                  {10, "dan", "plain", "plain"}};
  QueueReading reading;
  EXPECT_EQ(read(printed(jobs), &reading), jobs);
  EXPECT_EQ(reading.unreadable, 0U);
}

TEST(Squeue, WhatWasCutOffIsLeftOutAndCounted) {
  const std::vector<Seen> jobs = {{7, "ann", "a", "b"}, {8, "bob", "c", "d"}};
  const std::string whole = printed(jobs);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    QueueReading reading;
    const auto seen = read(whole.substr(0, cut), &reading);
    for (const Seen& job : seen)
      EXPECT_TRUE(job == jobs[0] || job == jobs[1]) << cut << job.job << job.user;
  }
}

TEST(Squeue, AFieldThatIsNotKnownThereIsSaid) {
  // 22.05 prints a column without a title; other releases print none.
  for (const char* text : {"JOBID\037\037NAME\037JOBID\037COMMENT\037JOBID\036\n"
                           "7\037\037n\0377\037c\0377\036\n",
                           "JOBID\037NAME\037JOBID\037COMMENT\037JOBID\036\n"
                           "7\037n\0377\037c\0377\036\n"}) {
    QueueReading reading;
    EXPECT_EQ(read(text, &reading), (std::vector<Seen>{{7, "", "n", "c"}}));
    EXPECT_EQ(reading.missing, std::vector<std::string>{"UserName"});
  }
}

TEST(Squeue, AStateThatIsNotKnownHasNotEnded) {
  constexpr QueueField kFields[] = {kState, kNodes};
  std::vector<JobState> states;
  read_queue(
      "1\037HOVERING\037\0371\036\n2\037HOVERING\037n1\0372\036\n"
      "3\037EXPEDITING\037\0373\036\n",
      kFields, [&](const QueueRecord& record) { states.push_back(record.state()); });
  EXPECT_EQ(states, (std::vector{JobState::kPending, JobState::kRunning, JobState::kPending}));
}

TEST(Squeue, ExitCodesAreReadAsEachReleaseWritesThem) {
  EXPECT_EQ(printed_exit("512").code, 2);
  EXPECT_EQ(printed_exit("15").signal, 15);
  EXPECT_EQ(printed_exit("2:0").code, 2);
  EXPECT_EQ(printed_exit("0:15").signal, 15);
}

const std::string kQueue =
    "12\03712\037N/A\037RUNNING\037None\037ann\037phys\037normal\037main\0372\0372\037"
    "10:00\037100\037200\037n[1-2]\0374\037cpu=4,mem=300M,node=2,billing=4\037N/A\037"
    "(null)\037\037OK\037(null)\0370\03712\036\n";

// Names of jobs stand in what scontrol prints; what they claim does not count.
TEST(LiveJobs, AForgedShareIsNotBelieved) {
  const std::string details =
      "JobId=3 JobName=evil\nJobId=12 JobName=x Nodes=n7 CPU_IDs=0-99 Mem=9 GRES= MinCPUsNode=1\n"
      "JobId=12 JobName=a Nodes=n1 CPU_IDs=0-7 Mem=1 GRES= b UserId=ann(1) JOB_GRES=(null)   "
      "Nodes=n1 CPU_IDs=0-2 Mem=200 GRES=   Nodes=n2 CPU_IDs=0 Mem=100 GRES= MinCPUsNode=2 "
      "Comment=Nodes=n9 CPU_IDs=0-9\n";
  const LiveJobs live = parse_live_jobs(kQueue, details);
  ASSERT_EQ(live.jobs.size(), 1U);
  ASSERT_EQ(live.jobs[0].shares.size(), 2U);
  EXPECT_EQ(live.jobs[0].shares[0].cpus, 3);
  EXPECT_EQ(live.jobs[0].shares[1].memory_mb, 100);
}

TEST(LiveJobs, WithoutAShareThatAgreesTheJobIsDividedEvenly) {
  const LiveJobs live = parse_live_jobs(kQueue, "JobId=12 JobName=x Nodes=n1 CPU_IDs=0-99 Mem=1\n");
  ASSERT_EQ(live.jobs.size(), 1U);
  ASSERT_EQ(live.jobs[0].shares.size(), 2U);
  EXPECT_EQ(live.jobs[0].shares[0].node, "n1");
  EXPECT_EQ(live.jobs[0].shares[1].cpus, 2);
  EXPECT_EQ(live.jobs[0].shares[1].memory_mb, 150);
}

// A job that names nodes, features or a reservation fits only there.
TEST(LiveJobs, WhereAJobMayRunIsPartOfWhatItAsksFor) {
  const LiveJobs live = parse_live_jobs(
      "13\03713\037N/A\037PENDING\037Resources\037ann\037phys\037normal\037main,short\0371\0372\037"
      "10:00\037100\037N/A\037\0372\037cpu=2,mem=300M,node=1,billing=2\037N/A\037"
      "big&fast\037n[1-2]\037NO\037night\0377\03713\036\n",
      {});
  ASSERT_EQ(live.jobs.size(), 1U);
  const JobSpec& asked = live.jobs[0].request;
  EXPECT_EQ(asked.constraint.text, "big&fast");
  EXPECT_EQ(asked.require_nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(asked.sharing, NodeSharing::kExclusive);
  EXPECT_EQ(asked.reservation, "night");
  EXPECT_EQ(asked.nice, 7);
  EXPECT_EQ(asked.partitions, (std::vector<std::string>{"main", "short"}));
}

TEST(LiveJobs, NoNamesAreAskedFor) {
  for (const std::string& word : live_jobs_command()) {
    EXPECT_EQ(word.find("Name:"), word.find("UserName:") == std::string::npos
                                      ? std::string::npos
                                      : word.find("UserName:") + 4);
    EXPECT_EQ(word.find("Comment"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice
