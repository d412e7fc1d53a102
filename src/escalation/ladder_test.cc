// Ladders: what they ask for, how a task climbs them, and which are refused.
#include "escalation/ladder.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Level level(std::vector<std::string> partitions, std::int64_t mb, int time, int line = 0) {
  return {std::move(partitions), MemoryRequest{MemoryPer::kNode, mb}, minutes(time),
          line > 0 ? "ladder.yaml:" + std::to_string(line) : ""};
}

Ladder three() {
  Ladder ladder;
  ladder.levels = {level({"small"}, 1024, 1, 2), level({"small", "big"}, 2048, 1, 5),
                   level({"big"}, 4096, 10, 8)};
  return ladder;
}

Ceilings ceilings() {
  Ceilings out;
  out.partitions = {{"small", 2048, minutes(5), {}, {}}, {"big", 8192, minutes(20), {}, {}}};
  out.default_partition = "small";
  return out;
}

TEST(Ladder, MemoryAndTimeClimbApart) {
  const Ladder ladder = three();
  const auto more = climb(ladder, {}, Remedy::kMoreMemory);
  ASSERT_TRUE(more);
  EXPECT_EQ(request_at(ladder, *more),
            (Request{{"small", "big"}, MemoryRequest{MemoryPer::kNode, 2048}, minutes(1)}));
  // The second level has no more time than the first: the third is next.
  const auto longer = climb(ladder, {}, Remedy::kMoreTime);
  ASSERT_TRUE(longer);
  EXPECT_EQ(request_at(ladder, *longer),
            (Request{{"big"}, MemoryRequest{MemoryPer::kNode, 1024}, minutes(10)}));
  EXPECT_EQ(climb(ladder, {2, 0}, Remedy::kMoreMemory), std::nullopt);
  EXPECT_EQ(climb(ladder, {2, 2}, Remedy::kMoreOfBoth), std::nullopt);
  EXPECT_EQ(climb(ladder, {2, 0}, Remedy::kMoreOfBoth), (Rung{2, 2}));
}

TEST(Ladder, WholeLevelsIgnoreTheCause) {
  Ladder ladder = three();
  ladder.climb = Climb::kWholeLevel;
  EXPECT_EQ(climb(ladder, {0, 0}, Remedy::kMoreTime), (Rung{1, 1}));
  EXPECT_EQ(climb(ladder, {1, 1}, Remedy::kMoreMemory), (Rung{2, 2}));
  EXPECT_EQ(climb(ladder, {2, 2}, Remedy::kMoreMemory), std::nullopt);
}

TEST(Ladder, GrowsUpToWhatThePartitionsHold) {
  Ladder ladder;
  ladder.growth = Growth{200, 300};
  JobSpec spec;
  spec.partitions = {"big", "small"};
  spec.memory = MemoryRequest{MemoryPer::kNode, 1500};
  spec.time_limit = minutes(2);
  const auto settled = settle_ladder(ladder, spec, ceilings());
  ASSERT_TRUE(settled) << settled.error().text();
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < settled->levels.size(); ++i)
    shown.push_back(describe(Request{settled->levels[i].partitions, settled->levels[i].memory,
                                     settled->levels[i].time}));
  EXPECT_EQ(shown, (std::vector<std::string>{
                       "1500M and 00:02:00 in big,small", "3000M and 00:06:00 in big",
                       "6000M and 00:18:00 in big", "8G and 00:20:00 in big"}));
}

TEST(Ladder, LeavesOutPartitionsThatCannotHoldALevel) {
  Ladder ladder = three();
  ladder.levels[2].partitions = {"small", "big"};
  const auto settled = settle_ladder(ladder, {}, ceilings());
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->levels[2].partitions, std::vector<std::string>{"big"});
  EXPECT_EQ(settled->levels[1].partitions, (std::vector<std::string>{"small", "big"}));
}

