// What a person gets for a right and for a wrong command line.
#include "cli/cli.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"

namespace sluice {
namespace {

void add_try(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("try", "A verb that finds no room");
  verb->callback([&exit_code] { exit_code = ExitCode::kNoCapacity; });
}

struct Ran {
  int exit_code;
  std::string out;
  std::string err;
};

Ran run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sluice");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  const std::vector<Verb> verbs = {&add_try};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = run_cli(static_cast<int>(argv.size()), argv.data(), verbs);
  return {exit_code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

TEST(Cli, VersionIsOneLineOnStandardOutput) {
  const Ran ran = run({"--version"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(ran.out.starts_with("sluice ")) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST(Cli, HelpNamesTheVerbs) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_NE(ran.out.find("try"), std::string::npos) << ran.out;
}

TEST(Cli, AVerbDecidesTheExitCode) { EXPECT_EQ(run({"try"}).exit_code, 75); }

TEST(Cli, AnUnknownWordIsAUsageErrorThatSaysWhatToType) {
  const Ran ran = run({"frobnicate"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "sluice: does not know 'frobnicate'\nTo see what it takes, type: sluice --help\n");
}

TEST(Cli, AnUnknownOptionOfAVerbPointsToThatVerb) {
  const Ran ran = run({"try", "--hard"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err,
            "sluice: does not know '--hard'\nTo see what it takes, type: sluice try --help\n");
}

TEST(Cli, NoArgumentsIsAUsageError) { EXPECT_EQ(run({}).exit_code, 2); }

}  // namespace
}  // namespace sluice
