// Real processes under a real keeper, driven over its socket.
#include "host/keeper/keeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/cages/cage.h"
#include "host/keeper/keeper_for_tests.h"
#include "host/keeper/output_store.h"
#include "host/keeper/processes.h"

namespace sluice {
namespace {

RunKey run_of(std::uint32_t number) { return RunKey{JobId(number), 1}; }

pid_t pid_in(const std::string& path) {
  pid_t pid = 0;
  std::ifstream(path) >> pid;
  return pid;
}

std::size_t pipes_of(pid_t pid) {
  std::size_t pipes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry, ignored).string().starts_with("pipe:")) ++pipes;
  }
  return pipes;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class KeeperTest : public testing::TestWithParam<CageChoice> {
 protected:
  void SetUp() override {
    const std::string error = keeper_.start();
    if (!error.empty() && GetParam() != CageChoice::kPlain) GTEST_SKIP() << error;
    ASSERT_EQ(error, "");
    keeper_.connect();
  }
  KeeperForTests keeper_{GetParam()};
};

TEST_P(KeeperTest, RunsAScriptAndTellsItsExitCode) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\necho out; echo err >&2; exit 3\n"));
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kFailed);
  EXPECT_EQ(over.outcome.exit_code, 3);
  EXPECT_EQ(over.outcome.signal, 0);
  EXPECT_EQ(over.why, "");
  EXPECT_GT(over.outcome.max_rss_kb, 0);
  EXPECT_EQ(keeper_.output_of(1), "out\nerr\n");
}

TEST_P(KeeperTest, TellsTheSignalThatEndedIt) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\nkill -SEGV $$\n"));
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kFailed);
  EXPECT_EQ(over.outcome.signal, SIGSEGV);
}

TEST_P(KeeperTest, PassesArgumentsAsTheyAre) {
  Assignment job = keeper_.job(1, "#!/bin/sh\nfor x; do echo \"<$x>\"; done; basename $0\n");
  job.arguments = {"a b", "", "$(touch /tmp/never)", "*"};
  keeper_.launch(job);
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
  EXPECT_EQ(keeper_.output_of(1), "<a b>\n<>\n<$(touch /tmp/never)>\n<*>\nslurm_script\n");
}

TEST_P(KeeperTest, GivesTheInterpreterItsOneArgument) {
  keeper_.launch(keeper_.job(1, "#! /bin/sh -e  \nfalse\necho not reached\n"));
  EXPECT_EQ(keeper_.end_of(1).outcome.exit_code, 1);
  EXPECT_EQ(keeper_.output_of(1), "");
}

TEST_P(KeeperTest, RunsAProgramThatIsNoScript) {
  Assignment job = keeper_.job(1, "");
  job.program = "/bin/echo";
  job.arguments = {"hello"};
  keeper_.launch(job);
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
  EXPECT_EQ(keeper_.output_of(1), "hello\n");
}

TEST_P(KeeperTest, GivesItsEnvironmentAndNothingOfItsOwn) {
  ::setenv("SLUICE_TEST_LEAK", "yes", 1);
  Assignment job = keeper_.job(1, "#!/bin/sh\nenv | sort; echo pid $$\n");
  job.environment += std::string("A=1 2\0B=\0", 9);
  keeper_.launch(job);
  keeper_.end_of(1);
  const std::string said = keeper_.output_of(1);
  EXPECT_NE(said.find("A=1 2\nB=\n"), std::string::npos) << said;
  EXPECT_NE(said.find("SLUICE_RUN=1.1\n"), std::string::npos);
  EXPECT_EQ(said.find("SLUICE_TEST_LEAK"), std::string::npos);
  const std::string pid = said.substr(said.find("\npid ") + 5);
  EXPECT_NE(said.find("SLURM_TASK_PID=" + pid), std::string::npos) << said;
}

TEST_P(KeeperTest, ReadsInputAndSeparatesErrors) {
  std::ofstream(keeper_.path("in")) << "from a file\n";
  Assignment job = keeper_.job(1, "#!/bin/sh\ncat; echo oops >&2\n");
  job.stdin_path = keeper_.path("in");
  job.stderr_path = keeper_.path("err");
  keeper_.launch(job);
  keeper_.end_of(1);
  EXPECT_EQ(keeper_.output_of(1), "from a file\n");
  EXPECT_EQ(file_contents(keeper_.path("err")), "oops\n");
}

TEST_P(KeeperTest, WithoutInputThereIsNothingToRead) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\ncat; echo done\n"));
  keeper_.end_of(1);
  EXPECT_EQ(keeper_.output_of(1), "done\n");
}

