#include "host/keeper/keeper_protocol.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sluice {
namespace {

Assignment assignment() {
  Assignment made;
  made.run = RunKey{JobId(12), 3};
  made.identity = Identity{"ann", "lab", 1000, 1001, {1001, 5}, "/home/ann", "/bin/sh"};
  made.script = "#!/bin/sh\n";
  made.arguments = {"a b", ""};
  made.working_directory = "/w";
  made.stdout_path = "/w/out";
  made.environment = std::string("A=1\0B=\0", 7);
  made.umask = 0;
  made.limits = {ResourceLimit{7, 1024}};
  made.cpus = 2;
  made.memory_mb = 100;
  made.own_cpus = true;
  made.devices = {"/dev/nvidia0"};
  made.prolog = "/etc/prolog";
  made.prolog_limit = seconds(5);
  return made;
}

std::vector<KeeperOrder> orders() {
  const RunKey run{JobId(12), 3};
  return {LaunchRun{assignment()},  EndRun{run, seconds(30), "why\n"},
          SignalRun{run, 10, true}, PauseRun{run},
          ContinueRun{run},         AcknowledgeRun{run},
          ReadRunOutput{run, 77},   QuitKeeper{}};
}

std::vector<KeeperReport> reports() {
  const RunKey run{JobId(12), 3};
  const RunIsOver over{run, Outcome{JobState::kFailed, 3, 0, 1024, seconds(2)}, Instant(seconds(9)),
                       "why", "1:0:5"};
  const RunIsUp up{run, 4711, Instant(seconds(8))};
  KeeperHello hello;
  hello.instance = "abc";
  hello.boot = "boot";
  hello.pid = 7;
  hello.enforces = Enforcement{"cgroup v2", "cgroup v2", "", "SIGSTOP"};
  hello.up = {up};
  hello.over = {over};
  hello.writes_last_words = true;
  return {hello, up, over, RunOutput{run, 5, std::string("a\0b", 3), true}};
}

TEST(KeeperProtocol, AnAssignmentComesThroughWhole) {
  std::string stream;
  append_frame(stream, KeeperOrder(LaunchRun{assignment()}));
  FrameReader reader;
  reader.add(stream);
  const auto order = read_order(reader.next().value().value());
  ASSERT_TRUE(order) << order.error().text();
  EXPECT_EQ(std::get<LaunchRun>(*order).assignment, assignment());
}

TEST(KeeperProtocol, EveryMessageComesThroughByteByByte) {
  std::string stream;
  for (const KeeperOrder& order : orders()) append_frame(stream, order);
  FrameReader reader;
  std::vector<std::size_t> kinds;
  std::string again;
  for (const char byte : stream) {
    reader.add(std::string_view(&byte, 1));
    const auto frame = reader.next();
    ASSERT_TRUE(frame);
    if (!*frame) continue;
    const auto order = read_order(**frame);
    ASSERT_TRUE(order) << order.error().text();
    kinds.push_back(order->index());
    append_frame(again, *order);
  }
  EXPECT_EQ(kinds, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(again, stream);
}

TEST(KeeperProtocol, ReportsComeThrough) {
  for (const KeeperReport& report : reports()) {
    std::string stream;
    append_frame(stream, report);
    const auto read = read_report(std::string_view(stream).substr(4));
    ASSERT_TRUE(read) << read.error().text();
    std::string again;
    append_frame(again, *read);
    EXPECT_EQ(again, stream);
  }
}

TEST(KeeperProtocol, AFrameThatIsTooLongOrEmptyIsAnError) {
  FrameReader reader;
  reader.add(std::string_view("\xff\xff\xff\xff", 4));
  EXPECT_FALSE(reader.next());
  FrameReader empty;
  empty.add(std::string_view("\0\0\0\0", 4));
  EXPECT_FALSE(empty.next());
}

TEST(KeeperProtocol, AnUnknownKindSaysWhatToDo) {
  const auto order = read_order("\x7f");
  ASSERT_FALSE(order);
  EXPECT_NE(order.error().hint.find("restart both"), std::string::npos);
}

// The fuzzer's seeds are these messages: SLUICE_WRITE_CORPUS=1 writes them anew.
TEST(KeeperProtocol, TheFuzzersSeedsAreTodaysMessages) {
  std::string stream;
  for (const KeeperOrder& order : orders()) append_frame(stream, order);
  for (const KeeperReport& report : reports()) append_frame(stream, report);
  const std::filesystem::path path = "tests/fuzz/corpus/keeper_frames_fuzz/every-message";
  if (std::getenv("SLUICE_WRITE_CORPUS")) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << stream;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string kept((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(kept, stream) << "type: SLUICE_WRITE_CORPUS=1 build/tests/host_tests";
}

}  // namespace
}  // namespace sluice
