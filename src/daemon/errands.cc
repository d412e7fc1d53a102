#include "daemon/errands.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "daemon/say.h"

namespace sluice {
namespace {

// Enough for a program that reads a message and sends it on, and for a look at a chain of a hundred
// thousand tasks; little enough for the machine when all users' errands take it at once.
constexpr std::int64_t kMostMemoryMb = 1024;
constexpr std::int32_t kMostCpus = 1;
constexpr std::int64_t kMostProcesses = 512;
// Between SIGTERM and SIGKILL.
constexpr Duration kKillWait = seconds(5);
// The keeper tells the end of what cannot be killed after a minute.
constexpr Duration kHeardOfWithin = minutes(2);
// Of one that an earlier daemon started it is not known how long it may take.
constexpr Duration kLongestOfEarlier = minutes(5);

std::string environment_of(const Errand& errand) {
  const Identity& owner = errand.owner;
  std::string block;
  const auto add = [&](std::string_view variable) {
    block += variable;
    block += '\0';
  };
  for (const std::string& variable : errand.variables) add(variable);
  add(fmt::format("HOME={}", owner.home));
  add(fmt::format("USER={}", owner.user));
  add(fmt::format("LOGNAME={}", owner.user));
  add("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  const auto pass_on = [&](const char* variable) {
    if (const char* value = std::getenv(variable)) add(fmt::format("{}={}", variable, value));
  };
  for (const char* variable : {"SLUICE_HOME", "TZ", "LANG", "LC_ALL"}) pass_on(variable);
  if (owner.uid == ::geteuid())
    for (const char* variable : {"HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
                                 "TMPDIR", "SLUICE_SENDMAIL"})
      pass_on(variable);
  return block;
}

}  // namespace

Errands::Errands(Loop& loop, std::string program, Send send)
    : loop_(loop), program_(std::move(program)), send_(std::move(send)) {}

void Errands::start(const Errand& errand, Then then) {
  Assignment assignment;
  assignment.run = RunKey{JobId(next_number_++), 0};
  assignment.identity = errand.owner;
  assignment.program = program_;
  assignment.arguments = errand.words;
  assignment.working_directory = std::string("/");
  assignment.environment = environment_of(errand);
  assignment.umask = 077;
  assignment.cpus = kMostCpus;
  assignment.memory_mb = kMostMemoryMb;
  assignment.processes = kMostProcesses;
  assignment.time_limit = errand.longest;
  assignment.kill_wait = kKillWait;
  running_[assignment.run] = {
      fmt::format("{}: {}", errand.owner.user, fmt::join(errand.words, " ")), errand.when_stopped,
      std::move(then)};
  end_after(assignment.run, errand.longest);
  send_(LaunchRun{std::move(assignment)});
}

void Errands::end_after(RunKey run, Duration longest) {
  loop_.after(longest, [this, run] {
    const auto found = running_.find(run);
    if (found == running_.end()) return;
    say_of_run(fmt::format("{}: took too long and was ended", found->second.what));
    send_(EndRun{run, kKillWait});
    // Others of its user wait for its place, whatever became of it.
    loop_.after(kHeardOfWithin, [this, run] { conclude(run, std::nullopt); });
  });
}

void Errands::conclude(RunKey run, std::optional<int> code) {
  const auto found = running_.find(run);
  if (found == running_.end()) return;
  const Then then = std::move(found->second.then);
  running_.erase(found);
  if (then) then(code);
}

void Errands::compare(const KeeperHello& hello) {
  std::set<RunKey> known;
  for (const RunIsUp& up : hello.up)
    if (is_one(up.run)) known.insert(up.run);
  // Their ends are told next.
  for (const RunIsOver& over : hello.over)
    if (is_one(over.run)) known.insert(over.run);
  std::vector<Then> lost;
  std::erase_if(running_, [&](auto& each) {
    if (known.contains(each.first)) return false;
    lost.push_back(std::move(each.second.then));
    return true;
  });
  for (const RunKey run : known) {
    next_number_ = std::max(next_number_, run.job.value() + 1);
    if (!running_.try_emplace(run, Running{"an errand of an earlier daemon", {}, {}}).second)
      continue;
    end_after(run, kLongestOfEarlier);
  }
  for (const Then& then : lost)
    if (then) then(std::nullopt);
}

void Errands::over(const RunIsOver& over) {
  send_(AcknowledgeRun{over.run});
  const auto found = running_.find(over.run);
  if (found == running_.end()) return;
  if (!over.why.empty()) say_of_run(fmt::format("{}: {}", found->second.what, over.why));
  const bool by_itself = over.outcome.signal == 0 && (over.outcome.state == JobState::kCompleted ||
                                                      over.outcome.state == JobState::kFailed);
  conclude(over.run, by_itself ? std::optional(over.outcome.exit_code) : std::nullopt);
}

bool Errands::any_to_finish() const {
  return std::any_of(running_.begin(), running_.end(), [](const auto& each) {
    return each.second.when_stopped == WhenStopped::kFinishes;
  });
}

}  // namespace sluice
