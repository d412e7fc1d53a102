// sbatch calls as clients make them, and as sbatch refuses them.
#include "text/sbatch_options.h"

#include <gtest/gtest.h>

#include "text/mail_types.h"

namespace sluice {
namespace {

constexpr Instant kNow = instant_at(seconds(1794734168));  // 2026-11-15T09:16:08

using Environment = std::vector<EnvironmentVariable>;

Result<SbatchRequest> request(std::vector<std::string> arguments, std::string_view script,
                              const Environment& environment = {}) {
  TRY(const SbatchCommandLine line, read_sbatch_arguments(arguments));
  return make_sbatch_request(line, script, SbatchContext{environment, kNow, {}});
}

std::string refusal(std::vector<std::string> arguments, std::string_view script = "#!/bin/sh\n",
                    const Environment& environment = {}) {
  const auto made = request(std::move(arguments), script, environment);
  return made ? "accepted" : made.error().what;
}

TEST(Sbatch, UnderstandsSnakemakesCall) {
  const auto made =
      request({"-J", "run", "-o", "log/%j.log", "--export=ALL", "-A", "a", "-p", "p", "-t", "60",
               "--mem", "2000", "--cpus-per-task=4", "-D", "/w", "--wrap=echo hi"},
              "");
  ASSERT_TRUE(made) << made.error().text();
  const JobSpec& spec = made->spec;
  EXPECT_EQ(spec.name, "run");
  EXPECT_EQ(spec.account, "a");
  EXPECT_EQ(spec.partitions, std::vector<std::string>{"p"});
  EXPECT_EQ(spec.time_limit, minutes(60));
  EXPECT_EQ(spec.memory, (MemoryRequest{MemoryPer::kNode, 2000}));
  EXPECT_EQ(spec.cpus_per_task, 4);
  EXPECT_EQ(spec.launch.working_directory, "/w");
  EXPECT_EQ(spec.launch.stdout_path, "log/%j.log");
  EXPECT_EQ(spec.launch.script,
            "#!/bin/sh\n# This script was created by sbatch --wrap.\n\necho hi\n");
  EXPECT_TRUE(made->warnings.empty());
}

TEST(Sbatch, UnderstandsNextflowsDirectives) {
  const auto made = request({".command.run"},
                            "#!/bin/bash\n#SBATCH -J nf-x\n#SBATCH -o /w/.command.log\n"
                            "#SBATCH --no-requeue\n#SBATCH --signal B:USR2@30\n#SBATCH -c 2\n"
                            "#SBATCH -t 01:00:00\n#SBATCH --mem 4096M\n#SBATCH -p long,short\n"
                            "#SBATCH --array 0-9%3\n# NEXTFLOW TASK: x\nset -e\n#SBATCH -c 9\n");
  ASSERT_TRUE(made) << made.error().text();
  const JobSpec& spec = made->spec;
  EXPECT_EQ(spec.requeue, false);
  EXPECT_EQ(spec.launch.signal, (WarningSignal{12, seconds(30), true}));
  EXPECT_EQ(spec.cpus_per_task, 2);
  EXPECT_EQ(spec.time_limit, minutes(60));
  EXPECT_EQ(spec.partitions, (std::vector<std::string>{"long", "short"}));
  EXPECT_EQ(spec.array->indices.size(), 10U);
  EXPECT_EQ(spec.array->throttle, 3U);
}

TEST(Sbatch, CommandLineBeatsEnvironmentBeatsScript) {
  const std::string_view script = "#!/bin/sh\n#SBATCH -t 5 -c 1 -J script -A script -q script\n";
  const auto made = request({"-t", "7", "s.sh"}, script,
                            {{"SBATCH_TIMELIMIT", "6"}, {"SBATCH_ACCOUNT", "environment"}});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->spec.time_limit, minutes(7));
  EXPECT_EQ(made->spec.account, "environment");
  EXPECT_EQ(made->spec.qos, "script");
}

TEST(Sbatch, FlagsInTheEnvironmentAreSetByNothingYesOrANumber) {
  for (const char* value : {"", "yes", "YES", "1", "2"})
    EXPECT_EQ(request({"--wrap=x"}, "", {{"SBATCH_NO_REQUEUE", value}})->spec.requeue, false);
  for (const char* value : {"0", "no", "x"})
    EXPECT_EQ(request({"--wrap=x"}, "", {{"SBATCH_NO_REQUEUE", value}})->spec.requeue,
              std::nullopt);
  EXPECT_EQ(request({"--wrap=x"}, "", {{"SBATCH_EXCLUSIVE", ""}})->spec.sharing,
            NodeSharing::kExclusive);
  EXPECT_EQ(request({"--wrap=x"}, "", {{"SBATCH_EXCLUSIVE", "user"}})->spec.sharing,
            NodeSharing::kUser);
  EXPECT_EQ(request({"--wrap=x"}, "", {{"SBATCH_NODES", "2"}})->spec.min_nodes, std::nullopt);
  EXPECT_EQ(refusal({"--wrap=x"}, "", {{"SBATCH_EXCLUSIVE", "yes"}}),
            "Invalid --exclusive specification");
  EXPECT_EQ(refusal({"--wrap=x"}, "", {{"SBATCH_TIMELIMIT", ""}}), "Invalid --time specification");
}

TEST(Sbatch, KeepsScriptArgumentsAsTheyAre) {
  const auto line = read_sbatch_arguments(
      std::vector<std::string>{"-Hc2", "dir/job.sh", "-c", "a b", "", "--foo\n"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->script, "dir/job.sh");
  const auto made = make_sbatch_request(*line, "#!/bin/sh\n", SbatchContext{{}, kNow, {}});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->spec.launch.arguments, (std::vector<std::string>{"-c", "a b", "", "--foo\n"}));
  EXPECT_EQ(made->spec.name, "job.sh");
  EXPECT_TRUE(made->spec.hold);
  EXPECT_EQ(made->spec.cpus_per_task, 2);
}

TEST(Sbatch, NamesTheJobAfterItsSource) {
  EXPECT_EQ(request({}, "#!/bin/sh\n")->spec.name, "sbatch");
  EXPECT_EQ(request({"--wrap=x"}, "")->spec.name, "wrap");
  EXPECT_EQ(request({"-J", "", "x"}, "#!/bin/sh\n")->spec.name, "");
}

TEST(Sbatch, ReadsEveryOptionOfTheContract) {
  const auto made = request({"-i",
                             "in",
                             "-e",
                             "err",
                             "-q",
                             "q",
                             "-C",
                             "a|b",
                             "-n",
                             "4",
                             "-N",
                             "2-4",
                             "-d",
                             "afterok:1,singleton",
                             "-w",
                             "n[1-2]",
                             "-x",
                             "n3",
                             "-M",
                             "here",
                             "-Q",
                             "-W",
                             "--parsable",
                             "--export=NONE",
                             "--export-file=f",
                             "--mem-per-cpu=2G",
                             "--gres=gpu:a100:2",
                             "--gpus=4",
                             "--gpus-per-task=1",
                             "--cpus-per-gpu=3",
                             "--ntasks-per-node=2",
                             "--exclusive",
                             "--requeue",
                             "--open-mode=append",
                             "--comment=c d",
                             "--wckey=w",
                             "--begin=now+1hour",
                             "--nice",
                             "--priority=7",
                             "--reservation=r",
                             "--get-user-env=10L",
                             "--test-only",
                             "--time-min=5",
                             "--deadline=now+2hours",
                             "--kill-on-invalid-dep=yes",
                             "--licenses=l:2",
                             "--wrap=x"},
                            "");
  ASSERT_TRUE(made) << made.error().text();
  const JobSpec& s = made->spec;
  EXPECT_EQ(s.min_nodes, 2);
  EXPECT_EQ(s.max_nodes, 4);
  EXPECT_EQ(s.tasks, 4);
  EXPECT_EQ(s.dependencies.terms.size(), 2U);
  EXPECT_EQ(s.require_nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(s.memory, (MemoryRequest{MemoryPer::kCpu, 2048}));
  EXPECT_EQ(s.gpus,
            (std::vector<GpuRequest>{
                {GpusPer::kNode, "a100", 2}, {GpusPer::kJob, "", 4}, {GpusPer::kTask, "", 1}}));
  EXPECT_EQ(s.nice, 100);
  EXPECT_EQ(s.priority, 7);
  EXPECT_EQ(s.begin, kNow + minutes(60));
  EXPECT_EQ(s.deadline, kNow + minutes(120));
  EXPECT_EQ(s.time_min, minutes(5));
  EXPECT_EQ(s.kill_on_invalid_dependency, true);
  EXPECT_EQ(s.launch.open_mode, OpenMode::kAppend);
  EXPECT_EQ(s.comment, "c d");
  EXPECT_TRUE(made->environment.none);
  EXPECT_TRUE(made->wait && made->quiet && made->parsable && made->test_only);
  EXPECT_EQ(made->clusters, "here");
  EXPECT_EQ(made->warnings, std::vector<std::string>{"--get-user-env has no effect here"});
}

TEST(Sbatch, CountsTasksByGpusAndByCores) {
  const auto tasks = [](std::vector<std::string> words) {
    words.emplace_back("--wrap=x");
    const auto made = request(words, "");
    return made ? made->spec.tasks.value_or(0) : -1;
  };
  EXPECT_EQ(tasks({"--ntasks-per-gpu=2", "--gpus=2", "-n2"}), 4);
  EXPECT_EQ(tasks({"--ntasks-per-gpu=2", "--gres=gpu:1", "-N3"}), 6);
  EXPECT_EQ(tasks({"--ntasks-per-gpu=2", "-n4"}), 4);
  EXPECT_EQ(tasks({"--ntasks-per-gpu=2000000000", "--gpus=2000000000"}), 2147483647);
  EXPECT_EQ(tasks({"-B", "2:2:1"}), 4);
  EXPECT_EQ(tasks({"-B", "1:*", "-N2"}), 2);
  EXPECT_EQ(tasks({"-B", "2", "-n1"}), 1);
  EXPECT_EQ(request({"--ntasks-per-gpu=0", "--wrap=x"}, "").error().what,
            "Invalid numeric value \"0\" for --ntasks-per-gpu.");
  EXPECT_EQ(request({"-B", "1:x", "--wrap=x"}, "").error().what,
            "Invalid numeric value \"x\" for second arg of -B.");
}

TEST(Sbatch, ReadsTheDigitsOfNiceAndNotWhatStandsBehindThem) {
  EXPECT_EQ(request({"--nice=5x", "--wrap=x"}, "")->spec.nice, 5);
  EXPECT_EQ(request({"--nice=x", "--wrap=x"}, "")->spec.nice, 0);
  EXPECT_FALSE(request({"--nice=99999999999", "--wrap=x"}, ""));
}

TEST(Sbatch, TakesZeroAndUnlimitedAsNoTimeLimit) {
  for (const char* text : {"0", "UNLIMITED", "-1"}) {
    const auto made = request({"-t", text, "--wrap=x"}, "");
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->spec.no_time_limit);
    EXPECT_EQ(made->spec.time_limit, std::nullopt);
  }
  EXPECT_FALSE(request({"-t", "5", "x"}, "#!/bin/sh\n#SBATCH -t 0\n")->spec.no_time_limit);
}

TEST(Sbatch, ReadsWhatNodesMustHaveAndHowTheyAreChosen) {
  const auto made = request(
      {"--hint=nomultithread", "-O", "--contiguous", "--spread-job", "--use-min-nodes",
       "--mincpus=4", "--ntasks-per-socket=2", "--ntasks-per-core=1", "-B", "2:*:1", "--wrap=x"},
      "");
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->warnings.empty());
  const JobSpec& spec = made->spec;
  EXPECT_TRUE(spec.overcommit && spec.contiguous && spec.spread && spec.use_min_nodes);
  EXPECT_EQ(spec.min_cpus_per_node, 4);
  EXPECT_EQ(spec.tasks_per_socket, 2);
  EXPECT_EQ(spec.tasks_per_core, 1);
  EXPECT_EQ(spec.min_sockets, 2);
  EXPECT_EQ(spec.min_cores_per_socket, std::nullopt);
  EXPECT_EQ(spec.threads_per_core, 1);
  EXPECT_FALSE(request({"--hint=nonsense", "--wrap=x"}, ""));
  EXPECT_FALSE(request({"-B", "2:0", "--wrap=x"}, ""));
}

