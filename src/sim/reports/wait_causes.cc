#include "sim/reports/wait_causes.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "policy/gates.h"

namespace sluice {
namespace {

// Of a queue, at one look; evenly spread.
constexpr std::size_t kJobsLookedAt = 16;
// A table of pairs with more says nothing to anybody.
constexpr std::size_t kMostUserPairs = 40'000;

const std::string& account_of(const State& state, const Shape& shape) {
  return shape.assoc ? state.policy().associations[shape.assoc->index()].account
                     : shape.request->account;
}

enum class Scope : std::uint8_t { kItself, kUser, kAccount, kGroup };

Scope scope_of(Rule rule) {
  switch (rule) {
    case Rule::kGrpTres:
    case Rule::kGrpTresMinutes:
    case Rule::kGrpTresRunMinutes:
    case Rule::kGrpJobs:
    case Rule::kGrpSubmitJobs:
    case Rule::kGrpWall:
      return Scope::kGroup;
    case Rule::kMaxTresPerUser:
    case Rule::kMaxTresRunMinutesPerUser:
    case Rule::kMaxJobsPerUser:
    case Rule::kMaxSubmitJobsPerUser:
      return Scope::kUser;
    case Rule::kMaxTresPerAccount:
    case Rule::kMaxTresRunMinutesPerAccount:
    case Rule::kMaxJobsPerAccount:
    case Rule::kMaxSubmitJobsPerAccount:
      return Scope::kAccount;
    default:
      return Scope::kItself;
  }
}

// Time, dependencies and holds are no other job's doing.
bool is_somebodys(Rule rule) {
  switch (rule) {
    case Rule::kBeginTime:
    case Rule::kDependency:
    case Rule::kDependencyNeverSatisfied:
    case Rule::kHeldByUser:
    case Rule::kHeldByAdmin:
    case Rule::kHeldAfterRequeues:
    case Rule::kReservation:
    case Rule::kReservationDeleted:
    case Rule::kNodeDown:
    case Rule::kPartitionDown:
    case Rule::kPartitionInactive:
      return false;
    default:
      return true;
  }
}

bool is_below(const Policy& policy, AssocId assoc, AssocId top) {
  for (std::optional<AssocId> at = assoc; at; at = policy.associations[at->index()].parent)
    if (*at == top) return true;
  return false;
}

}  // namespace

struct WaitCauses::Waiter {
  const Shape* shape = nullptr;
  const std::string* account = nullptr;
  const std::string* user = nullptr;
  std::optional<Reason> limit;  // Nothing: waits for nodes.
  std::vector<bool> nodes;      // Of its partitions.
};

void WaitCauses::settle(Instant now) {
  const auto time = static_cast<double>((now - seen_at_).count());
  seen_at_ = now;
  if (time <= 0) return;
  for (const auto& [word, jobs] : seen_.reasons) found_.reasons[word] += jobs * time;
  for (const auto& [pair, jobs] : seen_.accounts) found_.accounts[pair] += jobs * time;
  if (!counts_users_) return;
  for (const auto& [pair, jobs] : seen_.users) found_.users[pair] += jobs * time;
  if (found_.users.size() <= kMostUserPairs) return;
  counts_users_ = false;
  found_.users.clear();
}

void WaitCauses::look(const Engine& engine, Instant now) {
  settle(now);
  seen_ = {};
  const State& state = engine.state();
  // By number: how the queue lies in memory depends on when it was put in order.
  std::vector<JobId> waiting;
  const std::vector<QueueEntry>& entries = engine.queue().entries();
  for (std::size_t at = engine.queue().head(); at < entries.size(); ++at)
    if (!entries[at].gone) waiting.push_back(entries[at].job);
  std::sort(waiting.begin(), waiting.end());
  waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
  if (waiting.empty()) return;
  const std::size_t stride = std::max<std::size_t>(waiting.size() / kJobsLookedAt, 1);
  std::vector<std::pair<std::string, Waiter>> seen;
  for (std::size_t at = 0; at < waiting.size(); at += stride) {
    const Job* job = state.find_job(waiting[at]);
    if (job == nullptr || job->state != JobState::kPending) continue;
    Waiter waiter;
    waiter.shape = &state.shape_of_job(*job);
    waiter.account = &account_of(state, *waiter.shape);
    waiter.user = &waiter.shape->request->user;
    std::string word = "Resources or Priority";
    for (const Gate& gate : gates_of(state, *waiter.shape, waiter.shape->partitions.front(),
                                     job->limit, waiter.shape->asked, now)) {
      if (gate.passed) continue;
      waiter.limit = gate.reason;
      word = slurm_word(gate.reason, state.policy().tres);
      if (const std::string holder = holder_name(state.policy(), gate.reason); !holder.empty())
        word += " of " + holder;
      break;
    }
    seen.emplace_back(std::move(word), std::move(waiter));
  }
  if (seen.empty()) return;
  read_holdings(state);
  const double jobs = static_cast<double>(waiting.size()) / static_cast<double>(seen.size());
  for (auto& [word, waiter] : seen) {
    seen_.reasons[word] += jobs;
    if (waiter.limit && !is_somebodys(waiter.limit->rule)) continue;
    if (!waiter.limit) {
      waiter.nodes.assign(state.policy().nodes.size(), false);
      for (const PartitionId partition : waiter.shape->partitions)
        for (const NodeId node : state.policy().partitions[partition.index()].nodes)
          waiter.nodes[node.index()] = true;
    }
    blame(state, waiter, jobs);
  }
}

void WaitCauses::read_holdings(const State& state) {
  holdings_.clear();
  for (const ExpectedEnd& end : state.expected_ends()) {
    const Job& job = state.job(end.job);
    const Run& run = state.run_of(job);
    if (run.allocation.empty()) continue;
    const Shape& shape = state.shape_of_job(job);
    Holding& out = holdings_.emplace_back();
    out.account = &account_of(state, shape);
    out.user = &shape.request->user;
    out.has_assoc = shape.assoc.has_value();
    if (shape.assoc) out.assoc = *shape.assoc;
    out.qos = shape.qos;
    out.partition = run.partition;
    out.partition_qos = state.policy().partitions[run.partition.index()].qos;
    out.node = run.allocation.shares().front().node;
    for (const NodeShare& share : run.allocation.shares()) {
      out.cpus += share.cpus;
      out.gpus += std::popcount(share.gpus);
      out.memory += static_cast<double>(share.memory_mb);
    }
  }
}

double WaitCauses::held_for(const State& state, const Waiter& waiter,
                            const Holding& holding) const {
  if (!waiter.limit) {
    if (!waiter.nodes[holding.node.index()]) return 0;
    return waiter.shape->gpus.empty() ? holding.cpus : holding.gpus;
  }
  const Reason& limit = *waiter.limit;
  const Scope scope = scope_of(limit.rule);
  if (scope == Scope::kItself) return 0;
  if (scope == Scope::kUser && *holding.user != *waiter.user) return 0;
  if (scope == Scope::kAccount && *holding.account != *waiter.account) return 0;
  if (limit.holder == LimitHolder::kAssociation) {
    if (!holding.has_assoc || !is_below(state.policy(), holding.assoc, AssocId(limit.holder_id)))
      return 0;
  } else if (holding.qos != QosId(limit.holder_id) &&
             holding.partition_qos != QosId(limit.holder_id)) {
    return 0;
  }
  if (limit.rule == Rule::kGrpJobs || limit.rule == Rule::kMaxJobsPerUser ||
      limit.rule == Rule::kMaxJobsPerAccount)
    return 1;
  if (limit.tres == kTresGpu) return holding.gpus;
  if (limit.tres == kTresMem) return holding.memory;
  if (limit.tres == kTresCpu) return holding.cpus;
  return 1;
}

void WaitCauses::blame(const State& state, const Waiter& waiter, double jobs) {
  double all = 0;
  std::vector<double> parts;
  parts.reserve(holdings_.size());
  for (const Holding& holding : holdings_) {
    parts.push_back(held_for(state, waiter, holding));
    all += parts.back();
  }
  if (all <= 0) {
    seen_.accounts[{*waiter.account, *waiter.account}] += jobs;
    seen_.users[{*waiter.user, *waiter.user}] += jobs;
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] <= 0) continue;
    const double part = jobs * parts[i] / all;
    seen_.accounts[{*waiter.account, *holdings_[i].account}] += part;
    if (counts_users_) seen_.users[{*waiter.user, *holdings_[i].user}] += part;
  }
}

}  // namespace sluice
