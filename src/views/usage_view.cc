#include "views/usage_view.h"

#include <algorithm>
#include <map>

namespace sluice {
namespace {

// Every run in an account counts for those above it as well.
class Tree {
 public:
  explicit Tree(std::span<const DueShare> shares) : shares_(shares) {
    std::map<std::string, std::int64_t> of_level;
    for (const DueShare& each : shares)
      if (!each.shares_of_parent) of_level[each.parent] += each.shares;
    for (const DueShare& each : shares) {
      const std::optional<double> due = due_of(each, of_level[each.parent]);
      if (each.user.empty()) {
        parents_.emplace(each.account, each.parent);
        accounts_.emplace(each.account, due);
      } else if (due) {
        users_[each.user] += *due;
      }
    }
  }

  std::optional<double> due(UsageBy by, const std::string& name) const {
    if (by == UsageBy::kQos) return std::nullopt;
    if (by == UsageBy::kUser) {
      const auto found = users_.find(name);
      return found == users_.end() ? std::nullopt : std::optional(found->second);
    }
    const auto found = accounts_.find(name);
    return found == accounts_.end() ? std::nullopt : found->second;
  }

  const std::string* parent(const std::string& account) const {
    const auto found = parents_.find(account);
    return found == parents_.end() || found->second.empty() ? nullptr : &found->second;
  }
  bool has(const std::string& account) const { return parents_.contains(account); }

  // The root and all accounts, each with those below it.
  std::vector<UsageLine> accounts() const {
    std::vector<UsageLine> out;
    add_below("", 0, out);
    return out;
  }

 private:
  // Unknown where it has its parent's shares: then nothing is due to it alone.
  std::optional<double> due_of(const DueShare& each, std::int64_t of_level) const {
    if (each.parent.empty()) return 1.0;
    const auto above = accounts_.find(each.parent);
    if (each.shares_of_parent || above == accounts_.end() || !above->second || of_level <= 0)
      return std::nullopt;
    return *above->second * static_cast<double>(each.shares) / static_cast<double>(of_level);
  }

  void add_below(const std::string& account, std::int64_t depth,
                 std::vector<UsageLine>& out) const {
    for (const DueShare& each : shares_) {
      if (!each.user.empty() || each.parent != account) continue;
      UsageLine line;
      line.name = each.account;
      line.depth = depth;
      out.push_back(std::move(line));
      add_below(each.account, depth + 1, out);
    }
  }

  std::span<const DueShare> shares_;
  std::map<std::string, std::string> parents_;
  std::map<std::string, std::optional<double>> accounts_;
  std::map<std::string, double> users_;
};

void add_run(UsageLine& line, const UsedRun& run, double hours) {
  constexpr double kMbOfGb = 1024;
  ++line.runs;
  line.gpu_hours += static_cast<double>(run.gpus) * hours;
  line.cpu_hours += static_cast<double>(run.cpus) * hours;
  line.memory_gb_hours += static_cast<double>(run.memory_mb) / kMbOfGb * hours;
  line.billing_hours += static_cast<double>(run.billing) * hours;
}

const std::string& name_of(const UsedRun& run, UsageBy by) {
  return by == UsageBy::kUser ? run.user : by == UsageBy::kQos ? run.qos : run.account;
}

}  // namespace

UsageReport usage_report(std::span<const UsedRun> runs, std::span<const DueShare> shares,
                         UsageBy by, UsagePeriod period) {
  constexpr std::string_view kWords[] = {"account", "user", "qos"};
  constexpr double kMsOfHour = 3'600'000;
  const Tree tree(shares);
  UsageReport out;
  out.by = kWords[static_cast<std::size_t>(by)];
  out.since = period.since;
  out.until = period.until;
  out.all.name = "all";
  std::map<std::string, UsageLine> sums;
  for (const UsedRun& run : runs) {
    const Instant from = std::max(run.started, period.since);
    const Instant to = std::min(run.ended.value_or(period.until), period.until);
    // One that took no time at all has run, too.
    const bool at_once = to == from && run.ended == run.started && from == run.started;
    if (to <= from && !at_once) continue;
    const double hours = static_cast<double>((to - from).count()) / kMsOfHour;
    add_run(out.all, run, hours);
    for (const std::string* name = &name_of(run, by); name != nullptr;
         name = by == UsageBy::kAccount ? tree.parent(*name) : nullptr)
      add_run(sums[*name], run, hours);
  }
  if (by == UsageBy::kAccount) out.lines = tree.accounts();
  // What is gone from the tree was used all the same.
  for (const auto& [name, line] : sums)
    if (by != UsageBy::kAccount || !tree.has(name)) {
      out.lines.emplace_back();
      out.lines.back().name = name;
    }
  for (UsageLine& line : out.lines) {
    const std::int64_t depth = line.depth;
    const std::string name = line.name;
    if (const auto found = sums.find(name); found != sums.end()) line = found->second;
    line.name = name;
    line.depth = depth;
    line.due = tree.due(by, name);
    if (out.all.billing_hours > 0) line.given = line.billing_hours / out.all.billing_hours;
  }
  if (out.all.billing_hours > 0) out.all.given = 1;
  if (by != UsageBy::kAccount)
    std::stable_sort(
        out.lines.begin(), out.lines.end(),
        [](const UsageLine& a, const UsageLine& b) { return a.billing_hours > b.billing_hours; });
  return out;
}

}  // namespace sluice
