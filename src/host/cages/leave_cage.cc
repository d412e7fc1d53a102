#include "host/cages/leave_cage.h"

#include <cstdlib>
#include <set>
#include <string>

#include "host/cages/cgroup_files.h"

namespace sluice {
namespace {

// The folder above the first one that a keeper made, or nothing where there is none.
std::string outside_of(const std::string& mount_and_path) {
  const std::size_t at = mount_and_path.find("/sluice-");
  return at == std::string::npos ? "" : mount_and_path.substr(0, at);
}

}  // namespace

void leave_cage() {
  const CgroupMounts mounts = cgroup_mounts();
  std::set<std::string> folders;
  for (const auto& [controller, folder] : mounts.v1) folders.insert(folder);
  folders.insert(mounts.v2_own);
  for (const std::string& folder : folders) {
    const std::string outside = outside_of(folder);
    if (outside.empty()) continue;
    if (write_kernel_file(outside + "/cgroup.procs", "0")) continue;
    // In cgroup v2 a folder that hands out memory holds no processes; the keeper is beside then.
    const std::size_t end = folder.find('/', outside.size() + 1);
    write_kernel_file(folder.substr(0, end) + "-keeper/cgroup.procs", "0");
  }
}

void drop_run_marks() {
  for (const char* name : {"SLUICE_RUN", "SLUICE_KEEPER"}) ::unsetenv(name);
}

}  // namespace sluice
