// Cages without cgroups. A run is its first process and all that descends from it; children that
// lost their parents come to the keeper (it is their subreaper) and are known by their session, by
// the mark in their environment, or because they were seen in the run's tree before. Environments
// are read by a child of the keeper's: one that is being replaced may keep its reader waiting.
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <utility>

#include "host/cages/cage.h"
#include "host/cages/cgroup_files.h"
#include "host/cages/keeper_mark.h"
#include "host/keeper/process_look.h"
#include "host/keeper/processes.h"

namespace sluice {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::string_view kRunMark = "SLUICE_RUN";
constexpr std::string_view kKeeperMark = "SLUICE_KEEPER";

// How often a tree that keeps moving is looked at before others have their turn.
constexpr int kRounds = 600;

// So many that are remembered are looked through for those that have ended.
constexpr std::size_t kForgetFrom = 256;
// So many processes may keep whoever reads their environment waiting at once.
constexpr int kMostAskedInVain = 4;
// When one that had no mark, or kept its reader waiting, is asked again.
constexpr auto kAskAgain = std::chrono::seconds(1);
constexpr auto kAskHungAgain = std::chrono::seconds(10);

// A process that cannot be mistaken for a later one of the same number, or only for one of the same
// user where a user starts so many that the kernel is not asked to hold on to all of them.
class Held {
 public:
  explicit Held(pid_t pid) : pid_(pid) {
    if (handles < kMostHandles) handle_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (handle_ >= 0) ++handles;
  }
  ~Held() {
    if (handle_ < 0) return;
    ::close(handle_);
    --handles;
  }
  Held(Held&& other) noexcept : pid_(other.pid_), handle_(std::exchange(other.handle_, -1)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool lives() const {
    if (handle_ < 0) return ::kill(pid_, 0) == 0 || errno == EPERM;
    pollfd ends{handle_, POLLIN, 0};
    return ::poll(&ends, 1, 0) == 0;
  }

 private:
  static constexpr int kMostHandles = 256;
  static inline int handles = 0;
  pid_t pid_;
  int handle_ = -1;
};

struct Seen {
  Held process;
  std::string run;  // Empty: not known to be of any.
  uid_t user = 0;   // Whose run that is.
  uid_t own = 0;    // The process's own.
  SteadyTime ask_again = SteadyTime::max();
};

class PlainCageSet final : public CageSet {
 public:
  explicit PlainCageSet(const std::string& name)
      : mark_(mark_of_runs(name)),
        children_(fmt::format("/proc/{0}/task/{0}/children", ::getpid())) {}

  Enforcement enforces() const override { return {"measured", "", "", "SIGSTOP"}; }
  Result<std::unique_ptr<Cage>> take(const Assignment& assignment) override;
  bool measures_memory() const override { return true; }

  void add_leader(pid_t leader) { leaders_.insert(leader); }
  void remove_leader(pid_t leader) { leaders_.erase(leader); }

  // The keeper's children that are not the first process of a run.
  std::vector<pid_t> orphans() {
    std::vector<pid_t> found = own_children();
    std::erase_if(found, [&](pid_t pid) { return leaders_.contains(pid); });
    if (found.empty()) seen_.clear();
    const std::set<pid_t> there(found.begin(), found.end());
    std::erase_if(dead_, [&](const auto& each) { return !there.contains(each.first); });
    return found;
  }

  // Whether one that has ended was known to have when the orphans were listed: then the children
  // that it left are in that list, for the kernel hands them on before it shows the end.
  bool was_dead(pid_t pid) {
    const std::uint64_t started = start_ticks(pid).value_or(0);
    const auto [known, is_new] = dead_.try_emplace(pid, started);
    return !is_new && std::exchange(known->second, started) == started;
  }

  // Reads the marks of those that are not known yet, all of them at once.
  void learn(const std::vector<pid_t>& orphans) {
    const SteadyTime now = std::chrono::steady_clock::now();
    std::vector<pid_t> strangers;
    std::map<pid_t, std::pair<Held, uid_t>> held;
    for (const pid_t pid : orphans) {
      const auto facts = process_facts(pid);
      if (!facts || facts->state == 'Z') continue;
      const auto known = seen_.find(pid);
      if (known != seen_.end() && known->second.ask_again > now && known->second.process.lives() &&
          known->second.own == facts->user)
        continue;
      strangers.push_back(pid);
      held.emplace(pid, std::pair(Held(pid), facts->user));
    }
    if (strangers.empty()) return;
    const auto said = said_of(
        strangers, [this](pid_t pid) { return marked_run(pid); }, kMostAskedInVain);
    for (const pid_t pid : strangers) {
      auto& [process, user] = held.at(pid);
      Seen seen{std::move(process), {}, user, user, now + kAskAgain};
      const auto it = said.find(pid);
      if (it == said.end()) {
        seen.ask_again = now + kAskHungAgain;
      } else if (!it->second.empty()) {
        seen.run = it->second;
        seen.ask_again = SteadyTime::max();
      }
      seen_.insert_or_assign(pid, std::move(seen));
    }
  }

  // Anybody can write a mark: it counts for runs of the process's own user alone.
  bool is_of(pid_t pid, const ProcessFacts& facts, const std::string& run, uid_t user) const {
    const auto known = seen_.find(pid);
    return known != seen_.end() && known->second.run == run && known->second.user == user &&
           known->second.own == facts.user && known->second.process.lives();
  }

  void remember(pid_t pid, const std::string& run, uid_t user) {
    const auto facts = process_facts(pid);
    if (!facts || is_of(pid, *facts, run, user)) return;
    seen_.insert_or_assign(pid, Seen{Held(pid), run, user, facts->user});
    if (seen_.size() < forget_at_) return;
    std::erase_if(seen_, [](const auto& each) { return !each.second.process.lives(); });
    forget_at_ = std::max(kForgetFrom, 2 * seen_.size());
  }

