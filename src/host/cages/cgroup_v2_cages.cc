// Cages of cgroup v2: one folder a run, in which its first process is born.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/cages/cage.h"
#include "host/cages/cgroup_files.h"
#include "host/cages/device_filter.h"
#include "host/keeper/processes.h"
#include "host/machine/cpu_pool.h"

namespace sluice {
namespace {

// See cgroup_v1_cages.cc and cgroup_v1_cage.cc for these.
constexpr std::size_t kMostIdle = 64;
constexpr std::int64_t kMostLeftBytes = 16 << 20;
constexpr std::int64_t kQuotaPeriod = 100'000;

bool has_word(std::string_view text, std::string_view word) {
  std::size_t at = 0;
  while ((at = text.find(word, at)) != std::string_view::npos) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || text[at - 1] == ' ';
    const bool ends = end == text.size() || text[end] == ' ' || text[end] == '\n';
    if (begins && ends) return true;
    at = end;
  }
  return false;
}

class CgroupV2CageSet;

class CgroupV2Cage final : public Cage {
 public:
  CgroupV2Cage(CgroupV2CageSet& set, std::string folder, RunKey run)
      : set_(set), folder_(std::move(folder)), is_errand_(!is_of_a_job(run)) {}
  ~CgroupV2Cage() override;

  Result<void> make();
  Result<void> limit(const Assignment& assignment);
  bool is_reusable() const;
  bool is_there() const { return ::access(folder_.c_str(), F_OK) == 0; }
  void release_cpus();

  const CageEntry* entry() const override { return &entry_; }
  std::vector<pid_t> members() override { return pids_in(folder_ + "/cgroup.procs"); }
  bool empty() override { return number_after(events_.read(), "populated") == 0; }
  void pause() override { set_frozen("1", 1); }
  void resume() override { set_frozen("0", 0); }
  void kill() override;
  CageUse use() override;
  CageUse final_use() override;

 private:
  void set_frozen(const char* text, std::int64_t wanted);
  bool write(const char* file, std::string_view text) {
    return write_kernel_file(folder_ + "/" + file, text);
  }
  Result<void> set_cpus(const Assignment& assignment);

  CgroupV2CageSet& set_;
  std::string folder_;
  bool is_errand_;
  CageEntry entry_;
  KernelFile events_;
  KernelFile memory_events_;
  KernelFile memory_stat_;
  KernelFile memory_current_;
  KernelFile cpu_stat_;
  bool hangs_ = false;   // It could not be frozen in good time.
  bool killed_ = false;  // Not used again: the kernel may not be done with it.
  std::int64_t oom_before_ = 0;
  std::int64_t cpu_before_ = 0;
  std::int64_t most_processes_ = 0;
  std::string memory_written_ = "max";
  std::string quota_written_ = "max";
  std::string cpus_written_;
  std::vector<std::int32_t> bound_to_;
  std::vector<std::string> denied_;
  DeviceFilter filter_;
};

class CgroupV2CageSet final : public CageSet {
 public:
  ~CgroupV2CageSet() override;
  static Result<std::unique_ptr<CageSet>> make(const std::string& name);

  Enforcement enforces() const override;
  Result<std::unique_ptr<Cage>> take(const Assignment& assignment) override;
  void give_back(std::unique_ptr<Cage> cage) override;
  void distrust_idle() override { idle_.clear(); }
  void bound_errands(std::int64_t mb) override { errands_mb_ = mb; }
  bool measures_memory() const override { return !memory_; }

  bool memory_ = false;
  bool cpu_ = false;
  bool cpuset_ = false;
  bool pids_ = false;
  bool devices_ = false;
  CpuPool cpus_{{}};
  FreezePatience patience_;
  HungCgroups hung_;
  std::int64_t machine_mb_ = 0;
  std::int64_t errands_mb_ = 0;
  ProcessBounds processes_ = process_bounds();

