#include "views/holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/index_set.h"
#include "model/limit_table.h"
#include "text/array_spec.h"
#include "views/pool_words.h"
#include "views/reason_text.h"

namespace sluice {
namespace {

bool is_below(const Policy& policy, AssocId assoc, AssocId above) {
  for (std::optional<AssocId> at = assoc; at; at = policy.associations[at->index()].parent)
    if (*at == above) return true;
  return false;
}

bool of_one_user(Rule rule) { return limit_is_for_each(rule, LimitWhose::kUser); }

bool of_one_account(Rule rule) { return limit_is_for_each(rule, LimitWhose::kAccount); }

bool counts(const State& state, const Shape& waiting, const Shape& shape, const Run& run,
            const Reason& reason) {
  const Policy& policy = state.policy();
  if (of_one_user(reason.rule) && shape.user != waiting.user) return false;
  if (of_one_account(reason.rule) && shape.request->account != waiting.request->account)
    return false;
  switch (reason.holder) {
    case LimitHolder::kJobQos:
      return shape.qos && shape.qos->value() == reason.holder_id;
    case LimitHolder::kPartitionQos:
      return policy.partitions[run.partition.index()].qos == QosId(reason.holder_id);
    case LimitHolder::kAssociation:
      return shape.assoc && is_below(policy, *shape.assoc, AssocId(reason.holder_id));
    case LimitHolder::kPartition:
      return false;
    case LimitHolder::kNone:
      // The jobs on the nodes it could use.
      if (reason.rule != Rule::kResources || waiting.partitions.empty()) return false;
      for (const NodeShare& share : run.allocation.shares()) {
        const auto& nodes = policy.partitions[waiting.partitions.front().index()].nodes;
        if (std::find(nodes.begin(), nodes.end(), share.node) != nodes.end()) return true;
      }
      return false;
  }
  return false;
}

// No user has such a name.
constexpr const char* kUnseen = "(others)";

struct Sum {
  std::int64_t amount = 0;
  TresVector tres;
  std::vector<std::string> jobs;
  std::map<JobId, IndexSet> arrays;
};

}  // namespace

Holders holders_of(const State& state, const Job& waiting, const Reason& reason,
                   const Viewer* viewer) {
  Holders out;
  const Shape& asks = state.shape_of_job(waiting);
  const std::string unit = unit_text(state.policy(), reason);
  const bool counts_jobs = unit == "jobs" || (unit.empty() && reason.rule != Rule::kResources);
  std::map<std::string, Sum> sums;
  state.for_each_job([&](const Job& job) {
    if (!holds_nodes(job.state)) return;
    const Shape& shape = state.shape_of_job(job);
    const Run& run = state.run_of(job);
    if (!counts(state, asks, shape, run, reason)) return;
    const std::int64_t amount =
        counts_jobs ? 1 : run.tres[reason.rule == Rule::kResources ? kTresCpu : reason.tres];
    // A job without a GPU holds nothing of a limit on GPUs, and its end would make no room.
    if (amount == 0) return;
    const bool seen =
        viewer == nullptr || viewer->sees_job(shape.request->user, shape.request->account);
    Sum& sum = sums[seen ? shape.request->user : kUnseen];
    sum.amount += amount;
    sum.tres += run.tres;
    if (seen && job.array != JobId{} && !job.is_array)
      sum.arrays[job.array].insert(job.task);
    else if (seen)
      sum.jobs.push_back(std::to_string(job.id.value()));
    if (job.limit < kForever && job.state == JobState::kRunning)
      out.first_end = std::min(out.first_end.value_or(run.expected_end), run.expected_end);
  });
  constexpr std::size_t kShown = 6;  // More make no line that a person reads.
  for (auto& [user, sum] : sums) {
    for (const auto& [array, tasks] : sum.arrays)
      sum.jobs.push_back(fmt::format("{}_[{}]", array.value(), compress_indices(tasks)));
    const std::size_t more = sum.jobs.size() > kShown ? sum.jobs.size() - kShown : 0;
    sum.jobs.resize(std::min(sum.jobs.size(), kShown));
    HolderLine line;
    line.user = user;
    line.jobs = fmt::format("{}{}", fmt::join(sum.jobs, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : "");
    line.amount = sum.amount;
    // Of nodes anything may be what is missing.
    line.amount_text = reason.rule == Rule::kResources
                           ? amounts_text(sum.tres, state.policy().tres)
                           : amount_text(reason, sum.amount) + (unit.empty() ? "" : " " + unit);
    out.lines.push_back(std::move(line));
  }
  std::stable_sort(out.lines.begin(), out.lines.end(),
                   [](const HolderLine& a, const HolderLine& b) { return a.amount > b.amount; });
  return out;
}

}  // namespace sluice
