// A cluster of our own as routing sees it, as plain rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/outcome.h"
#include "views/row_fields.h"

namespace sluice {

// What counts against the limits of one association, one QoS, or one user or account inside a QoS.
struct UseLine {
  std::string account;    // Of an association, or of an account inside a QoS.
  std::string user;       // "" for an account itself.
  std::string partition;  // "" for any.
  std::string qos;
  std::string tres;  // Held by what runs: "cpu=4,mem=8G"
  std::int64_t jobs = 0;
  std::int64_t submitted = 0;
  std::int64_t ageing = 0;   // Wait and gain priority by age.
  std::string tres_minutes;  // Used up, decayed.
  std::string tres_run_minutes;
  Duration wall{0};
};

struct NodeRoomLine {
  std::string node;
  bool usable = true;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::string> gpus;  // The type of each that is free; "" for none.
};

// A job of anybody that runs or waits, or the waiting tasks of an array.
struct HeldLine {
  JobId job;                          // The array's, of a task.
  std::optional<std::uint32_t> task;  // Of one that has left the array's record.
  std::string tasks;                  // "4-9": those that have not.
  std::int64_t count = 1;
  std::string name;
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;  // "a,b" while it waits.
  JobState state = JobState::kPending;
  std::string reason;
  std::string tres;  // Held, or asked for by each task.
  std::int64_t restarts = 0;
  Instant submitted;
  std::optional<Instant> started;
  std::optional<Instant> expected;
  std::optional<Instant> ends_by;
  std::optional<Duration> limit;
  std::vector<std::string> nodes;
};

// A cluster as routing sees it: everything that binds, and who holds it.
struct ClusterCard {
  Instant as_of;
  std::vector<UseLine> associations;
  std::vector<UseLine> qos;
  std::vector<UseLine> holders;  // Users and accounts inside a QoS.
  std::vector<NodeRoomLine> nodes;
  std::vector<HeldLine> jobs;
};

template <class Fields>
void json_fields(Fields& f, Like<UseLine> auto& row) {
  f("account", row.account);
  f("user", row.user);
  f("partition", row.partition);
  f("qos", row.qos);
  f("tres", row.tres);
  f("jobs", row.jobs);
  f("submitted", row.submitted);
  f("ageing", row.ageing);
  f("tres_minutes", row.tres_minutes);
  f("tres_run_minutes", row.tres_run_minutes);
  f("wall", row.wall);
}

template <class Fields>
void json_fields(Fields& f, Like<NodeRoomLine> auto& row) {
  f("node", row.node);
  f("usable", row.usable);
  f("cpus", row.cpus);
  f("memory_mb", row.memory_mb);
  f("gpus", row.gpus);
}

template <class Fields>
void json_fields(Fields& f, Like<HeldLine> auto& row) {
  f("job", row.job);
  f("task", row.task);
  f("tasks", row.tasks);
  f("count", row.count);
  f("name", row.name);
  f("user", row.user);
  f("account", row.account);
  f("qos", row.qos);
  f("partition", row.partition);
  f("state", row.state);
  f("reason", row.reason);
  f("tres", row.tres);
  f("restarts", row.restarts);
  f("submitted", row.submitted);
  f("started", row.started);
  f("expected", row.expected);
  f("ends_by", row.ends_by);
  f("limit", row.limit);
  f("nodes", row.nodes);
}

template <class Fields>
void json_fields(Fields& f, Like<ClusterCard> auto& row) {
  f("as_of", row.as_of);
  f("associations", row.associations);
  f("qos", row.qos);
  f("holders", row.holders);
  f("nodes", row.nodes);
  f("jobs", row.jobs);
}

}  // namespace sluice