TEST(Ladder, LevelsTakeFromTheJobWhatTheyDoNotSay) {
  Ladder ladder;
  ladder.levels.resize(2);
  ladder.levels[1].memory = MemoryRequest{MemoryPer::kNode, 2000};
  JobSpec spec;
  spec.memory = MemoryRequest{MemoryPer::kNode, 1000};
  spec.time_limit = minutes(3);
  const auto settled = settle_ladder(ladder, spec, ceilings());
  ASSERT_TRUE(settled) << settled.error().text();
  EXPECT_EQ(settled->levels[0].memory->mb, 1000);
  EXPECT_EQ(settled->levels[1].time, minutes(3));
}

TEST(Ladder, RefusalsNameTheLineAndTheLimit) {
  const auto text = [](Ladder ladder, Ceilings limits = ceilings()) {
    const auto settled = settle_ladder(std::move(ladder), {}, limits);
    return settled ? std::string() : settled.error().text();
  };
  Ladder down = three();
  down.levels[1].memory->mb = 512;
  EXPECT_EQ(text(down),
            "ladder.yaml:5: level 2 asks for 512M and 00:01:00, less than the 1G and 00:01:00 "
            "before it\n  a ladder goes up: order the levels by memory");
  Ladder same = three();
  same.levels[1].memory->mb = 1024;
  EXPECT_NE(text(same).find("gives no more"), std::string::npos);
  Ladder large = three();
  large.levels[2].memory->mb = 16384;
  EXPECT_EQ(text(large),
            "ladder.yaml:8: level 3 fits no partition: it asks for 16G and 00:10:00; big has 8G "
            "and 00:20:00\n  name a larger partition, or end the ladder before it with "
            "--max-level");
  Ladder nowhere = three();
  nowhere.levels[0].partitions = {"tiny"};
  EXPECT_NE(text(nowhere).find("'tiny', which is not there"), std::string::npos);
  Ceilings limited = ceilings();
  for (PartitionCeiling& one : limited.partitions) {
    one.time = minutes(5);
    one.time_limit = "MaxWall of QoS normal";
  }
  EXPECT_NE(text(three(), limited).find("00:05:00 (MaxWall of QoS normal)"), std::string::npos);
  Ladder cut = three();
  cut.max_level = 2;
  EXPECT_EQ(text(cut, limited), "");
}

TEST(Ladder, GrowthEndsAtTheLimitAndSaysWhich) {
  Ladder ladder;
  ladder.growth = Growth{};
  JobSpec spec;
  spec.partitions = {"big"};
  spec.memory = MemoryRequest{MemoryPer::kNode, 1024};
  spec.time_limit = minutes(5);
  Ceilings limited = ceilings();
  for (PartitionCeiling& one : limited.partitions) {
    one.memory_mb = std::min<std::int64_t>(one.memory_mb, 3000);
    one.memory_limit = "GrpTRES of QoS q";
  }
  const auto settled = settle_ladder(ladder, spec, limited);
  ASSERT_TRUE(settled) << settled.error().text();
  EXPECT_EQ(settled->levels.back().memory->mb, 3000);
  EXPECT_NE(settled->top.find("GrpTRES of QoS q allows 3000M"), std::string::npos) << settled->top;
}

TEST(Ladder, WithoutALimitOnTimeGrowthStillEnds) {
  Ladder ladder;
  ladder.growth = Growth{};
  JobSpec spec;
  spec.partitions = {"big"};
  spec.time_limit = minutes(1);
  Ceilings open = ceilings();
  for (PartitionCeiling& one : open.partitions) one.time.reset();
  const auto settled = settle_ladder(ladder, spec, open);
  ASSERT_TRUE(settled) << settled.error().text();
  EXPECT_LE(*settled->levels.back().time, std::chrono::hours(24 * 28));
}

