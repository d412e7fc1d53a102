// Writes progress to standard error and listens for Ctrl-C.
#include "cli/progress_line.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace sluice {
namespace {

volatile sig_atomic_t was_interrupted = 0;

// Lines that stay on the screen come less and less often.
constexpr std::chrono::seconds kLongestPause{60};

std::string time_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) != 0) {
  was_interrupted = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { was_interrupted = 1; };
  // The second one does what it does to any program.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

ProgressLine::~ProgressLine() {
  clear();
  ::signal(SIGINT, SIG_DFL);
}

bool ProgressLine::show(std::size_t done, std::size_t all, std::string_view noun) {
  if (interrupted()) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  const double took = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(done) / took;
  std::string line = fmt::format(
      "{} of {} {} ({:.0f} %), {:.0f} a second", done, all, noun,
      100.0 * static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1)), rate);
  if (done > 0 && done < all)
    line += fmt::format(", about {} left", time_text(static_cast<double>(all - done) / rate));
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
    next_ = now + std::chrono::milliseconds(250);
  } else {
    fmt::print(stderr, "{}\n", line);
    next_ = now + pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
  }
  std::fflush(stderr);
  shown_ = true;
  return true;
}

bool ProgressLine::interrupted() { return was_interrupted != 0; }

void ProgressLine::clear() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace sluice
