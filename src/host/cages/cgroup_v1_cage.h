// A run's folders of cgroup v1, one in each hierarchy that it needs, and the set of them that its
// keeper has.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/cages/cage.h"
#include "host/cages/cgroup_files.h"
#include "host/machine/cpu_pool.h"

namespace sluice {

enum Controller : std::size_t { kFreezer, kMemory, kCpu, kCpuset, kDevices, kPids, kControllers };

class CgroupV1CageSet;

// Memory, and swap where it is counted.
bool limit_memory_v1(const std::string& folder, std::int64_t mb);

class CgroupV1Cage final : public Cage {
 public:
  CgroupV1Cage(CgroupV1CageSet& set, std::string name, RunKey run)
      : set_(set), name_(std::move(name)), is_errand_(!is_of_a_job(run)) {}
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
  bool is_errand_;  // Its folders lie in one of all errands.
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
  void bound_errands(std::int64_t mb) override { errands_mb_ = mb; }
  bool measures_memory() const override { return base_[kMemory].empty(); }
  // The folder of all errands in that hierarchy, with what bounds them.
  Result<void> make_errands_folder(Controller controller);

  bool has(Controller controller) const { return !base_[controller].empty(); }
  const std::string& base(Controller controller) const { return base_[controller]; }
  CpuPool& cpus() { return cpus_; }
  FreezePatience& patience() { return patience_; }
  HungCgroups& hung() { return hung_; }
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
  HungCgroups hung_;
  std::uint64_t next_ = 1;
  CpuPool cpus_{{}};
  std::int64_t machine_mb_ = 0;
  std::int64_t errands_mb_ = 0;
  ProcessBounds processes_ = process_bounds();
};

}  // namespace sluice
