// Cages of cgroup v1: one folder a run in each hierarchy it needs. The freezer always, since it
// says which processes are the run's and holds them still; the others only where there is a limit.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "host/cages/cage.h"
#include "host/cages/cgroup_files.h"
#include "host/keeper/processes.h"
#include "host/machine/cpu_pool.h"

namespace sluice {
namespace {

// Emptied folders that wait for the next run: making one costs as much as starting a process.
constexpr std::size_t kMostIdle = 64;
// More than this still charged to an empty folder (files in shared memory) would eat into the next
// run's limit.
constexpr std::int64_t kMostLeftBytes = 16 << 20;
constexpr std::int64_t kQuotaPeriod = 100'000;  // Microseconds.
// Bounds a fork bomb; threads count too.

enum Controller : std::size_t { kFreezer, kMemory, kCpu, kCpuset, kDevices, kPids, kControllers };
constexpr std::array<const char*, kControllers> kNames{"freezer", "memory",  "cpu",
                                                       "cpuset",  "devices", "pids"};

class CgroupV1CageSet;

class CgroupV1Cage final : public Cage {
 public:
  CgroupV1Cage(CgroupV1CageSet& set, std::string name) : set_(set), name_(std::move(name)) {}
  ~CgroupV1Cage() override;

  Result<void> make();
  Result<void> limit(const Assignment& assignment);
  bool is_reusable();
  bool is_there() const { return ::access(folder(kFreezer).c_str(), F_OK) == 0; }

  const CageEntry* entry() const override { return &entry_; }
  std::vector<pid_t> members() override { return pids_in(folder(kFreezer) + "/cgroup.procs"); }
  bool empty() override;
  void pause() override { freeze(); }
  void resume() override { write_kernel_file(folder(kFreezer) + "/freezer.state", "THAWED"); }
  void kill() override {
    killed_ = true;
    freeze();
    signal(SIGKILL);
    resume();
  }
  CageUse use() override;
  CageUse final_use() override;
  void release_cpus();

 private:
  std::string folder(Controller controller) const;
  Result<int> tasks_of(Controller controller);
  Result<void> set_memory(std::int64_t mb);
  Result<void> set_cpus(std::int32_t cpus, bool own);
  Result<void> set_devices(const Assignment& assignment);
  void freeze();

  CgroupV1CageSet& set_;
  std::string name_;
  CageEntry entry_;
  std::array<int, kControllers> tasks_{-1, -1, -1, -1, -1, -1};
  KernelFile processes_;
  KernelFile oom_;
  KernelFile usage_;
  KernelFile stat_;
  std::int64_t oom_before_ = 0;
  std::int64_t memory_mb_ = 0;
  bool hangs_ = false;          // It could not be frozen in good time.
  bool killed_ = false;         // Not used again: the kernel may not be done with it.
  bool limits_memory_ = false;  // This run is in the memory hierarchy.
  std::int64_t quota_ = -1;
  std::int64_t most_processes_ = 0;
  std::vector<std::int32_t> bound_to_;
  std::string cpus_written_;
  std::vector<std::string> denied_;
};

class CgroupV1CageSet final : public CageSet {
 public:
  ~CgroupV1CageSet() override;
  static Result<std::unique_ptr<CageSet>> make(const std::string& name);

  Enforcement enforces() const override;
  Result<std::unique_ptr<Cage>> take(const Assignment& assignment) override;
  void give_back(std::unique_ptr<Cage> cage) override;
  void distrust_idle() override { idle_.clear(); }
  bool measures_memory() const override { return base_[kMemory].empty(); }

  bool has(Controller controller) const { return !base_[controller].empty(); }
  const std::string& base(Controller controller) const { return base_[controller]; }
  CpuPool& cpus() { return cpus_; }
  FreezePatience& patience() { return patience_; }
  std::int64_t machine_mb() const { return machine_mb_; }
  const ProcessBounds& processes() const { return processes_; }

 private:
  Result<void> settle_in(Controller controller, const std::string& folder);
  Result<std::unique_ptr<Cage>> take_once(const Assignment& assignment);
  Result<void> settle_again();

