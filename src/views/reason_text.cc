#include "views/reason_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/limit_table.h"
#include "policy/gates.h"
#include "policy/usage_threshold.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/plural.h"

namespace sluice {
namespace {

bool is_time(Rule rule) {
  return limit_is_in(rule, LimitUnit::kTime) || rule == Rule::kPartitionTimeLimit;
}

bool counts_tres(Rule rule) { return limit_is_in(rule, LimitUnit::kTres); }
bool counts_tres_minutes(Rule rule) { return limit_is_in(rule, LimitUnit::kTresMinutes); }

std::string threshold_text(const Reason& reason, const std::string& holder) {
  if (reason.limit == kNoThreshold)
    return fmt::format(
        "{} asks for fairshare (EnforceUsageThreshold) and sets no UsageThreshold, so "
        "none of its jobs starts",
        holder);
  return fmt::format("UsageThreshold of {}: fairshare gives {}, and {} is asked for", holder,
                     amount_text(reason, reason.used), amount_text(reason, reason.limit));
}

}  // namespace

std::string amount_text(const Reason& reason, std::int64_t amount) {
  if (reason.rule == Rule::kUsageThreshold)
    return amount == kNoThreshold ? "none"
                                  : fmt::format("{:.6g}", static_cast<double>(amount) / 1e6);
  if (is_time(reason.rule)) return format_duration(seconds(amount));
  if ((counts_tres(reason.rule) && reason.tres == kTresMem) ||
      reason.rule == Rule::kMaxMemoryPerLimit)
    return format_memory_mb(amount);
  return fmt::format("{}", amount);
}

std::string unit_text(const Policy& policy, const Reason& reason) {
  if (is_time(reason.rule) || reason.rule == Rule::kMaxMemoryPerLimit) return {};
  if (counts_tres(reason.rule)) return policy.tres.name(reason.tres);
  if (counts_tres_minutes(reason.rule)) return policy.tres.name(reason.tres) + " minutes";
  switch (reason.rule) {
    case Rule::kPartitionNodeLimit:
      return "nodes";
    case Rule::kPartitionConfig:
      return "cpu";
    default:
      return is_limit(reason.rule) ? "jobs" : "";
  }
}

std::string limit_numbers(const Policy& policy, const Reason& reason) {
  const std::string name = limit_name(policy, reason);
  if (name.empty()) return {};
  const std::string holder = holder_name(policy, reason);
  if (reason.rule == Rule::kUsageThreshold) return threshold_text(reason, holder);
  return fmt::format("{}{}: limit {}, used {}, asked {}", name,
                     holder.empty() ? "" : " of " + holder, amount_text(reason, reason.limit),
                     amount_text(reason, reason.used), amount_text(reason, reason.asked));
}

std::string time_until(Instant time, Instant now) {
  return format_friendly_duration(seconds(std::max<std::int64_t>(to_seconds(time - now), 0) + 1));
}

std::string reservation_in_the_way(const State& state, const Reason& reason, Instant now) {
  if (reason.holder_id >= state.reservations().size()) return {};
  const KeptReservation& kept = state.reservations()[reason.holder_id];
  const Instant from = kept.from(now);
  std::string out = "reservation " + kept.told.name;
  if (kept.told.flags.time_float)
    return out + " is always " + format_friendly_duration(kept.told.ahead) + " ahead";
  if (from > now) out += " begins in " + time_until(from, now) + " and";
  return out + " ends in " + time_until(kept.told.end, now);
}

std::string reason_detail(const Engine& engine, const Job& job, const Explanation& why,
                          Instant now) {
  const State& state = engine.state();
  const Policy& policy = state.policy();
  const Reason& reason = why.reason;
  if (const std::string numbers = limit_numbers(policy, reason); !numbers.empty()) return numbers;
  switch (reason.rule) {
    case Rule::kBeginTime:
      return job.begin > now
                 ? "begins in " + format_friendly_duration(seconds(to_seconds(job.begin - now) + 1))
                 : "";
    case Rule::kReservation:
      return fmt::format("reservation {} begins in {}",
                         state.shape_of_job(job).request->reservation,
                         time_until(instant_at(seconds(reason.limit)), now));
    case Rule::kNodeReserved:
      return reservation_in_the_way(state, reason, now);
    case Rule::kDependency:
    case Rule::kDependencyNeverSatisfied:
      return format_dependencies(state.shape_of_job(job).request->dependencies);
    case Rule::kArrayTaskLimit:
      if (const Array* array = state.find_array(job.array); array != nullptr && array->throttle)
        return fmt::format("{} {}, and at most {} may run at once",
                           plural(static_cast<std::uint64_t>(array->holding), "task"),
                           array->holding == 1 ? "runs" : "run", *array->throttle);
      return {};
    default:
      return {};
  }
}

}  // namespace sluice
