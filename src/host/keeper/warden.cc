#include "host/keeper/warden.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <set>

#include "host/cages/cage.h"
#include "host/keeper/processes.h"
#include "host/keeper/run_log.h"
#include "host/machine/clock.h"

namespace sluice {
namespace {

// What SIGKILL does not end within this time hangs in the kernel; the next keeper must not wait
// for it.
constexpr auto kUnkillableAfter = std::chrono::seconds(60);

class Aftermath {
 public:
  explicit Aftermath(const KeeperSettings& settings) : settings_(settings) {
    if (auto opened = log_.open(run_log_path(settings)); !opened) logged_ = false;
  }

  void run() {
    // First all that ended by themselves.
    take_ends();
    const auto until = std::chrono::steady_clock::now() + kUnkillableAfter;
    while (kill_all() && std::chrono::steady_clock::now() < until) {
      // What is frozen in a cgroup hears no signal.
      clear_cages(settings_.socket);
      ::usleep(2'000);
    }
    clear_cages(settings_.socket);
  }

 private:
  // False: there are no children any more.
  bool take_ends() {
    siginfo_t info{};
    rusage used{};
    pid_t pid = 0;
    while ((pid = peek_at_child(info, used)) > 0) {
      const auto facts = process_facts(pid);
      const bool was_killed =
          killed_.contains(pid) && info.si_code == CLD_KILLED && info.si_status == SIGKILL;
      // Only the first process of a run leads a session of its own from its birth.
      if (logged_ && facts && facts->session == pid && !was_killed) {
        // Of one that has ended it is told at once.
        log_.write(ProcessEnded{pid, wait_status(info), cpu_time_of(used), used.ru_maxrss,
                                boot_time(), started_at(start_ticks(pid).value_or(0))});
      }
      int status = 0;
      ::waitpid(pid, &status, 0);
    }
    return pid == 0;
  }

  // False: nothing is left.
  bool kill_all() {
    if (!take_ends()) return false;
    for (const pid_t pid : with_descendants(children_of(::getpid()))) {
      killed_.insert(pid);
      ::kill(pid, SIGKILL);
    }
    return take_ends();
  }

  const KeeperSettings& settings_;
  RunLog log_;
  bool logged_ = true;
  std::set<pid_t> killed_;
};

}  // namespace

int wait_status(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return (info.si_status & 0xff) << 8;
  return (info.si_status & 0x7f) | (info.si_code == CLD_DUMPED ? 0x80 : 0);
}

Duration cpu_time_of(const rusage& used) {
  const auto duration = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) +
           std::chrono::duration_cast<Duration>(std::chrono::microseconds(time.tv_usec));
  };
  return duration(used.ru_utime) + duration(used.ru_stime);
}

pid_t peek_at_child(siginfo_t& info, rusage& used) {
  info = {};
  long result = 0;
  do result = ::syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, &used);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -1 : info.si_pid;
}

std::string run_log_path(const KeeperSettings& settings) {
  const std::size_t slash = settings.lock.rfind('/');
  return settings.lock.substr(0, slash == std::string::npos ? 0 : slash + 1) + "keeper.runs";
}

int guard_keeper(const KeeperSettings& settings, const std::function<int()>& keeper) {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&wanted, number);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = ::fork();
  if (child < 0) return keeper();
  if (child == 0) ::_exit(keeper());
  // The word that it listens is the keeper's to say.
  if (settings.ready >= 0) ::close(settings.ready);
  ::prctl(PR_SET_NAME, "sluice-warden");
  for (;;) {
    siginfo_t info{};
    rusage used{};
    pid_t pid = 0;
    while ((pid = peek_at_child(info, used)) > 0) {
      int status = 0;
      if (pid == child) break;
      ::waitpid(pid, &status, 0);
    }
    if (pid == child) {
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFEXITED(status)) return WEXITSTATUS(status);
      Aftermath(settings).run();
      return 1;
    }
    siginfo_t signal{};
    if (::sigwaitinfo(&wanted, &signal) > 0 && signal.si_signo != SIGCHLD) {
      ::kill(child, signal.si_signo);
    }
  }
}

}  // namespace sluice
