#include "shims/attached_side.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/attached_job.h"

extern char** environ;

namespace sluice {
namespace {

// `sluice run`: the words are the program, its name and its arguments.
int become(const AttachedWork& work) {
  std::vector<char*> words;
  for (std::size_t i = 2; i < work.words.size(); ++i)
    words.push_back(const_cast<char*>(work.words[i].c_str()));
  words.push_back(nullptr);
  ::execv(work.words[1].c_str(), words.data());
  fmt::print(stderr, "sluice: {}: {}\n", work.words[1], std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

// The terminal that standard input is becomes this session's own: ^C reaches what runs in front,
// and shells have job control.
void take_terminal() {
  ::setsid();
  ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
}

int run_srun_here(const AttachedWork& work, EngineDoor& engine) {
  if (work.words.size() < 2) return 1;
  if (::chdir(work.words[1].c_str()) != 0)
    fmt::print(stderr, "srun: error: {}: {}\n", work.words[1], std::strerror(errno));
  ::unsetenv("SLUICE_STEP_SOCKET");
  ShimCall call;
  call.name = "srun";
  call.arguments = {work.words.begin() + 2, work.words.end()};
  call.engine = &engine;
  call.attached = true;
  is_strict(call);
  const int status = run_srun(call);
  call.flush();
  return status;
}

// A signal that ended the task ends this process too: the job's state then says so.
[[noreturn]] void leave_as(int status) {
  std::fflush(nullptr);
  if (status > 128 && status < 128 + NSIG) {
    ::signal(status - 128, SIG_DFL);
    ::raise(status - 128);
  }
  ::_exit(status);
}

// The caller reads to the end. The number stays taken: a connection that got it would be
// overwritten by the standard output of its own step.
bool tell_variables(const std::string& socket) {
  std::string text;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::string_view(*each).starts_with("SLURM_") ||
        std::string_view(*each).starts_with("SLUICE_"))
      text.append(*each).append(1, '\0');
  text.append("SLUICE_STEP_SOCKET=").append(socket).append(2, '\0');
  static_cast<void>(!::write(STDOUT_FILENO, text.data(), text.size()));
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return false;
  ::dup2(nothing, STDOUT_FILENO);
  ::close(nothing);
  return true;
}

// Until the caller goes away: every connection is a step.
int hold(EngineDoor& engine, int caller) {
  const auto socket = PrivateSocket::make();
  if (!socket || !tell_variables(socket->path())) return 1;
  while (true) {
    pollfd waits[2] = {{caller, POLLIN, 0}, {socket->descriptor(), POLLIN, 0}};
    const int ready = ::poll(waits, 2, 1000);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (ready < 0 && errno != EINTR) return 1;
    if (ready <= 0) continue;
    if (waits[0].revents != 0) return 0;
    const int connection = ::accept4(socket->descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (::fork() == 0) {
      auto work = receive_work(connection);
      if (!work) ::_exit(1);
      take_descriptors(*work);
      const int status = run_srun_here(*work, engine);
      const auto byte = static_cast<unsigned char>(status);
      static_cast<void>(!::write(connection, &byte, 1));
      std::fflush(nullptr);
      ::_exit(status);
    }
    ::close(connection);
  }
}

}  // namespace

int run_attached_side(const std::string& socket, EngineDoor& engine) {
  return serve_attached(socket, [&](const AttachedWork& work, int connection) {
    if (work.words.empty()) return 1;
    if (work.words.front() == kHoldWord) return hold(engine, connection);
    end_with_caller(connection);
    if (work.words.front() == "exec-pty") take_terminal();
    if (work.words.front().starts_with("exec")) return become(work);
    leave_as(run_srun_here(work, engine));
  });
}

}  // namespace sluice
