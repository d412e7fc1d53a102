#include "views/cluster_card.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "policy/age.h"
#include "policy/run_minutes.h"
#include "text/array_spec.h"
#include "text/tres.h"
#include "views/reason_text.h"

namespace sluice {
namespace {

TresVector minutes_of(const std::array<double, kMaxTres>& tres_seconds) {
  TresVector out;
  for (std::uint8_t i = 0; i < kMaxTres; ++i)
    out[TresIndex(i)] =
        static_cast<std::int64_t>(tres_seconds[i] / 60.0);  // Slurm counts whole minutes too.
  return out;
}

class Writer {
 public:
  Writer(const Engine& engine, Instant now)
      : engine_(engine), state_(engine.state()), policy_(state_.policy()), now_(now) {}

  ClusterCard card() {
    ClusterCard out;
    out.as_of = now_;
    add_uses(out);
    add_nodes(out);
    state_.for_each_job([&](const Job& job) {
      if (!has_ended(job.state)) out.jobs.push_back(line_of(job));
    });
    return out;
  }

 private:
  void fill(UseLine& line, const Holding& holding) const {
    line.tres = format_tres(holding.tres, policy_.tres);
    line.jobs = holding.jobs;
    line.submitted = holding.submitted;
    const std::int64_t passed = to_seconds(now_ - state_.origin());
    TresVector left;
    for (std::uint8_t i = 0; i < kMaxTres; ++i) {
      const TresIndex tres(i);
      left[tres] = run_seconds(policy_, holding, tres, passed).value();
    }
    line.tres_run_minutes = minutes_text(left);
  }
  std::string minutes_text(TresVector seconds) const {
    for (std::uint8_t i = 0; i < kMaxTres; ++i)
      seconds[TresIndex(i)] = std::max<std::int64_t>(0, seconds[TresIndex(i)]) / 60;
    return format_tres(seconds, policy_.tres);
  }
  void fill(UseLine& line, const PastUsage& past) const {
    line.tres_minutes = format_tres(minutes_of(past.tres_seconds), policy_.tres);
    line.wall = seconds(static_cast<std::int64_t>(past.wall_seconds));
  }

  void add_uses(ClusterCard& out) const {
    const bool whole = policy_.priority.type == PriorityType::kBasic;
    const AgeBooks ages = ages_now(state_);
    const WholeRuns runs = whole ? whole_runs(state_) : WholeRuns{};
    for (std::uint32_t i = 0; i < policy_.associations.size(); ++i) {
      const Association& assoc = policy_.associations[i];
      UseLine& line = out.associations.emplace_back();
      line.account = assoc.account;
      line.user = assoc.user;
      line.partition = assoc.partition;
      fill(line, state_.usage(AssocId(i)).now);
      fill(line, state_.past(AssocId(i)));
      line.ageing = ages.of_association(AssocId(i));
      if (whole) line.tres_run_minutes = minutes_text(runs.associations[i]);
    }
    for (std::uint32_t i = 0; i < policy_.qos.size(); ++i) {
      const QosUsage& usage = state_.usage(QosId(i));
      UseLine& line = out.qos.emplace_back();
      line.qos = policy_.qos[i].name;
      fill(line, usage.now);
      fill(line, usage.past);
      line.ageing = ages.of_qos(QosId(i));
      if (whole) line.tres_run_minutes = minutes_text(runs.qos[i]);
      const auto add = [&](const Holding* holding, std::string UseLine::*name,
                           const std::string& holder, std::int64_t ageing) {
        if (holding == nullptr || holding->submitted == 0) return;
        UseLine& inside = out.holders.emplace_back();
        inside.qos = policy_.qos[i].name;
        inside.*name = holder;
        inside.ageing = ageing;
        fill(inside, *holding);
      };
      for (std::uint32_t user = 0; user < state_.user_count(); ++user)
        add(usage.users.find(user), &UseLine::user, state_.user_name(UserId(user)),
            ages.of_user(QosId(i), UserId(user)));
      for (std::uint32_t a = 0; a < policy_.associations.size(); ++a)
        add(usage.accounts.find(a), &UseLine::account, policy_.associations[a].account,
            ages.of_account(QosId(i), AssocId(a)));
    }
  }

