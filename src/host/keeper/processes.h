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
  std::uint64_t started = 0;  // In the kernel's ticks since boot: tells a reused pid apart.
  std::int64_t rss_kb = 0;
  char state = '?';
};

// Since the machine was started.
Instant started_at(const ProcessFacts& facts);

// Nothing where it is gone.
std::optional<ProcessFacts> process_facts(pid_t pid);

// All children of the process, of whatever thread. Zombies that were not waited for are included.
std::vector<pid_t> children_of(pid_t pid);
// These and all below them.
std::vector<pid_t> with_descendants(std::vector<pid_t> roots);
std::vector<pid_t> all_processes();

// The value of a variable in the environment that the process was started with, where it may be
// read.
std::optional<std::string> variable_of(pid_t pid, std::string_view name);

// The user that started it, whatever it has become by setuid; nothing where it is gone.
std::optional<uid_t> real_user_of(pid_t pid);

// Numbers between blanks or line ends.
std::vector<pid_t> numbers_of(std::string_view text);

// A whole small file of the kernel's, or "".
std::string read_kernel_file(const std::string& path);

}  // namespace sluice
