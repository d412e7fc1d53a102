// getopt_long's habits, one by one.
#include "text/option_reader.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr OptionShape kTable[] = {{"time", 't', OptionArgument::kRequired},
                                  {"time-min", '\0', OptionArgument::kRequired},
                                  {"hold", 'H', OptionArgument::kNone},
                                  {"nice", '\0', OptionArgument::kOptional},
                                  {"no-kill", 'k', OptionArgument::kOptional}};

std::string read(std::vector<std::string> arguments) {
  const auto given = read_options(arguments, kTable);
  if (!given) return given.error().what;
  std::string out;
  for (const GivenOption& option : given->options)
    out += std::string(kTable[option.row].name) + (option.value ? "=" + *option.value : "") + " ";
  for (const std::string& rest : given->rest) out += "(" + rest + ")";
  return out;
}

TEST(OptionReader, ReadsLongAndShortForms) {
  EXPECT_EQ(read({"--time=5", "--time", "6", "-t7", "-t", "8"}), "time=5 time=6 time=7 time=8 ");
  EXPECT_EQ(read({"-Ht", "5"}), "hold time=5 ");
  EXPECT_EQ(read({"-Ht5", "x"}), "hold time=5 (x)");
  EXPECT_EQ(read({"--ho"}), "hold ");
  EXPECT_EQ(read({"--time="}), "time= ");
}

TEST(OptionReader, OptionalArgumentsMustBeAttached) {
  EXPECT_EQ(read({"--nice", "5"}), "nice (5)");
  EXPECT_EQ(read({"--nice=5", "-koff", "-k"}), "nice=5 no-kill=off no-kill ");
}

TEST(OptionReader, StopsAtTheFirstOtherArgument) {
  EXPECT_EQ(read({"-H", "script", "-t", "5"}), "hold (script)(-t)(5)");
  EXPECT_EQ(read({"--", "-H"}), "(-H)");
  EXPECT_EQ(read({"-", "-H"}), "(-)(-H)");
  EXPECT_EQ(read({}), "");
}

TEST(OptionReader, ComplainsInGetoptsWords) {
  EXPECT_EQ(read({"--foo=1"}), "unrecognized option '--foo=1'");
  EXPECT_EQ(read({"--ti=5"}), "option '--ti=5' is ambiguous; possibilities: '--time' '--time-min'");
  EXPECT_EQ(read({"-Z"}), "invalid option -- 'Z'");
  EXPECT_EQ(read({"-t"}), "option requires an argument -- 't'");
  EXPECT_EQ(read({"--time"}), "option '--time' requires an argument");
  EXPECT_EQ(read({"--hold=1"}), "option '--hold' doesn't allow an argument");
}

}  // namespace
}  // namespace sluice
