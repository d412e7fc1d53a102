// What accounts, users or QoS used in a period, beside the shares that are due to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/used_run.h"
#include "views/json_fields.h"

namespace sluice {

enum class UsageBy : std::uint8_t { kAccount, kUser, kQos };

struct UsageLine {
  std::string name;
  std::int64_t depth = 0;  // Of an account in the tree.
  std::int64_t runs = 0;
  double gpu_hours = 0;
  double cpu_hours = 0;
  double memory_gb_hours = 0;
  double billing_hours = 0;
  double given = 0;           // Part of all billing hours.
  std::optional<double> due;  // Part that the shares of the tree give it.
};

struct UsageReport {
  std::string schema = "sluice.usage/1";
  std::string cluster;
  std::string by;
  Instant since;
  Instant until;
  std::vector<UsageLine> lines;  // An account's line has those below it in it.
  UsageLine all;
};

struct UsagePeriod {
  Instant since;
  Instant until;
};

// Runs count for as long as they lie in the period. Accounts come as the tree has them, users and
// QoS with the largest part first.
UsageReport usage_report(std::span<const UsedRun> runs, std::span<const DueShare> shares,
                         UsageBy by, UsagePeriod period);

template <class Fields>
void json_fields(Fields& f, Like<UsageLine> auto& row) {
  f("name", row.name);
  f("depth", row.depth);
  f("runs", row.runs);
  f("gpu_hours", row.gpu_hours);
  f("cpu_hours", row.cpu_hours);
  f("memory_gb_hours", row.memory_gb_hours);
  f("billing_hours", row.billing_hours);
  f("given", row.given);
  f("due", row.due);
}

template <class Fields>
void json_fields(Fields& f, Like<UsageReport> auto& row) {
  f("schema", row.schema);
  f("cluster", row.cluster);
  f("by", row.by);
  f("since", row.since);
  f("until", row.until);
  f("lines", row.lines);
  f("all", row.all);
}

}  // namespace sluice
