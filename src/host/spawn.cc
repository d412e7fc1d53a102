// The child's way from the keeper to its program. Only system calls in here: memory may be shared
// with the parent, and locks held by nobody.
#include "host/spawn.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace sluice {
namespace {

[[noreturn]] void give_up(const SpawnPlan& plan, SpawnStage stage, int code) {
  plan.failure->stage = stage;
  plan.failure->error = errno;
  ::_exit(code);
}

void enter_cage(const SpawnPlan& plan) {
  if (!plan.cage) return;
  for (std::size_t i = 0; i < plan.cage->count; ++i) {
    // One's own thread: the kernel then needs no lock that all processes share.
    if (::write(plan.cage->tasks[i], "0", 1) != 1) give_up(plan, SpawnStage::kCage, 1);
  }
}

void set_limits(const SpawnPlan& plan) {
  rlimit current{};
  if (plan.open_files > 0) {
    current.rlim_cur = plan.open_files;
    current.rlim_max = plan.most_open_files;
    ::setrlimit(RLIMIT_NOFILE, &current);
  }
  for (const ResourceLimit& limit : plan.limits) {
    const auto resource = static_cast<__rlimit_resource_t>(limit.resource);
    if (::getrlimit(resource, &current) != 0) continue;
    current.rlim_cur = limit.soft < current.rlim_max ? limit.soft : current.rlim_max;
    ::setrlimit(resource, &current);
  }
}

// Plain system calls: glibc's versions would try to change all threads of the parent too.
void become(const SpawnPlan& plan) {
  const Identity& who = *plan.identity;
  static_assert(sizeof(gid_t) == sizeof(std::uint32_t));
  const bool changed = ::syscall(SYS_setgroups, who.groups.size(), who.groups.data()) == 0 &&
                       ::syscall(SYS_setresgid, who.gid, who.gid, who.gid) == 0 &&
                       ::syscall(SYS_setresuid, who.uid, who.uid, who.uid) == 0;
  if (!changed) give_up(plan, SpawnStage::kIdentity, 1);
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  gid_t real_group = 0;
  gid_t effective_group = 0;
  gid_t saved_group = 0;
  const bool known = ::getresuid(&real, &effective, &saved) == 0 &&
                     ::getresgid(&real_group, &effective_group, &saved_group) == 0;
  errno = EPERM;
  if (!known || real != who.uid || effective != who.uid || saved != who.uid ||
      real_group != who.gid || effective_group != who.gid || saved_group != who.gid) {
    give_up(plan, SpawnStage::kIdentity, 1);
  }
  // Somebody who is not root must not be able to become it again.
  if (who.uid != 0 && ::syscall(SYS_setresuid, -1, 0, -1) == 0) {
    give_up(plan, SpawnStage::kIdentity, 1);
  }
}

// Opens without waiting for the other end of a FIFO, then waits like everybody else.
int open_patiently(const char* path, int flags) {
  const int file = ::open(path, flags | O_NONBLOCK | O_NOCTTY, 0666);
  if (file >= 0) ::fcntl(file, F_SETFL, flags & O_APPEND);
  return file;
}

void put_at(int file, int place) {
  if (file == place) {
    ::fcntl(file, F_SETFD, 0);
    return;
  }
  ::dup2(file, place);
}

void open_files(const SpawnPlan& plan) {
  int in = plan.nothing;
  if (plan.in || in < 0) {
    in = open_patiently(plan.in ? plan.in : "/dev/null", O_RDONLY | O_CLOEXEC);
  }
  if (in < 0) give_up(plan, SpawnStage::kInput, 128 + kOutputSignal);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (plan.append ? O_APPEND : O_TRUNC | O_APPEND);
  int out = plan.out_descriptor;
  if (!plan.out && out < 0) out = plan.nothing;
  if (plan.out || out < 0) out = open_patiently(plan.out ? plan.out : "/dev/null", flags);
  if (out < 0) give_up(plan, SpawnStage::kOutput, 128 + kOutputSignal);
  int err = out;
  if (plan.err) err = open_patiently(plan.err, flags);
  if (err < 0) give_up(plan, SpawnStage::kOutput, 128 + kOutputSignal);
  // All of them are above 2: the keeper's own first three are open.
  put_at(in, 0);
  put_at(out, 1);
  put_at(err, 2);
}

void say(const char* text) {
  const ssize_t ignored = ::write(2, text, std::strlen(text));
  static_cast<void>(ignored);
}

[[noreturn]] void run_child(const SpawnPlan& plan) {
  ::setsid();
  enter_cage(plan);
  set_limits(plan);
  if (plan.identity) become(plan);
  if (plan.umask) ::umask(*plan.umask);
  bool moved = !plan.working_directory || ::chdir(plan.working_directory) == 0;
  if (!moved) static_cast<void>(::chdir("/tmp") == 0 || ::chdir("/") == 0);
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
    for (pid_t pid = ::getpid(); pid > 0; pid /= 10) {
      digits[count++] = static_cast<char>('0' + pid % 10);
    }
    while (count > 0) *at++ = digits[--count];
    *at = '\0';
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.program, plan.arguments, plan.environment);
  const int error = errno;
  say("sluice: error: execve(): ");
  say(plan.program);
  say(": ");
  say(::strerrordesc_np(error));
  say("\n");
  errno = error;
  give_up(plan, SpawnStage::kExec, error & 0x7f);
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

}  // namespace

pid_t spawn(const SpawnPlan& plan) {
  if (plan.cage && plan.cage->born_in >= 0) {
    return clone_into(plan, plan.identity ? 0 : CLONE_VM | CLONE_VFORK);
  }
  if (!plan.identity) return plain_vfork(plan);
  const pid_t pid = ::fork();
  if (pid == 0) run_child(plan);
  return pid;
}

}  // namespace sluice
