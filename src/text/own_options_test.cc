// Our own options among sbatch's: where they may stand, which of them counts.
#include "text/own_options.h"

#include <gtest/gtest.h>

#include "text/sbatch_options.h"

namespace sluice {
namespace {

Result<SbatchRequest> asked(std::vector<std::string> words, std::string_view script = "#!/bin/sh\n",
                            std::vector<EnvironmentVariable> environment = {}) {
  words.push_back("job.sh");
  TRY(const SbatchCommandLine line, read_submit_arguments(words));
  return make_sbatch_request(line, script, SbatchContext{environment, instant_at(seconds(1)), {}});
}

TEST(OwnOptions, TimesMayHaveUnitsOnOurOwnCommandLine) {
  struct Case {
    const char* word;
    Duration limit;
  };
  for (const Case& c : {Case{"--time=1h", std::chrono::hours(1)},
                        {"-t30min", minutes(30)},
                        {"--time=2days", std::chrono::hours(48)},
                        {"--time=90s", minutes(2)},
                        {"--time=90", minutes(90)}}) {
    const auto request = asked({c.word});
    ASSERT_TRUE(request) << c.word;
    EXPECT_EQ(request->spec.time_limit, c.limit) << c.word;
  }
  for (const char* word : {"--begin=1h", "--begin=now+1h", "--begin=+60min"}) {
    const auto request = asked({word});
    ASSERT_TRUE(request) << word;
    EXPECT_EQ(request->spec.begin, instant_at(seconds(3601))) << word;
  }
  EXPECT_FALSE(asked({"--time=soon"}));
}

TEST(OwnOptions, StandAmongSbatchs) {
  const auto made = asked({"--mem=4G", "--device", "any", "-A", "a,b", "--keep-back", "-c", "2"});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->own.device, "any");
  EXPECT_TRUE(made->own.keep_back);
  EXPECT_EQ(made->spec.account, "a,b");
  EXPECT_EQ(made->spec.cpus_per_task, 2);
  EXPECT_TRUE(made->own.names_pools());
  EXPECT_FALSE(made->own.starts_chain());
}

TEST(OwnOptions, AfterTheScriptWordsAreTheScripts) {
  const auto line = read_submit_arguments(std::vector<std::string>{"job.sh", "--device", "gpu"});
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->own.empty());
  EXPECT_EQ(line->arguments, (std::vector<std::string>{"--device", "gpu"}));
}

TEST(OwnOptions, AMisspeltOptionIsNamedWithTheOneThatWasMeant) {
  const auto said = [](const std::string& word) {
    const auto line = read_submit_arguments(std::vector<std::string>{word, "job.sh"});
    return line ? std::string() : line.error().what;
  };
  EXPECT_EQ(said("--arry=0-3"), "unknown option '--arry'; did you mean '--array'?");
  EXPECT_EQ(said("--divice=gpu"), "unknown option '--divice'; did you mean '--device'?");
  EXPECT_EQ(said("--nothing-like-it"), "unknown option '--nothing-like-it'");
}

TEST(OwnOptions, TheCommandLineCountsBeforeTheEnvironmentBeforeTheScript) {
  const std::string_view script = "#!/bin/sh\n#SLUICE --device=cpu --throttle 7 # seven\n";
  EXPECT_EQ(asked({}, script)->own.device, "cpu");
  EXPECT_EQ(asked({}, script)->own.throttle, 7U);
  EXPECT_EQ(asked({}, script, {{"SLUICE_DEVICE", "gpu"}})->own.device, "gpu");
  EXPECT_EQ(asked({"--device=any"}, script, {{"SLUICE_DEVICE", "gpu"}})->own.device, "any");
  EXPECT_EQ(asked({"--device=any"}, script)->own.throttle, 7U);
}

TEST(OwnOptions, AsIsOnlyTheCommandLineCounts) {
  const std::string_view script = "#!/bin/sh\n#SLUICE --device=cpu --throttle 7\n";
  const auto made = asked({"--as-is"}, script, {{"SLUICE_DEVICE", "gpu"}, {"SLUICE_ON", "slurm"}});
  EXPECT_FALSE(made->own.names_pools());
  EXPECT_FALSE(made->own.starts_chain());
  EXPECT_EQ(made->own.engine, "slurm");
}

TEST(OwnOptions, InsideAJobTheDeviceIsTheJobsOwn) {
  EXPECT_EQ(asked({}, "#!/bin/sh\n", {{"SLUICE_DEVICE", "gpu"}, {"SLURM_JOB_ID", "7"}})->own.device,
            "");
}

TEST(OwnOptions, ABeginningOfANameMeansSbatchsOptionFirst) {
  // --chdir, although --chain begins so too; --kee is ours alone.
  EXPECT_EQ(asked({"--chd=/tmp"})->spec.launch.working_directory, "/tmp");
  EXPECT_EQ(asked({"--ch=/tmp"})->spec.launch.working_directory, "/tmp");
  EXPECT_TRUE(asked({"--kee"})->own.keep_back);
  EXPECT_TRUE(asked({"--chain"})->own.starts_chain());
}

TEST(OwnOptions, EveryOneMayStandInTheScript) {
  const auto made = asked(
      {},
      "#!/bin/sh\n#SLUICE --ladder=l.yaml --max-level=3 --start-mem=2G --whole-level\n"
      "#SLUICE --size-from-history --no-handlers --no-wait --shape=decon --detach --keep-back\n"
      "#SLUICE --runtime gpu=22m,cpu=282m --wait-for-capacity=2h --on slurm --json --chain\n");
  ASSERT_TRUE(made) << made.error().text();
  const OwnOptions& own = made->own;
  EXPECT_EQ(own.ladder_file, "l.yaml");
  EXPECT_EQ(own.max_level, 3U);
  EXPECT_EQ(own.start_memory_mb, 2048);
  EXPECT_TRUE(own.whole_level && own.learn && !own.handlers && own.no_wait && own.detach);
  EXPECT_EQ(own.shape, "decon");
  EXPECT_EQ(own.gpu_runtime, minutes(22));
  EXPECT_EQ(own.capacity_limit, minutes(120));
  EXPECT_EQ(own.engine, "slurm");
}

TEST(OwnOptions, WhatIsWrongIsRefusedWithItsPlace) {
  EXPECT_FALSE(asked({"--device=tpu"}));
  EXPECT_FALSE(asked({"--throttle=0"}));
  EXPECT_FALSE(asked({"--runtime=gpu"}));
  EXPECT_FALSE(asked({"--copies=-1"}));
  const auto other = asked({}, "#!/bin/sh\n#SLUICE --mem=4G\n");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("#SLUICE"), std::string::npos);
  // sbatch would not take it from there either.
  EXPECT_FALSE(asked({}, "#!/bin/sh\n#SBATCH --device=gpu\n"));
}

}  // namespace
}  // namespace sluice
