// Arithmetic is shown as it was done: held + asked against the limit.
#include "views/pool_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/limit_table.h"
#include "text/begin_time.h"
#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

std::string holder_text(const Bound& gate) {
  switch (gate.reason.holder) {
    case LimitHolder::kJobQos:
      return "qos " + gate.name;
    case LimitHolder::kPartitionQos:
      return "the partition's qos " + gate.name;
    case LimitHolder::kAssociation:
      return "account " + gate.name;
    case LimitHolder::kPartition:
      return "partition " + gate.name;
    case LimitHolder::kNone:
      break;
  }
  return gate.name;
}

bool is_of_tres(const Reason& reason) {
  const LimitRow* row = find_limit(reason);
  return reason.rule == Rule::kPartitionNodeLimit ||
         (row != nullptr && row->by_tres() && row->counts != LimitCounts::kUsedUp);
}

std::string whose(const Reason& reason) {
  if (limit_is_for_each(reason.rule, LimitWhose::kUser)) return " for each user";
  if (limit_is_for_each(reason.rule, LimitWhose::kAccount)) return " for each account";
  return {};
}

std::string closed_text(const Bound& gate) {
  switch (gate.reason.rule) {
    case Rule::kPartitionDown:
      return fmt::format("partition {} is down", gate.name);
    case Rule::kPartitionInactive:
      return fmt::format("partition {} is inactive", gate.name);
    case Rule::kAccountNotAllowed:
      return fmt::format("partition {} does not take this account", gate.name);
    case Rule::kQosNotAllowed:
      return fmt::format("partition {} does not take this QoS", gate.name);
    default:
      return fmt::format("partition {} does not take it", gate.name);
  }
}

std::string time_text(std::int64_t seconds_long) {
  return format_short_duration(seconds(seconds_long));
}

// What partitions bound has no dimension of its own in a reason.
Reason with_dimension(Reason reason) {
  if (reason.rule == Rule::kPartitionNodeLimit) reason.tres = kTresNode;
  if (reason.rule == Rule::kMaxMemoryPerLimit) reason.tres = kTresMem;
  return reason;
}

std::string alone_text(const Bound& gate, const TresRegistry& registry) {
  const Reason reason = with_dimension(gate.reason);
  if (reason.rule == Rule::kPartitionNodeLimit && reason.asked < reason.limit)
    return fmt::format("a task asks for {} nodes, {} wants at least {}", reason.asked,
                       holder_text(gate), reason.limit);
  if (limit_is_in(reason.rule, LimitUnit::kTime) || reason.rule == Rule::kPartitionTimeLimit)
    return fmt::format("a task asks for {}, {} allows {}", time_text(reason.asked),
                       holder_text(gate), time_text(reason.limit));
  const std::string word = dimension_word(reason, registry);
  if (reason.rule == Rule::kMinTresPerJob)
    return fmt::format("a task asks for {} of {}, {} wants at least {}",
                       amount_text(reason.tres, reason.asked), word, holder_text(gate),
                       amount_text(reason.tres, reason.limit));
  return fmt::format("a task asks for {} {}, {} allows {}", amount_text(reason.tres, reason.asked),
                     word, holder_text(gate), amount_text(reason.tres, reason.limit));
}

}  // namespace

std::string amount_text(TresIndex tres, std::int64_t amount) {
  return tres == kTresMem ? format_memory_mb(amount, MemoryStyle::kRounded)
                          : std::to_string(amount);
}

std::string dimension_word(const Reason& reason, const TresRegistry& registry) {
  if (const LimitRow* row = find_limit(reason.rule)) {
    if (row->unit == LimitUnit::kJobs)
      return row->counts == LimitCounts::kSubmitted ? "jobs in the queue" : "jobs that run";
    if (row->unit == LimitUnit::kTime) return "wall time";
    if (row->unit == LimitUnit::kTresMinutes) return registry.name(reason.tres) + " minutes";
  }
  if (reason.tres == kTresCpu) return "CPUs";
  if (reason.tres == kTresMem) return "memory";
  if (reason.tres == kTresNode) return "nodes";
  if (reason.tres == kTresGpu) return "GPUs";
  return registry.name(reason.tres);
}

std::string amounts_text(const TresVector& amounts, const TresRegistry& registry) {
  std::string out;
  const auto add = [&](std::string text) { out += (out.empty() ? "" : ", ") + std::move(text); };
  if (amounts[kTresGpu] != 0) add(fmt::format("{} GPU", amounts[kTresGpu]));
  if (amounts[kTresCpu] != 0) add(fmt::format("{} CPU", amounts[kTresCpu]));
  if (amounts[kTresMem] != 0) add(format_memory_mb(amounts[kTresMem], MemoryStyle::kRounded));
  for (std::size_t i = kStandardTres; i < registry.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    if (registry.name(tres).starts_with("license/") && amounts[tres] != 0)
      add(fmt::format("{} {}", amounts[tres], registry.name(tres)));
  }
  return out.empty() ? "-" : out;
}

std::string limits_text(const TresLimits& limits, const TresRegistry& registry) {
  TresVector amounts;
  for (std::size_t i = 0; i < registry.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    if (limits.has(tres)) amounts[tres] = limits[tres];
  }
  return amounts_text(amounts, registry);
}