  std::array<std::string, kControllers> base_;
  std::array<int, kControllers> held_{-1, -1, -1, -1, -1, -1};
  std::vector<std::unique_ptr<CgroupV1Cage>> idle_;
  FreezePatience patience_;
  std::uint64_t next_ = 1;
  CpuPool cpus_{{}};
  std::int64_t machine_mb_ = 0;
  ProcessBounds processes_ = process_bounds();
};

std::string CgroupV1Cage::folder(Controller controller) const {
  return set_.base(controller) + "/" + name_;
}

CgroupV1Cage::~CgroupV1Cage() {
  release_cpus();
  for (const int descriptor : tasks_) {
    if (descriptor >= 0) ::close(descriptor);
  }
  for (std::size_t i = 0; i < kControllers; ++i) {
    const auto controller = static_cast<Controller>(i);
    if (tasks_[i] >= 0) remove_cgroup(folder(controller));
  }
}

void CgroupV1Cage::release_cpus() {
  if (!bound_to_.empty()) set_.cpus().give_back(std::exchange(bound_to_, {}));
}

// Makes the folder of that hierarchy when it is needed for the first time.
Result<int> CgroupV1Cage::tasks_of(Controller controller) {
  int& descriptor = tasks_[controller];
  if (descriptor >= 0) return descriptor;
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
  const std::string bytes = std::to_string(mb << 20);
  // Memory and swap together never less than memory: which goes first depends on the direction.
  const std::string limit = path + "/memory.limit_in_bytes";
  const std::string with_swap = path + "/memory.memsw.limit_in_bytes";
  const bool counts_swap = ::access(with_swap.c_str(), F_OK) == 0;
  bool fine = write_kernel_file(limit, bytes);
  if (counts_swap)
    fine = write_kernel_file(with_swap, bytes) && (fine || write_kernel_file(limit, bytes));
  if (!fine) {
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
  limits_memory_ =
      set_.has(kMemory) && assignment.memory_mb > 0 && assignment.memory_mb < set_.machine_mb();
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
  if (killed_) return false;
  if (!usage_.is_open()) return true;
  const std::string_view text = usage_.read();
  std::int64_t bytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes <= kMostLeftBytes;
}

// Makes the folder that has all runs' folders of that hierarchy.
Result<void> CgroupV1CageSet::settle_in(Controller controller, const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0)
    return failed(fmt::format("{} cannot be made: {}", folder, std::strerror(errno)));
  if (held_[controller] >= 0) ::close(held_[controller]);
  held_[controller] = hold_cgroup(folder);
  base_[controller] = folder;
  if (controller == kCpuset) {
    const std::string parent = folder + "/..";
    for (const char* file : {"/cpuset.cpus", "/cpuset.mems"})
      if (!write_kernel_file(folder + file, read_kernel_file(parent + file))) {
        ::rmdir(folder.c_str());
        base_[controller].clear();
        return failed(fmt::format("{} takes no CPUs", folder));
      }
  }
  if (controller == kPids) write_kernel_file(folder + "/pids.max", std::to_string(processes_.all));
  return {};
}

// Some other program removed the folders.
Result<void> CgroupV1CageSet::settle_again() {
  for (std::size_t i = 0; i < kControllers; ++i) {
    const std::string folder = base_[i];
    if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) continue;
    TRY_VOID(settle_in(static_cast<Controller>(i), folder));
  }
  return {};
}

Result<std::unique_ptr<CageSet>> CgroupV1CageSet::make(const std::string& name) {
  const CgroupMounts mounts = cgroup_mounts();
  auto set = std::make_unique<CgroupV1CageSet>();
  for (std::size_t i = 0; i < kControllers; ++i) {
    const auto found = mounts.v1.find(kNames[i]);
    if (found == mounts.v1.end()) continue;
    remove_left_cgroups(found->second, name);
    // A hierarchy that cannot be had is done without.
    const auto settled =
        set->settle_in(static_cast<Controller>(i), found->second + "/" + own_cgroup_name(name));
    static_cast<void>(settled);
  }
  if (!set->has(kFreezer)) {
    return bad_input("there is no cgroup v1 freezer that this user may use");
  }
  if (set->has(kCpuset))
    set->cpus_ = CpuPool(cpus_in(read_kernel_file(set->base(kCpuset) + "/cpuset.cpus")));
  if (set->cpus_.total() == 0) {
    set->cpus_ = CpuPool(cpus_in(read_kernel_file("/sys/devices/system/cpu/online")));
  }
  set->machine_mb_ =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) >> 20;
  return set;
}

CgroupV1CageSet::~CgroupV1CageSet() {
  idle_.clear();
  for (const std::string& folder : base_) {
    if (!folder.empty()) remove_cgroup(folder);
  }
  for (const int descriptor : held_)
    if (descriptor >= 0) ::close(descriptor);
}

Enforcement CgroupV1CageSet::enforces() const {
  Enforcement told;
  told.memory = has(kMemory) ? "cgroup v1" : "measured";
  told.cpus = has(kCpu) || has(kCpuset) ? "cgroup v1" : "";
  told.devices = has(kDevices) ? "cgroup v1" : "";
  told.pause = "cgroup v1";
  return told;
}

Result<std::unique_ptr<Cage>> CgroupV1CageSet::take(const Assignment& assignment) {
  auto taken = take_once(assignment);
  if (taken || !settle_again()) return taken;
  return take_once(assignment);
}

Result<std::unique_ptr<Cage>> CgroupV1CageSet::take_once(const Assignment& assignment) {
  if (!idle_.empty()) {
    std::unique_ptr<CgroupV1Cage> used = std::move(idle_.back());
    idle_.pop_back();
    // What an earlier run left charged may be more than this one's limit.
    if (used->is_there() && used->limit(assignment)) return used;
  }
  auto cage = std::make_unique<CgroupV1Cage>(*this, std::to_string(next_++));
  TRY_VOID(cage->make());
  TRY_VOID(cage->limit(assignment));
  return cage;
}

void CgroupV1CageSet::give_back(std::unique_ptr<Cage> cage) {
  std::unique_ptr<CgroupV1Cage> mine(static_cast<CgroupV1Cage*>(cage.release()));
  mine->release_cpus();
  if (idle_.size() < kMostIdle && mine->is_reusable()) idle_.push_back(std::move(mine));
}

}  // namespace

Result<std::unique_ptr<CageSet>> make_cgroup_v1_cages(const std::string& name) {
  return CgroupV1CageSet::make(name);
}

}  // namespace sluice
