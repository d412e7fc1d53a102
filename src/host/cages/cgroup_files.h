// The kernel's control group files: where they are mounted, small reads and writes.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// What /proc/self/mountinfo and /proc/self/cgroup say together.
struct CgroupMounts {
  // v1: the folder of our own process in each controller's hierarchy, by controller.
  std::map<std::string, std::string> v1;
  std::string v2;      // Where the v2 hierarchy is mounted; empty: not at all.
  std::string v2_own;  // The folder of our own process in it.
};
CgroupMounts cgroup_mounts(std::string_view mountinfo, std::string_view cgroup);
CgroupMounts cgroup_mounts();

// One write; false with errno.
bool write_kernel_file(const std::string& path, std::string_view text);
std::optional<std::int64_t> read_number(const std::string& path);
// The number after a word at the beginning of a line: "oom_kill 3".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word);
std::vector<pid_t> pids_in(const std::string& path);

// A file that is read again and again: kept open.
class KernelFile {
 public:
  KernelFile() = default;
  explicit KernelFile(const std::string& path);
  KernelFile(KernelFile&& other) noexcept;
  KernelFile& operator=(KernelFile&& other) noexcept;
  ~KernelFile();
  bool is_open() const { return descriptor_ >= 0; }
  // Valid until the next read of any such file.
  std::string_view read() const;

 private:
  int descriptor_ = -1;
};

// Removes a control group and those below it, killing what is in there; what does not end within
// so many rounds (some seconds) is left. False: something is left.
bool remove_cgroup(const std::string& folder, int rounds = 200);

// Control groups of processes that hang in the kernel. Nothing waits for them: when others are
// taken, one of these is tried again.
class HungCgroups {
 public:
  // Removed at once if that is possible by now.
  void leave(const std::string& folder);
  void try_one();
  bool any() const { return !folders_.empty(); }

 private:
  std::deque<std::string> folders_;
};

// What the errands of a keeper have together is bounded in this folder of its own.
inline constexpr std::string_view kErrandsFolder = "/errands";

// How many processes one run may have, and all runs together. The kernel can number so many; some
// are kept for the machine and for us, whatever the runs of all users do.
struct ProcessBounds {
  std::int64_t one = 0;
  std::int64_t all = 0;
  // Of a run that is to have no more than `wanted`; 0: as many as any.
  std::int64_t most(std::int64_t wanted) const { return wanted > 0 ? std::min(wanted, one) : one; }
};
ProcessBounds process_bounds(std::int64_t possible);
ProcessBounds process_bounds();

// How the names of a keeper's folders in every hierarchy begin: the same after a crash.
std::string cgroup_name(std::string_view keeper);
// The name of this process's own: says which process has to be alive for it to be in use.
std::string own_cgroup_name(std::string_view keeper);

// Takes that folder for this process as long as the descriptor is open: no keeper, wherever it
// runs, removes it meanwhile. -1: it is another's, or gone. Folders of keepers are mode 0700, so
// that no job can do the same.
int hold_cgroup(const std::string& folder);

// What lies in the folder of earlier keepers of that name is ended and removed. So is what keepers
// of other names left behind that are dead, where no process is in it. What a keeper uses stays,
// also one of the same name that has file systems of its own.
void remove_left_cgroups(const std::string& folder, std::string_view keeper);

}  // namespace sluice
