// What sacct -P printed, whatever the order of its fields.
#include "slurm/accounting_dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

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

std::string recording(const char* name) {
  std::ifstream file(std::string("tests/recordings/accounting/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

const LoggedRecord& job(const std::vector<LoggedRecord>& log, std::string_view id) {
  static const LoggedRecord kNone;
  for (const LoggedRecord& each : log)
    if (each.id == id) return each;
  ADD_FAILURE() << "no job " << id;
  return kNone;
}

TEST(AccountingDump, WhatSlurmPrintsIsReadWhateverTheFields) {
  for (const char* name : {"guide.txt", "all.txt", "other-order.txt"}) {
    SCOPED_TRACE(name);
    const auto log = read(recording(name));
    EXPECT_EQ(std::count_if(log.begin(), log.end(),
                            [](const LoggedRecord& each) { return has_ended(each.state); }),
              13)
        << "4 of an array, steps are none, and 9 others";
    EXPECT_EQ(job(log, "1_2").cpus, 1);
    EXPECT_EQ(job(log, "1_2").memory->mb, 200);
    EXPECT_EQ(*job(log, "1_2").elapsed, seconds(3));
    EXPECT_EQ(*job(log, "1_2").limit, minutes(5));
    EXPECT_EQ(job(log, "5").gpus, 1);
    EXPECT_EQ(job(log, "6").state, JobState::kFailed);
    EXPECT_EQ(job(log, "7").state, JobState::kTimeout);
    EXPECT_EQ(*job(log, "7").elapsed, seconds(86)) << "the controller ends jobs late";
    EXPECT_EQ(job(log, "8").state, JobState::kCompleted) << "its name and its command have a |";
    EXPECT_EQ(job(log, "8").user, "ben");
    EXPECT_EQ(*job(log, "8").limit, minutes(60));
    EXPECT_EQ(job(log, "15").gpus, name == std::string_view("other-order.txt") ? 2 : 0);
    EXPECT_EQ(job(log, "9").memory->mb, 4000) << "--mem=0: all of the node";
    EXPECT_EQ(job(log, "15").cpus, 12) << "asked for 2, given two whole nodes";
    // Where only what was given is known, that is all there is.
    const bool asked = name != std::string_view("other-order.txt");
    EXPECT_EQ(job(log, "15").nodes, asked ? 0 : 2) << "on as many nodes as that takes";
    EXPECT_EQ(job(log, "15").memory->mb, asked ? 100 : 600) << "for each CPU, for each node";
    EXPECT_EQ(*job(log, "13").elapsed, seconds(30)) << "requeued: the last run counts,";
    EXPECT_EQ(job(log, "13").submitted, job(log, "14").submitted) << "and the first submission";
    EXPECT_EQ(*job(log, "14").elapsed, seconds(60)) << "preempted, and begun again";
    EXPECT_EQ(job(log, "14").user, "ben");
  }
}

TEST(AccountingDump, TrailingBarsAreNoFields) {
  const auto log = read(recording("parsable.txt"));
  EXPECT_EQ(job(log, "15").cpus, 12);
  EXPECT_EQ(*job(log, "5").elapsed, seconds(4)) << "from Start and End";
}

TEST(AccountingDump, ATableForPeopleIsKnownAsOne) {
  EXPECT_TRUE(is_accounting_table(recording("table.txt")));
  EXPECT_FALSE(is_accounting_dump(recording("table.txt")));
  EXPECT_FALSE(is_accounting_table(recording("guide.txt")));
  EXPECT_FALSE(is_accounting_table("1 0 -1 97225 56\n"));
}

TEST(AccountingDump, SurplusBarsBelongToNamesAndCommandLines) {
  const auto log = read(
      "JobName|JobID|Submit|ElapsedRaw|NCPUS|SubmitLine|State\n"
      "a|b|c|1|1000|60|2|sbatch x|COMPLETED\n"
      "plain|2|1000|60|2|sbatch --wrap 'a | b | c'|FAILED\n"
      "x|y|3|1000|60|2|sbatch -J 'x|y' --wrap 'a | b'|COMPLETED\n");
  ASSERT_EQ(log.size(), 3U);
  EXPECT_EQ(log[2].program, "x|y");
  EXPECT_EQ(log[0].program, "a|b|c");
  EXPECT_EQ(log[0].cpus, 2);
  EXPECT_EQ(log[1].state, JobState::kFailed);
  std::size_t bad = 0;
  const auto none = parse_accounting_dump("JobID|Submit|ElapsedRaw|NCPUS\n1|2|1000|60|2\n", "dump",
                                          [&](std::uint32_t, std::string) -> Result<void> {
                                            ++bad;
                                            return {};
                                          });
  EXPECT_EQ(bad, 1U) << "where nothing is free text, a field too many is a mistake";
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
