#include "views/why_help.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/default_memory.h"
#include "model/limit_table.h"
#include "policy/admission.h"
#include "policy/cpu_cap.h"
#include "policy/limits.h"
#include "policy/partition_access.h"
#include "policy/placement.h"
#include "policy/usage_threshold.h"
#include "text/duration.h"
#include "text/memory.h"
#include "views/job_line.h"
#include "views/reason_text.h"

namespace sluice {
namespace {

// What would become of the job with another request.
enum class Trial : std::uint8_t {
  kStarts,
  kWaitsItsTurn,  // No limit stops it any more; nodes are not free yet.
  kNoHelp,        // Refused, or stopped by a limit all the same.
};

class Trials {
 public:
  Trials(const Engine& engine, const Job& job, Instant now)
      : state_(engine.state()), job_(job), now_(now), topology_(state_.policy()) {
    read_free(state_, free_);
  }

  // What the request as it is would meet once nothing but limits and nodes counts: "" where it
  // starts.
  std::string afterwards() const {
    const Shape& shape = state_.shape_of_job(job_);
    Met best{Trial::kNoHelp, {}};
    for (const PartitionId partition : shape.partitions) {
      const Met one = in(shape, partition, job_.limit);
      if (one.trial < best.trial || !best.reason) best = one;
    }
    if (best.trial == Trial::kStarts) return {};
    if (best.trial == Trial::kWaitsItsTurn) return "; it then waits for free nodes";
    if (!best.reason) return {};
    const std::string numbers = limit_numbers(state_.policy(), *best.reason);
    return "; it then waits: " +
           (numbers.empty() ? slurm_word(*best.reason, state_.policy().tres) : numbers);
  }

  Trial of(const JobSpec& changed) const {
    const Admission admission = admit_change(state_, job_, changed, now_);
    const auto* request = std::get_if<std::shared_ptr<const JobSpec>>(&admission);
    if (request == nullptr) return Trial::kNoHelp;
    const Shape shape =
        shape_of(state_.policy(), state_.names(), *request, state_.shape_of_job(job_).user);
    Trial out = Trial::kNoHelp;
    for (const PartitionId partition : shape.partitions) {
      const Trial one = in(shape, partition, shape.limit).trial;
      if (one < out) out = one;
    }
    return out;
  }

 private:
  struct Met {
    Trial trial;
    std::optional<Reason> reason;  // The limit that stops it.
  };

  Met in(const Shape& shape, PartitionId partition, Duration limit) const {
    if (auto reason = partition_gate(state_, shape, partition, limit))
      return {Trial::kNoHelp, reason};
    if (auto reason = threshold_now(state_, shape)) return {Trial::kNoHelp, reason};
    if (auto reason = limit_before_placement(state_, shape, partition, limit, now_))
      return {Trial::kNoHelp, reason};
    std::vector<NodeFree> free = free_;
    CpuCap(state_, partition).apply(state_.policy(), shape, free);
    const auto nodes = place(topology_, shape, partition, free);
    const TresVector tres =
        nodes ? tres_of(state_.policy(), shape, partition, *nodes) : shape.asked;
    if (auto reason = limit_after_placement(state_, shape, partition, limit, tres, now_,
                                            nodes ? &*nodes : nullptr))
      return {Trial::kNoHelp, reason};
    return {nodes ? Trial::kStarts : Trial::kWaitsItsTurn, {}};
  }

  const State& state_;
  const Job& job_;
  Instant now_;
  Topology topology_;
  std::vector<NodeFree> free_;
};

class Advice {
 public:
  Advice(const Engine& engine, const Job& job, const std::string& id, Instant now)
      : policy_(engine.state().policy()),
        shape_(engine.state().shape_of_job(job)),
        id_(id),
        trials_(engine, job, now) {}

  // Says it only where the changed request starts, or waits for nothing but its turn.
  template <class Change>
  void try_out(std::string what, const std::string& option, Change change) {
    JobSpec changed = *shape_.request;
    change(changed);
    const Trial trial = trials_.of(changed);
    if (trial == Trial::kNoHelp) return;
    if (trial == Trial::kWaitsItsTurn) what += "; it then waits for free nodes";
    lines_.push_back({std::move(what), fmt::format("sluice update {} {}", id_, option)});
  }