  void add_nodes(ClusterCard& out) const {
    for (std::size_t i = 0; i < policy_.nodes.size(); ++i) {
      const NodeUse& use = state_.nodes()[i];
      NodeRoomLine& line = out.nodes.emplace_back();
      line.node = policy_.nodes[i].name;
      line.usable = use.state == NodeState::kUp;
      line.cpus = std::max(0, use.exclusive > 0 ? 0 : use.cpus - use.cpus_taken);
      line.memory_mb = std::max<std::int64_t>(0, use.memory - use.memory_taken);
      for (std::size_t gpu = 0; gpu < policy_.nodes[i].gpus.size(); ++gpu)
        if (((use.gpus & ~use.gpus_taken) >> gpu & 1U) != 0)
          line.gpus.push_back(policy_.nodes[i].gpus[gpu].type);
    }
  }

  HeldLine line_of(const Job& job) const {
    const Shape& shape = state_.shape_of_job(job);
    const JobSpec& request = *shape.request;
    HeldLine out;
    out.job = job.array != JobId{} ? job.array : job.id;
    if (job.array != JobId{} && !job.is_array) out.task = job.task;
    if (job.is_array)
      if (const Array* array = state_.find_array(job.array)) {
        out.tasks = format_array_spec(ArraySpec{array->waiting, {}});
        out.count = static_cast<std::int64_t>(array->waiting.size());
      }
    out.name = request.name;
    out.user = request.user;
    out.account = request.account;
    out.qos = shape.qos ? policy_.qos[shape.qos->index()].name : "";
    out.state = job.state;
    out.submitted = job.submitted;
    out.restarts = job.attempt > 0 && job.state != JobState::kPending ? job.attempt - 1
                                                                      : std::int64_t{job.attempt};
    if (job.limit < kForever) out.limit = job.limit;
    if (holds_nodes(job.state)) {
      const Run& run = state_.run_of(job);
      out.partition = policy_.partitions[run.partition.index()].name;
      out.tres = format_tres(run.tres, policy_.tres);
      out.started = run.started;
      if (job.limit < kForever) out.ends_by = run.expected_end;
      for (const NodeShare& share : run.allocation.shares())
        out.nodes.push_back(policy_.nodes[share.node.index()].name);
      return out;
    }
    for (const PartitionId id : shape.partitions)
      out.partition += (out.partition.empty() ? "" : ",") + policy_.partitions[id.index()].name;
    out.tres = format_tres(shape.asked, policy_.tres);
    const Explanation why = engine_.explanation(job.id);
    out.reason = slurm_word(why.reason, policy_.tres);
    out.expected = why.expected;
    return out;
  }

