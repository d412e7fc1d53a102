#include "daemon/crash_point.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace sluice {

CrashPoint CrashPoint::from_environment() {
  CrashPoint out;
  const char* text = std::getenv("SLUICE_CRASH_AT");
  if (text == nullptr) return out;
  const std::string setting = text;
  const std::size_t colon = setting.find(':');
  if (colon == std::string::npos) return out;
  out.name_ = setting.substr(0, colon);
  out.left_ = std::strtoull(setting.c_str() + colon + 1, nullptr, 10);
  return out;
}

void CrashPoint::die() {
  // Into the log, so that a test knows that the point was reached.
  constexpr char kSaid[] = "dies here, as SLUICE_CRASH_AT says\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
  ::kill(::getpid(), SIGKILL);
  std::abort();
}

}  // namespace sluice
