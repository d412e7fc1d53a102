#include "shims/sacctmgr_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "model/limit_table.h"
#include "shims/words.h"
#include "text/duration.h"
#include "text/scan.h"
#include "text/tres.h"

namespace sluice {
namespace {

using Outcome = std::optional<SacctmgrTrouble>;
using Trouble = SacctmgrTrouble;

// -1 lifts a limit; what is no number changes nothing.
Outcome set_amount(std::optional<std::int64_t>& slot, std::string_view name,
                   const SacctmgrPair& it) {
  const auto number = signed_number(it.value);
  if (!number || *number < -1)
    return Trouble{fmt::format("sacctmgr: error: Invalid value for {} ({})", name, it.value)};
  slot = *number >= 0 ? number : std::nullopt;
  return std::nullopt;
}
Outcome set_time(std::optional<Duration>& slot, std::string_view name, const SacctmgrPair& it) {
  if (it.value == "-1") return slot.reset(), std::nullopt;
  const auto limit = parse_duration(it.value);
  if (!limit) return Trouble{fmt::format(" Bad {} time format: {}", name, it.word)};
  slot = limit->duration;
  return std::nullopt;
}

Outcome set_tres(const Policy& policy, TresLimits& slot, const SacctmgrPair& it) {
  const auto edits = parse_tres_edits(it.value, policy.tres);
  if (!edits) return Trouble{" Bad " + it.word + ": " + edits.error().what};
  slot = edited(slot, *edits);
  return std::nullopt;
}

// Sets the limit that a word names, as sacctmgr and the policy file spell it.
class LimitSetter {
 public:
  LimitSetter(const Policy& policy, std::string_view name, const SacctmgrPair& pair)
      : policy_(policy), name_(name), pair_(pair) {}

  void operator()(const LimitRow& row, TresLimits& slot) {
    if (is_named(row)) outcome_ = set_tres(policy_, slot, pair_);
  }
  void operator()(const LimitRow& row, std::optional<std::int64_t>& slot) {
    if (is_named(row)) outcome_ = set_amount(slot, row.name, pair_);
  }
  void operator()(const LimitRow& row, std::optional<Duration>& slot) {
    if (is_named(row)) outcome_ = set_time(slot, row.name, pair_);
  }
  bool found() const { return found_; }
  Outcome outcome() const { return outcome_; }

 private:
  bool is_named(const LimitRow& row) {
    const bool named =
        same_ignoring_case(row.name, name_) || same_ignoring_case(row.column, name_) ||
        std::any_of(row.aliases.begin(), row.aliases.end(),
                    [&](std::string_view alias) { return same_ignoring_case(alias, name_); });
    found_ |= named;
    return named;
  }

