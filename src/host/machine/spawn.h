// One new process, as its user, in its folder, with its files open, inside its cage.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "host/machine/assignment.h"

namespace sluice {

// How a process gets into its cage before it runs anything.
struct CageEntry {
  // cgroup v1: it writes itself into each of these.
  int tasks[8] = {};
  std::size_t count = 0;
  // cgroup v2: it is born there.
  int born_in = -1;
  // Its memory limit is so small that starting the program may exceed it.
  bool tight = false;
};

// Below this limit a child has memory of its own from the start. The kernel ends all processes that
// share the memory of one that exceeds its limit: the keeper would go with its child. Above it what
// a child needs until it runs its program fits: 6 MB of arguments at most, 16 MB that an earlier
// run may have left in the cgroup, and what the kernel itself takes.
inline constexpr std::int64_t kTightMemoryMb = 64;

// Where the child failed; it lies in memory that parent and child share.
enum class SpawnStage : std::uint8_t { kNone, kCage, kLimits, kIdentity, kInput, kOutput, kExec };
struct SpawnFailure {
  SpawnStage stage = SpawnStage::kNone;
  int error = 0;
};

// Exit codes of a child that failed before its program ran. Slurm's own: 0:53 for output that
// cannot be opened, the error's number where the program cannot be run.
inline constexpr int kOutputSignal = 53;

// Nothing in here has members to call: the child reads it (see child.cc).
struct SpawnPlan {
  const char* program = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  // Gets the child's own pid in digits: room for ten, inside one of the variables; or nullptr.
  char* pid_digits = nullptr;
  const char* working_directory = nullptr;
  const char* in = nullptr;   // nullptr: /dev/null
  const char* out = nullptr;  // nullptr: `out_descriptor`, else /dev/null
  const char* err = nullptr;  // nullptr: as out
  int out_descriptor = -1;
  bool append = false;
  bool becomes_another = false;  // Otherwise it stays the keeper's user.
  uid_t uid = 0;
  gid_t gid = 0;
  const std::uint32_t* groups = nullptr;
  std::size_t group_count = 0;
  int umask = -1;  // Below zero: the keeper's.
  const ResourceLimit* limits = nullptr;
  std::size_t limit_count = 0;
  // The keeper's own limit on open files before it raised it; no soft limit: it did not.
  std::uint64_t open_files = 0;
  std::uint64_t most_open_files = 0;
  int nothing = -1;  // /dev/null, open.
  const CageEntry* cage = nullptr;
  SpawnFailure* failure = nullptr;
};

// For the plan's child to become `who`, who outlives the plan.
void become(SpawnPlan& plan, const Identity& who);

// The child's way to its program.
[[noreturn]] void run_child(const SpawnPlan& plan);

// The pid, or -1 with errno. The child leads a session of its own. Without a change of identity
// memory is shared until it runs its program (vfork), which is twice as fast; with one it never is:
// the new user could stop the child half-way and the keeper with it. Nor is it under a tight memory
// limit, nor here where the child is born in a cgroup.
pid_t spawn(const SpawnPlan& plan);

// Where a child stands until it runs its program, so that its parent need not wait.
class ChildStack {
 public:
  ChildStack();
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  ~ChildStack();
  // Whether its child still uses our memory.
  bool in_use() const { return child_.load(std::memory_order_acquire) != 0; }
  void wait();
  // The same for no longer than that; whether it is free.
  bool wait_for(std::chrono::milliseconds limit);

 private:
  friend pid_t spawn(const SpawnPlan& plan, ChildStack& stack);
  static constexpr std::int32_t kThere = 1;
  void* memory_ = nullptr;
  std::atomic<std::int32_t> child_{0};
};

// The same, but back at once where memory may be shared: the plan and all it points to stay as they
// are for as long as the stack is in use. Until then the child may not be in its cage (v1).
pid_t spawn(const SpawnPlan& plan, ChildStack& stack);

}  // namespace sluice
