// Pools: what one (account, QoS, device) can still take, and who holds the rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/description.h"
#include "cluster/task_need.h"
#include "routing/books.h"
#include "routing/settings.h"

namespace sluice {

// Why a pool is not even looked at.
enum class LeftOut : std::uint8_t {
  kNo,
  kBlocked,      // By the settings.
  kBurst,        // Its name says that what it holds is not guaranteed.
  kNoPartition,  // No partition has this device.
};

struct Holder {
  std::string user;
  std::int64_t jobs = 0;
  TresVector tres;
};

struct Pool {
  std::string account;
  std::string qos;  // Empty: unknown.
  Device device = Device::kGpu;
  Seat seat;
  TaskNeed need;
  LeftOut left_out = LeftOut::kNo;
  std::optional<Block> block;

  // Tasks. Each pool by itself, as if the others stayed empty; and one after the other, GPU pools
  // first, because pools of one account share its limits.
  std::int64_t now = 0;
  std::int64_t now_jointly = 0;
  std::int64_t at_most = 0;
  std::int64_t at_most_jointly = 0;
  std::int64_t submittable = 0;
  std::optional<Bound> tightest;  // What bounds `now`.
  std::vector<Bound> gates;

  // The limits that are shown: those of the QoS, or of the nearest account that has some.
  std::string limits_of;
  TresLimits limits;
  TresVector mine;
  TresVector others;
  std::vector<Holder> holders;  // Everybody, the largest first.
  // By when the time limits of those who hold it leave room for one task; nothing: now, or never.
  std::optional<Instant> room_by;

  // What is left of a limit; of what is not limited, nothing is known to bound it.
  std::optional<std::int64_t> free(TresIndex tres) const;
  // A task can never run here, however long it waits. What is closed or drained may come back.
  bool never() const;
};

struct TaskNeeds {
  std::optional<TaskNeed> gpu;
  std::optional<TaskNeed> cpu;
  std::string qos;  // Only this one, in accounts that may use it; empty: as the settings say.
  std::vector<std::string> accounts;  // Only these; empty: those of the settings, or all.
};

// Account names as sbatch takes them: case does not count, nor blanks around them.
bool is_same_account(std::string_view a, std::string_view b);

// The user's accounts, by name.
std::vector<std::string> accounts_of(const Description& description);

// GPU pools before CPU pools of each account; accounts by name. Blocked ones and burst ones are
// there too and say so. Accounts that were not asked for, or are not listed in the settings, are
// not, and so take no room from the others.
std::vector<Pool> find_pools(const Description& description, const RoutingSettings& settings,
                             const TaskNeeds& needs);

// What one task needs when the request does not say: the settings' shapes, else one CPU, or one
// GPU with it.
TaskNeeds usual_needs(const Description& description, const RoutingSettings& settings);

// Whether lists and choices show the partition to the user: it is not hidden and takes their
// groups. A job may still name it.
bool is_listed(const Description& description, PartitionId partition);

// The partitions of a device: the settings', else those that have GPUs, or the default one.
std::vector<std::string> partitions_for(Device device, const Description& description,
                                        const RoutingSettings& settings);

}  // namespace sluice
