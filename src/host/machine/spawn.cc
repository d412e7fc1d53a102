// How a process is made that goes child.cc's way.
#include "host/machine/spawn.h"

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

int run_beside(void* plan) { run_child(*static_cast<const SpawnPlan*>(plan)); }

// The child is born in a cgroup. With memory of its own it goes on in this frame, from which
// nothing may return: run_child() never does.
[[gnu::noinline]] pid_t fork_into(const SpawnPlan& plan) {
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<__u64>(plan.cage->born_in);
  const long result = ::syscall(SYS_clone3, &how, sizeof how);
  if (result == 0) run_child(plan);
  return static_cast<pid_t>(result);
}

// The same on a stack of its own, in our memory.
#if defined(__x86_64__)
constexpr bool kIsBornBeside = true;
pid_t clone_into(const SpawnPlan& plan, void* stack, std::size_t size, void* cleared) {
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP | CLONE_VM | CLONE_CHILD_CLEARTID;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<__u64>(plan.cage->born_in);
  how.stack = reinterpret_cast<__u64>(stack);
  how.stack_size = size;
  how.child_tid = reinterpret_cast<__u64>(cleared);
  long result = SYS_clone3;
  // What is in registers is the child's too; nothing else of this frame is.
  register const SpawnPlan* given asm("r12") = &plan;
  register int (*run)(void*) asm("r13") = run_beside;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r12, %%rdi\n\t"
      "call *%%r13\n\t"
      "ud2\n"
      "1:"
      : "+a"(result)
      : "D"(&how), "S"(sizeof how), "r"(given), "r"(run)
      : "rcx", "r11", "memory", "cc");
  if (result >= 0) return static_cast<pid_t>(result);
  errno = static_cast<int>(-result);
  return -1;
}
#else
constexpr bool kIsBornBeside = false;
pid_t clone_into(const SpawnPlan& plan, void*, std::size_t, void*) { return fork_into(plan); }
#endif

[[gnu::noinline]] pid_t plain_vfork(const SpawnPlan& plan) {
  const pid_t pid = ::vfork();
  if (pid == 0) run_child(plan);
  return pid;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

bool may_share_memory(const SpawnPlan& plan) {
  return !plan.becomes_another && !(plan.cage && plan.cage->tight);
}

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

bool ChildStack::wait_for(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (in_use()) {
    const auto left =
        std::chrono::ceil<std::chrono::microseconds>(end - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) return false;
    const timespec patience{left / 1'000'000, left % 1'000'000 * 1'000};
    ::syscall(SYS_futex, &child_, FUTEX_WAIT, kThere, &patience, nullptr, 0);
  }
  return true;
}

void become(SpawnPlan& plan, const Identity& who) {
  plan.becomes_another = true;
  plan.uid = who.uid;
  plan.gid = who.gid;
  plan.groups = who.groups.data();
  plan.group_count = who.groups.size();
}

pid_t spawn(const SpawnPlan& plan) {
  if (plan.cage && plan.cage->born_in >= 0) return fork_into(plan);
  if (may_share_memory(plan)) return plain_vfork(plan);
  const pid_t pid = ::fork();
  if (pid == 0) run_child(plan);
  return pid;
}

pid_t spawn(const SpawnPlan& plan, ChildStack& stack) {
  const bool is_born = plan.cage && plan.cage->born_in >= 0;
  const bool beside = may_share_memory(plan) && (is_born ? kIsBornBeside : kLeavesErrnoAlone);
  if (!beside || !stack.memory_) return spawn(plan);
  stack.child_.store(ChildStack::kThere, std::memory_order_relaxed);
  // The kernel writes zero there when the child runs its program or is no more.
  const pid_t pid = is_born
                        ? clone_into(plan, stack.memory_, kStackSize, &stack.child_)
                        : ::clone(run_beside, static_cast<char*>(stack.memory_) + kStackSize,
                                  CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD,
                                  const_cast<SpawnPlan*>(&plan), nullptr, nullptr, &stack.child_);
  if (pid < 0) stack.child_.store(0, std::memory_order_relaxed);
  return pid;
}

}  // namespace sluice
