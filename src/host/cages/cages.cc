// Chooses the kind of cage that this machine allows.
#include <unistd.h>

#include <climits>
#include <csignal>
#include <set>
#include <string_view>

#include "host/cages/cage.h"
#include "host/cages/cgroup_files.h"
#include "host/cages/keeper_mark.h"
#include "host/keeper/process_look.h"
#include "host/keeper/processes.h"

namespace sluice {
namespace {

constexpr std::string_view kKeeperMark = "SLUICE_KEEPER";

// What carries the mark of a keeper of this name, which can only be an earlier one: this one has
// just begun.
void end_leftovers(const std::string& name) {
  for (int round = 0; round < 100; ++round) {
    bool any = false;
    const pid_t self = ::getpid();
    const auto is_left = [&](pid_t pid) {
      if (pid == self || pid == ::getpid()) return false;
      const auto mark = variable_of(pid, kKeeperMark);
      if (!mark || !is_left_by(*mark, name)) return false;
      const auto facts = process_facts(pid);
      return facts && facts->state != 'Z';
    };
    for (const pid_t pid : processes_where(all_processes(), is_left, INT_MAX))
      any = ::kill(pid, SIGKILL) == 0 || any;
    if (!any) return;
    ::usleep(10'000);
  }
}

}  // namespace

void Cage::signal(int number) {
  for (const pid_t pid : members()) ::kill(pid, number);
}

void clear_cages(const std::string& name) {
  const CgroupMounts mounts = cgroup_mounts();
  std::set<std::string> places;
  for (const auto& [controller, folder] : mounts.v1) places.insert(folder);
  for (const std::string& folder : {mounts.v2, mounts.v2_own})
    if (!folder.empty()) places.insert(folder);
  for (const std::string& place : places) remove_left_cgroups(place, name);
}

Result<std::unique_ptr<CageSet>> make_cages(CageChoice choice, const std::string& name) {
  end_leftovers(name);
  if (choice == CageChoice::kPlain) return make_plain_cages(name);
  if (choice == CageChoice::kCgroupV1) return make_cgroup_v1_cages(name);
  if (choice == CageChoice::kCgroupV2) return make_cgroup_v2_cages(name);
  if (auto cages = make_cgroup_v2_cages(name)) return cages;
  if (auto cages = make_cgroup_v1_cages(name)) return cages;
  return make_plain_cages(name);
}

}  // namespace sluice