TEST_P(KeeperTest, TruncatesOrAppendsAsAsked) {
  std::ofstream(keeper_.path("1.out")) << "a much longer text from before\n";
  std::ofstream(keeper_.path("2.out")) << "before\n";
  keeper_.launch(keeper_.job(1, "#!/bin/sh\necho new\n"));
  Assignment appends = keeper_.job(2, "#!/bin/sh\necho new\n");
  appends.append = true;
  keeper_.launch(appends);
  keeper_.end_of(1);
  keeper_.end_of(2);
  EXPECT_EQ(keeper_.output_of(1), "new\n");
  EXPECT_EQ(keeper_.output_of(2), "before\nnew\n");
}

TEST_P(KeeperTest, SaysWhyOutputCannotBeOpened) {
  Assignment job = keeper_.job(1, "#!/bin/sh\n");
  job.stdout_path = keeper_.path("no/such/folder/out");
  keeper_.launch(job);
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kFailed);
  EXPECT_EQ(over.outcome.exit_code, 0);
  EXPECT_EQ(over.outcome.signal, 53);  // As slurmd reports it.
  EXPECT_NE(over.why.find("no/such/folder/out: No such file"), std::string::npos) << over.why;
}

TEST_P(KeeperTest, SaysWhyAProgramCannotBeRun) {
  keeper_.launch(keeper_.job(1, "#!/no/such/interpreter\n"));
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kFailed);
  EXPECT_EQ(over.outcome.exit_code, ENOENT);
  EXPECT_NE(over.why.find("No such file"), std::string::npos) << over.why;
  EXPECT_NE(keeper_.output_of(1).find("/no/such/interpreter"), std::string::npos);
}

TEST_P(KeeperTest, AFifoWithoutAReaderDoesNotStopTheKeeper) {
  ASSERT_EQ(::mkfifo(keeper_.path("fifo").c_str(), 0600), 0);
  Assignment job = keeper_.job(1, "#!/bin/sh\n");
  job.stdout_path = keeper_.path("fifo");
  keeper_.launch(job);
  keeper_.launch(keeper_.job(2, "#!/bin/sh\n"));
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kCompleted);
  EXPECT_EQ(keeper_.end_of(1).outcome.signal, 53);
}

TEST_P(KeeperTest, AMissingWorkingFolderIsSaidAndReplaced) {
  Assignment job = keeper_.job(1, "#!/bin/sh\npwd\n");
  job.working_directory = keeper_.path("gone");
  keeper_.launch(job);
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
  EXPECT_NE(keeper_.output_of(1).find("couldn't chdir"), std::string::npos);
  EXPECT_NE(keeper_.output_of(1).find("\n/tmp\n"), std::string::npos);
}

TEST_P(KeeperTest, CapturesWhatWantsNoFile) {
  Assignment job = keeper_.job(1, "#!/bin/sh\necho one; echo two >&2\n");
  job.stdout_path = {};
  job.capture = true;
  keeper_.launch(job);
  Assignment silent = job;
  silent.run = run_of(2);
  silent.script = "#!/bin/sh\n";
  keeper_.launch(silent);
  Assignment loud = job;
  loud.run = run_of(3);
  loud.script = "#!/bin/sh\nhead -c 300000 /dev/zero | tr '\\0' x\n";
  keeper_.launch(loud);
  EXPECT_EQ(read_output(keeper_.path("output"), keeper_.end_of(1).output).value(), "one\ntwo\n");
  EXPECT_EQ(keeper_.end_of(2).output, "");
  EXPECT_EQ(read_output(keeper_.path("output"), keeper_.end_of(3).output).value(),
            std::string(300000, 'x'));
}

TEST_P(KeeperTest, ShowsCapturedOutputWhileItRuns) {
  Assignment job =
      keeper_.job(1, "#!/bin/sh\necho early\nwhile [ ! -e go ]; do sleep 0.05; done\n");
  job.stdout_path = {};
  job.capture = true;
  keeper_.launch(job);
  ASSERT_TRUE(becomes_true([&] {
    keeper_.send(ReadRunOutput{run_of(1), 2});
    keeper_.pump();
    return keeper_.last_output() && keeper_.last_output()->bytes == "rly\n";
  }));
  EXPECT_TRUE(keeper_.last_output()->running);
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(read_output(keeper_.path("output"), keeper_.end_of(1).output).value(), "early\n");
}

