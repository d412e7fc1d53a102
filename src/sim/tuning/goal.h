// What a simulation should come to: "p95 wait of interactive <= 10m".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/reports/report.h"

namespace sluice {

enum class GoalFigure : std::uint8_t {
  kMeanWait,
  kMedianWait,
  kP95Wait,
  kP99Wait,
  kLongestWait,
  kSlowdown,
  kShare,
  kRefused,
  kPreemptions,
  kUtilisation
};

// Whose figure it is. A name may be that of an account and of a QoS.
enum class GoalScope : std::uint8_t { kAny, kAccount, kQos, kUser, kPartition, kResource };

std::string_view scope_word(GoalScope scope);  // "account", "QoS"

struct Goal {
  std::string text;  // As written.
  GoalFigure figure = GoalFigure::kMeanWait;
  GoalScope scope = GoalScope::kAny;  // The first of them that has the name.
  std::string of;  // An account, QoS, user or partition, or a resource; empty: of all.
  bool at_least = false;
  double bound = 0;  // Seconds, a fraction, or a count.

  // Nothing where no job that ran is of that name.
  std::optional<double> value_in(const SimulationReport& report) const;
  bool is_met_by(double value) const { return at_least ? value >= bound : value <= bound; }
  // Whether `a` is nearer to what is wanted than `b`.
  bool better(double a, double b) const { return at_least ? a > b : a < b; }
  std::string value_text(double value) const;
};

// [mean|median|p95|p99|longest] wait [of NAME] <= 10m, slowdown [of NAME] <= 3, share of NAME >=
// 40%, refused [of NAME] <= 0, preemptions [of NAME] <= 10, utilisation [of CPUs|GPUs|memory] >=
// 80%. NAME is a name, or account, qos, user or partition and a name.
Result<Goal> parse_goal(std::string_view text);

}  // namespace sluice