 private:
  bool settle_in(const std::string& parent, const std::string& name);
  Result<std::unique_ptr<Cage>> take_once(const Assignment& assignment);
  Result<std::string> errands_folder();
  std::string base_;
  std::string parent_;
  std::string name_;
  int held_ = -1;
  std::string keeper_folder_;  // Where the keeper itself had to move.
  std::vector<std::unique_ptr<CgroupV2Cage>> idle_;
  std::uint64_t next_ = 1;
};

CgroupV2Cage::~CgroupV2Cage() {
  release_cpus();
  filter_ = DeviceFilter();
  if (entry_.born_in >= 0) ::close(entry_.born_in);
  // What was killed and is there still hangs in the kernel.
  killed_ && !empty() ? set_.hung_.leave(folder_) : static_cast<void>(remove_cgroup(folder_));
}

void CgroupV2Cage::release_cpus() {
  if (!bound_to_.empty()) set_.cpus_.give_back(std::exchange(bound_to_, {}));
}

Result<void> CgroupV2Cage::make() {
  if (::mkdir(folder_.c_str(), 0755) != 0 && errno != EEXIST) {
    return failed(fmt::format("{} cannot be made: {}", folder_, std::strerror(errno)));
  }
  entry_.born_in = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  events_ = KernelFile(folder_ + "/cgroup.events");
  cpu_stat_ = KernelFile(folder_ + "/cpu.stat");
  if (entry_.born_in < 0 || !events_.is_open()) {
    return failed(fmt::format("{} cannot be opened: {}", folder_, std::strerror(errno)));
  }
  if (set_.memory_) {
    memory_events_ = KernelFile(folder_ + "/memory.events");
    memory_stat_ = KernelFile(folder_ + "/memory.stat");
    memory_current_ = KernelFile(folder_ + "/memory.current");
    write("memory.swap.max", "0");
  }
  return {};
}

Result<void> CgroupV2Cage::set_cpus(const Assignment& assignment) {
  if (assignment.own_cpus && set_.cpuset_) {
    if (auto taken = set_.cpus_.take(assignment.cpus)) bound_to_ = std::move(*taken);
  }
  // An empty list is all that the folder above has.
  const std::string cpus = cpu_text(bound_to_);
  if (set_.cpuset_ && cpus != cpus_written_) {
    if (!write("cpuset.cpus", cpus.empty() ? "\n" : cpus)) {
      return failed(fmt::format("CPUs {} cannot be given: {}", cpus, std::strerror(errno)));
    }
    cpus_written_ = cpus;
  }
  const bool by_quota = bound_to_.empty() && assignment.cpus > 0 &&
                        static_cast<std::size_t>(assignment.cpus) < set_.cpus_.total();
  const std::string quota =
      by_quota ? fmt::format("{} {}", assignment.cpus * kQuotaPeriod, kQuotaPeriod) : "max";
  if (set_.cpu_ && quota != quota_written_) {
    if (!write("cpu.max", quota)) {
      return failed(fmt::format("the CPU quota cannot be set: {}", std::strerror(errno)));
    }
    quota_written_ = quota;
  }
  return {};
}

Result<void> CgroupV2Cage::limit(const Assignment& assignment) {
  if (set_.memory_) {
    oom_before_ = number_after(memory_events_.read(), "oom_kill").value_or(0);
    const bool limited =
        assignment.memory_mb > 0 && (is_errand_ || assignment.memory_mb < set_.machine_mb_);
    entry_.tight = limited && assignment.memory_mb < kTightMemoryMb;
    const std::string bytes = limited ? std::to_string(assignment.memory_mb << 20) : "max";
    if (bytes != memory_written_) {
      if (!write("memory.max", bytes)) {
        return failed(fmt::format("the memory limit cannot be set: {}", std::strerror(errno)));
      }
      memory_written_ = bytes;
    }
  }
  const std::int64_t most = set_.processes_.most(assignment.processes);
  if (set_.pids_ && most != most_processes_) {
    if (!write("pids.max", std::to_string(most)))
      return failed(fmt::format("its processes cannot be bounded: {}", std::strerror(errno)));
    most_processes_ = most;
  }
  cpu_before_ = number_after(cpu_stat_.read(), "usage_usec").value_or(0);
  TRY_VOID(set_cpus(assignment));
  if (set_.devices_ && assignment.other_devices != denied_) {
    filter_ = DeviceFilter();
    if (!assignment.other_devices.empty()) {
      TRY(filter_, DeviceFilter::attach(entry_.born_in, assignment.other_devices));
    }
    denied_ = assignment.other_devices;
  }
  return {};
}

void CgroupV2Cage::set_frozen(const char* text, std::int64_t wanted) {
  write("cgroup.freeze", text);
  const int most = set_.patience_.looks();
  for (int looks = 0; looks < most; ++looks) {
    if (number_after(events_.read(), "frozen") == wanted || hangs_) return;
    ::usleep(1'000);
  }
  hangs_ = true;
  set_.patience_.given_up(most);
}

void CgroupV2Cage::kill() {
  killed_ = true;
  if (write("cgroup.kill", "1")) return;
  // Before Linux 5.14.
  pause();
  signal(SIGKILL);
  resume();
}

CageUse CgroupV2Cage::final_use() {
  CageUse use;
  const std::int64_t cpu = number_after(cpu_stat_.read(), "usage_usec").value_or(0) - cpu_before_;
  use.cpu_time = std::chrono::duration_cast<Duration>(std::chrono::microseconds(cpu));
  if (set_.memory_) {
    const std::int64_t kills = number_after(memory_events_.read(), "oom_kill").value_or(0);
    use.oom_kills = static_cast<std::uint64_t>(std::max<std::int64_t>(kills - oom_before_, 0));
  }
  return use;
}

CageUse CgroupV2Cage::use() {
  CageUse use = final_use();
  if (set_.memory_) {
    const std::string_view stat = memory_stat_.read();
    use.memory_kb =
        (number_after(stat, "anon").value_or(0) + number_after(stat, "shmem").value_or(0)) / 1024;
  }
  return use;
}

bool CgroupV2Cage::is_reusable() const {
  if (killed_ || is_errand_) return false;
  if (!memory_current_.is_open()) return true;
  return std::strtoll(std::string(memory_current_.read()).c_str(), nullptr, 10) <= kMostLeftBytes;
}

// Whether runs can be put under this folder, with memory limits in force.
bool CgroupV2CageSet::settle_in(const std::string& parent, const std::string& name) {
  remove_left_cgroups(parent, name);
  const std::string folder = parent + "/" + own_cgroup_name(name);
  const std::string available = read_kernel_file(parent + "/cgroup.controllers");
  if (!has_word(available, "memory") || ::mkdir(folder.c_str(), 0700) != 0) return false;
  const auto enable = [&] {
    for (const char* controller : {"memory", "cpu", "pids", "cpuset"}) {
      const std::string plus = std::string("+") + controller;
      write_kernel_file(parent + "/cgroup.subtree_control", plus);
      write_kernel_file(folder + "/cgroup.subtree_control", plus);
    }
    return has_word(read_kernel_file(folder + "/cgroup.subtree_control"), "memory");
  };
  bool fine = enable();
  if (!fine) {
    // A folder that hands out memory must not hold processes itself: we move to one beside.
    const std::string aside = folder + "-keeper";
    if (::mkdir(aside.c_str(), 0755) == 0 || errno == EEXIST) {
      // Our parent is the warden, which has come with us.
      const pid_t warden = ::getppid();
      if (warden > 1) write_kernel_file(aside + "/cgroup.procs", std::to_string(warden));
      if (write_kernel_file(aside + "/cgroup.procs", "0")) {
        keeper_folder_ = aside;
        fine = enable();
        if (!fine && write_kernel_file(parent + "/cgroup.procs", "0")) keeper_folder_.clear();
      }
      if (!fine) ::rmdir(aside.c_str());
    }
  }
  if (!fine) {
    ::rmdir(folder.c_str());
    return false;
  }
  base_ = folder;
  parent_ = parent;
  name_ = name;
  if (held_ >= 0) ::close(held_);
  held_ = hold_cgroup(folder);
  const std::string enabled = read_kernel_file(folder + "/cgroup.subtree_control");
  memory_ = has_word(enabled, "memory");
  cpu_ = has_word(enabled, "cpu");
  cpuset_ = has_word(enabled, "cpuset");
  pids_ = has_word(enabled, "pids");
  if (pids_) write_kernel_file(folder + "/pids.max", std::to_string(processes_.all));
  return true;
}

Result<std::unique_ptr<CageSet>> CgroupV2CageSet::make(const std::string& name) {
  const CgroupMounts mounts = cgroup_mounts();
  if (mounts.v2.empty()) return bad_input("cgroup v2 is not mounted here");
  auto set = std::make_unique<CgroupV2CageSet>();
  if (!set->settle_in(mounts.v2, name) &&
      (mounts.v2_own == mounts.v2 || !set->settle_in(mounts.v2_own, name))) {
    return bad_input(
        "cgroup v2 hands no memory controller to this user here",
        "With systemd: systemd-run --user --scope -p Delegate=yes sluice daemon start");
  }
  const std::string cpus = read_kernel_file(set->base_ + "/cpuset.cpus.effective");
  set->cpus_ =
      CpuPool(cpus_in(!cpus.empty() ? cpus : read_kernel_file("/sys/devices/system/cpu/online")));
  set->machine_mb_ =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) >> 20;
  const int folder = ::open(set->base_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  set->devices_ = folder >= 0 && DeviceFilter::is_possible(folder);
  if (folder >= 0) ::close(folder);
  return set;
}

CgroupV2CageSet::~CgroupV2CageSet() {
  idle_.clear();
  if (!base_.empty()) hung_.any() ? remove_cgroup(base_, 1) : remove_cgroup(base_);
  if (held_ >= 0) ::close(held_);
  if (!keeper_folder_.empty()) {
    const std::string parent = keeper_folder_.substr(0, keeper_folder_.rfind('/'));
    write_kernel_file(parent + "/cgroup.procs", "0");
    ::rmdir(keeper_folder_.c_str());
  }
}

Enforcement CgroupV2CageSet::enforces() const {
  Enforcement told;
  told.memory = memory_ ? "cgroup v2" : "measured";
  told.cpus = cpu_ || cpuset_ ? "cgroup v2" : "";
  told.devices = devices_ ? "cgroup v2" : "";
  told.pause = "cgroup v2";
  return told;
}

Result<std::unique_ptr<Cage>> CgroupV2CageSet::take(const Assignment& assignment) {
  auto taken = take_once(assignment);
  // Some other program may have removed the folder.
  if (taken || ::access(base_.c_str(), F_OK) == 0 || !settle_in(parent_, name_)) return taken;
  return take_once(assignment);
}

Result<std::unique_ptr<Cage>> CgroupV2CageSet::take_once(const Assignment& assignment) {
  hung_.try_one();
  const bool is_errand = !is_of_a_job(assignment.run);
  if (!idle_.empty() && !is_errand) {
    std::unique_ptr<CgroupV2Cage> used = std::move(idle_.back());
    idle_.pop_back();
    // What an earlier run left charged may be more than this one's limit.
    if (used->is_there() && used->limit(assignment)) return used;
  }
  std::string folder = base_;
  if (is_errand) {
    TRY(folder, errands_folder());
  }
  auto cage =
      std::make_unique<CgroupV2Cage>(*this, folder + "/" + std::to_string(next_++), assignment.run);
  TRY_VOID(cage->make());
  TRY_VOID(cage->limit(assignment));
  return cage;
}

// The folder of all errands, with what bounds them together.
Result<std::string> CgroupV2CageSet::errands_folder() {
  std::string folder = base_ + std::string(kErrandsFolder);
  if (::mkdir(folder.c_str(), 0755) != 0) {
    if (errno == EEXIST) return folder;
    return failed(fmt::format("{} cannot be made: {}", folder, std::strerror(errno)));
  }
  for (const char* controller : {"memory", "cpu", "pids", "cpuset"})
    write_kernel_file(folder + "/cgroup.subtree_control", std::string("+") + controller);
  bool fine = true;
  if (memory_ && errands_mb_ > 0) {
    write_kernel_file(folder + "/memory.swap.max", "0");
    fine = write_kernel_file(folder + "/memory.max", std::to_string(errands_mb_ << 20));
  }
  if (pids_) fine = write_kernel_file(folder + "/pids.max", std::to_string(processes_.one)) && fine;
  if (fine) return folder;
  const int error = errno;
  ::rmdir(folder.c_str());
  return failed(fmt::format("{} cannot be bounded: {}", folder, std::strerror(error)));
}

void CgroupV2CageSet::give_back(std::unique_ptr<Cage> cage) {
  std::unique_ptr<CgroupV2Cage> mine(static_cast<CgroupV2Cage*>(cage.release()));
  mine->release_cpus();
  if (idle_.size() < kMostIdle && mine->is_reusable()) idle_.push_back(std::move(mine));
}

}  // namespace

Result<std::unique_ptr<CageSet>> make_cgroup_v2_cages(const std::string& name) {
  return CgroupV2CageSet::make(name);
}

}  // namespace sluice