TEST_P(KeeperTest, EndsWithSigtermAndLetsItCleanUp) {
  keeper_.launch(keeper_.job(
      1, "#!/bin/sh\ntrap 'echo cleaned; exit 7' TERM\ntouch up\nwhile :; do sleep 0.05; done\n"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(EndRun{run_of(1), seconds(60)});
  EXPECT_EQ(keeper_.end_of(1).outcome.exit_code, 7);
  EXPECT_NE(keeper_.output_of(1).find("cleaned\n"), std::string::npos);
}

TEST_P(KeeperTest, AJobsOutputSaysWhyItWasEnded) {
  Assignment job = keeper_.job(
      1, "#!/bin/sh\ntrap 'echo cleaned; exit 7' TERM\ntouch up\nwhile :; do sleep 0.05; done\n");
  job.stderr_path = keeper_.path("errors");
  keeper_.launch(job);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(EndRun{run_of(1), seconds(60), "*** CANCELLED ***\n"});
  // It is told once, however often it is told to end.
  keeper_.send(EndRun{run_of(1), seconds(60), "*** CANCELLED ***\n"});
  EXPECT_EQ(keeper_.end_of(1).outcome.exit_code, 7);
  // A shell has a word of its own behind it for what it waited for.
  const std::string line = "*** CANCELLED ***\n";
  EXPECT_TRUE(becomes_true([&] { return contents_of(job.stderr_path).starts_with(line); }));
  EXPECT_EQ(contents_of(job.stderr_path).find(line, 1), std::string::npos);
  EXPECT_EQ(keeper_.output_of(1), "cleaned\n");
}

// A descriptor that a job has opened for reading is not written to, whoever the keeper is.
TEST_P(KeeperTest, NothingIsWrittenWhereAJobMayNotWrite) {
  const std::string others = keeper_.path("others");
  std::ofstream(others) << "before\n";
  keeper_.launch(keeper_.job(1, "#!/bin/sh\nexec 2<" + others + "\ntouch up\nexec sleep 600\n"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(EndRun{run_of(1), seconds(60), "*** CANCELLED ***\n"});
  EXPECT_EQ(keeper_.end_of(1).outcome.signal, SIGTERM);
  EXPECT_EQ(contents_of(others), "before\n");
}

// Nobody waits for a child to run its program; an order that comes before that must not be lost.
TEST_P(KeeperTest, EndsWhatWasLaunchedAMomentAgo) {
  for (std::uint32_t job = 1; job <= 50; ++job) {
    keeper_.launch(keeper_.job(job, "#!/bin/sh\nexec sleep 600\n"));
    keeper_.send(EndRun{run_of(job), seconds(600)});
  }
  for (std::uint32_t job = 1; job <= 50; ++job)
    EXPECT_EQ(keeper_.end_of(job).outcome.signal, SIGTERM);
}

// As a program on a dead file server does: whoever runs a file waits for its lease to be given
// back, for lease-break-time seconds; then it would have been ended by SIGTERM.
TEST_P(KeeperTest, AChildThatHangsBeforeItsProgramStopsNobody) {
  ::signal(SIGIO, SIG_IGN);
  const std::string program = keeper_.path("leased");
  std::filesystem::copy_file("/bin/true", program);
  const int lease = ::open(program.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(lease, 0);
  if (::fcntl(lease, F_SETLEASE, F_WRLCK) != 0) {
    ::close(lease);
    GTEST_SKIP() << "this file system gives no leases";
  }
  Assignment hangs = keeper_.job(1, "");
  hangs.program = program;
  keeper_.launch(hangs);
  ASSERT_TRUE(keeper_.wait_up(run_of(1)));
  keeper_.send(EndRun{run_of(1), Duration(0)});
  keeper_.launch(keeper_.job(2, "#!/bin/sh\nexit 3\n"));
  EXPECT_EQ(keeper_.end_of(2).outcome.exit_code, 3);
  EXPECT_NE(keeper_.end_of(1).outcome.signal, 0);
  ::close(lease);
}

TEST_P(KeeperTest, HearsTheLastOrderAlsoWhereItWasLongBusy) {
  ::kill(keeper_.pid(), SIGSTOP);
  // More than a socket holds.
  for (std::uint32_t job = 1; job <= 500'000; ++job)
    keeper_.client().send(AcknowledgeRun{run_of(job)});
  keeper_.client().send(QuitKeeper{});
  ASSERT_TRUE(keeper_.client().flush().has_value());
  ASSERT_TRUE(keeper_.client().wants_to_write());
  EXPECT_FALSE(keeper_.client().flush_within(Duration(10)).has_value());
  ::kill(keeper_.pid(), SIGCONT);
  EXPECT_TRUE(keeper_.client().flush_within(kPatience).has_value());
  EXPECT_TRUE(becomes_true([&] { return !is_alive(keeper_.pid()); }));
}

TEST_P(KeeperTest, KillsWhatIgnoresSigterm) {
  keeper_.launch(
      keeper_.job(1, "#!/bin/sh\ntrap '' TERM\ntouch up\nwhile :; do sleep 0.05; done\n"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(EndRun{run_of(1), Duration(300)});
  EXPECT_EQ(keeper_.end_of(1).outcome.signal, SIGKILL);
}

TEST_P(KeeperTest, SignalsAllOfItOrTheScriptAlone) {
  const std::string script =
      "#!/bin/sh\ntrap 'echo script' USR1\n"
      "(trap 'echo child; exit' USR1; touch up; while :; do sleep 0.05; done) &\n"
      "child=$!\nwhile kill -0 $child 2>/dev/null; do wait $child; done\n";
  keeper_.launch(keeper_.job(1, script));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(SignalRun{run_of(1), SIGUSR1, true});
  ASSERT_TRUE(becomes_true([&] { return keeper_.output_of(1) == "script\n"; }));
  keeper_.send(SignalRun{run_of(1), SIGUSR1, false});
  keeper_.end_of(1);
  EXPECT_NE(keeper_.output_of(1).find("child\n"), std::string::npos);
}

TEST_P(KeeperTest, PausesAndContinuesTheWholeTree) {
  keeper_.launch(keeper_.job(1,
                             "#!/bin/sh\n(while :; do echo x >> ticks; sleep 0.02; done) &\n"
                             "while [ ! -e go ]; do sleep 0.05; done\n"));
  const std::string ticks = keeper_.path("ticks");
  ASSERT_TRUE(becomes_true([&] { return file_contents(ticks).size() > 10; }));
  keeper_.send(PauseRun{run_of(1)});
  // It has stopped once nothing was added for a while.
  ASSERT_TRUE(becomes_true([&] {
    const std::size_t before = file_contents(ticks).size();
    ::usleep(300'000);
    return file_contents(ticks).size() == before;
  }));
  const std::size_t paused = file_contents(ticks).size();
  keeper_.send(ContinueRun{run_of(1)});
  ASSERT_TRUE(becomes_true([&] { return file_contents(ticks).size() > paused; }));
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
}

TEST_P(KeeperTest, EndsWhatIsPaused) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\ntouch up\nwhile :; do sleep 0.05; done\n"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(PauseRun{run_of(1)});
  keeper_.send(EndRun{run_of(1), seconds(60)});
  EXPECT_EQ(keeper_.end_of(1).outcome.signal, SIGTERM);
}

TEST_P(KeeperTest, DaemonisedChildrenEndWithTheScript) {
  // Away from its session and its parent, its output closed: as daemons do it.
  keeper_.launch(keeper_.job(1,
                             "#!/bin/sh\n"
                             "setsid sh -c 'setsid sh -c \"echo \\$\\$ > daemon; exec sleep 600 "
                             "</dev/null >/dev/null 2>&1\" & exit' &\n"
                             "while [ ! -s daemon ]; do sleep 0.01; done\n"));
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
  const pid_t daemon = pid_in(keeper_.path("daemon"));
  ASSERT_GT(daemon, 0);
  EXPECT_FALSE(is_alive(daemon));
}

TEST_P(KeeperTest, DaemonisedChildrenOfOtherRunsGoOn) {
  const std::string script =
      "#!/bin/sh\n"
      "setsid sh -c 'setsid sh -c \"echo \\$\\$ > daemon; exec sleep 600\" & exit' &\n"
      "while [ ! -e go ]; do sleep 0.02; done\n";
  keeper_.launch(keeper_.job(1, script));
  ASSERT_TRUE(becomes_true([&] { return pid_in(keeper_.path("daemon")) > 0; }));
  const pid_t daemon = pid_in(keeper_.path("daemon"));
  keeper_.launch(keeper_.job(2, "#!/bin/sh\n"));
  keeper_.end_of(2);
  EXPECT_TRUE(is_alive(daemon));
  std::ofstream(keeper_.path("go")) << "";
  keeper_.end_of(1);
  EXPECT_FALSE(is_alive(daemon));
}

TEST_P(KeeperTest, CancellingEndsDaemonisedChildrenToo) {
  keeper_.launch(keeper_.job(1,
                             "#!/bin/sh\n"
                             "setsid sh -c 'trap \"\" TERM; echo $$ > daemon; "
                             "while :; do sleep 0.05; done' &\n"
                             "wait\n"));
  ASSERT_TRUE(becomes_true([&] { return pid_in(keeper_.path("daemon")) > 0; }));
  keeper_.send(EndRun{run_of(1), seconds(60)});
  keeper_.end_of(1);
  EXPECT_FALSE(is_alive(pid_in(keeper_.path("daemon"))));
}

TEST_P(KeeperTest, ManyChildrenThatForkWhileTheyAreKilledAllEnd) {
  // A chain that always has a new process: each starts the next and ends.
  keeper_.launch(keeper_.job(1,
                             "#!/bin/sh\n"
                             "echo '#!/bin/sh\necho x >> beats\n[ -e stop ] || ./chain &' > chain\n"
                             "chmod +x chain\n./chain\n./chain\n./chain\ntouch up\nsleep 600\n"));
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(EndRun{run_of(1), Duration(0)});
  keeper_.end_of(1);
  const std::size_t beats = file_contents(keeper_.path("beats")).size();
  ::usleep(200'000);
  EXPECT_EQ(file_contents(keeper_.path("beats")).size(), beats);
  std::ofstream(keeper_.path("stop")) << "";
}

TEST_P(KeeperTest, ALaunchThatComesTwiceRunsOnce) {
  const Assignment job = keeper_.job(1, "#!/bin/sh\necho run >> runs\n");
  keeper_.launch(job);
  keeper_.launch(job);
  keeper_.end_of(1);
  keeper_.launch(job);  // It has ended and was not acknowledged.
  keeper_.send(AcknowledgeRun{run_of(1)});
  keeper_.launch(job);  // And now it was.
  keeper_.launch(keeper_.job(2, "#!/bin/sh\n"));
  keeper_.end_of(2);
  EXPECT_EQ(file_contents(keeper_.path("runs")), "run\n");
  Assignment again = job;
  again.run.attempt = 2;
  keeper_.launch(again);
  EXPECT_TRUE(keeper_.wait_over(again.run));
  EXPECT_EQ(file_contents(keeper_.path("runs")), "run\nrun\n");
}

TEST_P(KeeperTest, RunsGoOnWithoutADaemonAndTheirEndsAreKept) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\nexit 5\n"));
  keeper_.launch(keeper_.job(2, "#!/bin/sh\nwhile [ ! -e stop ]; do sleep 0.02; done\n"));
  ASSERT_TRUE(keeper_.wait_up(run_of(1)));
  ASSERT_TRUE(keeper_.wait_up(run_of(2)));
  const std::string instance = keeper_.client().hello().instance;
  keeper_.disconnect();
  std::ofstream(keeper_.path("go")) << "";
  ::usleep(200'000);
  keeper_.forget_reports();
  keeper_.connect();
  EXPECT_EQ(keeper_.client().hello().instance, instance);
  EXPECT_EQ(keeper_.end_of(1).outcome.exit_code, 5);
  EXPECT_TRUE(keeper_.wait_up(run_of(2)));
  // Told again until somebody says that it is written down.
  keeper_.send(AcknowledgeRun{run_of(1)});
  std::ofstream(keeper_.path("stop")) << "";
  keeper_.end_of(2);
  keeper_.disconnect();
  keeper_.forget_reports();
  keeper_.connect();
  ASSERT_EQ(keeper_.client().hello().over.size(), 1U);
  EXPECT_EQ(keeper_.client().hello().over[0].run, run_of(2));
}

TEST_P(KeeperTest, EndsWhenItsFolderIsGoneAndNoDaemonCanComeForWhatItKeeps) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\ntrue\n"));
  keeper_.end_of(1);
  keeper_.disconnect();
  // It keeps the end for the next daemon, as long as one can come.
  ::usleep(200'000);
  EXPECT_TRUE(is_alive(keeper_.pid()));
  keeper_.connect();
  std::filesystem::remove(keeper_.path("keeper.lock"));
  keeper_.disconnect();
  EXPECT_TRUE(becomes_true([&] { return !is_alive(keeper_.pid()); }));
}

TEST_P(KeeperTest, RunsOnWithoutItsFolderAndEndsAfterItsLastRun) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\n"));
  ASSERT_TRUE(keeper_.wait_up(run_of(1)));
  std::filesystem::remove(keeper_.path("keeper.lock"));
  keeper_.disconnect();
  ::usleep(200'000);
  EXPECT_TRUE(is_alive(keeper_.pid()));
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_TRUE(becomes_true([&] { return !is_alive(keeper_.pid()); }));
}

TEST_P(KeeperTest, SurvivesAClientThatIsKilledInTheMiddleOfAFrame) {
  keeper_.disconnect();
  for (int cut = 0; cut < 20; ++cut) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto client = KeeperClient::connect(keeper_.socket());
      std::string bytes;
      append_frame(
          bytes,
          KeeperOrder(LaunchRun{keeper_.job(100U + static_cast<unsigned>(cut), "#!/bin/sh\n")}));
      const std::size_t part = bytes.size() * static_cast<std::size_t>(cut) / 20;
      static_cast<void>(::write(client->descriptor(), bytes.data(), part) == 0);
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
  }
  keeper_.connect();
  EXPECT_TRUE(keeper_.client().hello().up.empty());
  EXPECT_TRUE(keeper_.client().hello().over.empty());
  keeper_.launch(keeper_.job(1, "#!/bin/sh\n"));
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
}

TEST_P(KeeperTest, GarbageOnItsSocketIsHungUpOn) {
  const int descriptor = keeper_.client().descriptor();
  const std::string garbage(100, '\xff');
  ASSERT_EQ(::write(descriptor, garbage.data(), garbage.size()),
            static_cast<ssize_t>(garbage.size()));
  EXPECT_FALSE(keeper_.client().wait(seconds(30)));
  keeper_.connect();
  keeper_.launch(keeper_.job(1, "#!/bin/sh\n"));
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
}

TEST_P(KeeperTest, AThousandQuickJobsEachEndOnceAndLeaveNothing) {
  constexpr std::uint32_t kCount = 1000;
  const std::size_t pipes_before = pipes_of(keeper_.pid());
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    Assignment job = keeper_.job(i, i % 2 == 0 ? "#!/bin/sh\nexit 3\n" : "");
    job.program = "/bin/true";
    job.stdout_path = {};
    job.capture = true;
    keeper_.client().send(LaunchRun{job});
    if (i % 50 == 0) {
      ASSERT_TRUE(keeper_.client().flush());
      keeper_.pump();
    }
  }
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    EXPECT_EQ(keeper_.end_of(i).outcome.exit_code, i % 2 == 0 ? 3 : 0);
  }
  for (std::uint32_t i = 1; i <= kCount; ++i) keeper_.client().send(AcknowledgeRun{run_of(i)});
  keeper_.launch(keeper_.job(kCount + 1, "#!/bin/sh\n"));
  keeper_.end_of(kCount + 1);
  EXPECT_TRUE(children_of(keeper_.pid()).empty());
  EXPECT_EQ(pipes_of(keeper_.pid()), pipes_before);
}

TEST_P(KeeperTest, ASecondKeeperIsRefused) {
  KeeperForTests* first = &keeper_;
  const pid_t child = ::fork();
  if (child == 0) {
    KeeperSettings settings;
    settings.socket = first->socket();
    settings.lock = first->path("keeper.lock");
    settings.spool = first->path("spool");
    settings.output = first->path("output");
    ::_exit(run_keeper(settings) == 1 ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_P(KeeperTest, QuittingEndsEverything) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\ntrap '' TERM\necho $$ > up\nsleep 600\n"));
  ASSERT_TRUE(becomes_true([&] { return pid_in(keeper_.path("up")) > 0; }));
  const pid_t job = pid_in(keeper_.path("up"));
  keeper_.send(QuitKeeper{});
  EXPECT_EQ(keeper_.end_of(1).outcome.signal, SIGKILL);
  EXPECT_FALSE(is_alive(job));
  int status = 0;
  EXPECT_TRUE(becomes_true([&] { return ::waitpid(keeper_.warden(), &status, WNOHANG) != 0; }));
}

TEST_P(KeeperTest, AKilledKeeperTakesEveryProcessOfItsRunsWithIt) {
  // No variable, no session and no parent says whose it is.
  keeper_.launch(keeper_.job(1,
                             "#!/bin/sh\n(setsid env -i /bin/sh -c 'echo $$ > hidden; "
                             "exec /bin/sleep 600' &)\necho $$ > up\nsleep 600\n"));
  ASSERT_TRUE(becomes_true(
      [&] { return pid_in(keeper_.path("up")) > 0 && pid_in(keeper_.path("hidden")) > 0; }));
  const pid_t hidden = pid_in(keeper_.path("hidden"));
  keeper_.kill();
  EXPECT_FALSE(is_alive(hidden));
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  EXPECT_TRUE(keeper_.client().hello().up.empty());
  EXPECT_TRUE(keeper_.client().hello().over.empty());
}

TEST_P(KeeperTest, EndsThatNobodyHeardOfOutliveTheKeeper) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\nexit 3\n"));
  const RunIsOver told = keeper_.end_of(1);
  // It ends while the keeper cannot look.
  keeper_.launch(
      keeper_.job(2, "#!/bin/sh\necho $$ > up\nwhile [ ! -e go ]; do sleep 0.02; done\nexit 4\n"));
  keeper_.launch(keeper_.job(3, "#!/bin/sh\necho $$ > up3\nsleep 600\n"));
  ASSERT_TRUE(becomes_true(
      [&] { return pid_in(keeper_.path("up")) > 0 && pid_in(keeper_.path("up3")) > 0; }));
  ::kill(keeper_.pid(), SIGSTOP);
  std::ofstream(keeper_.path("go")) << "";
  const pid_t second = pid_in(keeper_.path("up"));
  ASSERT_TRUE(becomes_true([&] { return !is_alive(second); }));
  keeper_.kill();
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(keeper_.start(), "");
    keeper_.connect();
    const std::vector<RunIsOver> over = keeper_.client().hello().over;
    ASSERT_EQ(over.size(), 2u) << "time " << again;
    EXPECT_EQ(over[0].run, run_of(1));
    EXPECT_EQ(over[0].outcome.exit_code, 3);
    EXPECT_EQ(over[0].ended, told.ended);
    EXPECT_EQ(over[1].run, run_of(2));
    EXPECT_EQ(over[1].outcome.exit_code, 4);
    EXPECT_GT(over[1].ended, told.ended);
    keeper_.kill();
  }
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  keeper_.send(AcknowledgeRun{run_of(1)});
  keeper_.send(AcknowledgeRun{run_of(2)});
  keeper_.launch(keeper_.job(4, "#!/bin/sh\nexit 0\n"));
  keeper_.end_of(4);
  keeper_.send(AcknowledgeRun{run_of(4)});
  // Quiet from here on: what was acknowledged is forgotten for good.
  keeper_.launch(keeper_.job(5, "#!/bin/sh\nexit 0\n"));
  keeper_.end_of(5);
  keeper_.kill();
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  ASSERT_EQ(keeper_.client().hello().over.size(), 1u);
  EXPECT_EQ(keeper_.client().hello().over.front().run, run_of(5));
}

TEST_P(KeeperTest, ASmallMemoryLimitNeverEndsTheKeeper) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\n"));
  for (std::uint32_t number = 2; number < 42; ++number) {
    Assignment job = keeper_.job(number, "#!/bin/sh\nexit 0\n");
    job.memory_mb = number % 2 == 0 ? 1 : 1 + number / 4;
    // Arguments count against the limit before the program runs.
    if (number % 3 == 0) job.arguments.assign(10, std::string(100'000, 'x'));
    keeper_.launch(job);
    keeper_.end_of(number);
  }
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
}

TEST_P(KeeperTest, ANewKeeperEndsWhatAKilledOneLeft) {
  keeper_.launch(keeper_.job(1,
                             "#!/bin/sh\nsetsid sh -c 'echo $$ > daemon; exec sleep 600' &\n"
                             "echo $$ > up\nsleep 600\n"));
  ASSERT_TRUE(becomes_true(
      [&] { return pid_in(keeper_.path("up")) > 0 && pid_in(keeper_.path("daemon")) > 0; }));
  const std::string instance = keeper_.client().hello().instance;
  const pid_t job = pid_in(keeper_.path("up"));
  const pid_t daemon = pid_in(keeper_.path("daemon"));
  keeper_.kill_with_warden();
  EXPECT_TRUE(is_alive(job));
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  EXPECT_NE(keeper_.client().hello().instance, instance);
  EXPECT_TRUE(keeper_.client().hello().up.empty());
  EXPECT_TRUE(becomes_true([&] { return !is_alive(job) && !is_alive(daemon); }));
}

TEST_P(KeeperTest, PrologAndEpilogRunAroundIt) {
  for (const char* name : {"prolog", "epilog"}) {
    std::ofstream(keeper_.path(name))
        << "#!/bin/sh\necho " << name << " $SLURM_JOB_ID $SLURM_JOB_USER $SECRET >> "
        << keeper_.path("log") << "\n";
    ::chmod(keeper_.path(name).c_str(), 0700);
  }
  Assignment job = keeper_.job(12, "#!/bin/sh\necho job >> log\nexit 4\n");
  job.prolog = keeper_.path("prolog");
  job.epilog = keeper_.path("epilog");
  job.environment += std::string("SECRET=s\0", 9);
  keeper_.launch(job);
  EXPECT_EQ(keeper_.end_of(12).outcome.exit_code, 4);
  const std::string user = job.identity.user;
  EXPECT_EQ(file_contents(keeper_.path("log")),
            "prolog 12 " + user + "\njob\nepilog 12 " + user + "\n");
}

TEST_P(KeeperTest, AFailedPrologKeepsTheJobFromRunning) {
  std::ofstream(keeper_.path("prolog")) << "#!/bin/sh\nexit 9\n";
  ::chmod(keeper_.path("prolog").c_str(), 0700);
  Assignment job = keeper_.job(1, "#!/bin/sh\ntouch ran\n");
  job.prolog = keeper_.path("prolog");
  keeper_.launch(job);
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kBootFail);
  EXPECT_NE(over.why.find("ended with exit code 9"), std::string::npos) << over.why;
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("ran")));
}

TEST_P(KeeperTest, APrologThatHangsIsEnded) {
  std::ofstream(keeper_.path("prolog")) << "#!/bin/sh\nsleep 600\n";
  ::chmod(keeper_.path("prolog").c_str(), 0700);
  Assignment job = keeper_.job(1, "#!/bin/sh\n");
  job.prolog = keeper_.path("prolog");
  job.prolog_limit = Duration(200);
  keeper_.launch(job);
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kBootFail);
  EXPECT_NE(over.why.find("took longer"), std::string::npos) << over.why;
}

TEST_P(KeeperTest, WhatAPrologAndAnEpilogLeaveRunningEndsWithThem) {
  // No session and no parent says whose it is, nor a variable where there is something else to say
  // it; and it hears no signal but one.
  const std::string cleared = GetParam() == CageChoice::kPlain ? "" : "env -i ";
  for (const std::string name : {"prolog", "epilog"}) {
    std::ofstream(keeper_.path(name))
        << "#!/bin/sh\ncd " << keeper_.path("") << "\n"
        << "(setsid " << cleared << "/bin/sh -c 'trap \"\" TERM HUP; echo $$ > " << name
        << ".pid; /bin/sleep 600' &)\n"
        << "while [ ! -s " << name << ".pid ]; do sleep 0.02; done\n";
    ::chmod(keeper_.path(name).c_str(), 0700);
  }
  Assignment job = keeper_.job(1, "#!/bin/sh\nkill -0 $(cat prolog.pid) && touch beside\nexit 3\n");
  job.prolog = keeper_.path("prolog");
  job.epilog = keeper_.path("epilog");
  keeper_.launch(job);
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.exit_code, 3) << over.why;
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("beside")));
  EXPECT_FALSE(is_alive(pid_in(keeper_.path("prolog.pid"))));
  EXPECT_FALSE(is_alive(pid_in(keeper_.path("epilog.pid"))));
}

