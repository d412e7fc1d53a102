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

TEST(RowText, LeavesOutWhatIsAsAbove) {
  std::string text;
  const auto fields = *chosen_fields(field_names<QueueLine>(), "id,user,state,limit");
  RowTextWriter out(text, fields, Ditto::kYes);
  out.titles<QueueLine>();
  QueueLine row = line();
  row.user = "ann";
  std::vector<QueueLine> rows{row, row, row, row, row};
  rows[1].id = "13";
  rows[2].id = "14";
  rows[2].limit.reset();
  rows[3] = rows[2];
  rows[4].id = "14";
  for (const QueueLine& each : rows) out.row(each);
  EXPECT_EQ(text,
            "id\tuser\tstate\tlimit\n12_[4-9%2]\tann\tSUSPENDED\t3600\n13\n"
            "14\t\\=\t\\=\t\n\\=\n\\=\t\\=\t\\=\t3600\n");
  auto reader = RowTextReader<QueueLine>::over(text);
  ASSERT_TRUE(reader.has_value());
  QueueLine read;
  for (const QueueLine& each : rows) {
    ASSERT_TRUE(reader->next(read));
    EXPECT_EQ(read.id, each.id);
    EXPECT_EQ(read.user, each.user);
    EXPECT_EQ(read.state, each.state);
    EXPECT_EQ(read.limit, each.limit);
  }
  EXPECT_FALSE(reader->next(read));
}

TEST(RowText, TellsWhatARowSaysAnew) {
  std::string text;
  const auto fields = *chosen_fields(field_names<QueueLine>(), "id,user,state,limit");
  const auto only_id = *chosen_fields(field_names<QueueLine>(), "id");
  RowTextWriter out(text, fields, Ditto::kYes);
  out.titles<QueueLine>();
  QueueLine row = line();
  out.row(row);
  row.id = "13";
  out.row(row, only_id);
  out.row(row, only_id);
  row.user = "bob";
  out.row(row);
  EXPECT_EQ(text, "id\tuser\tstate\tlimit\n12_[4-9%2]\t\tSUSPENDED\t3600\n13\n\\=\n\\=\tbob\n");
  auto rows = RowTextReader<QueueLine>::over(text);
  ASSERT_TRUE(rows.has_value());
  QueueLine read;
  std::vector<FieldMask> told;
  while (rows->next(read)) told.push_back(rows->told());
  const auto user = *chosen_fields(field_names<QueueLine>(), "user");
  EXPECT_EQ(told, (std::vector<FieldMask>{fields, only_id, 0, user}));
}

}  // namespace
}  // namespace sluice
