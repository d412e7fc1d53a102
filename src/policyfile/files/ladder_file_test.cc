// ladder.yaml into ladders, and what is wrong with it by line.
#include "policyfile/files/ladder_file.h"

#include <gtest/gtest.h>

#include "policyfile/files/logging_section.h"

namespace sluice {
namespace {

TEST(LadderFile, ReadsLevelsGrowthAndRemedies) {
  const auto ladder = read_ladder_file(R"(levels:
  - partition: devel,day
    mem: 1G
    time: "00:01:00"
  - partition: [week]
    mem: 4G
    time: 2m
grow: {mem: ×2, time: 1.5}
climb: whole-level
max_level: 6
max_again: 3
state_handling:
  OUT_OF_MEMORY: escalate
  TIMEOUT: time
  FAILED: no_retry
  PREEMPTED: escalate
  NODE_FAIL: no_retry
  exit_codes: {137: escalate, 42: again}
  signals: {11: no_retry}
  stderr:
    - {match: "CUDA out of memory", do: memory}
)",
                                       "ladder.yaml");
  ASSERT_TRUE(ladder) << ladder.error().text();
  ASSERT_EQ(ladder->levels.size(), 2U);
  EXPECT_EQ(ladder->levels[0].partitions, (std::vector<std::string>{"devel", "day"}));
  EXPECT_EQ(ladder->levels[0].memory->mb, 1024);
  EXPECT_EQ(ladder->levels[0].time, minutes(1));
  EXPECT_EQ(ladder->levels[1].time, minutes(2));
  EXPECT_EQ(ladder->levels[1].where, "ladder.yaml:5");
  EXPECT_EQ(ladder->growth, (Growth{200, 150}));
  EXPECT_EQ(ladder->climb, Climb::kWholeLevel);
  EXPECT_EQ(ladder->max_level, 6U);
  EXPECT_EQ(ladder->most_again, 3U);
  const Handling& handling = ladder->handling;
  EXPECT_EQ(handling.states.at(JobState::kPreempted), Remedy::kAgain);
  EXPECT_EQ(handling.states.at(JobState::kNodeFail), Remedy::kGiveUp);
  EXPECT_EQ(handling.states.at(JobState::kDeadline), Remedy::kMoreTime);
  EXPECT_EQ(handling.exit_codes.at(137), Remedy::kMoreMemory);
  EXPECT_EQ(handling.exit_codes.at(42), Remedy::kAgain);
  EXPECT_EQ(handling.signals.at(11), Remedy::kGiveUp);
  EXPECT_EQ(handling.stderr_rules.at(0).pattern, "CUDA out of memory");
}

TEST(LadderFile, LevelsNameGpusCpusConstraintAndQos) {
  const auto ladder = read_ladder_file(R"(levels:
  - {mem: 16G, time: 1h, gpus: 1}
  - {gpus: "a100:2", cpus: 16, constraint: "big&new", qos: high}
  - {gpus: {h100: 1}}
  - {gpus: 0}
checkpoint: {signal: USR2, before: 2m, progress: "saved epoch [0-9]+", exit_code: 99, at_most: 7}
state_handling: {GPU_OUT_OF_MEMORY: memory}
)",
                                       "l.yaml");
  ASSERT_TRUE(ladder) << ladder.error().text();
  using Gpus = std::vector<GpuRequest>;
  EXPECT_EQ(ladder->levels[0].gpus, (Gpus{{GpusPer::kNode, "", 1}}));
  EXPECT_EQ(ladder->levels[1].gpus, (Gpus{{GpusPer::kNode, "a100", 2}}));
  EXPECT_EQ(ladder->levels[1].cpus, 16);
  EXPECT_EQ(ladder->levels[1].constraint->text, "big&new");
  EXPECT_EQ(ladder->levels[1].qos, "high");
  EXPECT_EQ(ladder->levels[2].gpus, (Gpus{{GpusPer::kNode, "h100", 1}}));
  EXPECT_EQ(ladder->levels[3].gpus, Gpus{});
  ASSERT_TRUE(ladder->checkpoint);
  EXPECT_EQ(ladder->checkpoint->signal, (WarningSignal{12, minutes(2), true}));
  EXPECT_EQ(ladder->checkpoint->progress, "saved epoch [0-9]+");
  EXPECT_EQ(ladder->checkpoint->exit_code, 99);
  EXPECT_EQ(ladder->checkpoint->most, 7U);
  EXPECT_EQ(ladder->handling.gpu_memory, Remedy::kMoreMemory);
  const auto error = [](std::string_view text) {
    const auto bad = read_ladder_file(text, "l.yaml");
    return bad ? std::string() : bad.error().text();
  };
  EXPECT_NE(error("levels:\n  - {gpus: \"-1\"}\n").find("l.yaml:2"), std::string::npos);
  EXPECT_NE(error("levels:\n  - {cpus: 0}\n").find("l.yaml:2"), std::string::npos);
  EXPECT_NE(error("levels:\n  - {constraint: '(a'}\n").find("l.yaml:2"), std::string::npos);
  EXPECT_NE(error("checkpoint: {signal: LOUD}\n").find("is not a signal"), std::string::npos);
  EXPECT_NE(error("checkpoint: {to: everybody}\n").find("script"), std::string::npos);
}