 private:
  std::string marked_run(pid_t pid) const {
    if (variable_of(pid, kKeeperMark) != mark_) return {};
    return variable_of(pid, kRunMark).value_or("");
  }

  // Asked at every end of a run: the file stays open. The keeper has one thread.
  std::vector<pid_t> own_children() const {
    const std::string_view text = children_.read();
    // Longer than what one read gives, or a kernel without the file.
    if (!children_.is_open() || text.size() > 4096) return children_of(::getpid());
    return numbers_of(text);
  }

  std::string mark_;
  KernelFile children_;
  std::set<pid_t> leaders_;
  std::map<pid_t, Seen> seen_;
  std::size_t forget_at_ = kForgetFrom;
  std::map<pid_t, std::uint64_t> dead_;  // Not yet waited for, by when they were started.
};

class PlainCage final : public Cage {
 public:
  PlainCage(PlainCageSet& set, const Assignment& assignment)
      : set_(set), run_(to_text(assignment.run)), user_(assignment.identity.uid) {}
  ~PlainCage() override { leader_gone(); }

  void started(pid_t leader) override {
    leader_ = session_ = leader;
    set_.add_leader(leader);
  }
  void leader_gone() override {
    if (leader_ != 0) set_.remove_leader(std::exchange(leader_, 0));
  }

  std::vector<pid_t> members() override {
    std::set<pid_t> dead;
    return look(dead);
  }

  // A chain of processes, each of which starts the next and ends, must not slip through.
  bool empty() override {
    if (set_.orphans().empty()) return true;
    std::set<pid_t> dead;
    int settled = 0;  // Looks in a row; the second is for what the first may have missed.
    for (int round = 0; round < kRounds; ++round) {
      if (!look(dead).empty()) return false;
      settled = settled_ ? settled + 1 : 0;
      if (settled == 2) return true;
    }
    return false;
  }

  // Until no process is left that was not stopped before: a stopped process forks no more.
  void pause() override {
    std::set<pid_t> stopped;
    std::set<pid_t> dead;
    bool more = true;
    for (int round = 0; more && round < kRounds; ++round) {
      more = false;
      for (const pid_t pid : look(dead, &stopped)) {
        if (!stopped.insert(pid).second) continue;
        ::kill(pid, SIGSTOP);
        more = true;
      }
      more = more || !settled_;
    }
  }
  void resume() override { signal(SIGCONT); }
  void kill() override {
    pause();
    signal(SIGKILL);
  }

  CageUse final_use() override { return {}; }
  CageUse use() override {
    CageUse use;
    std::int64_t kb = 0;
    for (const pid_t pid : members()) {
      if (const auto facts = process_facts(pid)) kb += facts->rss_kb;
    }
    use.memory_kb = kb;
    return use;
  }

 private:
  // `dead`: those that an earlier look saw dead. Nobody waits for them between looks, so they are
  // the same still: a look costs what is new, and keeps up with a chain of processes.
  // With `stopped`, a process of the run's session is stopped the moment it is found.
  std::vector<pid_t> look(std::set<pid_t>& dead, std::set<pid_t>* stopped = nullptr) {
    std::vector<pid_t> roots;
    if (leader_ != 0) roots.push_back(leader_);
    const std::vector<pid_t> orphans = set_.orphans();
    settled_ = true;
    // Marks are read by a process of their own, which takes longer than a chain of processes needs
    // for its next: the run's session is known without.
    std::vector<pid_t> of_other_sessions;
    for (const pid_t orphan : orphans) {
      if (dead.contains(orphan)) continue;
      const auto facts = process_facts(orphan);
      if (!facts || facts->state == 'Z') {
        // It ended while we looked, and may have left a child that is not in our list.
        if (!facts || !set_.was_dead(orphan)) settled_ = false;
        if (facts) dead.insert(orphan);
        continue;
      }
      if (session_ == 0 || facts->session != session_) {
        of_other_sessions.push_back(orphan);
        continue;
      }
      // A child of the keeper's that nobody waited for: the number is still this process's.
      if (stopped != nullptr && stopped->insert(orphan).second) {
        ::kill(orphan, SIGSTOP);
        settled_ = false;
      }
      roots.push_back(orphan);
    }
    set_.learn(of_other_sessions);
    for (const pid_t orphan : of_other_sessions) {
      const auto facts = process_facts(orphan);
      if (!facts || facts->state == 'Z')
        settled_ = false;  // As above.
      else if (set_.is_of(orphan, *facts, run_, user_))
        roots.push_back(orphan);
    }
    std::vector<pid_t> all = with_descendants(std::move(roots));
    // When one of them is orphaned later it is still known, whatever its environment.
    for (const pid_t pid : all) {
      if (pid != leader_) set_.remember(pid, run_, user_);
    }
    for (const pid_t orphan : set_.orphans()) {
      if (std::find(orphans.begin(), orphans.end(), orphan) == orphans.end()) settled_ = false;
    }
    return all;
  }

  PlainCageSet& set_;
  std::string run_;
  uid_t user_;
  bool settled_ = true;  // Nothing moved during the last look.
  pid_t leader_ = 0;     // 0 once it was waited for.
  pid_t session_ = 0;    // Stays: no new process gets a number that is still a session's.
};

Result<std::unique_ptr<Cage>> PlainCageSet::take(const Assignment& assignment) {
  return std::make_unique<PlainCage>(*this, assignment);
}

}  // namespace

std::unique_ptr<CageSet> make_plain_cages(const std::string& name) {
  return std::make_unique<PlainCageSet>(name);
}

}  // namespace sluice
