// One run's folders of cgroup v1. The freezer always, since it says which processes are the run's
// and holds them still; the others only where there is a limit.
#include "host/cages/cgroup_v1_cage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstring>
#include <utility>

#include "host/keeper/processes.h"

namespace sluice {
namespace {

// More than this still charged to an empty folder (files in shared memory) would eat into the next
// run's limit.
constexpr std::int64_t kMostLeftBytes = 16 << 20;
constexpr std::int64_t kQuotaPeriod = 100'000;  // Microseconds.

}  // namespace

std::string CgroupV1Cage::folder(Controller controller) const {
  return set_.base(controller) + "/" + name_;
}

CgroupV1Cage::~CgroupV1Cage() {
  release_cpus();
  for (const int descriptor : tasks_) {
    if (descriptor >= 0) ::close(descriptor);
  }
  // What was killed and is there still hangs in the kernel.
  const bool hangs = killed_ && !empty();
  for (std::size_t i = 0; i < kControllers; ++i) {
    if (tasks_[i] < 0) continue;
    const std::string path = folder(static_cast<Controller>(i));
    hangs ? set_.hung().leave(path) : static_cast<void>(remove_cgroup(path));
  }
}

void CgroupV1Cage::release_cpus() {
  if (!bound_to_.empty()) set_.cpus().give_back(std::exchange(bound_to_, {}));
}

// Makes the folder of that hierarchy when it is needed for the first time.
Result<int> CgroupV1Cage::tasks_of(Controller controller) {
  int& descriptor = tasks_[controller];
  if (descriptor >= 0) return descriptor;
  if (is_errand_) TRY_VOID(set_.make_errands_folder(controller));
  const std::string path = folder(controller);
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    return failed(fmt::format("{} cannot be made: {}", path, std::strerror(errno)));
  }
  if (controller == kCpuset) {
    // Nothing can enter before it has memory nodes.
    const std::string nodes = read_kernel_file(set_.base(kCpuset) + "/cpuset.mems");
    write_kernel_file(path + "/cpuset.mems", nodes);
  }
  if (controller == kPids) processes_ = KernelFile(path + "/pids.current");
  descriptor = ::open((path + "/tasks").c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return failed(fmt::format("{}/tasks cannot be opened: {}", path, std::strerror(errno)));
  }
  return descriptor;
}

Result<void> CgroupV1Cage::make() {
  TRY(const int freezer, tasks_of(kFreezer));
  static_cast<void>(freezer);
  return {};
}

bool limit_memory_v1(const std::string& folder, std::int64_t mb) {
  const std::string bytes = std::to_string(mb << 20);
  // Memory and swap together never less than memory: which goes first depends on the direction.
  const std::string limit = folder + "/memory.limit_in_bytes";
  const std::string with_swap = folder + "/memory.memsw.limit_in_bytes";
  const bool counts_swap = ::access(with_swap.c_str(), F_OK) == 0;
  const bool fine = write_kernel_file(limit, bytes);
  if (!counts_swap) return fine;
  return write_kernel_file(with_swap, bytes) && (fine || write_kernel_file(limit, bytes));
}

Result<void> CgroupV1Cage::set_memory(std::int64_t mb) {
  TRY(const int tasks, tasks_of(kMemory));
  entry_.tasks[entry_.count++] = tasks;
  const std::string path = folder(kMemory);
  if (!oom_.is_open()) {
    oom_ = KernelFile(path + "/memory.oom_control");
    usage_ = KernelFile(path + "/memory.usage_in_bytes");
    stat_ = KernelFile(path + "/memory.stat");
    oom_before_ = number_after(oom_.read(), "oom_kill").value_or(0);
  }
  if (mb == memory_mb_) return {};
  if (!limit_memory_v1(path, mb)) {
    return failed(
        fmt::format("the memory limit cannot be set in {}: {}", path, std::strerror(errno)));
  }
  memory_mb_ = mb;
  return {};
}

Result<void> CgroupV1Cage::set_cpus(std::int32_t cpus, bool own) {
  if (own && set_.has(kCpuset)) {
    if (auto taken = set_.cpus().take(cpus)) {
      bound_to_ = std::move(*taken);
      TRY(const int tasks, tasks_of(kCpuset));
      const std::string text = cpu_text(bound_to_);
      if (text != cpus_written_) {
        if (!write_kernel_file(folder(kCpuset) + "/cpuset.cpus", text)) {
          return failed(fmt::format("CPUs {} cannot be given: {}", text, std::strerror(errno)));
        }
        cpus_written_ = text;
      }
      entry_.tasks[entry_.count++] = tasks;
      return {};
    }
  }
  // As many as there are, or more: nothing to hold back.
  if (!set_.has(kCpu) || static_cast<std::size_t>(cpus) >= set_.cpus().total()) return {};
  TRY(const int tasks, tasks_of(kCpu));
  const std::int64_t quota = cpus * kQuotaPeriod;
  if (quota != quota_) {
    if (!write_kernel_file(folder(kCpu) + "/cpu.cfs_quota_us", std::to_string(quota))) {
      return failed(fmt::format("the CPU quota cannot be set: {}", std::strerror(errno)));
    }
    quota_ = quota;
  }
  entry_.tasks[entry_.count++] = tasks;
  return {};
}

