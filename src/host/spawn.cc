// How a process is made that goes child.cc's way.
#include "host/spawn.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace sluice {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kLeavesErrnoAlone = true;
#else
constexpr bool kLeavesErrnoAlone = false;
#endif

// The child has these frames too, and none of the sanitizer's accounts.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#endif

// Like vfork(), but the child is born in a cgroup. The child goes on in this frame, so nothing may
// return from it: run_child() never does.
[[gnu::noinline]] pid_t clone_into(const SpawnPlan& plan, std::uint64_t flags) {
  clone_args how{};
  how.flags = flags | CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<__u64>(plan.cage->born_in);
  long result = SYS_clone3;
#if defined(__x86_64__)
  asm volatile("syscall" : "+a"(result) : "D"(&how), "S"(sizeof how) : "rcx", "r11", "memory");
#else
  how.flags &= ~static_cast<std::uint64_t>(CLONE_VM | CLONE_VFORK);
  result = ::syscall(SYS_clone3, &how, sizeof how);
  if (result < 0) result = -errno;
#endif
  if (result == 0) run_child(plan);
  if (result < 0) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return static_cast<pid_t>(result);
}

[[gnu::noinline]] pid_t plain_vfork(const SpawnPlan& plan) {
  const pid_t pid = ::vfork();
  if (pid == 0) run_child(plan);
  return pid;
}

int run_beside(void* plan) { run_child(*static_cast<const SpawnPlan*>(plan)); }

#if defined(__clang__)
#pragma clang attribute pop
#endif

// A child touches a page or two of it.
constexpr std::size_t kStackSize = 64U << 10;

}  // namespace

ChildStack::ChildStack() {
  void* made = ::mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (made != MAP_FAILED) memory_ = made;
}

ChildStack::~ChildStack() {
  wait();
  if (memory_) ::munmap(memory_, kStackSize);
}

void ChildStack::wait() {
  while (in_use()) ::syscall(SYS_futex, &child_, FUTEX_WAIT, kThere, nullptr, nullptr, 0);
}

void become(SpawnPlan& plan, const Identity& who) {
  plan.becomes_another = true;
  plan.uid = who.uid;
  plan.gid = who.gid;
  plan.groups = who.groups.data();
  plan.group_count = who.groups.size();
}

pid_t spawn(const SpawnPlan& plan) {
  if (plan.cage && plan.cage->born_in >= 0) {
    return clone_into(plan, plan.becomes_another ? 0 : CLONE_VM | CLONE_VFORK);
  }
  if (!plan.becomes_another) return plain_vfork(plan);
  const pid_t pid = ::fork();
  if (pid == 0) run_child(plan);
  return pid;
}

pid_t spawn(const SpawnPlan& plan, ChildStack& stack) {
  const bool alone = plan.becomes_another || (plan.cage && plan.cage->born_in >= 0);
  if (alone || !kLeavesErrnoAlone || !stack.memory_) return spawn(plan);
  stack.child_.store(ChildStack::kThere, std::memory_order_relaxed);
  // The kernel writes zero there when the child runs its program or is no more.
  const pid_t pid = ::clone(run_beside, static_cast<char*>(stack.memory_) + kStackSize,
                            CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD,
                            const_cast<SpawnPlan*>(&plan), nullptr, nullptr, &stack.child_);
  if (pid < 0) stack.child_.store(0, std::memory_order_relaxed);
  return pid;
}

}  // namespace sluice
