#include "host/keeper/last_words.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <csignal>

namespace sluice {
namespace {

// A file server may not answer for so long; then the line is not worth more waiting.
constexpr unsigned kSecondsToWrite = 10;

// Whoever reads what is written may ask the kernel who wrote it.
bool become(const Identity& owner) {
  if (::geteuid() != 0) return true;
  return ::setgroups(0, nullptr) == 0 && ::setresgid(owner.gid, owner.gid, owner.gid) == 0 &&
         ::setresuid(owner.uid, owner.uid, owner.uid) == 0;
}

bool has_room(int output) {
  pollfd room{output, POLLOUT, 0};
  return ::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0;
}

void stop_hanging() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(kSecondsToWrite);
}

[[noreturn]] void append_as(const Identity& owner, const std::string& path, int ready,
                            const std::string& words) {
  stop_hanging();
  ::dup2(ready, STDOUT_FILENO);
  ::syscall(SYS_close_range, STDERR_FILENO, UINT_MAX, 0);
  if (!become(owner)) ::_exit(0);
  ::prctl(PR_SET_DUMPABLE, 0);
  const int output = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK);
  if (output >= 0 && has_room(output))
    static_cast<void>(!::write(output, words.data(), words.size()));
  ::_exit(0);
}

[[noreturn]] void write_as(const Identity& owner, int process, int ready,
                           const std::string& words) {
  stop_hanging();
  // A duplicate of the open file, not the file opened again: a job chooses what its descriptor
  // leads to, and we may have rights that it has not.
  const auto output = static_cast<int>(::syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0));
  if (output < 0) ::_exit(0);
  // It must hold nothing else that is open here but what says, by being closed, that it is done:
  // then the line stands before what the job itself says of its end.
  ::dup2(output, STDIN_FILENO);
  ::dup2(ready, STDOUT_FILENO);
  ::syscall(SYS_close_range, STDERR_FILENO, UINT_MAX, 0);
  if (!become(owner)) ::_exit(0);
  ::prctl(PR_SET_DUMPABLE, 0);
  // A pipe that is full gets no line.
  if (has_room(STDIN_FILENO)) static_cast<void>(!::write(STDIN_FILENO, words.data(), words.size()));
  ::_exit(0);
}

// In a child of its own: both the open file and the write may hang with a file server. `write` gets
// what says, by being closed, that it is done.
template <class Write>
void wait_for_child(FreezePatience& patience, Write write) {
  int ready[2] = {-1, -1};
  if (::pipe2(ready, O_CLOEXEC) != 0) return;
  if (::fork() == 0) write(ready[1]);
  ::close(ready[1]);
  const int looks = patience.looks();
  pollfd taken{ready[0], POLLIN, 0};
  if (::poll(&taken, 1, looks) == 0) patience.given_up(looks);
  ::close(ready[0]);
}

}  // namespace

void write_last_words(pid_t process, const Identity& owner, const std::string& words,
                      FreezePatience& patience) {
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return;
  // The process is told to end next, and then has no output any more.
  wait_for_child(patience, [&](int ready) { write_as(owner, handle, ready, words); });
  ::close(handle);
}

void append_last_words(const std::string& path, const Identity& owner, const std::string& words,
                       FreezePatience& patience) {
  wait_for_child(patience, [&](int ready) { append_as(owner, path, ready, words); });
}

}  // namespace sluice
