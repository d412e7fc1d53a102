// How often the kernel has ended a process of this process's control group for want of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// 0 where the group has no count, or none that this process may read.
std::int64_t own_oom_kills();

// The file with the count, from what /proc/self/cgroup says; "" where there is none.
std::string oom_file(std::string_view groups);

}  // namespace sluice
