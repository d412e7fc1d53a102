// What a story sees of the simulated cluster.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/limit_table.h"
#include "policy/fairshare.h"
#include "policy/gates.h"
#include "sim/chains/simulated_target.h"
#include "sim/stories/story_line.h"
#include "text/array_spec.h"
#include "text/memory.h"

namespace sluice {
namespace {

std::string amount_text(const Reason& reason, std::int64_t amount) {
  if (limit_is_in(reason.rule, LimitUnit::kTime) || reason.rule == Rule::kPartitionTimeLimit)
    return format_story_time(seconds(amount));
  if (limit_is_in(reason.rule, LimitUnit::kTres) && reason.tres == kTresMem)
    return format_memory_mb(amount);
  return fmt::format("{}", amount);
}

bool is_below(const Policy& policy, AssocId assoc, AssocId above) {
  for (std::optional<AssocId> at = assoc; at; at = policy.associations[at->index()].parent)
    if (*at == above) return true;
  return false;
}

}  // namespace

const Job* SimulatedTarget::record(const Submitted& known,
                                   std::optional<std::uint32_t> task) const {
  if (!known.tasks) return state().find_job(known.id);
  if (!task) return state().find_job(known.id);
  const JobId id = known.id_of(task);
  if (const Job* own = state().find_task(id, *task)) return own;
  const Array* array = state().find_array(id);
  if (array != nullptr && array->waiting.contains(*task)) return state().find_job(id);
  return nullptr;
}

// Which jobs hold what the rule counts.
std::string SimulatedTarget::holders_of(const Reason& reason) const {
  if (reason.holder == LimitHolder::kNone || reason.holder == LimitHolder::kPartition) return {};
  const Policy& policy = state().policy();
  // The tasks of an array are named together.
  std::map<std::pair<std::string, std::string>, IndexSet> holders;
  state().for_each_job([&](const Job& job) {
    if (!holds_nodes(job.state)) return;
    const Shape& shape = state().shape_of_job(job);
    const Run& run = state().run_of(job);
    bool counts = false;
    if (reason.holder == LimitHolder::kJobQos)
      counts = shape.qos && shape.qos->value() == reason.holder_id;
    else if (reason.holder == LimitHolder::kPartitionQos)
      counts = policy.partitions[run.partition.index()].qos == QosId(reason.holder_id);
    else
      counts = shape.assoc && is_below(policy, *shape.assoc, AssocId(reason.holder_id));
    if (!counts) return;
    const Key& key = key_of(job.id);
    IndexSet& tasks = holders[{key.first, shape.request->user}];
    if (key.second) tasks.insert(*key.second);
  });
  std::vector<std::string> names;
  for (const auto& [who, tasks] : holders)
    names.push_back(tasks.empty() ? fmt::format("{} of {}", who.first, who.second)
                                  : fmt::format("{}[{}] of {}", who.first, compress_indices(tasks),
                                                who.second));
  if (names.empty()) return {};
  constexpr std::size_t kShown = 4;
  const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(std::min(names.size(), kShown));
  return fmt::format("; held by {}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string SimulatedTarget::numbers(const Reason& reason) const {
  const Policy& policy = state().policy();
  const std::string name = limit_name(policy, reason);
  if (name.empty()) {
    if (reason.rule == Rule::kBeginTime)
      return fmt::format("not before {}", format_story_time(seconds(reason.limit)));
    if (reason.rule == Rule::kReservation)
      return fmt::format("begins at {}", format_story_time(seconds(reason.limit)));
    if (reason.rule == Rule::kNodeReserved && reason.holder_id < state().reservations().size()) {
      const Reservation& told = state().reservations()[reason.holder_id].told;
      return fmt::format("reservation {} from {} to {}", told.name,
                         format_story_time(told.start.time_since_epoch()),
                         format_story_time(told.end.time_since_epoch()));
    }
    return {};
  }
  const std::string holder = holder_name(policy, reason);
  return fmt::format("{}{}: limit {}, used {}, asked {}{}", name,
                     holder.empty() ? "" : " of " + holder, amount_text(reason, reason.limit),
                     amount_text(reason, reason.used), amount_text(reason, reason.asked),
                     holders_of(reason));
}

void SimulatedTarget::describe(const Job& job, SeenJob& out) const {
  const Policy& policy = state().policy();
  const Shape& shape = state().shape_of_job(job);
  out.state = job.state;
  out.user = shape.request->user;
  out.account = shape.request->account;
  out.qos = shape.qos ? policy.qos[shape.qos->index()].name : "";
  const PartitionId partition = holds_nodes(job.state)     ? state().run_of(job).partition
                                : shape.partitions.empty() ? PartitionId{}
                                                           : shape.partitions.front();
  out.partition = policy.partitions[partition.index()].name;
  out.asks = fmt::format("{} cpus", shape.asked[kTresCpu]);
  if (shape.asked[kTresGpu] > 0) out.asks += fmt::format(", {} gpus", shape.asked[kTresGpu]);
  if (shape.min_nodes > 1) out.asks = fmt::format("{} nodes, {}", shape.min_nodes, out.asks);
  if (job.limit < kForever) out.asks += ", " + format_story_time(job.limit);
  out.priority = job.held == HeldBy::kNobody ? engine_.queue().priority(job.id) : 0;
  if (const auto running = engine_.queue().running_priority(state(), job)) out.priority = *running;
  if (job.state != JobState::kPending) return;
  const Explanation why = engine_.explanation(job.id);
  out.reason = slurm_word(why.reason, policy.tres);
  out.detail = numbers(why.reason);
  out.expected = why.expected;
  for (const NodeId node : why.nodes) out.planned.push_back(policy.nodes[node.index()].name);
}

SeenJob SimulatedTarget::seen(const std::string& name, std::optional<std::uint32_t> task) const {
  const Submitted& known = jobs_.at(name);
  SeenJob out;
  if (auto life = lives_.find({name, task}); life != lives_.end()) out = life->second;
  out.name = name;
  out.task = task;
  out.refused = known.refused;
  out.user = known.request.who;
  if (known.refused) return out;
  if (const Job* job = record(known, task)) {
    describe(*job, out);
    return out;
  }
  // Forgotten, or a task that was cancelled with its array.
  out.state = JobState::kCancelled;
  if (out.outcome) {
    out.state = *out.outcome;
  } else if (auto whole = lives_.find({name, std::nullopt}); whole != lives_.end()) {
    out.state = whole->second.outcome.value_or(JobState::kCancelled);
    out.outcome = whole->second.outcome;
    out.ended = whole->second.ended;
  }
  return out;
}

Result<std::vector<SeenJob>> SimulatedTarget::observe(const StoryJob& job) {
  const Submitted& known = jobs_.at(job.name);
  std::vector<SeenJob> out;
  const std::optional<IndexSet>& tasks = job.tasks ? job.tasks : known.tasks;
  if (!tasks || known.refused) {
    out.push_back(seen(job.name, std::nullopt));
    return out;
  }
  for (const std::uint32_t task : tasks->to_vector()) out.push_back(seen(job.name, task));
  return out;
}

Result<std::vector<SeenJob>> SimulatedTarget::queue() {
  std::vector<std::pair<std::uint64_t, JobId>> running;
  std::vector<JobId> others;
  state().for_each_job([&](const Job& job) {
    if (holds_nodes(job.state))
      running.emplace_back(state().run_of(job).order, job.id);
    else if (job.state == JobState::kPending && !engine_.queue().contains(job.id))
      others.push_back(job.id);
  });
  std::sort(running.begin(), running.end());
  std::vector<JobId> order;
  for (const auto& [start, id] : running) order.push_back(id);
  for (const QueueEntry& entry : engine_.queue().entries())
    if (!entry.gone && std::find(order.begin(), order.end(), entry.job) == order.end())
      order.push_back(entry.job);
  order.insert(order.end(), others.begin(), others.end());
  std::vector<SeenJob> out;
  for (const JobId id : order) {
    const Job& job = state().job(id);
    const Key& key = key_of(id);
    SeenJob one;
    if (auto life = lives_.find(key); life != lives_.end()) one = life->second;
    one.name = key.first;
    one.task = key.second;
    describe(job, one);
    if (job.is_array) one.tasks = state().find_array(job.array)->waiting.size();
    out.push_back(std::move(one));
  }
  return out;
}

Result<SeenUsage> SimulatedTarget::usage(ExpectUsage::Holder holder, const std::string& name) {
  const Policy& policy = state().policy();
  SeenUsage out;
  auto add = [&](const Holding& holding) {
    out.tres += holding.tres;
    out.jobs += holding.jobs;
  };
  if (holder == ExpectUsage::Holder::kQos) {
    if (const auto qos = policy.find_qos(name)) add(state().usage(*qos).now);
    return out;
  }
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& assoc = policy.associations[i];
    const bool meant = holder == ExpectUsage::Holder::kUser
                           ? assoc.user == name
                           : assoc.user.empty() && assoc.account == name;
    if (meant) add(state().usage(AssocId(static_cast<AssocId::rep>(i))).now);
  }
  return out;
}

Result<double> SimulatedTarget::fairshare(const std::string& user) {
  const Policy& policy = state().policy();
  Fairshare rows;
  compute_fairshare(state(), rows);
  const auto id = policy.find_user(user);
  if (!id) return failed(fmt::format("there is no user {}", user));
  const auto assoc = policy.find_association(policy.users[id->index()].default_account, user, "");
  if (!assoc) return failed(fmt::format("{} is in no account", user));
  return rows.rows[assoc->index()].factor;
}

Result<SeenFree> SimulatedTarget::free_of(const std::string& node) {
  const auto id = state().policy().find_node(node);
  if (!id) return failed(fmt::format("there is no node {}", node));
  const NodeUse& use = state().nodes()[id->index()];
  return SeenFree{use.cpus - use.cpus_taken, std::popcount(use.gpus & ~use.gpus_taken),
                  use.memory - use.memory_taken};
}

Result<std::vector<std::string>> SimulatedTarget::gates(const StoryJob& job) {
  std::vector<std::string> out;
  const Submitted& known = jobs_.at(job.name);
  if (known.refused) return out;
  const Job* found = record(known, job.tasks ? job.tasks->first() : std::nullopt);
  if (found == nullptr || found->state != JobState::kPending) return out;
  const Shape& shape = state().shape_of_job(*found);
  if (shape.partitions.empty()) return out;
  bool stopped = false;
  for (const Gate& gate :
       gates_of(state(), shape, shape.partitions.front(), found->limit, shape.asked, time_.now())) {
    const char* mark = gate.passed ? "open" : stopped ? "shut" : "SHUT";
    stopped |= !gate.passed;
    std::string line = fmt::format("{:4}  {}", mark, gate.name);
    if (!gate.holder.empty()) line += " of " + gate.holder;
    if (is_limit(gate.reason.rule) || gate.limit != 0)
      line +=
          fmt::format(": limit {}, used {}, asked {}", amount_text(gate.reason, gate.limit),
                      amount_text(gate.reason, gate.used), amount_text(gate.reason, gate.asked));
    out.push_back(std::move(line));
  }
  // The last gate is the schedule itself.
  const Explanation why = engine_.explanation(found->id);
  if (!stopped)
    out.push_back(fmt::format("SHUT  {}", slurm_word(why.reason, state().policy().tres)));
  return out;
}

}  // namespace sluice
