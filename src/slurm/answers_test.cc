// What was said, and whether the same may be said again.
#include "slurm/answers.h"

#include <gtest/gtest.h>

#include "slurm/caller.h"
#include "slurm/job_update.h"
#include "slurm/submit_command.h"

namespace sluice {
namespace {

TEST(ChangeAnswer, KnowsWhatSacctmgrAndScontrolSay) {
  const auto of = [](int code, const char* output, const char* error) {
    return change_answer(CommandOutput{code, output, error});
  };
  EXPECT_EQ(of(0, " Modified qos...\n", ""), ChangeAnswer::kDone);
  EXPECT_EQ(of(1, " Nothing new added.\n", ""), ChangeAnswer::kAlreadySo);
  EXPECT_EQ(of(1, " Nothing deleted\n", ""), ChangeAnswer::kAlreadySo);
  EXPECT_EQ(of(1, "  Error with request: Job(s) active, cancel job(s) before remove\n", ""),
            ChangeAnswer::kInUse);
  EXPECT_EQ(of(1, "", "slurm_delete_partition error: Requested partition is in use by a job"),
            ChangeAnswer::kInUse);
  EXPECT_EQ(of(1, " Error: Preemption loop detected!\n", ""), ChangeAnswer::kPreemptionLoop);
  EXPECT_EQ(of(0, "These associations don't have access to their default qos.\n", ""),
            ChangeAnswer::kRefused);
  EXPECT_EQ(of(1, "", "sacctmgr: error: something else"), ChangeAnswer::kRefused);
}

TEST(NoAnswer, TellsNotSentFromPerhapsDone) {
  EXPECT_EQ(no_answer("sbatch: error: Batch job submission failed: Unable to contact slurm "
                      "controller (connect failure)"),
            NoAnswer::kNotSent);
  EXPECT_EQ(no_answer("sbatch: error: Batch job submission failed: Socket timed out on send/recv "
                      "operation"),
            NoAnswer::kAmbiguous);
  EXPECT_EQ(no_answer("Unable to contact slurm controller (receive failure)"),
            NoAnswer::kAmbiguous);
  EXPECT_EQ(no_answer("Unable to contact slurm controller (send failure)"), NoAnswer::kAmbiguous);
  EXPECT_EQ(no_answer("sacct: error: slurm_persist_conn_open_without_init: failed to open "
                      "persistent connection to host:localhost:6819: Connection refused\n"
                      "sacct: error: Sending PersistInit msg: Connection refused\n"
                      "sacct: error: Problem talking to the database: Connection refused"),
            NoAnswer::kDatabase);
  EXPECT_EQ(no_answer("Slurm accounting storage is disabled"), NoAnswer::kNoDatabase);
  EXPECT_EQ(no_answer("slurm_load_jobs error: Invalid job id specified"), NoAnswer::kNoSuchJob);
  EXPECT_EQ(no_answer("Job is no longer pending execution for job 1"), NoAnswer::kTooLate);
  EXPECT_EQ(no_answer("8_0-3: Job has already finished"), NoAnswer::kTooLate);
  EXPECT_EQ(no_answer("Rate limit exceeded, please retry momentarily"), NoAnswer::kNotSent);
  EXPECT_EQ(no_answer("slurm_suspend error: Job update not available right now, the DB index is "
                      "being set, try again in a bit"),
            NoAnswer::kNotSent);
  EXPECT_EQ(no_answer("Batch job submission failed: Invalid job array specification"),
            NoAnswer::kRefused);
}

TEST(NoAnswer, OnlyWordsOnStandardErrorAloneAreARefusalOfSbatch) {
  const auto may = [](int code, const char* output, const char* error) {
    return may_have_submitted(CommandOutput{code, output, error});
  };
  constexpr const char* kNo = "sbatch: error: Batch job submission failed: Invalid qos\n";
  EXPECT_FALSE(may(1, "", kNo));
  EXPECT_TRUE(may(0, "", kNo));
  EXPECT_TRUE(may(1, "12\n", kNo));
  EXPECT_TRUE(may(1, "1", ""));  // A number that was cut off.
  EXPECT_TRUE(may(1, "", ""));   // Cut off before it began.
  EXPECT_TRUE(may(1, "", "\n"));
  EXPECT_TRUE(may(137, "", ""));
}

TEST(NoAnswer, ARefusalNamesItsRule) {
  const Refusal refusal = refusal_of(
      "sbatch: error: QOSGrpGRES\nsbatch: error: Batch job submission failed: Job violates "
      "accounting/QOS policy (job submit limit, user's size and/or time limits)\n");
  EXPECT_EQ(refusal.reason.rule, Rule::kGrpTres);
  EXPECT_EQ(refusal.reason.holder, LimitHolder::kJobQos);
  EXPECT_EQ(refusal.message.find("QOSGrpGRES: Job violates accounting/QOS policy"), 0U);
}

TEST(Environment, NothingOfTheCallersJobLeaks) {
  const auto left = scrubbed_environment({"SLURM_JOB_ID=7", "SLURM_CPU_BIND=quiet", "PMI_RANK=0",
                                          "SBATCH_ACCOUNT=x", "SQUEUE_FORMAT=%i", "HOME=/home/a",
                                          "SLURM_CONF=/etc/slurm.conf", "SLURMX=1"});
  EXPECT_EQ(left,
            (std::vector<std::string>{"HOME=/home/a", "SLURM_CONF=/etc/slurm.conf", "SLURMX=1"}));
}

TEST(SubmitCommand, CarriesTheKeyOnTheCommandLine) {
  Submission submission;
  submission.key = "0af3";
  submission.held = true;
  submission.spec.comment = "mine; $(rm -rf /)";
  submission.spec.launch.script = "#!/bin/sh\n#SBATCH --gres=gpu:2 --time=5\n#SBATCH --mem=1G\n";
  submission.spec.launch.arguments = {"a b", "--wrap=evil"};
  submission.spec.launch.environment = {{"X", "1,2"}, {"SLURM_JOB_ID", "9"}};
  const SubmitCommand command = submit_command(submission, "/lab/slurm.conf");
  const auto has = [&](const std::string& word) {
    return std::find(command.argv.begin(), command.argv.end(), word) != command.argv.end();
  };
  EXPECT_TRUE(has("--comment=sluice:0af3 mine; $(rm -rf /)"));
  EXPECT_TRUE(has("--hold"));
  EXPECT_TRUE(has("--parsable"));
  // After the script everything is an argument of it.
  ASSERT_GE(command.argv.size(), 3U);
  EXPECT_EQ(command.argv[command.argv.size() - 3], "/dev/stdin");
  EXPECT_EQ(command.argv.back(), "--wrap=evil");
  EXPECT_EQ(command.environment, (std::vector<std::string>{"X=1,2", "SLURM_CONF=/lab/slurm.conf"}));
  // Wants no GPU, so the script does not ask for one.
  EXPECT_EQ(command.script, "#!/bin/sh\n##SBATCH --gres=gpu:2 --time=5\n#SBATCH --mem=1G\n");
}

TEST(JobUpdate, NamesSomeTasksOfAnArray) {
  IndexSet tasks;
  tasks.insert_range(3, 5);
  tasks.insert(9);
  JobChange change;
  change.account = "maigan";
  change.qos = "maigan";
  EXPECT_EQ(update_command(job_name(RemoteJob{JobId(557), {}}, tasks), change),
            (std::vector<std::string>{"scontrol", "update", "JobId=557_[3-5,9]", "Account=maigan",
                                      "QOS=maigan"}));
}

// scontrol takes CPUsPerTask alone and leaves NumCPUs as it was.
TEST(JobUpdate, MoreCpusATaskAreMoreCpus) {
  JobChange change;
  change.tasks = 2;
  change.cpus_per_task = 3;
  EXPECT_EQ(update_command("7", change),
            (std::vector<std::string>{"scontrol", "update", "JobId=7", "NumTasks=2",
                                      "CPUsPerTask=3", "NumCPUs=6", "MinCPUsNode=3"}));
}

TEST(CommandError, NamesTheDaemonThatDoesNotAnswer) {
  const Error database = command_error(
      "sacctmgr",
      {1, "", "sacctmgr: error: slurm_persist_conn_open: No response to persist_init\n"});
  EXPECT_EQ(database.kind, ErrorKind::kUnreachable);
  EXPECT_TRUE(database.what.starts_with("slurmdbd does not answer sacctmgr: ")) << database.what;
  const Error controller =
      command_error("scontrol", {1, "", "Unable to contact slurm controller (connect failure)\n"});
  EXPECT_EQ(controller.kind, ErrorKind::kUnreachable);
  EXPECT_TRUE(controller.what.starts_with("slurmctld does not answer scontrol: "))
      << controller.what;
  const Error refused = command_error("sacctmgr", {1, "", " Unknown field 'x'\n"});
  EXPECT_EQ(refused.kind, ErrorKind::kFailed);
  // Debian's slurm-client on a machine of no cluster.
  const Error nowhere = command_error(
      "scontrol", {1, "",
                   "scontrol: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host\n"
                   "scontrol: error: fetch_config: DNS SRV lookup failed\n"
                   "scontrol: fatal: Could not establish a configuration source\n"});
  EXPECT_EQ(nowhere.kind, ErrorKind::kUnreachable);
  EXPECT_EQ(nowhere.what.find("Unknown host"), std::string::npos) << nowhere.what;
  EXPECT_NE(nowhere.hint.find("--on embedded"), std::string::npos) << nowhere.hint;
}

}  // namespace
}  // namespace sluice
