// What /proc says about processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace sluice {

struct ProcessFacts {
  pid_t parent = 0;
  pid_t session = 0;
  uid_t user = 0;  // That started it, whatever it has become by setuid.
  std::int64_t rss_kb = 0;
  char state = '?';
};

// Nothing where it is gone. Answers at once, whatever the process does.
std::optional<ProcessFacts> process_facts(pid_t pid);

// In the kernel's ticks since boot: tells a reused pid apart. One that begins another program may
// keep its reader waiting (process_look.h).
std::optional<std::uint64_t> start_ticks(pid_t pid);

// Since the machine was started.
Instant started_at(std::uint64_t ticks);

// All children of the process, of whatever thread. Zombies that were not waited for are included.
std::vector<pid_t> children_of(pid_t pid);
// These and all below them.
std::vector<pid_t> with_descendants(std::vector<pid_t> roots);
std::vector<pid_t> all_processes();

// The value of a variable in the environment that the process was started with, where it may be
// read. May wait as start_ticks() does.
std::optional<std::string> variable_of(pid_t pid, std::string_view name);

// Numbers between blanks or line ends.
std::vector<pid_t> numbers_of(std::string_view text);

// A whole small file of the kernel's, or "".
std::string read_kernel_file(const std::string& path);

}  // namespace sluice
