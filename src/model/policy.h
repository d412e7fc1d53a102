// Everything that was decided about sharing one cluster: the model of policy.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/association.h"
#include "model/ids.h"
#include "model/node.h"
#include "model/partition.h"
#include "model/preemption.h"
#include "model/qos.h"
#include "model/reservation.h"
#include "model/switch.h"
#include "model/tres.h"

namespace sluice {

enum class PriorityType : std::uint8_t { kBasic, kMultifactor };
enum class UsageReset : std::uint8_t {
  kNone,
  kNow,
  kDaily,
  kWeekly,
  kMonthly,
  kQuarterly,
  kYearly
};

struct PrioritySettings {
  PriorityType type = PriorityType::kBasic;
  std::int64_t weight_age = 0;
  std::int64_t weight_assoc = 0;
  std::int64_t weight_fairshare = 0;
  std::int64_t weight_job_size = 0;
  std::int64_t weight_partition = 0;
  std::int64_t weight_qos = 0;
  TresWeights weight_tres;
  Duration max_age = std::chrono::hours(24 * 7);
  Duration half_life = std::chrono::hours(24 * 7);  // Zero: usage never decays.
  Duration calc_period = minutes(5);
  UsageReset usage_reset = UsageReset::kNone;
  bool favor_small = false;
  bool fair_tree = true;       // PriorityFlags without NO_FAIR_TREE
  bool accrue_always = false;  // ACCRUE_ALWAYS
  bool small_relative_to_time = false;
  bool calculate_running = false;
  bool depth_oblivious = false;  // DEPTH_OBLIVIOUS, classic formula only.
  bool increase_only = false;    // INCR_ONLY: no priority falls.
  bool max_tres = false;         // MAX_TRES: billing is the largest weighted value, not the sum.
  bool no_normal_assoc = false;
  bool no_normal_part = false;
  bool no_normal_qos = false;
  bool no_normal_tres = false;
  std::int64_t dampening = 1;  // FairShareDampeningFactor, classic formula only.
  friend bool operator==(const PrioritySettings&, const PrioritySettings&) = default;
};

enum class SchedulerType : std::uint8_t {
  kBuiltin,   // In order of priority, nobody overtakes: sched/builtin.
  kEasy,      // The first that waits has a reservation; rules of docs/reference/scheduling.md.
  kBackfill,  // Reservations for the waiting: sched/backfill.
};

struct SchedulerSettings {
  SchedulerType type = SchedulerType::kBackfill;
  // Zero: a backfill pass follows every change. Slurm's default is 30 s.
  Duration backfill_interval{0};
  Duration backfill_window = std::chrono::hours(24);
  Duration backfill_resolution = seconds(60);
  std::int32_t backfill_max_job_test = 500;
  std::optional<std::int32_t> backfill_max_job_user;
  std::optional<std::int32_t> backfill_max_job_part;
  std::int32_t default_queue_depth = 100;  // Jobs looked at after one change; the full queue is
                                           // looked at by backfill.
  bool kill_invalid_depend = false;
  bool assoc_limit_stop = false;
  std::optional<std::int32_t> backfill_min_prio_reserve;  // Jobs below it reserve nothing,
  Duration backfill_min_age_reserve{0};                   // nor do those that waited less.
  std::optional<std::int32_t> partition_job_depth;  // Jobs of a partition looked at by a pass.
  bool pack_serial_at_end = false;                  // Jobs of one CPU begin with the last nodes.
  bool least_loaded = false;  // CR_LLN: the node with the largest part of its CPUs free first.
  bool pack_nodes = false;    // CR_Pack_Nodes: tasks fill one node after the other.
  CpuUnit cpu_unit = CpuUnit::kCore;
  bool backfill_busy_nodes = false;  // Plans are made on nodes in use first.
  bool topology_optional = false;    // TopoOptional: switches count only for jobs with --switches.
  Duration max_switch_wait = seconds(300);  // --switches waits no longer.
  Duration requeue_delay = seconds(120);
  friend bool operator==(const SchedulerSettings&, const SchedulerSettings&) = default;
};

struct EnforceSettings {
  bool associations = true;
  bool limits = true;
  bool qos = true;
  bool safe = false;
  friend bool operator==(const EnforceSettings&, const EnforceSettings&) = default;
};

enum class EnforcePartLimits : std::uint8_t { kNo, kAny, kAll };

struct License {
  std::string name;
  std::int64_t count = 0;
  friend bool operator==(const License&, const License&) = default;
};

// What users see of their own only: Slurm's PrivateData.
struct PrivateData {
  bool jobs = false;
  bool usage = false;
  bool users = false;
  bool accounts = false;
  friend bool operator==(const PrivateData&, const PrivateData&) = default;
};

struct JobSettings {
  std::uint32_t max_array_size = 1001;
  std::uint32_t max_job_count = 10'000;
  std::uint32_t first_job_id = 1;
  Duration min_job_age = seconds(300);
  Duration kill_wait = seconds(30);
  Duration over_time_limit{0};
  bool requeue = true;  // JobRequeue
  std::optional<std::int64_t> default_mem_per_cpu_mb;
  std::optional<std::int64_t> default_mem_per_node_mb;
  WithGpu with_gpu;
  std::optional<std::int64_t> max_mem_per_cpu_mb;
  std::optional<std::int64_t> max_mem_per_node_mb;
  bool memory_is_consumable = true;  // CR_…_Memory
  EnforcePartLimits enforce_part_limits = EnforcePartLimits::kNo;
  // Programs that the launcher runs on the node before and after every job; empty: none.
  std::string prolog;
  std::string epilog;
  Duration prolog_epilog_timeout{0};  // 0: as long as they take.
  PrivateData private_data;
  // Ended runs and what they said are remembered this long; 0: for ever.
  Duration history_kept = seconds(std::int64_t{365} * 86'400);
  // What one user of a daemon that serves several may take of it. Root, and whoever runs the
  // daemon, are not counted.
  std::uint32_t max_jobs_per_user = 0;        // Jobs and tasks; 0: half of max_job_count.
  std::int64_t max_requests_per_user_mb = 0;  // Scripts and environments it remembers; 0: 32 MB.
  // Groups of the system whose members may use a daemon of root's; none: everybody.
  std::vector<std::string> allow_groups;
  friend bool operator==(const JobSettings&, const JobSettings&) = default;
};

// Slurm writes accounts and QoS in small letters, and takes them in any.
bool is_same_name(std::string_view a, std::string_view b);

struct Policy {
  std::string cluster = "cluster";
  TresRegistry tres;
  std::vector<Node> nodes;
  std::vector<Partition> partitions;
  std::vector<Qos> qos;
  std::vector<Association> associations;  // Parents before children; the first is root.
  std::vector<User> users;
  std::vector<License> licenses;
  PrioritySettings priority;
  PreemptSettings preemption;
  SchedulerSettings scheduler;
  EnforceSettings enforce;
  JobSettings jobs;
  std::vector<ReservationRequest> reservations;
  std::vector<Switch> switches;  // None: nodes are chosen as if there were no network.

  std::optional<NodeId> find_node(std::string_view name) const;
  std::optional<PartitionId> find_partition(std::string_view name) const;
  std::optional<QosId> find_qos(std::string_view name) const;  // In any case.
  std::optional<UserId> find_user(std::string_view name) const;
  std::optional<PartitionId> default_partition() const;
  // How far jobs of the partition may run past their limit.
  Duration over_time_limit(PartitionId partition) const;
  // Whether any limit says which waiting jobs gain priority by age.
  bool limits_ages() const;
  // The account itself.
  std::optional<AssocId> find_account(std::string_view account) const;
  // The user in the account; one for the partition comes before one for any.
  std::optional<AssocId> find_association(std::string_view account, std::string_view user,
                                          std::string_view partition) const;
  // The QoS an association may use: its own list or the nearest above.
  const std::vector<QosId>& allowed_qos(AssocId assoc) const;
  std::optional<QosId> default_qos(AssocId assoc) const;
  // Those the user was made coordinator of and all below them, in the order of the table.
  std::vector<std::string_view> accounts_coordinated_by(const User& user) const;
  friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace sluice
