// cgroup v2 has no file for devices: a small program in the kernel says no to some.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sluice {

// Attached to a cgroup folder as long as it lives.
class DeviceFilter {
 public:
  DeviceFilter() = default;
  DeviceFilter(DeviceFilter&& other) noexcept;
  DeviceFilter& operator=(DeviceFilter&& other) noexcept;
  ~DeviceFilter();

  // Processes in the folder can no longer open these device files.
  static Result<DeviceFilter> attach(int folder, const std::vector<std::string>& denied);
  // Whether this user may do such a thing on this kernel.
  static bool is_possible(int folder);

 private:
  int program_ = -1;
  int folder_ = -1;  // Its own descriptor.
};

}  // namespace sluice