TEST_P(KeeperTest, APrologThatIsCancelledEndsWithAllThatItStarted) {
  std::ofstream(keeper_.path("prolog"))
      << "#!/bin/sh\ncd " << keeper_.path("")
      << "\nsetsid sh -c 'echo $$ > hidden; exec sleep 600' &\nsleep 600\n";
  ::chmod(keeper_.path("prolog").c_str(), 0700);
  Assignment job = keeper_.job(1, "#!/bin/sh\ntouch ran\n");
  job.prolog = keeper_.path("prolog");
  keeper_.launch(job);
  ASSERT_TRUE(becomes_true([&] { return pid_in(keeper_.path("hidden")) > 0; }));
  keeper_.send(EndRun{run_of(1), seconds(1)});
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_NE(over.why.find("while its prolog ran"), std::string::npos) << over.why;
  EXPECT_FALSE(is_alive(pid_in(keeper_.path("hidden"))));
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("ran")));
}

TEST_P(KeeperTest, TheMemoryOfAllErrandsTogetherIsBounded) {
  keeper_.stop();
  keeper_.forget_reports();
  keeper_.bound_errands(120);
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  // Two of them, each of which may have more than what both have.
  const auto errand = [&](std::uint32_t number, const std::string& script) {
    Assignment it = keeper_.job(number, script);
    it.run.attempt = 0;
    it.memory_mb = 1024;
    keeper_.launch(it);
    return it.run;
  };
  const RunKey small = errand(1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\nexit 7\n");
  const RunKey large = errand(2,
                              "#!/bin/sh\n(head -c 200000000 /dev/zero; sleep 5) |"
                              " tail -c 190000000 > /dev/null\nexit 0\n");
  const auto ended = keeper_.wait_over(large);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->outcome.state, JobState::kOutOfMemory) << ended->why;
  std::ofstream(keeper_.path("go")) << "";
  const auto other = keeper_.wait_over(small);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->outcome.exit_code, 7);
  // A job's memory is not theirs.
  Assignment job = keeper_.job(3,
                               "#!/bin/sh\nhead -c 200000000 /dev/zero | tail -c 190000000"
                               " > /dev/null\nexit 4\n");
  keeper_.launch(job);
  EXPECT_EQ(keeper_.end_of(3).outcome.exit_code, 4);
}