std::string gate_text(const Bound& gate, const TaskNeed& need, const TresRegistry& registry) {
  const Reason& reason = gate.reason;
  switch (gate.kind) {
    case Bound::Kind::kClosed:
      return closed_text(gate);
    case Bound::Kind::kAlone:
      if (reason.rule == Rule::kBadConstraints)
        return fmt::format("no node of {} could ever hold {}", gate.name,
                           amounts_text(need.tres(registry), registry));
      if (!is_limit(reason.rule) && !gate.refusal.empty())
        return fmt::format("refused: {}", gate.refusal);
      return alone_text(gate, registry);
    case Bound::Kind::kNodes: {
      const std::string asked = amounts_text(need.tres(registry), registry);
      if (gate.fits == 0 && gate.lacks) {
        const TresVector all = need.tres(registry);
        TresVector lacking;
        lacking[*gate.lacks] = all[*gate.lacks];
        return fmt::format("no node of {} has {} free, of {} asked", gate.name,
                           amounts_text(lacking, registry), asked);
      }
      if (gate.fits == 0) return fmt::format("no node of {} has {} free", gate.name, asked);
      return fmt::format("nodes of {} have {} free {} {}", gate.name, asked, gate.fits,
                         gate.fits == 1 ? "time" : "times");
    }
    case Bound::Kind::kTogether:
    case Bound::Kind::kSubmission:
      break;
  }
  if (reason.rule == Rule::kLicenses)
    return fmt::format("licenses {}: {} held + {} asked {} {}", gate.name, reason.used,
                       reason.asked,
                       reason.used + reason.asked > reason.limit ? ">" : "<=", reason.limit);
  const std::string word = dimension_word(reason, registry);
  if (!is_of_tres(reason))
    return fmt::format(
        "{} of {}{}: {}{} of {}", word, holder_text(gate), whose(reason), reason.used,
        gate.awaited > 0 ? fmt::format(", {} of them waiting,", gate.awaited) : "", reason.limit);
  const std::string awaited = gate.awaited > 0 ? fmt::format(" + {} for waiting tasks",
                                                             amount_text(reason.tres, gate.awaited))
                                               : "";
  const bool over = reason.used + reason.asked > reason.limit;
  return fmt::format("{} of {}{}: {} held{} + {} asked {} {}", word, holder_text(gate),
                     whose(reason), amount_text(reason.tres, reason.used - gate.awaited), awaited,
                     amount_text(reason.tres, reason.asked),
                     over ? ">" : "<=", amount_text(reason.tres, reason.limit));
}

std::string block_text(const Block& block, std::string_view today) {
  std::string out = "blocked";
  if (!block.since.empty()) out += " since " + block.since;
  out += ": " + block.reason;
  if (!block.review.empty())
    out += fmt::format(" ({} {})", block.review < today ? "review was due on" : "review on",
                       block.review);
  return out;
}

std::string pool_name(const Pool& pool) {
  const bool same = pool.qos.empty() || pool.qos == pool.account;
  return fmt::format("{}{}{}/{}", pool.account, same ? "" : ":", same ? "" : pool.qos,
                     device_name(pool.device));
}

std::string slots_text(std::int64_t slots) {
  return slots >= kPlenty ? "any" : std::to_string(slots);
}

std::string no_room_text(const Pool& pool, const TresRegistry& registry) {
  if (pool.left_out != LeftOut::kNo) return "left out";
  if (!pool.tightest) return "no room";
  std::string why = gate_text(*pool.tightest, pool.need, registry);
  if (pool.room_by)
    why += fmt::format("; room by {} UTC if no job ends earlier", format_time(*pool.room_by));
  return (pool.never() ? "never: " : "full: ") + why;
}

std::string verdict_text(const Pool& pool, PoolVerdict verdict, const Route& route,
                         const TresRegistry& registry, std::string_view today) {
  const auto gate = [&] {
    return pool.tightest ? gate_text(*pool.tightest, pool.need, registry) : std::string("no room");
  };
  switch (verdict) {
    case PoolVerdict::kBlocked:
      return block_text(*pool.block, today);
    case PoolVerdict::kBurst:
      return "left out: burst, its capacity is not guaranteed";
    case PoolVerdict::kNoPartition:
      return fmt::format("no partition for {} tasks is known", device_name(pool.device));
    case PoolVerdict::kOtherDevice:
      return fmt::format("not asked for: {} tasks", device_name(pool.device));
    case PoolVerdict::kNever: {
      for (const Bound& one : pool.gates)
        if (one.kind == Bound::Kind::kAlone || one.kind == Bound::Kind::kClosed)
          return "never: " + gate_text(one, pool.need, registry);
      return "never: no node is large enough";
    }
    case PoolVerdict::kFull:
      return pool.now > 0 ? "full once the pools above have their tasks: they share nodes or limits"
                          : "full: " + gate();
    case PoolVerdict::kSubmitLimit: {
      for (const Bound& one : pool.gates)
        if (one.kind == Bound::Kind::kSubmission && one.fits == 0)
          return "no more may be submitted: " + gate_text(one, pool.need, registry);
      return "no more may be submitted";
    }
    case PoolVerdict::kSlower:
      return route.finish ? fmt::format("all is done in {} without it",
                                        format_friendly_duration(*route.finish))
                          : "all is done sooner without it";
    case PoolVerdict::kOthersFirst:
      return "others have more room, and suffice";
    case PoolVerdict::kUsed:
      break;
  }
  switch (route.mode) {
    case RouteMode::kSingle:
      return pool.device == Device::kGpu ? "most free GPUs, then memory"
                                         : "most free memory, then CPUs";
    case RouteMode::kFinish:
      return "finishes first";
    case RouteMode::kSlots:
      break;
  }
  return fmt::format("{} {} free now", slots_text(pool.now_jointly),
                     pool.now_jointly == 1 ? "slot" : "slots");
}

}  // namespace sluice