TEST(Sbatch, SwitchesComeWithATimeToWaitForThem) {
  const auto made = request({"--switches=2@1:30", "--wrap=x"}, "");
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->warnings.empty());
  EXPECT_EQ(made->spec.max_switches, 2);
  EXPECT_EQ(made->spec.switch_wait, seconds(90));
  EXPECT_EQ(request({"--switches=1", "--wrap=x"}, "")->spec.switch_wait, std::nullopt);
  for (const char* text : {"--switches=0", "--switches=x", "--switches=1@", "--switches=1@x"})
    EXPECT_FALSE(request({text, "--wrap=x"}, "")) << text;
}

TEST(Sbatch, WarnsAboutWhatHasNoEffect) {
  const auto made = request({"--distribution=block", "--tmp=1", "--wrap=x"}, "");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->warnings, (std::vector<std::string>{"--distribution has no effect here",
                                                      "--tmp has no effect here"}));
  EXPECT_EQ(request({"-n5", "-N10", "--wrap=x"}, "")->warnings.front(),
            "Warning: can't run 5 processes on 10 nodes, setting nnodes to 5");
}

TEST(Sbatch, TakesMailTypesAndTheirAddress) {
  const auto made = request({"--mail-type=end,TIME_LIMIT_90", "--mail-user=a@b", "--wrap=x"}, "");
  ASSERT_TRUE(made);
  const auto& environment = made->spec.launch.environment;
  EXPECT_EQ(variable_in(environment, kMailTypeVariable), "END,TIME_LIMIT_90");
  EXPECT_EQ(variable_in(environment, kMailUserVariable), "a@b");
  EXPECT_EQ(made->warnings,
            std::vector<std::string>{"--mail-type=TIME_LIMIT_90 has no effect here"});
}