TEST_P(KeeperTest, MemoryAboveTheLimitIsOutOfMemory) {
  // tail holds all of it, and would for a while; the script itself ends well.
  Assignment job = keeper_.job(
      1,
      "#!/bin/sh\n(head -c 400000000 /dev/zero; sleep 5) | tail -c 390000000 > /dev/null\n"
      "exit 0\n");
  job.memory_mb = 64;
  keeper_.launch(job);
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.outcome.state, JobState::kOutOfMemory) << over.why;
  EXPECT_EQ(over.outcome.exit_code, 0);
  EXPECT_EQ(over.outcome.signal, 125);
  EXPECT_GT(over.outcome.max_rss_kb, 32 * 1024);
}

TEST_P(KeeperTest, AJobsOutputSaysThatTheKernelEndedPartOfItForItsMemory) {
  if (GetParam() == CageChoice::kPlain) GTEST_SKIP() << "the kernel counts them for cgroups alone";
  const std::string script =
      "#!/bin/sh\nhead -c 400000000 /dev/zero | tail -c 390000000 > /dev/null\necho last\n";
  const std::string words =
      "slurmstepd-n1: error: Detected 1 oom-kill event(s) in StepId=1.batch. ";
  Assignment job = keeper_.job(1, script);
  job.memory_mb = 64;
  job.node = "n1";
  keeper_.launch(job);
  keeper_.end_of(1);
  EXPECT_NE(keeper_.output_of(1).find("last\n" + words), std::string::npos) << keeper_.output_of(1);
}

INSTANTIATE_TEST_SUITE_P(Plain, KeeperTest, testing::Values(CageChoice::kPlain));
INSTANTIATE_TEST_SUITE_P(CgroupV1, KeeperTest, testing::Values(CageChoice::kCgroupV1));
INSTANTIATE_TEST_SUITE_P(CgroupV2, KeeperTest, testing::Values(CageChoice::kCgroupV2));

}  // namespace
}  // namespace sluice