// The older form of mem-escalate's configuration: one ladder for each, numbered from 0.
TEST(LadderFile, OneLadderForMemoryAndOneForTime) {
  std::vector<std::string> notes;
  const auto ladder = read_ladder_file(R"(memory:
  ladder: [1G, 2G, 4G, 8G]
  max_level: 2
time:
  ladder: ["00:01:00", "00:05:00"]
timeout: {poll_interval: 5, sacct_delay: 2}
retry: {max_retries: 5}
tracker: {base_dir: /data/tracker}
defaults: {partition: normal}
failed_jobs: {report: true}
max_array_spec_len: 10000
logging: {enabled: false, db_path: /data/x.db}
)",
                                       "l.yaml", {}, &notes);
  ASSERT_TRUE(ladder) << ladder.error().text();
  ASSERT_EQ(ladder->levels.size(), 3U);
  EXPECT_EQ(ladder->levels[0].memory->mb, 1024);
  EXPECT_EQ(ladder->levels[2].memory->mb, 4096);
  EXPECT_EQ(ladder->levels[0].time, minutes(1));
  EXPECT_EQ(ladder->levels[1].time, minutes(5));
  EXPECT_EQ(ladder->levels[2].time, minutes(5));
  EXPECT_EQ(notes.size(), 6U);
  EXPECT_FALSE(read_ladder_file("memory: {ladder: [1G]}\nlevels: [{mem: 1G}]\n", "l.yaml"));
  EXPECT_FALSE(read_ladder_file("memory: {max_level: 2}\n", "l.yaml"));
}

TEST(LadderFile, AnEmptyFileDoubles) {
  EXPECT_EQ(read_ladder_file("", "l.yaml")->growth, Growth{});
}

TEST(LadderFile, ErrorsNameTheLine) {
  const auto error = [](std::string_view text) {
    const auto ladder = read_ladder_file(text, "l.yaml");
    return ladder ? std::string() : ladder.error().text();
  };
  EXPECT_NE(error("levels:\n  - {mem: 1G}\n  - {mem: lots}\n").find("l.yaml:3"), std::string::npos);
  EXPECT_NE(error("grow: {mem: ×0}\n").find("l.yaml:1"), std::string::npos);
  EXPECT_NE(error("state_handling:\n  FAILED: perhaps\n").find("l.yaml:2"), std::string::npos);
  EXPECT_NE(error("state_handling:\n  COMPLETED: again\n").find("not a state in which"),
            std::string::npos);
  EXPECT_NE(error("state_handling:\n  exit_codes: {300: again}\n").find("'300'"),
            std::string::npos);
  EXPECT_NE(error("levles: []\n").find("levels"), std::string::npos);
  EXPECT_NE(error("climb: sideways\n").find("by-cause"), std::string::npos);
}