  const Engine& engine_;
  const State& state_;
  const Policy& policy_;
  Instant now_;
};

Use use_of(const UseLine& line, const TresRegistry& registry) {
  const auto amounts = [&](const std::string& text) {
    return parse_tres_amounts(text, registry).value_or(TresVector{});
  };
  Use out;
  out.tres = amounts(line.tres);
  out.jobs = line.jobs;
  out.submitted = line.submitted;
  out.tres_minutes = amounts(line.tres_minutes);
  out.tres_run_minutes = amounts(line.tres_run_minutes);
  out.wall = line.wall;
  return out;
}

HeldJob held_job(const HeldLine& line, const TresRegistry& registry) {
  HeldJob out;
  out.job = line.job;
  out.task = line.task;
  out.tasks = static_cast<std::uint32_t>(line.count);
  out.user = line.user;
  out.account = line.account;
  out.qos = line.qos;
  out.partition = line.partition;
  out.state = line.state;
  out.reason = line.reason;
  out.tres = parse_tres_amounts(line.tres, registry).value_or(TresVector{});
  out.start = line.started;
  out.ends_by = line.ends_by;
  out.nodes = line.nodes;
  return out;
}

TaskNeed need_of(const HeldLine& line, const TresRegistry& registry) {
  const TresVector tres = parse_tres_amounts(line.tres, registry).value_or(TresVector{});
  TaskNeed out;
  out.cpus = std::max<std::int64_t>(1, tres[kTresCpu]);
  out.memory_mb = tres[kTresMem];
  out.gpus = tres[kTresGpu];
  out.nodes = std::max<std::int64_t>(1, tres[kTresNode]);
  constexpr std::string_view kTyped = "gres/gpu:";
  for (std::size_t i = kStandardTres; i < registry.size(); ++i) {
    const TresIndex index(static_cast<std::uint8_t>(i));
    if (tres[index] > 0 && registry.name(index).starts_with(kTyped))
      out.gpu_type = registry.name(index).substr(kTyped.size());
  }
  out.time_limit = line.limit;
  std::string_view list = line.partition;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    out.partitions.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

}  // namespace

ClusterCard cluster_card(const Engine& engine, Instant now) {
  if (!engine.state().has_policy()) return {};
  return Writer(engine, now).card();
}

Description description_of(const ClusterCard& card, std::shared_ptr<const Policy> policy,
                           const std::string& user) {
  const TresRegistry& registry = policy->tres;
  Description out;
  out.user = user;
  out.as_of = card.as_of;
  out.capabilities.max_array_size = policy->jobs.max_array_size;
  out.capabilities.max_job_count = policy->jobs.max_job_count;
  out.associations.resize(policy->associations.size());
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < policy->associations.size(); ++i) {
    const Association& assoc = policy->associations[i];
    places[{assoc.account, assoc.user, assoc.partition}] = i;
  }
  for (const UseLine& line : card.associations)
    if (const auto at = places.find({line.account, line.user, line.partition}); at != places.end())
      out.associations[at->second] = use_of(line, registry);
  out.qos.resize(policy->qos.size());
  for (const UseLine& line : card.qos)
    if (const auto id = policy->find_qos(line.qos)) out.qos[id->index()] = use_of(line, registry);
  for (const UseLine& line : card.holders)
    if (const auto id = policy->find_qos(line.qos))
      (line.user.empty() ? out.accounts : out.users)
          .push_back({*id, line.user.empty() ? line.account : line.user, use_of(line, registry)});
  for (const Node& node : policy->nodes) {
    NodeRoom& room = out.nodes.emplace_back();
    room.usable = false;
    for (const NodeRoomLine& line : card.nodes) {
      if (line.node != node.name) continue;
      room.usable = line.usable;
      room.free_cpus = static_cast<std::int32_t>(line.cpus);
      room.free_memory_mb = line.memory_mb;
      for (const std::string& type : line.gpus) room.free_gpus.push_back(Gpu{type, {}});
    }
  }
  for (const HeldLine& line : card.jobs) out.jobs.push_back(held_job(line, registry));
  for (const License& license : policy->licenses) {
    std::int64_t& taken = out.licenses_taken.emplace_back(0);
    if (const auto tres = registry.find("license/" + license.name))
      for (const HeldJob& job : out.jobs)
        if (holds_nodes(job.state)) taken += job.tres[*tres];
  }
  out.policy = std::move(policy);
  return out;
}

std::vector<WaitingTasks> waiting_of(const ClusterCard& card, const Policy& policy,
                                     const std::string& user) {
  using Key = std::tuple<JobId, std::string, std::string, std::string, std::string>;
  std::map<Key, WaitingTasks> groups;
  for (const HeldLine& line : card.jobs) {
    if (line.state != JobState::kPending || line.user != user) continue;
    const auto [at, is_new] =
        groups.try_emplace(Key{line.job, line.account, line.qos, line.partition, line.reason});
    WaitingTasks& group = at->second;
    if (is_new) {
      group.job = {line.job, line.submitted};
      group.name = line.name;
      group.account = line.account;
      group.qos = line.qos;
      group.reason = line.reason;
      group.since = line.submitted;
      group.restarts = line.restarts;
      group.start = line.expected;
      group.need = need_of(line, policy.tres);
      group.partitions = group.need.partitions;
    }
    if (!line.task && line.tasks.empty()) continue;
    if (!group.tasks) group.tasks.emplace();
    if (line.task) group.tasks->insert(*line.task);
    if (const auto spec = parse_array_spec(line.tasks); spec && !line.tasks.empty())
      for (const std::uint32_t task : spec->indices.to_vector()) group.tasks->insert(task);
  }
  std::vector<WaitingTasks> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

}  // namespace sluice
