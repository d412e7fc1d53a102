// What holds a run's processes together: a cgroup, or nothing but the family tree.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "host/keeper/keeper.h"
#include "host/keeper/keeper_protocol.h"
#include "host/machine/assignment.h"
#include "host/machine/spawn.h"

namespace sluice {

// How long the freezing of a run is waited for. One that hangs in the kernel never comes to it: it
// is waited for once, and others after it for less, since all wait for the keeper meanwhile.
class FreezePatience {
 public:
  // Looks, a millisecond apart.
  int looks() const {
    const bool hung = last_hung_ && Clock::now() - *last_hung_ < kWary;
    return hung ? kFewLooks : kManyLooks;
  }
  // One was not frozen after so many looks.
  void given_up(int looks) {
    if (looks >= kManyLooks) last_hung_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kManyLooks = 50;
  static constexpr int kFewLooks = 2;
  static constexpr auto kWary = std::chrono::seconds(60);
  std::optional<Clock::time_point> last_hung_;
};

// What the kernel counted since the run began. Absent where it is not counted.
struct CageUse {
  std::uint64_t oom_kills = 0;
  std::optional<Duration> cpu_time;
  std::optional<std::int64_t> memory_kb;  // Now, without what could be read from disk again.
};

class Cage {
 public:
  virtual ~Cage() = default;
  // How the first process gets in; nullptr: by being born.
  virtual const CageEntry* entry() const { return nullptr; }
  // Its first process runs, or has been waited for.
  virtual void started(pid_t leader) { static_cast<void>(leader); }
  virtual void leader_gone() {}
  // Every process of the run that is alive.
  virtual std::vector<pid_t> members() = 0;
  // Whether no process is left. Cheaper than members().
  virtual bool empty() = 0;
  virtual void signal(int number);
  virtual void pause() = 0;
  virtual void resume() = 0;
  // SIGKILL to all, also to those that are being forked meanwhile.
  virtual void kill() = 0;
  virtual CageUse use() = 0;
  // The same when no process is left: only what was counted, which costs less to ask for.
  virtual CageUse final_use() = 0;
};

class CageSet {
 public:
  virtual ~CageSet() = default;
  virtual Enforcement enforces() const = 0;
  // A cage with the run's limits in force.
  virtual Result<std::unique_ptr<Cage>> take(const Assignment& assignment) = 0;
  // It is empty and may be used again.
  virtual void give_back(std::unique_ptr<Cage> cage) { cage.reset(); }
  // One of them could not be entered: none that was used before is given out again.
  virtual void distrust_idle() {}
  // What all errands of the daemon may have together, beside what each of them may.
  virtual void bound_errands(std::int64_t mb) { static_cast<void>(mb); }
  // Whether the memory of runs that have a limit must be looked at.
  virtual bool measures_memory() const { return false; }
};

// Ends what an earlier keeper of the same name left behind, then makes cages of the kind chosen; an
// error where that kind cannot be had. `name` is the keeper's socket: unique on the machine.
Result<std::unique_ptr<CageSet>> make_cages(CageChoice choice, const std::string& name);

// Ends what is in the cgroups of the keeper of that name, and removes them.
void clear_cages(const std::string& name);

std::unique_ptr<CageSet> make_plain_cages(const std::string& name);
Result<std::unique_ptr<CageSet>> make_cgroup_v1_cages(const std::string& name);
Result<std::unique_ptr<CageSet>> make_cgroup_v2_cages(const std::string& name);

}  // namespace sluice
