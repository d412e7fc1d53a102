#include "views/row_text.h"

#include <gtest/gtest.h>

#include "views/row_fields.h"

namespace sluice {
namespace {

QueueLine line() {
  QueueLine out;
  out.id = "12_[4-9%2]";
  out.job = JobId(12);
  out.array = JobId(12);
  out.name = "tab\there, line\nend, back\\slash, |bar|";
  out.state = JobState::kSuspended;
  out.elapsed = Duration(90'500);
  out.submitted = instant_at(Duration(-1'250));
  out.limit = Duration(3'600'000);
  out.cpus = 3;
  return out;
}

TEST(RowText, SaysTheNamesThenTheRows) {
  std::string text;
  RowTextWriter out(text, *chosen_fields(field_names<QueueLine>(), "state,id,limit,started"));
  out.titles<QueueLine>();
  out.row(line());
  EXPECT_EQ(text, "id\tstate\tlimit\tstarted\n12_[4-9%2]\tSUSPENDED\t3600\t\n");
}

TEST(RowText, ReadsWhatItWrote) {
  std::string text;
  RowTextWriter out(text, kAllFields);
  out.titles<QueueLine>();
  out.row(line());
  QueueLine other;
  other.id = "7";
  out.row(other);
  auto rows = RowTextReader<QueueLine>::over(text);
  ASSERT_TRUE(rows.has_value());
  QueueLine read;
  ASSERT_TRUE(rows->next(read));
  EXPECT_EQ(to_json(read), to_json(line()));
  ASSERT_TRUE(rows->next(read));
  EXPECT_EQ(to_json(read), to_json(other)) << "nothing of the row before is left";
  EXPECT_FALSE(rows->next(read));
}

TEST(RowText, KnowsOnlyTheFieldsOfTheRow) {
  const auto chosen = chosen_fields(field_names<QueueLine>(), "id,colour");
  ASSERT_FALSE(chosen.has_value());
  EXPECT_EQ(chosen.error().what, "there is no field \"colour\"");
  EXPECT_FALSE(RowTextReader<QueueLine>::over("").has_value());
}

TEST(RowText, SurvivesLinesThatAreCutOff) {
  auto rows = RowTextReader<QueueLine>::over("id\tcpus\tsubmitted\n12\nx\ty\tz");
  ASSERT_TRUE(rows.has_value());
  QueueLine read;
  ASSERT_TRUE(rows->next(read));
  EXPECT_EQ(read.cpus, 0);
  ASSERT_TRUE(rows->next(read));
  EXPECT_EQ(read.id, "x");
}

}  // namespace
}  // namespace sluice
