#include "daemon/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "text/printable.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kMostInAMinute = 100;

}  // namespace

void say(std::string_view text) {
  std::string line(text.substr(0, kLongestLine));
  // An error has its hint in a second line.
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "{}{}\n", printable(line), text.size() > kLongestLine ? "…" : "");
  std::fflush(stderr);
}

void say_of_run(std::string_view text) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point minute_began{};
  static std::size_t said = 0;
  static std::size_t left_out = 0;
  const Clock::time_point now = Clock::now();
  if (now - minute_began >= std::chrono::minutes(1)) {
    if (left_out > 0) say(fmt::format("{} more lines about runs were left out", left_out));
    minute_began = now;
    said = 0;
    left_out = 0;
  }
  if (said >= kMostInAMinute) {
    ++left_out;
    return;
  }
  ++said;
  say(text);
}

}  // namespace sluice
