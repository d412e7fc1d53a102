// The child's way from the keeper to its program. Only system calls in here: memory may be shared
// with the parent, which may go on meanwhile, and locks held by nobody. Not even errno is touched:
// it would be the parent's.
#include "host/spawn.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace sluice {
namespace {

// Nobody else's stack is known to the sanitizer; what it would say of one it says in our memory.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#endif

// A system call: its result, or an error's number below zero.
#if defined(__x86_64__)
constexpr bool kLeavesErrnoAlone = true;
long raw(long number, long a, long b, long c, long d) {
  long result = number;
  register long fourth asm("r10") = d;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
constexpr bool kLeavesErrnoAlone = true;
long raw(long number, long a, long b, long c, long d) {
  register long which asm("x8") = number;
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  asm volatile("svc 0" : "+r"(first) : "r"(which), "r"(second), "r"(third), "r"(fourth) : "memory");
  return first;
}
#else
constexpr bool kLeavesErrnoAlone = false;
long raw(long number, long a, long b, long c, long d) {
  const long result = ::syscall(number, a, b, c, d);
  return result < 0 ? -errno : result;
}
#endif

template <class T>
long word(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<long>(value);
  else
    return static_cast<long>(value);
}

template <class A = long, class B = long, class C = long, class D = long>
long call(long number, A a = {}, B b = {}, C c = {}, D d = {}) {
  return raw(number, word(a), word(b), word(c), word(d));
}

[[noreturn]] void leave(int code) {
  for (;;) call(SYS_exit_group, code);
}

[[noreturn]] void give_up(const SpawnPlan& plan, SpawnStage stage, int code, long result) {
  plan.failure->stage = stage;
  plan.failure->error = static_cast<int>(-result);
  leave(code);
}

void enter_cage(const SpawnPlan& plan) {
  if (!plan.cage) return;
  for (std::size_t i = 0; i < plan.cage->count; ++i) {
    // One's own thread: the kernel then needs no lock that all processes share.
    const long written = call(SYS_write, plan.cage->tasks[i], "0", 1);
    if (written != 1) give_up(plan, SpawnStage::kCage, 1, written);
  }
}

void set_limits(const SpawnPlan& plan) {
  rlimit64 current{};
  if (plan.open_files > 0) {
    current.rlim_cur = plan.open_files;
    current.rlim_max = plan.most_open_files;
    call(SYS_prlimit64, 0, static_cast<int>(RLIMIT_NOFILE), &current);
  }
  for (const ResourceLimit& limit : plan.limits) {
    if (call(SYS_prlimit64, 0, limit.resource, 0, &current) != 0) continue;
    current.rlim_cur = limit.soft < current.rlim_max ? limit.soft : current.rlim_max;
    call(SYS_prlimit64, 0, limit.resource, &current);
  }
}

// Plain system calls: glibc's versions would try to change all threads of the parent too.
void become(const SpawnPlan& plan) {
  const Identity& who = *plan.identity;
  static_assert(sizeof(gid_t) == sizeof(std::uint32_t));
  long result = call(SYS_setgroups, who.groups.size(), who.groups.data());
  if (result == 0) result = call(SYS_setresgid, who.gid, who.gid, who.gid);
  if (result == 0) result = call(SYS_setresuid, who.uid, who.uid, who.uid);
  if (result != 0) give_up(plan, SpawnStage::kIdentity, 1, result);
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  gid_t real_group = 0;
  gid_t effective_group = 0;
  gid_t saved_group = 0;
  const bool known = call(SYS_getresuid, &real, &effective, &saved) == 0 &&
                     call(SYS_getresgid, &real_group, &effective_group, &saved_group) == 0;
  if (!known || real != who.uid || effective != who.uid || saved != who.uid ||
      real_group != who.gid || effective_group != who.gid || saved_group != who.gid) {
    give_up(plan, SpawnStage::kIdentity, 1, -EPERM);
  }
  // Somebody who is not root must not be able to become it again.
  if (who.uid != 0 && call(SYS_setresuid, -1, 0, -1) == 0) {
    give_up(plan, SpawnStage::kIdentity, 1, -EPERM);
  }
}

// Opens without waiting for the other end of a FIFO, then waits like everybody else.
long open_patiently(const char* path, int flags) {
  const long file = call(SYS_openat, AT_FDCWD, path, flags | O_NONBLOCK | O_NOCTTY, 0666);
  if (file >= 0) call(SYS_fcntl, file, F_SETFL, flags & O_APPEND);
  return file;
}

void put_at(long file, int place) {
  if (file == place) {
    call(SYS_fcntl, file, F_SETFD, 0);
    return;
  }
  call(SYS_dup3, file, place, 0);
}

void open_files(const SpawnPlan& plan) {
  long in = plan.nothing;
  if (plan.in || in < 0) {
    in = open_patiently(plan.in ? plan.in : "/dev/null", O_RDONLY | O_CLOEXEC);
  }
  if (in < 0) give_up(plan, SpawnStage::kInput, 128 + kOutputSignal, in);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (plan.append ? O_APPEND : O_TRUNC | O_APPEND);
  long out = plan.out_descriptor;
  if (!plan.out && out < 0) out = plan.nothing;
  if (plan.out || out < 0) out = open_patiently(plan.out ? plan.out : "/dev/null", flags);
  if (out < 0) give_up(plan, SpawnStage::kOutput, 128 + kOutputSignal, out);
  long err = out;
  if (plan.err) err = open_patiently(plan.err, flags);
  if (err < 0) give_up(plan, SpawnStage::kOutput, 128 + kOutputSignal, err);
  // All of them are above 2: the keeper's own first three are open.
  put_at(in, 0);
  put_at(out, 1);
  put_at(err, 2);
}

void say(const char* text) { call(SYS_write, 2, text, std::strlen(text)); }

[[noreturn]] void run_child(const SpawnPlan& plan) {
  call(SYS_setsid);
  enter_cage(plan);
  set_limits(plan);
  if (plan.identity) become(plan);
  if (plan.umask) call(SYS_umask, *plan.umask);
  const bool moved = !plan.working_directory || call(SYS_chdir, plan.working_directory) == 0;
  if (!moved && call(SYS_chdir, "/tmp") != 0) call(SYS_chdir, "/");
  open_files(plan);
  if (!moved) {
    say("sluice: error: couldn't chdir to `");
    say(plan.working_directory);
    say("': going to /tmp instead\n");
  }
  if (plan.pid_digits) {
    char* at = plan.pid_digits;
    char digits[12];
    int count = 0;
    for (long pid = call(SYS_getpid); pid > 0; pid /= 10) {
      digits[count++] = static_cast<char>('0' + pid % 10);
    }
    while (count > 0) *at++ = digits[--count];
    *at = '\0';
  }
  // As many bits as the kernel has signals.
  const std::uint64_t none = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none);
  const long result = call(SYS_execve, plan.program, plan.arguments, plan.environment);
  const int error = static_cast<int>(-result);
  say("sluice: error: execve(): ");
  say(plan.program);
  say(": ");
  say(::strerrordesc_np(error));
  say("\n");
  give_up(plan, SpawnStage::kExec, error & 0x7f, result);
}

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

pid_t spawn(const SpawnPlan& plan) {
  if (plan.cage && plan.cage->born_in >= 0) {
    return clone_into(plan, plan.identity ? 0 : CLONE_VM | CLONE_VFORK);
  }
  if (!plan.identity) return plain_vfork(plan);
  const pid_t pid = ::fork();
  if (pid == 0) run_child(plan);
  return pid;
}

pid_t spawn(const SpawnPlan& plan, ChildStack& stack) {
  const bool alone = plan.identity || (plan.cage && plan.cage->born_in >= 0);
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
