// What a user asks for: the job as submitted, before anything was decided about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/index_set.h"

namespace sluice {

enum class MemoryPer : std::uint8_t { kNode, kCpu, kGpu };

struct MemoryRequest {
  MemoryPer per = MemoryPer::kNode;
  std::int64_t mb = 0;  // 0 per node: all of the node's memory, as --mem=0.
  friend bool operator==(const MemoryRequest&, const MemoryRequest&) = default;
};

enum class GpusPer : std::uint8_t { kJob, kNode, kTask, kSocket };

struct GpuRequest {
  GpusPer per = GpusPer::kNode;  // --gpus, --gres and --gpus-per-node, --gpus-per-task, …-socket
  std::string type;              // Empty: any.
  std::int32_t count = 0;
  friend bool operator==(const GpuRequest&, const GpuRequest&) = default;
};

struct LicenseRequest {
  std::string name;
  std::int64_t count = 1;
  friend bool operator==(const LicenseRequest&, const LicenseRequest&) = default;
};

// So many nodes that satisfy one of the alternatives: a*2, or (a|b)*2.
struct CountedFeature {
  std::vector<std::vector<std::string>> any_of;
  std::int32_t nodes = 0;
  friend bool operator==(const CountedFeature&, const CountedFeature&) = default;
};

// --constraint: at least one of the lists, of which every feature is needed.
struct Constraint {
  std::string text;  // As given.
  std::vector<std::vector<std::string>> any_of;
  bool same_for_all_nodes = false;  // [a|b]: the same alternative on every node.
  std::vector<CountedFeature> counted;
  bool counted_apart = false;  // [a*2&b*1]: a node counts for one of them only.
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

enum class DependencyType : std::uint8_t {
  kAfter,
  kAfterAny,
  kAfterOk,
  kAfterNotOk,
  kAfterCorr,
  kSingleton
};

struct Dependency {
  DependencyType type = DependencyType::kAfterAny;
  JobId job;                          // Unused for singleton.
  std::optional<std::uint32_t> task;  // 12_3: one task of array 12.
  Duration delay{0};                  // after:12+5, whole minutes.
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

struct Dependencies {
  std::vector<Dependency> terms;
  bool any = false;  // '?' between the terms: one suffices.
  friend bool operator==(const Dependencies&, const Dependencies&) = default;
};

enum class NodeSharing : std::uint8_t { kDefault, kExclusive, kOversubscribe, kUser };
enum class OpenMode : std::uint8_t { kDefault, kTruncate, kAppend };

// --signal=[R][B]:TERM@60
struct WarningSignal {
  std::int32_t signal = 0;
  Duration before_end = seconds(60);
  bool batch_shell_only = false;
  friend bool operator==(const WarningSignal&, const WarningSignal&) = default;
};

struct EnvironmentVariable {
  std::string name;
  std::string value;
  friend bool operator==(const EnvironmentVariable&, const EnvironmentVariable&) = default;
};

// What runs once the job has started. The scheduler never looks in here.
struct Launch {
  std::string script;  // The text of the batch script.
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string stdin_path;
  std::string stdout_path;  // With Slurm's % patterns.
  std::string stderr_path;
  OpenMode open_mode = OpenMode::kDefault;
  std::vector<EnvironmentVariable> environment;
  std::optional<WarningSignal> signal;
  std::string command;   // What was submitted, as scontrol's Command shows it; for people.
  std::string program;   // Runs in place of a script: an executable that is none, by its full path.
  bool capture = false;  // Output goes to the daemon's store, and no file is made.
  // A chain's folder: whoever runs the job tells its owner's `sluice` when tasks have ended.
  std::string follower;
  friend bool operator==(const Launch&, const Launch&) = default;
};

struct JobSpec {
  std::string name;
  std::string user;
  std::string account;                  // Empty: the user's default.
  std::string qos;                      // Empty: the association's default.
  std::vector<std::string> partitions;  // Empty: the default partition.
  std::optional<std::int32_t> min_nodes;
  std::optional<std::int32_t> max_nodes;
  std::optional<std::int32_t> tasks;
  std::optional<std::int32_t> tasks_per_node;
  std::optional<std::int32_t> cpus_per_task;
  std::optional<std::int32_t> cpus_per_gpu;
  std::optional<std::int32_t> tasks_per_core;
  std::optional<std::int32_t> tasks_per_socket;
  std::optional<std::int32_t> min_cpus_per_node;     // --mincpus
  std::optional<std::int32_t> min_sockets;           // --sockets-per-node
  std::optional<std::int32_t> min_cores_per_socket;  // --cores-per-socket
  std::optional<std::int32_t> threads_per_core;      // The job uses no more of each core.
  bool overcommit = false;                           // One CPU a node, whatever the tasks.
  bool contiguous = false;                           // The nodes follow each other.
  bool spread = false;                       // --spread-job: over as many nodes as possible.
  bool use_min_nodes = false;                // Of a range of nodes the fewest.
  std::optional<std::int32_t> max_switches;  // --switches: nodes of no more leaf switches,
  std::optional<Duration> switch_wait;       // as long as it has not waited this long for them.
  std::optional<MemoryRequest> memory;
  std::vector<GpuRequest> gpus;
  std::vector<LicenseRequest> licenses;
  bool any_license = false;  // a|b: one of them suffices.
  Constraint constraint;
  Constraint prefer;  // In place of the constraint, where there are nodes for it.
  std::vector<std::string> require_nodes;
  std::vector<std::string> exclude_nodes;
  NodeSharing sharing = NodeSharing::kDefault;
  std::optional<Duration> time_limit;  // Nothing: the partition's default, unless no_time_limit.
  bool no_time_limit = false;          // --time=0 or UNLIMITED was asked for.
  bool limit_by_operator = false;      // MaxTime and MaxWall do not count for it.
  std::optional<Duration> time_min;
  std::optional<Instant> begin;
  std::optional<Instant> deadline;
  Dependencies dependencies;
  std::optional<bool> kill_on_invalid_dependency;
  std::optional<ArraySpec> array;
  std::int64_t nice = 0;
  std::optional<std::int64_t> priority;
  bool hold = false;
  std::optional<bool> requeue;
  std::string comment;
  std::string wckey;
  std::string reservation;
  Launch launch;
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

}  // namespace sluice