  // Other QoS the job may use.
  void other_qos() {
    if (!shape_.assoc) return;
    for (const QosId qos : policy_.allowed_qos(*shape_.assoc)) {
      const std::string& name = policy_.qos[qos.index()].name;
      if (shape_.qos != qos)
        try_out("move it to QoS " + name, "--qos=" + name, [&](JobSpec& spec) { spec.qos = name; });
    }
  }
  void other_accounts() {
    for (const Association& assoc : policy_.associations)
      if (!assoc.user.empty() && assoc.user == shape_.request->user &&
          assoc.account != shape_.request->account)
        try_out("charge account " + assoc.account, "--account=" + assoc.account,
                [&](JobSpec& spec) { spec.account = assoc.account; });
  }
  // Where its own partition never takes it.
  void other_partitions() {
    for (const Partition& each : policy_.partitions) {
      const auto& own = shape_.request->partitions;
      if (std::find(own.begin(), own.end(), each.name) != own.end()) continue;
      try_out("move it to partition " + each.name, "--partition=" + each.name,
              [&](JobSpec& spec) { spec.partitions = {each.name}; });
    }
  }
  void fewer_cpus(std::int64_t most) {
    if (most < shape_.tasks) return;
    const std::int64_t each = most / std::max(1, shape_.tasks);
    try_out(fmt::format("ask for at most {} CPU{}", most, most == 1 ? "" : "s"),
            fmt::format("--cpus-per-task={}", each),
            [&](JobSpec& spec) { spec.cpus_per_task = static_cast<std::int32_t>(each); });
  }
  // What is left of a limit that is shared, or what one job may have.
  void smaller(const Reason& reason) {
    const std::int64_t left = reason.limit - reason.used;
    if (left <= 0) return;
    if (reason.tres == kTresMem) {
      const std::int64_t mb = left / std::max(1, shape_.min_nodes);
      try_out(fmt::format("ask for at most {}", format_memory_mb(mb, MemoryStyle::kRounded)),
              "--mem=" + format_memory_mb(mb, MemoryStyle::kMegabytes), [&](JobSpec& spec) {
                spec.memory = MemoryRequest{MemoryPer::kNode, mb};
              });
    } else if (reason.tres == kTresCpu && left >= shape_.tasks) {
      const std::int64_t cpus = left / std::max(1, shape_.tasks);
      try_out("ask for fewer CPUs", fmt::format("--cpus-per-task={}", cpus),
              [&](JobSpec& spec) { spec.cpus_per_task = static_cast<std::int32_t>(cpus); });
    }
  }
  void shorter(const Reason& reason) {
    try_out("ask for less time", "--time=" + format_duration(seconds(reason.limit)),
            [&](JobSpec& spec) { spec.time_limit = seconds(reason.limit); });
  }
  // Where memory alone is short: as much of it as one node has free.
  void less_memory(const State& state) {
    if (shape_.asked[kTresMem] == 0 || shape_.partitions.empty()) return;
    std::int64_t free = 0;
    for (const NodeId node : policy_.partitions[shape_.partitions.front().index()].nodes) {
      const NodeUse& use = state.nodes()[node.index()];
      if (use.state == NodeState::kUp) free = std::max(free, use.memory - use.memory_taken);
    }
    const std::int64_t each = shape_.asked[kTresMem] / std::max(1, shape_.min_nodes);
    if (free == 0 || free >= each) return;
    JobSpec changed = *shape_.request;
    changed.memory = MemoryRequest{MemoryPer::kNode, free};
    if (trials_.of(changed) != Trial::kStarts) return;
    const std::string size = format_memory_mb(free, MemoryStyle::kMegabytes);
    lines_.push_back(
        {fmt::format("if it needs no more than {}", format_memory_mb(free, MemoryStyle::kRounded)),
         fmt::format("sluice update {} --mem={}", id_, size)});
  }
  std::vector<HelpLine> take() { return std::move(lines_); }

