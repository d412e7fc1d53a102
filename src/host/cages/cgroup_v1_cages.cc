// The folders of cgroup v1 that all runs' folders are made in, and those that wait for the next
// run.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

#include "host/cages/cgroup_v1_cage.h"
#include "host/keeper/processes.h"

namespace sluice {
namespace {

// Emptied folders that wait for the next run: making one costs as much as starting a process.
constexpr std::size_t kMostIdle = 64;
constexpr std::array<const char*, kControllers> kNames{"freezer", "memory",  "cpu",
                                                       "cpuset",  "devices", "pids"};

}  // namespace

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

Result<void> CgroupV1CageSet::make_errands_folder(Controller controller) {
  const std::string folder = base_[controller] + std::string(kErrandsFolder);
  if (::mkdir(folder.c_str(), 0755) != 0) {
    if (errno == EEXIST) return {};
    return failed(fmt::format("{} cannot be made: {}", folder, std::strerror(errno)));
  }
  // Always so since Linux 5.11; before that it is asked for.
  if (controller == kMemory) write_kernel_file(folder + "/memory.use_hierarchy", "1");
  bool fine = true;
  if (controller == kMemory && errands_mb_ > 0) fine = limit_memory_v1(folder, errands_mb_);
  if (controller == kPids)
    fine = write_kernel_file(folder + "/pids.max", std::to_string(processes_.one));
  if (controller == kCpuset)
    for (const char* file : {"/cpuset.cpus", "/cpuset.mems"})
      fine = write_kernel_file(folder + file, read_kernel_file(base_[kCpuset] + file)) && fine;
  if (fine) return {};
  const int error = errno;
  ::rmdir(folder.c_str());
  return failed(fmt::format("{} cannot be bounded: {}", folder, std::strerror(error)));
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
    if (!folder.empty()) hung_.any() ? remove_cgroup(folder, 1) : remove_cgroup(folder);
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
  hung_.try_one();
  const bool is_errand = !is_of_a_job(assignment.run);
  if (!idle_.empty() && !is_errand) {
    std::unique_ptr<CgroupV1Cage> used = std::move(idle_.back());
    idle_.pop_back();
    // What an earlier run left charged may be more than this one's limit.
    if (used->is_there() && used->limit(assignment)) return used;
  }
  const std::string name = std::to_string(next_++);
  auto cage = std::make_unique<CgroupV1Cage>(
      *this, is_errand ? std::string(kErrandsFolder.substr(1)) + "/" + name : name, assignment.run);
  TRY_VOID(cage->make());
  TRY_VOID(cage->limit(assignment));
  return cage;
}

void CgroupV1CageSet::give_back(std::unique_ptr<Cage> cage) {
  std::unique_ptr<CgroupV1Cage> mine(static_cast<CgroupV1Cage*>(cage.release()));
  mine->release_cpus();
  if (idle_.size() < kMostIdle && mine->is_reusable()) idle_.push_back(std::move(mine));
}

Result<std::unique_ptr<CageSet>> make_cgroup_v1_cages(const std::string& name) {
  return CgroupV1CageSet::make(name);
}

}  // namespace sluice
