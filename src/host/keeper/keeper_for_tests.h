// A real keeper in a process of its own, and a client that waits for what it says.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "host/files/folder_for_tests.h"
#include "host/keeper/keeper.h"
#include "host/keeper/keeper_client.h"

namespace sluice {

inline std::string file_contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// For what a busy machine does slowly; what does not come at all is a failure after it.
constexpr auto kPatience = std::chrono::minutes(5);

class KeeperForTests {
 public:
  explicit KeeperForTests(CageChoice cage = CageChoice::kPlain) : cage_(cage) {
    std::filesystem::create_directories(folder_ / "spool");
    std::filesystem::create_directories(folder_ / "output");
    // Other users' jobs must reach their scripts and their output.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0711));
    std::filesystem::permissions(folder_ / "spool", std::filesystem::perms(0711));
  }
  ~KeeperForTests() { stop(); }

  // What all errands may have together, from the next start on.
  void bound_errands(std::int64_t mb) { errands_mb_ = mb; }
  // The error that the keeper gave, or "".
  std::string start() {
    int said[2];
    if (::pipe(said) != 0) return "no pipe";
    warden_ = ::fork();
    if (warden_ < 0) return "no process";
    if (warden_ == 0) {
      ::close(said[0]);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      KeeperSettings settings;
      settings.socket = socket();
      settings.lock = folder_ / "keeper.lock";
      settings.spool = folder_ / "spool";
      settings.output = folder_ / "output";
      settings.cage = cage_;
      settings.errands_mb = errands_mb_;
      settings.ready = said[1];
      ::_exit(run_keeper(settings));
    }
    ::close(said[1]);
    std::string answer;
    char bytes[512];
    ssize_t count = 0;
    while ((count = ::read(said[0], bytes, sizeof bytes)) > 0) {
      answer.append(bytes, static_cast<std::size_t>(count));
      if (answer.ends_with('\n')) break;
    }
    ::close(said[0]);
    if (answer.empty()) return "it ended without a word";
    return answer == "ready\n" ? "" : answer;
  }

  void connect() {
    auto client = KeeperClient::connect(socket());
    ASSERT_TRUE(client) << client.error().text();
    client_.emplace(std::move(*client));
    pid_ = client_->hello().pid;
    for (const RunIsOver& over : client_->hello().over) over_[over.run] = over;
    for (const RunIsUp& up : client_->hello().up) up_[up.run] = up;
  }
  void disconnect() { client_.reset(); }

  // Ends it and everything it holds.
  void stop() {
    if (warden_ <= 0) return;
    client_.reset();
    ::kill(warden_, SIGTERM);
    ::waitpid(std::exchange(warden_, 0), nullptr, 0);
  }
  // The keeper alone; its warden tidies up.
  void kill() {
    const pid_t pid = this->pid();
    client_.reset();
    ::kill(pid, SIGKILL);
    ::waitpid(std::exchange(warden_, 0), nullptr, 0);
  }
  // Nobody tidies up.
  void kill_with_warden() {
    const pid_t pid = this->pid();
    client_.reset();
    ::kill(warden_, SIGKILL);
    ::kill(pid, SIGKILL);
    ::waitpid(std::exchange(warden_, 0), nullptr, 0);
    // Nobody's child any more: gone once its descriptors are.
    while (::kill(pid, 0) == 0) ::usleep(1'000);
  }

  void send(const KeeperOrder& order) {
    client_->send(order);
    const auto sent = client_->flush();
    ASSERT_TRUE(sent) << sent.error().text();
  }

  // A run of `script` as whoever runs the test.
  Assignment job(std::uint32_t number, const std::string& script) {
    Assignment assignment;
    assignment.run = RunKey{JobId(number), 1};
    assignment.identity = identity_of(::geteuid()).value();
    assignment.script = script;
    assignment.working_directory = folder_.path();
    assignment.stdout_path = folder_ / (std::to_string(number) + ".out");
    assignment.environment = std::string("PATH=/usr/local/bin:/usr/bin:/bin\0", 34);
    return assignment;
  }

  void launch(const Assignment& assignment) { send(LaunchRun{assignment}); }

  // Waits for the run's end; nothing when patience is over.
  std::optional<RunIsOver> wait_over(RunKey run) {
    pump_until([&] { return over_.contains(run); });
    const auto found = over_.find(run);
    return found == over_.end() ? std::nullopt : std::optional(found->second);
  }
  RunIsOver end_of(std::uint32_t number) {
    const auto over = wait_over(RunKey{JobId(number), 1});
    EXPECT_TRUE(over) << "job " << number << " did not end";
    return over.value_or(RunIsOver{});
  }
  std::optional<RunIsUp> wait_up(RunKey run) {
    pump_until([&] { return up_.contains(run); });
    const auto found = up_.find(run);
    return found == up_.end() ? std::nullopt : std::optional(found->second);
  }
  bool wait_returned(RunKey run) {
    pump_until([&] { return returned_.contains(run); });
    return returned_.contains(run);
  }
  // Takes what the keeper says within a tenth of a second.
  void pump() {
    auto reports = client_->wait(Duration(100));
    ASSERT_TRUE(reports) << reports.error().text();
    for (const KeeperReport& report : *reports) {
      if (const auto* over = std::get_if<RunIsOver>(&report)) {
        EXPECT_FALSE(over_.contains(over->run)) << "its end was told twice";
        over_[over->run] = *over;
      }
      if (const auto* up = std::get_if<RunIsUp>(&report)) up_[up->run] = *up;
      if (const auto* back = std::get_if<RunIsReturned>(&report)) returned_.insert(back->run);
      if (const auto* output = std::get_if<RunOutput>(&report)) output_ = *output;
    }
  }

  std::string socket() const { return folder_ / "k.sock"; }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string output_of(std::uint32_t number) {
    return file_contents(folder_ / (std::to_string(number) + ".out"));
  }
  KeeperClient& client() { return *client_; }
  pid_t pid() const { return pid_; }
  pid_t warden() const { return warden_; }
  const std::optional<RunOutput>& last_output() const { return output_; }
  void forget_reports() {
    up_.clear();
    over_.clear();
  }

 private:
  template <class Condition>
  void pump_until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!condition() && !testing::Test::HasFatalFailure() &&
           std::chrono::steady_clock::now() < end) {
      pump();
    }
  }

  CageChoice cage_;
  std::int64_t errands_mb_ = 0;
  FolderForTests folder_;
  pid_t warden_ = 0;
  pid_t pid_ = 0;  // Known once somebody has connected.
  std::optional<KeeperClient> client_;
  std::map<RunKey, RunIsUp> up_;
  std::map<RunKey, RunIsOver> over_;
  std::set<RunKey> returned_;
  std::optional<RunOutput> output_;
};

// Polls until it is so, or patience is over.
template <class Condition>
bool becomes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::usleep(10'000);
  }
  return true;
}

inline bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_ends = text.rfind(')');
  return name_ends != std::string::npos && text[name_ends + 2] != 'Z' && text[name_ends + 2] != 'X';
}

}  // namespace sluice
