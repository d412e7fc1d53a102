// What sacct -P printed, whatever the order of its fields.
#include "slurm/accounting_dump.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Result<void> stop(std::uint32_t line, std::string what) {
  return bad_input(std::to_string(line) + ": " + what);
}

std::vector<LoggedRecord> read(std::string_view text) {
  return parse_accounting_dump(text, "dump", stop).value();
}

TEST(AccountingDump, FieldsComeInAnyOrder) {
  const auto log = read(
      "State|ReqTRES|JobID|ElapsedRaw|Submit|Timelimit|User|Account|QOS|Partition\n"
      "COMPLETED|billing=4,cpu=4,gres/gpu=2,mem=8G,node=1|12|300|2024-03-01T10:00:00|01:00:00|"
      "ann|phys|fast|gpu\n");
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].user, "ann");
  EXPECT_EQ(log[0].qos, "fast");
  EXPECT_EQ(log[0].cpus, 4);
  EXPECT_EQ(log[0].gpus, 2);
  EXPECT_EQ(log[0].memory->mb, 8192);
  EXPECT_EQ(*log[0].elapsed, minutes(5));
  EXPECT_EQ(*log[0].limit, minutes(60));
  EXPECT_EQ(to_seconds(log[0].submitted), 1709287200);
}

TEST(AccountingDump, StepsAreLeftOutAndArrayTasksStay) {
  const auto log = read(
      "JobID|Submit|Elapsed|AllocCPUS|State\n"
      "7_1|1000|00:01:00|1|COMPLETED\n7_1.batch|1000|00:01:00|1|COMPLETED\n"
      "7_2|1000|1-00:00:00|1|TIMEOUT\n7_[3-9]|1000|00:00:00|1|PENDING\n");
  ASSERT_EQ(log.size(), 3U);
  EXPECT_EQ(log[1].id, "7_2");
  EXPECT_EQ(*log[1].elapsed, minutes(24 * 60));
  EXPECT_FALSE(has_ended(log[2].state));
}

TEST(AccountingDump, ARequeuedJobIsOneJob) {
  const auto log = read(
      "JobID|Submit|ElapsedRaw|ReqCPUS|State\n"
      "5|1000|60|2|PREEMPTED\n6|1010|1|1|COMPLETED\n5|1100|500|2|COMPLETED\n5|9000|7|2|"
      "COMPLETED\n");
  ASSERT_EQ(log.size(), 3U) << "the number was used again later";
  EXPECT_EQ(to_seconds(log[0].submitted), 1000);
  EXPECT_EQ(*log[0].elapsed, seconds(500));
  EXPECT_EQ(to_seconds(log[2].submitted), 9000);
}

TEST(AccountingDump, AMissingFieldIsNamed) {
  const auto log = parse_accounting_dump("JobID|User\n1|a\n", "dump", stop);
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().what.find("Submit"), std::string::npos);
  EXPECT_NE(log.error().hint.find("sacct -aPX"), std::string::npos);
}

TEST(AccountingDump, BadLinesAreTheCallersBusiness) {
  std::size_t bad = 0;
  const auto log = parse_accounting_dump(
      "JobID|Submit|ElapsedRaw|NCPUS\n1|10|5\n2|soon|5|1\n3|10|5|1\n4|10|x|1\n"
      "5|99999999999999999|5|1\n6|10|9223372036854775807|1\n7|10|5|-3\n|10|5|1\n",
      "dump", [&](std::uint32_t, std::string) -> Result<void> {
        ++bad;
        return {};
      });
  ASSERT_TRUE(log);
  EXPECT_EQ(log->size(), 1U);
  EXPECT_EQ(bad, 7U);
}

}  // namespace
}  // namespace sluice
