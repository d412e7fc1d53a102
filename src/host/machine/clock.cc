#include "host/machine/clock.h"

#include <time.h>

#include "host/keeper/processes.h"

namespace sluice {
namespace {

Instant read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return instant_at(std::chrono::duration_cast<Duration>(std::chrono::seconds(now.tv_sec) +
                                                         std::chrono::nanoseconds(now.tv_nsec)));
}

}  // namespace

Instant boot_time() { return read(CLOCK_BOOTTIME); }
Instant wall_time() { return read(CLOCK_REALTIME); }

std::string boot_id() {
  std::string id = read_kernel_file("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace sluice
