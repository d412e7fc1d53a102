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

void add_queue_for_tests(Command& root, ExitCode&) {
  static bool is_long = false;
  Command* verb = root.add_subcommand("queue", "A verb with a name");
  verb->add_flag("--long", is_long, "More columns");
}

void add_book(Command& root, ExitCode&) {
  Command* verb = root.add_subcommand("book", "A verb of several");
  verb->require_subcommand();
  verb->add_subcommand("open", "One");
  verb->add_subcommand("close", "Another");
}

struct Ran {
  int exit_code;
  std::string out;
  std::string err;
};

Ran run(std::vector<std::string> arguments, const std::vector<Verb>& verbs = {&add_try}) {
  arguments.insert(arguments.begin(), "sluice");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = run_cli(static_cast<int>(argv.size()), argv.data(), verbs);
  return {exit_code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

Ran run_named(std::vector<std::string> arguments) {
  return run(std::move(arguments), {{"queue", &add_queue_for_tests}});
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
            "sluice: unknown command 'frobnicate'\nTo see what it takes, type: sluice --help\n");
}

TEST(Cli, AnUnknownOptionOfAVerbPointsToThatVerb) {
  const Ran ran = run({"try", "--hard"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err,
            "sluice: unknown option '--hard'\nTo see what it takes, type: sluice try --help\n");
}

TEST(Cli, NoArgumentsIsAUsageErrorThatShowsTheFirstCommands) {
  const Ran ran = run({});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("sluice submit job.sh"), std::string::npos) << ran.err;
}

TEST(Cli, AVerbOfSeveralNamesThemWhereNoneIsTyped) {
  const Ran ran = run({"book"}, {&add_book});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err,
            "sluice: no command given; book takes open, close\n"
            "To see what it takes, type: sluice book --help\n");
}

TEST(Cli, AMisspeltVerbIsCorrected) {
  EXPECT_NE(run_named({"qeue"}).err.find("did you mean 'sluice queue'?"), std::string::npos);
}

TEST(Cli, ACommandOfSlurmLeadsToOurs) {
  EXPECT_NE(run_named({"squeue"}).err.find("did you mean 'sluice queue'?"), std::string::npos);
  EXPECT_EQ(run_named({"squeue"}).exit_code, 2);
}

TEST(Cli, HelpOfAVerbCanBeAskedForWithHelp) {
  const Ran ran = run_named({"help", "queue"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_NE(ran.out.find("--long"), std::string::npos) << ran.out;
  EXPECT_EQ(run_named({"help", "qeue"}).exit_code, 2);
  EXPECT_NE(run_named({"help"}).out.find("queue"), std::string::npos);
  EXPECT_TRUE(run_named({"version"}).out.starts_with("sluice "));
}

TEST(Cli, AMisspeltOptionIsCorrected) {
  const Ran ran = run_named({"queue", "--lnog"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("unknown option '--lnog'; did you mean '--long'?"), std::string::npos)
      << ran.err;
}

TEST(Cli, AnUnknownWordIsShownWithoutEscapes) {
  const Ran ran = run_named({"\x1b[2Jx"});
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sluice
