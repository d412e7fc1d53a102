#include "cli/pseudo_terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace sluice {
namespace {

// How often it is looked whether the window has another size, or the job is over.
constexpr int kGlanceMs = 200;

void write_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(to, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    data += done;
    size -= static_cast<std::size_t>(done);
  }
}

}  // namespace

Result<std::unique_ptr<PseudoTerminal>> PseudoTerminal::open() {
  const int own = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[128] = {};
  if (own < 0 || ::grantpt(own) != 0 || ::unlockpt(own) != 0 ||
      ::ptsname_r(own, name, sizeof name) != 0) {
    if (own >= 0) ::close(own);
    return failed(fmt::format("cannot open a pseudo-terminal: {}", std::strerror(errno)));
  }
  const int job = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (job < 0) {
    ::close(own);
    return failed(fmt::format("{}: {}", name, std::strerror(errno)));
  }
  auto out = std::unique_ptr<PseudoTerminal>(new PseudoTerminal(own, job));
  out->follow_size();
  return out;
}

void PseudoTerminal::begin() {
  passing_ = std::thread([this] { pass(); });
}

void PseudoTerminal::take_keys() {
  termios now{};
  if (before_ || ::isatty(STDIN_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &now) != 0) return;
  before_ = now;
  ::cfmakeraw(&now);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

void PseudoTerminal::follow_size() {
  winsize size{};
  winsize there{};
  if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 || ::ioctl(own_, TIOCGWINSZ, &there) != 0)
    return;
  if (std::memcmp(&size, &there, sizeof size) != 0) ::ioctl(own_, TIOCSWINSZ, &size);
}

bool PseudoTerminal::pass_output() {
  char bytes[4096];
  const ssize_t got = ::read(own_, bytes, sizeof bytes);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  take_keys();
  write_all(STDOUT_FILENO, bytes, static_cast<std::size_t>(got));
  return true;
}

void PseudoTerminal::pass_input(bool& open) {
  char bytes[4096];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (got < 0 && errno == EINTR) return;
  take_keys();
  if (got > 0) return write_all(own_, bytes, static_cast<std::size_t>(got));
  // A terminal has no end of file: ^D says it.
  constexpr char kEnd = 4;
  write_all(own_, &kEnd, 1);
  open = false;
}

void PseudoTerminal::pass() {
  bool input = true;
  while (true) {
    pollfd waits[2] = {{own_, POLLIN, 0}, {input ? STDIN_FILENO : -1, POLLIN, 0}};
    const int ready = ::poll(waits, 2, kGlanceMs);
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0 && waits[0].revents != 0) {
      if (!pass_output()) return;
      continue;
    }
    if (over_) return;
    if (ready > 0 && waits[1].revents != 0) pass_input(input);
    follow_size();
  }
}

PseudoTerminal::~PseudoTerminal() {
  // The last copy of the job's end: what was written to it can still be read.
  over_ = true;
  ::close(job_);
  if (passing_.joinable()) passing_.join();
  if (before_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
  ::close(own_);
}

}  // namespace sluice
