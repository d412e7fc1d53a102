// Traces read and written.
#include "sim/workloads/swf.h"

#include <gtest/gtest.h>

#include "sim/workloads/generated.h"

namespace sluice {
namespace {

constexpr std::string_view kTrace =
    "; MaxNodes: 4\n"
    "; MaxProcs: 8\n"
    "\n"
    "1 0 -1 100 2 -1 -1 4 200 -1 1 7 3 -1 -1 -1 -1 -1\n"
    "   2\t5.5 -1 30 2 -1 -1 -1 -1 -1 1 7 -1 -1 -1 -1 -1 -1\r\n"
    "3 6 -1 -1 2 -1 -1 2 60 -1 0 7 3 -1 -1 -1 -1 -1\n"
    "4 6 -1 100 4";

TEST(Swf, ReadsWhatTheSchedulerNeeds) {
  const Workload workload = parse_swf(kTrace, "t").value();
  EXPECT_EQ(workload.machine_cpus, 8);
  EXPECT_EQ(workload.left_out.lines(), 1U) << "job 3 has no run time";
  ASSERT_EQ(workload.items.size(), 3U);
  const JobSpec first = spec_of(workload, workload.request_of(workload.items[0]));
  EXPECT_EQ(first.user, "u7");
  EXPECT_EQ(first.account, "g3");
  EXPECT_EQ(first.tasks, 4) << "what was asked for, not what was given";
  EXPECT_EQ(first.time_limit, seconds(200));
  EXPECT_EQ(workload.items[0].run, seconds(100));
}

TEST(Swf, FallsBackToTheAllocatedCountAndTheRunTime) {
  const Workload workload = parse_swf(kTrace, "t").value();
  const WorkRequest& second = workload.request_of(workload.items[1]);
  EXPECT_EQ(second.cpus, 2);
  EXPECT_EQ(second.limit, seconds(30));
  EXPECT_EQ(workload.accounts[second.account], "unknown");
  EXPECT_EQ(workload.items[1].submit, instant_at(seconds(5))) << "fractions are cut off";
  EXPECT_EQ(workload.users[workload.request_of(workload.items[2]).user], "unknown");
}

TEST(Swf, NamesTheLineThatIsWrong) {
  const auto word = parse_swf("; x\n1 0 -1 10 1\n2 0 -1 ten 1\n", "bad.swf");
  ASSERT_FALSE(word);
  EXPECT_EQ(word.error().where, "bad.swf:3");
  const auto few = parse_swf("1 0 -1\n", "bad.swf");
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().where, "bad.swf:1");
  EXPECT_FALSE(parse_swf("1 99999999999999999999999 -1 10 1\n", "bad.swf"));
  EXPECT_FALSE(parse_swf("1 0 - 10 1\n", "bad.swf"));
}

TEST(Swf, ReadsNumbersOfEveryLengthUpToTheEndOfTheText) {
  const std::string digits = "123456789012";
  for (std::size_t length = 1; length <= digits.size(); ++length)
    for (const char* behind : {"", "\n", " \n", "\t\n", "\r\n", ".5", " -1 -1 7\n"}) {
      const std::string number = digits.substr(0, length);
      const std::string text = "1 " + number + " -1 " + number + " 2" + behind;
      const auto workload = parse_swf(text, "t");
      ASSERT_TRUE(workload) << text;
      ASSERT_EQ(workload->items.size(), 1U) << text;
      EXPECT_EQ(workload->items[0].submit, instant_at(seconds(std::stoll(number)))) << text;
      EXPECT_EQ(workload->items[0].run, seconds(std::stoll(number))) << text;
    }
  EXPECT_FALSE(parse_swf("1 1234567890123 -1 3 2\n", "t")) << "thirteen digits";
  for (const char* wrong : {"12/4", "12:4", "1234567:", "12345678/", "1\xb2",
                            "1234\xff"
                            "567"})
    EXPECT_FALSE(parse_swf("1 " + std::string(wrong) + " -1 3 2 -1 -1 -1\n", "t")) << wrong;
}

TEST(Swf, PassesOverColumnsBeyondTheEighteenth) {
  const auto workload =
      parse_swf("1 0 -1 3 2 -1 -1 2 9 -1 1 7 3 -1 -1 -1 -1 -1 55 66\n2 4 -1 3 2\n", "t");
  ASSERT_TRUE(workload);
  ASSERT_EQ(workload->items.size(), 2U);
  EXPECT_EQ(workload->items[1].submit, instant_at(seconds(4)));
  EXPECT_EQ(workload->accounts[workload->request_of(workload->items[1]).account], "unknown")
      << "a short line knows nothing of the line before it";
}

TEST(Swf, SubmissionsAreSortedAndOthersStayInOrder) {
  const Workload workload =
      parse_swf("1 9 -1 1 1\n2 5 -1 1 1\n3 5 -1 1 1\n4 9 -1 1 1\n", "t").value();
  std::vector<std::uint32_t> numbers;
  for (const WorkItem& item : workload.items) numbers.push_back(item.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{2, 3, 1, 4}));
}

TEST(Swf, AWrittenWorkloadReadsBackTheSame) {
  GeneratorSettings settings;
  settings.jobs = 500;
  settings.users = 7;
  const Workload workload = generate(settings);
  const Workload back = parse_swf(write_swf(workload), "t").value();
  ASSERT_EQ(back.items.size(), workload.items.size());
  EXPECT_EQ(back.machine_cpus, workload.machine_cpus);
  for (std::size_t i = 0; i < back.items.size(); ++i) {
    EXPECT_EQ(back.items[i].submit, workload.items[i].submit);
    EXPECT_EQ(back.items[i].run, workload.items[i].run);
    EXPECT_EQ(spec_of(back, back.request_of(back.items[i])),
              spec_of(workload, workload.request_of(workload.items[i])));
  }
}

TEST(Swf, TheMostMemoryThatIsReadCanBeWrittenAndReadAgain) {
  const Workload workload =
      parse_swf("1 0 -1 10 1 -1 -1 1 10 999999999999 1 1 1 -1 -1 -1 -1 -1\n", "t").value();
  const auto back = parse_swf(write_swf(workload), "t");
  ASSERT_TRUE(back.has_value()) << back.error().what;
  EXPECT_EQ(back->request_of(back->items[0]).memory_mb,
            workload.request_of(workload.items[0]).memory_mb);
}

TEST(Swf, AWrittenScheduleHasTheWaitInColumnThree) {
  const Workload workload = parse_swf("1 9 -1 1 1\n2 9 -1 1 1\n", "t").value();
  const std::string text = write_swf(workload, [](std::size_t i) -> std::optional<SwfRun> {
    if (i == 1) return std::nullopt;
    return SwfRun{seconds(17), seconds(1), 1};
  });
  const auto waits = parse_swf_waits(text, "t").value();
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].wait, seconds(17));
  EXPECT_EQ(waits[1].wait, std::nullopt);
}

}  // namespace
}  // namespace sluice