 private:
  const Policy& policy_;
  const Shape& shape_;
  const std::string& id_;
  Trials trials_;
  std::vector<HelpLine> lines_;
};

// Jobs that run without having named their memory hold all that their nodes have.
void say_who_named_none(const State& state, const Shape& waiting, std::vector<HelpLine>& out) {
  if (waiting.partitions.empty()) return;
  const Policy& policy = state.policy();
  const auto& nodes = policy.partitions[waiting.partitions.front().index()].nodes;
  const auto named_none = [](const Shape& shape) {
    const auto& memory = shape.request->memory;
    return memory && memory->per == MemoryPer::kNode && memory->mb == 0;
  };
  if (nodes.empty() || (waiting.asked[kTresMem] == 0 && !named_none(waiting))) return;
  const Job* holder = nullptr;
  NodeId where{};
  state.for_each_job([&](const Job& job) {
    if (holder != nullptr || !holds_nodes(job.state) || !named_none(state.shape_of_job(job)))
      return;
    for (const NodeShare& share : state.run_of(job).allocation.shares())
      if (std::find(nodes.begin(), nodes.end(), share.node) != nodes.end()) {
        holder = &job;
        where = share.node;
      }
  });
  if (holder == nullptr && !named_none(waiting)) return;
  if (holder != nullptr)
    out.push_back({fmt::format("job {} named no memory and holds all that {} has; name it",
                               job_id_text(state, *holder), policy.nodes[where.index()].name),
                   "sluice submit --mem=4G SCRIPT"});
  else
    out.push_back({"it named no memory and waits for a whole node's; name it",
                   "sluice submit --mem=4G SCRIPT"});
  const Node& node = policy.nodes[nodes.front().index()];
  std::string line = fmt::format("def_mem_per_cpu: {}M", memory_per_cpu(node));
  if (!node.gpus.empty()) line += fmt::format(", def_mem_per_gpu: {}M", memory_per_gpu(node));
  out.push_back(
      {"for all jobs that name none, write into the policy", fmt::format("jobs: {{{}}}", line)});
}

}  // namespace

std::vector<HelpLine> help_for(const Engine& engine, const Job& job, const Reason& reason,
                               const std::string& id, Instant now) {
  const State& state = engine.state();
  const Shape& shape = state.shape_of_job(job);
  std::vector<HelpLine> out;
  // What a user or a schedule decides; afterwards limits and nodes count as ever.
  const auto then = [&] { return Trials(engine, job, now).afterwards(); };
  switch (reason.rule) {
    case Rule::kHeldByUser:
      out.push_back({"let it go" + then(), "sluice release " + id});
      break;
    case Rule::kHeldByAdmin:
      out.push_back({"an operator may let it go" + then(), "sluice release " + id});
      break;
    case Rule::kReservationDeleted:
      out.push_back({"let it run without one", "sluice release " + id});
      break;
    case Rule::kReservation:
      out.push_back({"see the reservations", "sluice reservations"});
      out.push_back({"let it run without one", fmt::format("sluice update {} --reservation=", id)});
      break;
    case Rule::kNodeReserved:
      out.push_back({"see the reservations", "sluice reservations"});
      if (reason.limit > to_seconds(now) && reason.asked > reason.limit - to_seconds(now))
        out.push_back(
            {"ask for no more time than there is before it begins",
             fmt::format("sluice update {} --time={}", id,
                         std::max<std::int64_t>((reason.limit - to_seconds(now)) / 60, 1))});
      break;
    case Rule::kBeginTime:
      out.push_back({"let it begin now" + then(), fmt::format("sluice update {} --begin=now", id)});
      break;
    case Rule::kDependency:
      for (const Dependency& term : shape.request->dependencies.terms)
        if (term.job != JobId{} && state.find_job(term.job) != nullptr)
          out.push_back({fmt::format("see job {}", term.job.value()),
                         fmt::format("sluice job {}", term.job.value())});
      out.push_back(
          {"do not wait for it" + then(), fmt::format("sluice update {} --dependency=", id)});
      break;
    case Rule::kDependencyNeverSatisfied:
      out.push_back(
          {"let it run all the same" + then(), fmt::format("sluice update {} --dependency=", id)});
      out.push_back({"or give it up", "sluice cancel " + id});
      break;
    case Rule::kArrayTaskLimit:
      out.push_back({"lift the array's own limit" + then(),
                     fmt::format("sluice update {} --throttle=0", job.array.value())});
      break;
    case Rule::kPriority:
      out.push_back({"see what its priority is made of", "sluice priority " + id});
      break;
    case Rule::kResources: {
      Advice advice(engine, job, id, now);
      advice.less_memory(state);
      out = advice.take();
      say_who_named_none(state, shape, out);
      out.push_back({"see what is free", "sluice nodes"});
      break;
    }
    case Rule::kPartitionConfig:
    case Rule::kPartitionNodeLimit:
    case Rule::kPartitionDown:
    case Rule::kPartitionInactive: {
      Advice advice(engine, job, id, now);
      if (reason.rule == Rule::kPartitionConfig && reason.limit > 0)
        advice.fewer_cpus(reason.limit);
      advice.other_partitions();
      out = advice.take();
      break;
    }
    default:
      if (is_limit(reason.rule) || reason.rule == Rule::kPartitionTimeLimit) {
        Advice advice(engine, job, id, now);
        const LimitRow* row = find_limit(reason);
        if (reason.rule == Rule::kMaxWall || reason.rule == Rule::kPartitionTimeLimit)
          advice.shorter(reason);
        else if (row != nullptr && row->by_tres() && row->rule != Rule::kMinTresPerJob &&
                 row->counts != LimitCounts::kUsedUp)
          advice.smaller(reason);
        if (reason.rule == Rule::kPartitionTimeLimit) advice.other_partitions();
        advice.other_qos();
        advice.other_accounts();
        out = advice.take();
      }
  }
  return out;
}

}  // namespace sluice