TEST(Sbatch, RefusesInSbatchsWords) {
  const auto wrapped = [](std::vector<std::string> arguments) {
    arguments.push_back("--wrap=x");
    return refusal(std::move(arguments));
  };
  EXPECT_EQ(wrapped({"-t", "abc"}), "Invalid --time specification");
  EXPECT_EQ(wrapped({"--mem=312.5G"}), "Invalid --mem specification");
  EXPECT_EQ(wrapped({"-n", "0"}), "Invalid numeric value \"0\" for --ntasks.");
  EXPECT_EQ(wrapped({"-N", "x"}), "\"x\" is not a valid node count");
  EXPECT_EQ(wrapped({"-a", "x"}), "Batch job submission failed: Invalid job array specification");
  EXPECT_EQ(wrapped({"-d", "foo:1"}), "Batch job submission failed: Job dependency problem");
  EXPECT_EQ(wrapped({"--gres=foo"}), "Invalid generic resource (gres) specification");
  EXPECT_EQ(wrapped({"--gres=gpu:1,gpu:a100:1"}),
            "Invalid GRES specification (with and without type identification)");
  EXPECT_EQ(
      wrapped({"--gpus-per-task=1"}),
      "Failed to validate job spec. --gpus-per-task used without either --gpus or -n/--ntasks "
      "is not allowed.\nInvalid generic resource (gres) specification");
  EXPECT_EQ(wrapped({"--mem=1", "--mem-per-cpu=1"}),
            "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
  EXPECT_EQ(wrapped({"--begin=now+2hour", "--deadline=now+1hour"}),
            "Incompatible begin and deadline time specification");
  EXPECT_EQ(wrapped({"-v", "-Q"}), "don't specify both --verbose (-v) and --quiet (-Q)");
  EXPECT_EQ(wrapped({"--hint=foo"}), "unrecognized --hint argument \"foo\", see --hint=help");
  EXPECT_EQ(wrapped({"--mail-type=FOO"}), "Invalid --mail-type specification");
  EXPECT_EQ(wrapped({"--uid=nobody"}), "--uid is not supported");
  EXPECT_EQ(wrapped({"--foo"}), "unrecognized option '--foo'");
  EXPECT_EQ(refusal({"--wrap=x", "s.sh"}), "Script arguments not permitted with --wrap option");
  EXPECT_EQ(refusal({"s.sh"}, "#!/bin/sh\n#SBATCH foo\n"),
            "Invalid directive found in batch script: foo");
  EXPECT_EQ(refusal({"-t", "5", "s.sh"}, "#!/bin/sh\n#SBATCH -t foo\n"),
            "Invalid --time specification");
  EXPECT_EQ(refusal({"--mem-per-cpu=1", "s.sh"}, "#!/bin/sh\n#SBATCH --mem=5G\n"),
            "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
  EXPECT_EQ(refusal({"s.sh"}, "echo\n").substr(0, 39), "This does not look like a batch script.");
}

TEST(Sbatch, MemoryInTheEnvironmentGivesWay) {
  EXPECT_EQ(request({"--mem=3G", "--wrap=x"}, "", {{"SBATCH_MEM_PER_CPU", "1G"}})->spec.memory,
            (MemoryRequest{MemoryPer::kNode, 3072}));
  EXPECT_EQ(
      request({"s"}, "#!/bin/sh\n#SBATCH --mem=5G\n", {{"SBATCH_MEM_PER_CPU", "1G"}})->spec.memory,
      (MemoryRequest{MemoryPer::kNode, 5120}));
}

TEST(Sbatch, HelpAndVersionNeedNoScript) {
  EXPECT_EQ(read_sbatch_arguments(std::vector<std::string>{"--help"})->action, SbatchAction::kHelp);
  EXPECT_EQ(read_sbatch_arguments(std::vector<std::string>{"-V"})->action, SbatchAction::kVersion);
}

}  // namespace
}  // namespace sluice
