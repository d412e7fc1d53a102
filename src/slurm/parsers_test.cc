// What squeue and scontrol of 22.05.8 printed for one small queue.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "slurm/assoc_records.h"
#include "slurm/command.h"
#include "slurm/job_details.h"
#include "slurm/queue_rows.h"
#include "slurm/sbatch_arguments.h"
#include "slurm/squeue.h"
#include "text/sbatch_options.h"

namespace sluice {
namespace {

std::string recording(const std::string& name) {
  std::ifstream file("tests/recordings/queue-rows/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(QueueRows, ReadsEveryJobAndTask) {
  const auto rows = parse_queue_rows(recording("squeue.stdout"));
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 9U);
  const QueueRow& task = (*rows)[0];
  EXPECT_EQ(task.array, 2U);
  EXPECT_EQ(task.task, 2U);
  EXPECT_EQ(task.state, JobState::kPending);
  EXPECT_EQ(task.reason, "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(task.qos, "few");
  EXPECT_FALSE(task.start);
  EXPECT_TRUE(task.nodes.empty());
  const QueueRow& planned = (*rows)[2];
  EXPECT_EQ(planned.planned, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_FALSE(planned.task);
  const QueueRow& running = (*rows)[6];
  EXPECT_EQ(running.state, JobState::kRunning);
  EXPECT_EQ(running.nodes, std::vector<std::string>{"n1"});
  ASSERT_TRUE(running.start && running.end);
  EXPECT_EQ(*running.end - *running.start, minutes(10));
  EXPECT_EQ((*rows)[8].job, 5U);
  EXPECT_EQ((*rows)[8].array, 2U);
}

TEST(QueueRows, RefusesARecordWithAnotherNumberOfFields) {
  std::string text = recording("squeue.stdout");
  text.insert(text.find("ann"), "\x1f");
  EXPECT_FALSE(parse_queue_rows(text));
}

TEST(QueueRows, AJobThatIsBeingSignalledRuns) {
  std::string text = recording("squeue.stdout");
  text.replace(text.find("RUNNING"), 7, "SIGNALING");
  const auto rows = parse_queue_rows(text);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ((*rows)[6].state, JobState::kRunning);
}

TEST(QueueRows, SentencesHaveAWord) {
  EXPECT_EQ(reason_word("QOSGrpCpuLimit"), "QOSGrpCpuLimit");
  EXPECT_EQ(reason_word("ReqNodeNotAvail, UnavailableNodes:n1"), "ReqNodeNotAvail");
  EXPECT_EQ(reason_word("Nodes required for job are DOWN, DRAINED or reserved for jobs in higher "
                        "priority partitions"),
            "Resources");
}

TEST(JobDetails, SaysWhatIsHeldOnEachNode) {
  const auto details = parse_job_details(recording("show-job.stdout"));
  ASSERT_TRUE(details) << details.error().text();
  ASSERT_EQ(details->size(), 3U);
  const HeldOnNode& held = details->at(1).at(0);
  EXPECT_EQ(held.node, "n1");
  EXPECT_EQ(held.cpus, 2);
  EXPECT_EQ(held.memory_mb, 100);
  EXPECT_EQ(held.gpus.to_vector(), std::vector<std::uint32_t>{0});
}

TEST(AssocRecords, SaysWhatEachHolds) {
  const auto records = parse_assoc_records(recording("show-assoc_mgr.stdout"));
  int seen = 0;
  for (const AssocRecord& record : records) {
    if (record.qos == "few") {
      ++seen;
      EXPECT_EQ(record.jobs, 2);
      EXPECT_EQ(record.tres.at("cpu"), 2);
      EXPECT_EQ(record.tres.at("mem"), 20);
    }
    if (record.qos.empty() && record.account == "default" && record.user == "ann") {
      ++seen;
      EXPECT_EQ(record.jobs, 3);
      EXPECT_EQ(record.tres.at("gres/gpu"), 1);
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST(SbatchArguments, AreReadBackAsTheSameJob) {
  const std::vector<std::string> asked = {
      "--job-name=a b",    "--account=chem",  "--qos=high",        "--partition=p,q",
      "--nodes=2-3",       "--ntasks=4",      "--cpus-per-task=2", "--mem-per-cpu=100M",
      "--gres=gpu:a100:2", "--licenses=x:2",  "--constraint=a&b",  "--nodelist=n[1-2]",
      "--time=00:10:00",   "--array=0-9:3%2", "--nice=5",          "--hold",
      "--no-requeue",      "--comment=it's",  "--exclusive",       "--wrap=true"};
  const auto line = read_sbatch_arguments(asked);
  ASSERT_TRUE(line) << line.error().text();
  const auto request = make_sbatch_request(*line, "", SbatchContext{});
  ASSERT_TRUE(request) << request.error().text();
  std::vector<std::string> again = sbatch_arguments(request->spec);
  again.emplace_back("--wrap=true");
  const auto second = read_sbatch_arguments(again);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(make_sbatch_request(*second, "", SbatchContext{})->spec, request->spec);
}

TEST(Refusals, HaveAWordWhereARuleHasOne) {
  const SaidNo limit = read_refusal(
      "sbatch: error: QOSGrpGRES\nsbatch: error: Batch job submission failed: Job violates "
      "accounting/QOS policy (job submit limit, user's size and/or time limits)\n");
  EXPECT_EQ(limit.word, "QOSGrpGRES");
  EXPECT_TRUE(limit.message.starts_with("Job violates accounting/QOS policy"));
  const SaidNo other =
      read_refusal("sbatch: error: Batch job submission failed: Invalid qos specification\n");
  EXPECT_EQ(other.word, "");
  EXPECT_EQ(other.message, "Invalid qos specification");
}

TEST(Commands, TellExitCodeAndOutputApart) {
  const auto done = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"},
                                {"PATH=/usr/bin:/bin"}, seconds(10));
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->exit_code, 3);
  EXPECT_EQ(done->output, "out\n");
  EXPECT_EQ(done->error, "err\n");
}

TEST(Commands, InheritNothing) {
  const auto done = run_command({"env"}, {"PATH=/usr/bin:/bin"}, seconds(10));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->output, "PATH=/usr/bin:/bin\n");
}

TEST(Commands, AreEndedWhenTheirTimeIsOver) {
  const auto done = run_command({"sleep", "60"}, {"PATH=/usr/bin:/bin"}, Duration(100));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kUnknown);
}

}  // namespace
}  // namespace sluice
