// What people are shown, as plain rows. Every face prints these and decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/outcome.h"

namespace sluice {

// One line of the queue: a job, a task, the waiting tasks of an array, or a whole array.
struct QueueLine {
  std::string id;                     // "12", "12_3", "12_[4-9%2]"
  JobId job;                          // The record's own number.
  std::optional<JobId> array;         // For arrays and their tasks.
  std::optional<std::uint32_t> task;  // For a task with a record of its own.
  std::string name;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  JobState state = JobState::kPending;
  std::string reason;  // Slurm's word, where it waits.
  std::string detail;  // The same with its numbers.
  std::int64_t priority = 0;
  std::string nodes;    // Where it runs, as a hostlist.
  std::string planned;  // Where it is expected to.
  std::int64_t node_count = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::optional<Duration> limit;
  Duration elapsed{0};
  Instant submitted;
  std::optional<Instant> started;
  std::optional<Instant> expected;  // Start.
  std::optional<Instant> ends_by;   // By its limit.
  std::int64_t tasks = 1;           // On this line.
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t done = 0;
};

// What one node gave to the job.
struct JobNodeLine {
  std::string node;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::string gpus;  // "0,2": their places on the node.
};

struct JobCard {
  QueueLine line;
  std::uint32_t attempt = 0;
  std::string held_by;  // "user", "admin" or "".
  std::string reservation;
  std::string dependency;
  std::string requested;  // TRES
  std::string allocated;
  std::string command;
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string stdin_path;
  std::string stdout_path;  // With its patterns filled in.
  std::string stderr_path;
  bool captured = false;
  std::string comment;
  std::string constraint;
  bool requeue = true;
  std::int64_t nice = 0;
  std::string signal;     // --signal, as given.
  std::string preemptor;  // Whom it makes or made room for.
  std::optional<Instant> eligible;
  std::optional<Instant> begin;
  std::optional<Instant> ended;
  std::optional<std::int32_t> exit_code;
  std::optional<std::int32_t> exit_signal;
  std::optional<std::int64_t> max_rss_kb;
  std::optional<Duration> cpu_time;
  // Of its GPUs together, where they are measured: how busy on average, and the most memory in use.
  std::optional<std::int64_t> gpu_percent;
  std::optional<std::int64_t> gpu_memory_mb;
  std::vector<JobNodeLine> node_lines;
  // What went wrong outside the job: its last run could not start, or its output not be written.
  std::optional<std::string> failure;
};

// A user whose jobs count against a limit.
struct HolderLine {
  std::string user;
  std::string jobs;  // "12, 14_[1-3]"
  std::int64_t amount = 0;
  std::string amount_text;
};

// One gate on a waiting job's way: limit = used + asked at most.
struct GateLine {
  std::string name;
  std::string holder;
  bool passed = true;
  bool binding = false;  // The first that is shut: what the job waits for.
  std::string limit;     // As text, with units; empty where the gate has no numbers.
  std::string used;
  std::string asked;
};

// What could be done, with the command to type where there is one.
struct HelpLine {
  std::string what;
  std::string command;
};

struct WhyCard {
  std::string id;
  std::string name;
  std::string user;
  JobState state = JobState::kPending;
  std::string reason;
  std::string sentence;    // What it waits for, in words and numbers.
  std::string arithmetic;  // "4 gres/gpu at most = 3 used + 2 asked"
  std::vector<HolderLine> holders;
  std::optional<Instant> may_end;   // When the first of the holders ends by its limit.
  std::optional<Instant> expected;  // Start.
  std::string planned;
  std::int64_t ahead = 0;  // Jobs before it in the queue.
  std::int64_t priority = 0;
  std::vector<GateLine> gates;
  std::vector<HelpLine> help;
};

// A reservation as `scontrol show reservation` has it.
struct ReservationLine {
  std::string name;
  std::string state;  // ACTIVE, INACTIVE
  Instant start;
  Instant end;
  std::string nodes;  // As a hostlist.
  std::int64_t node_count = 0;
  std::int64_t cpus = 0;
  std::string partition;
  std::string users;
  std::string accounts;
  std::string flags;  // "MAINT,DAILY"
};

struct NodeLine {
  std::string name;
  std::string state;  // "idle", "mixed", "allocated", "draining", "down"
  std::string partitions;
  std::int64_t cpus = 0;
  std::int64_t cpus_free = 0;
  std::int64_t memory_mb = 0;
  std::int64_t memory_free_mb = 0;
  std::int64_t gpus = 0;
  std::int64_t gpus_free = 0;
  std::string gpu_types;  // "a100:4"
  std::int64_t jobs = 0;
  std::string features;
  std::string why;  // What the state was set for, as far as this daemon was told,
  std::string by;   // by whom,
  std::optional<Instant> since;
  std::map<std::string, std::string> enforces;  // "memory": "cgroup v2"
};

struct ShareLine {
  std::string account;
  std::string user;        // "" for the account itself.
  std::string parent;      // The account above; "" for the root alone.
  std::int64_t depth = 0;  // In the tree.
  std::int64_t shares = 0;
  bool shares_of_parent = false;
  double norm_shares = 0;
  double effective_usage = 0;
  double raw_usage_seconds = 0;
  double norm_usage = 0;
  std::optional<double> level;  // The root has none.
  double factor = 0;
  std::int64_t running = 0;
  std::int64_t submitted = 0;
  std::string holds;  // TRES in use.
};

struct PriorityLine {
  std::string id;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  std::int64_t priority = 0;
  std::int64_t age = 0;
  std::int64_t assoc = 0;
  std::int64_t fairshare = 0;
  std::int64_t job_size = 0;
  std::int64_t partition_part = 0;
  std::int64_t qos_part = 0;
  std::int64_t tres = 0;
  std::int64_t nice = 0;
  std::string tres_parts;  // "cpu=250,mem=17": what `tres` is the sum of.
  std::string reason;      // Slurm's word for what it waits for.
};

// One run that is over.
struct HistoryLine {
  std::string id;
  JobId job;
  std::optional<JobId> array;
  std::optional<std::uint32_t> task;
  std::uint32_t attempt = 0;
  std::string name;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  JobState state = JobState::kCompleted;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  Instant submitted;
  Instant eligible;
  std::optional<Instant> started;
  Instant ended;
  Duration elapsed{0};
  std::optional<Duration> limit;
  std::int64_t max_rss_kb = 0;
  Duration cpu_time{0};
  std::string nodes;
  std::string requested;
  std::string allocated;
  bool requeued = false;
  std::optional<std::int64_t> gpu_percent;
  std::optional<std::int64_t> gpu_memory_mb;
};

// The daemon about itself.
struct DaemonCard {
  std::string version;
  std::int64_t pid = 0;
  std::string scope;  // "machine", "user" or "folder"
  std::string state_folder;
  std::string socket;
  std::string policy_file;
  std::string policy_origin;  // "file" or "survey"
  std::string cluster;
  Instant started;
  std::int64_t jobs = 0;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::uint64_t turns = 0;
  std::uint64_t batches = 0;  // Written so far.
  // Bytes: the journal's file, of it the events since the last snapshot and that; captured output.
  std::uint64_t journal_bytes = 0;
  std::uint64_t event_bytes = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::int64_t keeper_pid = 0;
  std::map<std::string, std::string> enforces;
};

}  // namespace sluice
