// What srun 22.05.8 made of the same files.
#include "text/multi_prog.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using Commands = std::vector<std::vector<std::string>>;

std::string error_of(std::string_view text, std::uint32_t tasks) {
  const auto read = parse_multi_prog(text, "mp.conf", tasks);
  return read ? "" : read.error().what;
}

TEST(MultiProg, GivesEachTaskItsProgramAndNumbers) {
  EXPECT_EQ(*parse_multi_prog("0 p zero %t:%o x%t\n1-2 p others %t:%o 100%\n", "f", 3),
            (Commands{{"p", "zero", "0:0", "x0"},
                      {"p", "others", "1:0", "100"},
                      {"p", "others", "2:1", "100"}}));
  EXPECT_EQ(*parse_multi_prog("# comment\n\n  0,2 p ev %o\n1 p odd 'x'y'z'\n", "f", 3),
            (Commands{{"p", "ev", "0"}, {"p", "odd", "xyz"}, {"p", "ev", "1"}}));
}

TEST(MultiProg, KeepsWhatSingleQuotesAndBackslashesEnclose) {
  EXPECT_EQ(*parse_multi_prog("* p 'a b' \"c d\" e\\\\ '%t'", "f", 1),
            (Commands{{"p", "a b", "\"c", "d\"", "e\\", "%t"}}));
  EXPECT_EQ(*parse_multi_prog("0 p a \\\n  b\n", "f", 1), (Commands{{"p", "a", "b"}}));
}

TEST(MultiProg, AnAsteriskIsForTheTasksThatHaveNoLine) {
  EXPECT_EQ(
      *parse_multi_prog("1-2 p rest %o\n* p star %t:%o\n", "f", 4),
      (Commands{
          {"p", "star", "0:0"}, {"p", "rest", "0"}, {"p", "rest", "1"}, {"p", "star", "3:3"}}));
  EXPECT_EQ(error_of("* p star\n1 p one\n", 4),
            "Task range specification with asterisk must be last");
}

TEST(MultiProg, RefusesWithSrunsWords) {
  EXPECT_EQ(error_of("garbage\n", 1), "Line 1 of configuration file mp.conf invalid");
  EXPECT_EQ(error_of("0 true\n", 2), "Configuration file mp.conf invalid, no record for task id 1");
  EXPECT_EQ(error_of("0-9 p\n", 3),
            "Invalid task id, 9 >= ntasks\nLine 1 of configuration file mp.conf invalid");
  EXPECT_EQ(error_of("2-0 p\n", 3),
            "Invalid task range, 2-0\nLine 1 of configuration file mp.conf invalid");
  EXPECT_EQ(error_of("x p\n", 3),
            "Invalid task range specification (x)\nLine 1 of configuration file mp.conf invalid");
  EXPECT_EQ(error_of("0 p\n0-2 p\n", 3),
            "Duplicate record for task 0\nLine 2 of configuration file mp.conf invalid");
}

}  // namespace
}  // namespace sluice
