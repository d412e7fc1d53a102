// A quality of service: priority, limits, flags, and whom its jobs may push out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/limit_table.h"
#include "model/preemption.h"

namespace sluice {

struct QosFlags {
  bool deny_on_limit = false;
  bool over_part_qos = false;
  bool partition_time_limit = false;
  bool partition_max_nodes = false;
  bool partition_min_nodes = false;
  bool no_decay = false;
  bool no_reserve = false;
  bool require_reservation = false;
  bool enforce_usage_threshold = false;
  bool usage_factor_safe = false;
  friend bool operator==(const QosFlags&, const QosFlags&) = default;
};

struct Qos {
  std::string name;
  std::string description;
  std::int64_t priority = 0;
  GroupLimits group;
  JobLimits job;
  HolderLimits user;
  HolderLimits account;
  QosFlags flags;
  std::vector<QosId> preempt;               // The QoS whose jobs this one may push out.
  std::optional<PreemptMode> preempt_mode;  // Nothing: the cluster's.
  std::optional<Duration> preempt_exempt_time;
  Duration grace_time{0};
  std::int64_t usage_factor_millionths = 1'000'000;
  // LimitFactor: limits of associations on resources count so many millionths under this QoS.
  std::optional<std::int64_t> limit_factor_millionths;
  // UsageThreshold: what fairshare must give to a job's priority for it to start, in millionths.
  std::optional<std::int64_t> usage_threshold_millionths;
  friend bool operator==(const Qos&, const Qos&) = default;
};

}  // namespace sluice
