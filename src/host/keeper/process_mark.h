// A process that can be told apart from others: those on other hosts, those before a restart, and
// those that get its number when it is gone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sluice {

struct ProcessMark {
  std::string host;
  std::string boot;
  pid_t pid = 0;
  std::uint64_t started = 0;
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;

  // Four words with blanks between them; whatever cannot be read is no process of this host.
  std::string text() const;
  static ProcessMark read(std::string_view text);
};

ProcessMark this_process();
// Nothing: it is on another host, and only time tells.
std::optional<bool> is_alive(const ProcessMark& mark);

// The file was not written or touched for that long, by the clock of the folder's file server:
// clocks of hosts do not matter. False where that is not known.
bool untouched_for(const std::string& path, Duration long_enough);
void touch(const std::string& path);

// Whether a file that a process keeps while it is at work is left behind: the process is gone, or
// it was on another host and has not touched the file for so long.
bool is_left_behind(const std::string& path, const ProcessMark& owner, Duration silence);

}  // namespace sluice