TEST(LadderFile, ALadderThatCouldRunNothingIsRefused) {
  const auto error = [](std::string_view text) {
    const auto ladder = read_ladder_file(text, "l.yaml", [](const std::string& pattern) {
      return pattern == "(" ? std::string("missing )") : std::string();
    });
    return ladder ? std::string() : ladder.error().text();
  };
  EXPECT_NE(error("# none\nlevels: []\n").find("l.yaml:2"), std::string::npos);
  EXPECT_NE(error("levels:\n  - {mem: 1G}\n  - {mem: 0}\n").find("l.yaml:3"), std::string::npos);
  EXPECT_NE(error("levels:\n  - {mem: 1G, time: 0}\n").find("l.yaml:2"), std::string::npos);
  EXPECT_NE(error("state_handling:\n  stderr:\n    - {match: '(', do: memory}\n").find("l.yaml:3"),
            std::string::npos);
  EXPECT_EQ(error("state_handling:\n  stderr:\n    - {match: 'a', do: memory}\n"), "");
}

TEST(LadderFile, AConfigurationThatLogsElsewhereIsTakenWithANote) {
  std::vector<std::string> notes;
  const auto ladder = read_ladder_file(
      "levels: [{partition: 'devel,day', mem: 1G, time: '00:01:00'}]\n"
      "state_handling: {FAILED: no_retry, exit_codes: {137: escalate, 1: no_retry}}\n"
      "logging:\n  enabled: true\n  db_path: /data/jobs/log.db\n  level: debug\n",
      "target.yaml", {}, &notes);
  ASSERT_TRUE(ladder) << ladder.error().text();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find("target.yaml:"), std::string::npos);
  EXPECT_NE(notes.front().find("logging.level has no effect"), std::string::npos);
  // Without a place for notes it is taken all the same.
  EXPECT_TRUE(read_ladder_file("logging: {enabled: false}\n", "target.yaml"));
  EXPECT_EQ(logging_of_ladder_file("logging: {enabled: false, db_path: a.db}\n", "f")->db_path, "");
  EXPECT_EQ(logging_of_ladder_file("logging: {db_path: a.db}\n", "f")->db_path, "a.db");
  EXPECT_EQ(logging_of_ladder_file("levels: [{mem: 1G}]\n", "f")->db_path, "");
  EXPECT_FALSE(read_ladder_file("logging: {enabled: perhaps, db_path: a.db}\n", "f"));
}

TEST(LadderFile, TakesAConfigurationWithAllItsSections) {
  std::vector<std::string> notes;
  const auto ladder = read_ladder_file(R"(levels:
  - partition: devel,day,week,pi_jetz
    mem: 1G
    time: "00:01:00"

  - partition: day,week,pi_jetz          # 2G: devel excluded (1G nodes)
    mem: 2G
    time: "00:02:00"

  - partition: week,pi_jetz              # 4G: only 8G+ nodes
    mem: 4G
    time: "00:04:00"

  - partition: pi_jetz                   # 8G: final fallback (1 node)
    mem: 8G
    time: "00:08:00"

state_handling:
  # These get retried with more resources
  OUT_OF_MEMORY: escalate
  TIMEOUT: escalate
  DEADLINE: escalate
  PREEMPTED: escalate
  BOOT_FAIL: escalate
  NODE_FAIL: escalate

  # These are NOT retried (code errors)
  FAILED: no_retry
  CANCELLED: no_retry

  # Exit code overrides (for FAILED state)
  exit_codes:
    137: escalate    # OOM killer (128+9) - retry this
    1: no_retry      # Generic error - don't retry (default)

logging:
  enabled: true
  db_path: /data/tracker/escalation.db
)",
                                       "escalation-target.yaml", {}, &notes);
  ASSERT_TRUE(ladder) << ladder.error().text();
  EXPECT_EQ(ladder->levels.size(), 4U);
  EXPECT_TRUE(notes.empty()) << notes.front();
}

}  // namespace
}  // namespace sluice
