// Array specs in Slurm's notation, and how short a set of indices can be written.
#include "text/array_spec.h"

#include <gtest/gtest.h>

#include "text/scan.h"

namespace sluice {
namespace {

IndexSet indices_of(std::string_view list) {
  IndexSet set;
  for (std::string_view part : split(list, ','))
    if (!part.empty()) set.insert(static_cast<std::uint32_t>(whole_number(part).value()));
  return set;
}

TEST(ArraySpec, IsReadAsSlurmReadsIt) {
  struct Case {
    const char* text;
    const char* shown;
  };
  for (const Case& c : {Case{"0-9", "0-9"},
                        {"1,1,2", "1-2"},
                        {"5-5", "5"},
                        {"[1-5]", "1-5"},
                        {"1-5,", "1-5"},
                        {",1-5", "1-5"},
                        {"01-03", "1-3"},
                        {"1-5:10", "1"},
                        {"1-3,2-4", "1-4"},
                        {"1-10:3%2,5%1", "1,4-5,7,10%2"},
                        {"1-5%0", "1-5"},
                        {"1-5%", "1-5"},
                        {"0-98:2", "0-98:2"},
                        {"0-15%4", "0-15%4"},
                        {"4000000", "4000000"}}) {
    const auto spec = parse_array_spec(c.text);
    ASSERT_TRUE(spec) << c.text << ": " << spec.error().text();
    EXPECT_EQ(format_array_tasks(*spec), c.shown) << c.text;
  }
  const auto spec = parse_array_spec("0-99:2%10,200");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->indices.size(), 51U);
  EXPECT_EQ(spec->throttle, 10U);
  EXPECT_EQ(format_array_spec(*spec), "0-98:2,200%10");
}

TEST(ArraySpec, RefusalsNameTheText) {
  for (const char* text : {"", "x", "5-1", "1-5:0", "%5", "1 - 5", "1-5:2:3", "-5", "1-", "4000001",
                           "0x10", "1-3 ", "1;2", "1:2", "5:2%3", ",", "[]", "1-5%x"}) {
    const auto spec = parse_array_spec(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_FALSE(spec.error().what.empty());
    EXPECT_FALSE(spec.error().hint.empty());
  }
  EXPECT_EQ(parse_array_spec("5-1").error().text(), "'5-1' runs backwards, in '5-1'\n  write 1-5");
}

// What others send is not worked off, a term each, before it is known to be of a sensible length.
TEST(ArraySpec, TextsOfManyMegabytesAreRefused) {
  std::string text;
  while (text.size() <= std::size_t{4} << 20) text += "1,";
  EXPECT_FALSE(parse_array_spec(text));
  text.resize(std::size_t{4} << 20);
  EXPECT_TRUE(parse_array_spec(text));
}

TEST(ArraySpec, LongListsAreCutAsSqueueCutsThem) {
  IndexSet set;
  for (std::uint32_t i = 0; i < 60; ++i) set.insert(i * i);
  EXPECT_EQ(format_array_tasks({set, std::nullopt}),
            "0-1,4,9,16,25,36,49,64,81,100,121,144,169,196,225,256,289,32...");
  EXPECT_EQ(format_array_tasks({set, 5}),
            "0-1,4,9,16,25,36,49,64,81,100,121,144,169,196,225,256,289,32...%5");
  EXPECT_EQ(format_array_tasks({set, std::nullopt}, 0).find("..."), std::string::npos);
}

TEST(CompressIndices, GivesTheReviewedSpellings) {
  struct Case {
    const char* indices;
    const char* spec;
  };
  for (const Case& c : {Case{"", ""},
                        {"42", "42"},
                        {"5,6", "5-6"},
                        {"5,10", "5,10"},
                        {"0,1,2,3,4", "0-4"},
                        {"8,18,28,38", "8-38:10"},
                        {"5,6,15,16,25,26", "5-25:10,6-26:10"},
                        {"1,2,3,11,12,13,21,22,23", "1-21:10,2-22:10,3-23:10"},
                        {"3,2,2,1", "1-3"},
                        {"1,2,3,10,12,14", "1-3,10-14:2"},
                        {"100,200,300", "100-300:100"},
                        {"5,17,42", "5,17,42"},
                        {"1,3,4,5", "1,3-5"}})
    EXPECT_EQ(compress_indices(indices_of(c.indices)), c.spec) << c.indices;
}

TEST(CompressIndices, FindsTheLongProgressionsOfInterleavedGaps) {
  IndexSet set;
  for (std::uint32_t i = 0; set.size() < 6000; ++i)
    if ((7 * i + 3) % 11 != 0 && (13 * i + 5) % 17 != 0) set.insert(i);
  const std::string spec = compress_indices(set);
  EXPECT_LT(spec.size(), 2000U);
  EXPECT_EQ(parse_array_spec(spec).value().indices, set);
}

TEST(CompressIndices, KeepsPatternsOfEscalationShort) {
  IndexSet every_tenth;
  every_tenth.insert_range(8, 4998, 10);
  EXPECT_EQ(compress_indices(every_tenth), "8-4998:10");
  IndexSet two;
  two.insert_range(5, 4995, 10);
  two.insert_range(6, 4996, 10);
  EXPECT_EQ(compress_indices(two), "5-4995:10,6-4996:10");
  IndexSet blocks;
  for (std::uint32_t first : {0U, 1000U, 2000U}) blocks.insert_range(first, first + 99);
  EXPECT_EQ(compress_indices(blocks), "0-99,1000-1099,2000-2099");
  IndexSet hole;
  hole.insert_range(0, 9999);
  hole.erase(77);
  EXPECT_EQ(compress_indices(hole), "0-76,78-9999");
}

TEST(SplitArraySpec, PartsHoldEveryIndexOnceAndFitSbatch) {
  ArraySpec spec;
  spec.throttle = 7;
  std::uint32_t value = 1;
  for (int i = 0; i < 3000; ++i) {
    value = (value * 1103515245U + 12345U) & 0x7fffffffU;  // No pattern worth finding.
    spec.indices.insert(value % 1000000);
  }
  const auto parts = split_array_spec(spec);
  EXPECT_GT(parts.size(), 1U);
  IndexSet all;
  std::size_t count = 0;
  for (const ArraySpecPart& part : parts) {
    EXPECT_LE(part.text.size(), 4096U);
    const auto read = parse_array_spec(part.text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->indices, part.indices);
    EXPECT_EQ(read->throttle, 7U);
    for (std::uint32_t index : part.indices.to_vector()) all.insert(index);
    count += part.indices.size();
  }
  EXPECT_EQ(all, spec.indices);
  EXPECT_EQ(count, spec.indices.size());
  EXPECT_TRUE(split_array_spec(ArraySpec{}).empty());
}

}  // namespace
}  // namespace sluice
