// The child's way from the keeper to its program. Only system calls in here: memory may be shared
// with the parent, which may go on meanwhile, and with locks held by none. Not even errno is
// touched: it would be the parent's.
//
// Nothing is called that another file may have made too, like a member of a template: the linker
// might take the one with the sanitizer's checks, and these keep their accounts in the parent's
// thread. tests/scripts/child_test looks at what this file calls.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <type_traits>

#include "host/machine/spawn.h"

namespace sluice {

// The sanitizer knows no other stack; what it would say of one it says in our memory.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined"))), \
                             apply_to = function)
#endif

namespace {

// A system call: its result, or an error's number below zero.
#if defined(__x86_64__)
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
  for (std::size_t i = 0; i < plan.limit_count; ++i) {
    const ResourceLimit& limit = plan.limits[i];
    if (call(SYS_prlimit64, 0, limit.resource, 0, &current) != 0) continue;
    current.rlim_cur = limit.soft < current.rlim_max ? limit.soft : current.rlim_max;
    call(SYS_prlimit64, 0, limit.resource, &current);
  }
}

// Keys in the session of whoever started the daemon are open to all that is born in it, whatever
// user it becomes; so would one run's keys be to the others. An own session is made as root, on
// whose quota of keys it counts.
void leave_keys(const SpawnPlan& plan) {
  const long joined = call(SYS_keyctl, static_cast<int>(KEYCTL_JOIN_SESSION_KEYRING), 0);
  // A kernel without keys, or a container that lets nobody at them.
  if (joined < 0 && joined != -ENOSYS && joined != -EPERM && joined != -EOPNOTSUPP)
    give_up(plan, SpawnStage::kIdentity, 1, joined);
}

// Plain system calls: glibc's versions would try to change all threads of the parent too.
void change_identity(const SpawnPlan& plan) {
  static_assert(sizeof(gid_t) == sizeof(std::uint32_t));
  long result = call(SYS_setgroups, plan.group_count, plan.groups);
  if (result == 0) result = call(SYS_setresgid, plan.gid, plan.gid, plan.gid);
  if (result == 0) result = call(SYS_setresuid, plan.uid, plan.uid, plan.uid);
  if (result != 0) give_up(plan, SpawnStage::kIdentity, 1, result);
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  gid_t real_group = 0;
  gid_t effective_group = 0;
  gid_t saved_group = 0;
  const bool known = call(SYS_getresuid, &real, &effective, &saved) == 0 &&
                     call(SYS_getresgid, &real_group, &effective_group, &saved_group) == 0;
  if (!known || real != plan.uid || effective != plan.uid || saved != plan.uid ||
      real_group != plan.gid || effective_group != plan.gid || saved_group != plan.gid) {
    give_up(plan, SpawnStage::kIdentity, 1, -EPERM);
  }
  // A user who is not root must not be able to become it again.
  if (plan.uid != 0 && call(SYS_setresuid, -1, 0, -1) == 0) {
    give_up(plan, SpawnStage::kIdentity, 1, -EPERM);
  }
}

// Until its program begins, it has a copy of what the keeper knows of all users. Who changes the
// user gets fs.suid_dumpable, which many systems set to 2: a signal of the user's own would then
// put that memory into a core dump.
void hide_memory() { call(SYS_prctl, PR_SET_DUMPABLE, 0); }

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

}  // namespace

void run_child(const SpawnPlan& plan) {
  call(SYS_setsid);
  enter_cage(plan);
  set_limits(plan);
  if (plan.becomes_another) {
    leave_keys(plan);
    change_identity(plan);
    hide_memory();
  }
  if (plan.umask >= 0) call(SYS_umask, plan.umask);
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

#if defined(__clang__)
#pragma clang attribute pop
#endif

}  // namespace sluice