Ladder two_gpus() {
  Ladder ladder;
  ladder.levels = {level({"big"}, 1024, 1), level({"big"}, 1024, 1), level({"big"}, 4096, 2)};
  ladder.levels[0].gpus = std::vector<GpuRequest>{{GpusPer::kNode, "a100", 1}};
  ladder.levels[1].gpus = std::vector<GpuRequest>{{GpusPer::kNode, "h100", 1}};
  ladder.levels[1].qos = "high";
  ladder.levels[2].cpus = 8;
  return ladder;
}

TEST(Ladder, ATaskClimbsToTheNextGpuAndKeepsItsMemoryAndTime) {
  const auto settled = settle_ladder(two_gpus(), {}, ceilings());
  ASSERT_TRUE(settled) << settled.error().text();
  const auto next = climb(*settled, {}, Remedy::kOtherGpu);
  ASSERT_EQ(next, (Rung{0, 0, 1}));
  EXPECT_EQ(describe(request_at(*settled, *next)),
            "1G and 00:01:00 with 1 h100 GPU, QoS high in big");
  // The third level has the second's GPU: there is no other.
  EXPECT_EQ(climb(*settled, *next, Remedy::kOtherGpu), std::nullopt);
  // More memory is on the third level, and so everything else is that level's.
  EXPECT_EQ(describe(request_at(*settled, *climb(*settled, {}, Remedy::kMoreMemory))),
            "4G and 00:01:00 with 1 h100 GPU, 8 CPUs, QoS high in big");
}

TEST(Ladder, MoreCpusAreMoreForATaskOutOfTime) {
  Ladder ladder;
  ladder.levels = {level({"big"}, 1024, 5), level({"big"}, 1024, 5)};
  ladder.levels[0].cpus = 2;
  ladder.levels[1].cpus = 8;
  const auto settled = settle_ladder(ladder, {}, ceilings());
  ASSERT_TRUE(settled) << settled.error().text();
  const auto next = climb(*settled, {}, Remedy::kMoreTime);
  ASSERT_TRUE(next);
  EXPECT_EQ(request_at(*settled, *next).cpus, 8);
  EXPECT_EQ(climb(*settled, {}, Remedy::kMoreMemory), std::nullopt);
  // Memory per CPU grows with the CPUs.
  JobSpec spec;
  spec.memory = MemoryRequest{MemoryPer::kCpu, 500};
  for (Level& one : ladder.levels) one.memory.reset();
  const auto by_cpu = settle_ladder(ladder, spec, ceilings());
  ASSERT_TRUE(by_cpu) << by_cpu.error().text();
  EXPECT_EQ(climb(*by_cpu, {}, Remedy::kMoreMemory), (Rung{1, 0}));
}

TEST(Ladder, EachLevelHasTheCeilingsOfWhatItAsksFor) {
  const auto settled = settle_ladder(two_gpus(), {}, [](const JobSpec& asking) {
    Ceilings out = ceilings();
    if (asking.qos == "high") out.partitions[1].never = "GrpTRES of QoS high allows gres/gpu=0";
    return out;
  });
  ASSERT_FALSE(settled);
  EXPECT_NE(settled.error().text().find("level 2 fits no partition"), std::string::npos);
  EXPECT_NE(settled.error().text().find("big: GrpTRES of QoS high"), std::string::npos);
}

TEST(Ladder, AWarningComesBeforeTheEnd) {
  Ladder ladder = three();
  ladder.checkpoint = Checkpoint{};
  ladder.checkpoint->signal.before_end = minutes(5);
  const auto settled = settle_ladder(ladder, {}, ceilings());
  ASSERT_FALSE(settled);
  EXPECT_NE(settled.error().text().find("checkpoint.before is 00:05:00"), std::string::npos);
}

TEST(Ladder, StartsWhereTheMemoryIs) {
  EXPECT_EQ(rung_with_memory(three(), 2048), (Rung{1, 0}));
  EXPECT_EQ(rung_with_memory(three(), 3000), Rung{});
}

}  // namespace
}  // namespace sluice