Result<void> CgroupV1Cage::set_devices(const Assignment& assignment) {
  TRY(const int tasks, tasks_of(kDevices));
  if (assignment.other_devices != denied_) {
    const std::string path = folder(kDevices);
    write_kernel_file(path + "/devices.allow", "a");
    for (const std::string& device : assignment.other_devices) {
      struct stat found {};
      if (::stat(device.c_str(), &found) != 0 || !S_ISCHR(found.st_mode)) continue;
      const std::string rule =
          fmt::format("c {}:{} rwm", major(found.st_rdev), minor(found.st_rdev));
      if (!write_kernel_file(path + "/devices.deny", rule)) {
        return failed(fmt::format("{} cannot be kept from it: {}", device, std::strerror(errno)));
      }
    }
    denied_ = assignment.other_devices;
  }
  entry_.tasks[entry_.count++] = tasks;
  return {};
}

Result<void> CgroupV1Cage::limit(const Assignment& assignment) {
  entry_ = CageEntry{};
  limits_memory_ = set_.has(kMemory) && assignment.memory_mb > 0 &&
                   (is_errand_ || assignment.memory_mb < set_.machine_mb());
  if (limits_memory_) TRY_VOID(set_memory(assignment.memory_mb));
  entry_.tight = limits_memory_ && assignment.memory_mb < kTightMemoryMb;
  if (assignment.cpus > 0) TRY_VOID(set_cpus(assignment.cpus, assignment.own_cpus));
  if (set_.has(kDevices) && !assignment.other_devices.empty()) TRY_VOID(set_devices(assignment));
  if (set_.has(kPids)) {
    TRY(const int tasks, tasks_of(kPids));
    const std::int64_t most = set_.processes().most(assignment.processes);
    if (most != most_processes_) {
      if (!write_kernel_file(folder(kPids) + "/pids.max", std::to_string(most)))
        return failed(fmt::format("its processes cannot be bounded: {}", std::strerror(errno)));
      most_processes_ = most;
    }
    entry_.tasks[entry_.count++] = tasks;
  }
  // Last: a process in there belongs to the run.
  entry_.tasks[entry_.count++] = tasks_[kFreezer];
  return {};
}

void CgroupV1Cage::freeze() {
  const std::string path = folder(kFreezer) + "/freezer.state";
  write_kernel_file(path, "FROZEN");
  const int most = set_.patience().looks();
  for (int looks = 0; looks < most; ++looks) {
    if (read_kernel_file(path).starts_with("FROZEN")) return;
    if (hangs_) return;
    // A process in the middle of a fork: asked again, it stops.
    write_kernel_file(path, "FROZEN");
    ::usleep(1'000);
  }
  hangs_ = true;
  set_.patience().given_up(most);
}

bool CgroupV1Cage::empty() {
  // A count of all that have not been waited for, in a file that is open: none is none.
  if (processes_.is_open() && processes_.read().starts_with("0\n")) return true;
  // Opened anew each time: an open file shows what it has shown for up to a second longer.
  return read_kernel_file(folder(kFreezer) + "/cgroup.procs").empty();
}

CageUse CgroupV1Cage::final_use() {
  CageUse use;
  if (!limits_memory_) return use;
  const std::int64_t kills = number_after(oom_.read(), "oom_kill").value_or(0);
  use.oom_kills = static_cast<std::uint64_t>(std::max<std::int64_t>(kills - oom_before_, 0));
  // No process is left that could add to it before the next run.
  oom_before_ = kills;
  return use;
}

CageUse CgroupV1Cage::use() {
  CageUse use;
  if (limits_memory_) {
    const std::string_view stat = stat_.read();
    use.memory_kb = (number_after(stat, "total_rss").value_or(0) +
                     number_after(stat, "total_shmem").value_or(0)) /
                    1024;
    return use;
  }
  std::int64_t kb = 0;
  for (const pid_t pid : members()) {
    if (const auto facts = process_facts(pid)) kb += facts->rss_kb;
  }
  use.memory_kb = kb;
  return use;
}

bool CgroupV1Cage::is_reusable() {
  if (killed_ || is_errand_) return false;
  if (!usage_.is_open()) return true;
  const std::string_view text = usage_.read();
  std::int64_t bytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes <= kMostLeftBytes;
}

}  // namespace sluice