  const Policy& policy_;
  std::string_view name_;
  const SacctmgrPair& pair_;
  bool found_ = false;
  Outcome outcome_;
};

Outcome bad_qos(const Policy& policy, std::string_view name) {
  std::string all;
  for (const Qos& qos : policy.qos) all += (all.empty() ? "" : ",") + qos.name;
  return Trouble{
      fmt::format("sacctmgr: error: You gave a bad qos '{}'. Valid QOS's are {}", name, all)};
}

Outcome set_list(const Policy& policy, std::vector<QosId>& list, const SacctmgrPair& it) {
  if (it.sign == "=") list.clear();
  for (const std::string_view name : split(it.value, ',')) {
    if (name.empty()) continue;
    const auto id = policy.find_qos(name);
    if (!id) return bad_qos(policy, name);
    std::erase(list, *id);
    if (it.sign != "-=") list.push_back(*id);
  }
  return std::nullopt;
}

Outcome set_flags(QosFlags& flags, const SacctmgrPair& it) {
  if (it.sign == "=") flags = {};
  const bool on = it.sign != "-=";
  for (const std::string_view word : split(it.value, ',')) {
    const std::string name = to_lower(word);
    if (name == "denyonlimit")
      flags.deny_on_limit = on;
    else if (name == "overpartqos")
      flags.over_part_qos = on;
    else if (name == "partitiontimelimit")
      flags.partition_time_limit = on;
    else if (name == "partitionmaxnodes")
      flags.partition_max_nodes = on;
    else if (name == "partitionminnodes")
      flags.partition_min_nodes = on;
    else if (name == "nodecay")
      flags.no_decay = on;
    else if (name == "noreserve")
      flags.no_reserve = on;
    else if (name != "-1" && !name.empty())
      return Trouble{fmt::format(
          " Unknown QOS flag used in:\n  '{}'\n Valid QOS flags are\n  'DenyOnLimit,NoReserve,"
          "PartitionMaxNodes,PartitionMinNodes,OverPartQOS,PartitionTimeLimit,NoDecay'",
          word)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SacctmgrTrouble> set_qos(const Policy& policy, Qos& qos, const SacctmgrPair& it) {
  const auto starts = [&](std::string_view name) {
    return it.name.size() >= 4 && name.starts_with(it.name);
  };
  // A QoS has no limit of one association's jobs: those of each user are meant.
  LimitSetter set(policy,
                  it.name == "maxjobs"         ? "MaxJobsPerUser"
                  : it.name == "maxsubmitjobs" ? "MaxSubmitJobsPerUser"
                                               : std::string_view(it.name),
                  it);
  each_limit_of_qos(qos, std::ref(set));
  if (set.found()) return set.outcome();
  if (starts("preempt")) return set_list(policy, qos.preempt, it);
  if (starts("flags")) return set_flags(qos.flags, it);
  if (starts("priority")) {
    std::optional<std::int64_t> priority;
    if (const Outcome bad = set_amount(priority, "Priority", it)) return bad;
    qos.priority = priority.value_or(0);
  } else if (starts("description")) {
    qos.description = it.value;
  } else if (starts("gracetime")) {
    std::optional<Duration> time;
    if (const Outcome bad = set_time(time, "GraceTime", it)) return bad;
    qos.grace_time = time.value_or(Duration(0));
  } else {
    return Trouble{" Unknown option: " + it.word + "\n Use keyword 'where' to modify condition"};
  }
  return std::nullopt;
}

std::optional<SacctmgrTrouble> set_association(const Policy& policy, Association& assoc,
                                               const SacctmgrPair& it) {
  LimitSetter set(policy, it.name, it);
  each_limit_of_association(assoc, std::ref(set));
  if (set.found()) return set.outcome();
  if (it.name == "share" || it.name == "shares" ||
      (it.name.size() >= 4 && std::string_view("fairshare").starts_with(it.name))) {
    assoc.shares_of_parent = is_word(it.value, "parent");
    std::optional<std::int64_t> shares;
    if (!assoc.shares_of_parent)
      if (const Outcome bad = set_amount(shares, "FairShare", it)) return bad;
    if (!assoc.shares_of_parent) assoc.shares = shares.value_or(1);
  } else if (it.name == "priority") {
    return set_amount(assoc.priority, "Priority", it);
  } else if (it.name == "qos" || it.name == "qoslevel") {
    if (assoc.qos.empty() && it.sign != "=") {
      const auto place = static_cast<std::uint32_t>(&assoc - policy.associations.data());
      if (place < policy.associations.size()) assoc.qos = policy.allowed_qos(AssocId(place));
    }
    return set_list(policy, assoc.qos, it);
  } else if (it.name == "defaultqos") {
    assoc.default_qos = policy.find_qos(it.value);
    if (!assoc.default_qos && it.value != "-1") return bad_qos(policy, it.value);
  } else if (it.name == "description") {
    assoc.description = it.value;
  } else if (it.name != "organization" && it.name != "cluster") {
    return Trouble{" Unknown option: " + it.word + "\n Use keyword 'where' to modify condition"};
  }
  return std::nullopt;
}

}  // namespace sluice
