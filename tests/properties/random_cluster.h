// For property tests: random policies, requests and commands, all from one seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/command.h"
#include "model/policy.h"
#include "tests/properties/dice.h"

namespace sluice {

// What a case is about. The plain kinds leave out what would excuse a broken promise.
enum class Kind : std::uint8_t {
  kAnything,  // Every rule at once.
  kQueue,     // One partition, first come first served, nothing but nodes, CPUs and time.
  kMachine,   // Hundreds of nodes of a few kinds, whole and shared, one partition for each.
};

class RandomCluster {
 public:
  RandomCluster(Dice& dice, Kind kind) : dice_(dice), kind_(kind) {}

  std::shared_ptr<const Policy> policy() {
    Policy policy;
    for (const char* name : {"gres/gpu:a", "gres/gpu:b", "license/lic"})
      CHECK(policy.tres.add(name).has_value());
    if (kind_ == Kind::kMachine) return machine(std::move(policy));
    add_nodes(policy);
    policy.scheduler.type =
        dice_.pick({SchedulerType::kBuiltin, SchedulerType::kEasy, SchedulerType::kBackfill});
    policy.jobs.min_job_age = seconds(dice_.pick({0, 60, 300, 3600}));
    policy.jobs.max_array_size = 100;
    policy.jobs.first_job_id = static_cast<std::uint32_t>(dice_.between(1, 100));
    policy.associations.emplace_back().account = "root";
    if (kind_ == Kind::kQueue) {
      policy.enforce = {false, false, false, false};
      policy.jobs.memory_is_consumable = false;
      add_partition(policy, "p0", OverSubscribe::kNo);
      policy.partitions[0].nodes = all_nodes(policy);
      policy.partitions[0].is_default = true;
      return std::make_shared<const Policy>(std::move(policy));
    }
    policy.jobs.memory_is_consumable = !dice_.one_in(5);
    policy.jobs.default_mem_per_cpu_mb = dice_.pick({1, 100, 400});
    policy.jobs.requeue = !dice_.one_in(4);
    policy.licenses.push_back({"lic", dice_.between(1, 4)});
    policy.scheduler.backfill_interval = seconds(dice_.pick({0, 0, 30}));
    policy.scheduler.default_queue_depth = dice_.pick({1, 3, 100});
    policy.scheduler.requeue_delay = seconds(dice_.pick({0, 5, 120}));
    policy.scheduler.kill_invalid_depend = dice_.one_in(3);
    policy.enforce.safe = dice_.one_in(3);
    limits_ = dice_.one_in(2);
    add_qos(policy);
    for (std::int32_t i = dice_.between(1, 3); i > 0; --i) add_random_partition(policy);
    policy.partitions[0].is_default = true;
    add_accounts(policy);
    set_priority(policy.priority);
    set_preemption(policy);
    return std::make_shared<const Policy>(std::move(policy));
  }

  // The same nodes and names; limits, weights and order as another throw of the dice has them.
  std::shared_ptr<const Policy> changed(const Policy& before) {
    Policy policy = before;
    for (Qos& qos : policy.qos) {
      qos.group = {};
      qos.job = {};
      qos.user = {};
      qos.account = {};
      add_limits(qos);
      qos.priority = dice_.between(0, 100);
    }
    for (Association& assoc : policy.associations) {
      assoc.group = {};
      add_limits(assoc.group);
      assoc.shares = dice_.between(1, 50);
    }
    for (Partition& partition : policy.partitions) {
      partition.priority_tier = dice_.between(1, 3);
      partition.state = dice_.one_in(5) ? PartitionState::kDown : PartitionState::kUp;
    }
    std::int32_t more = dice_.between(0, 1);
    if (more > 0) policy.nodes.back().memory_mb += 1000;
    policy.scheduler.type =
        dice_.pick({SchedulerType::kBuiltin, SchedulerType::kEasy, SchedulerType::kBackfill});
    set_priority(policy.priority);
    for (Qos& qos : policy.qos) qos.preempt.clear();
    set_preemption(policy);
    // A job keeps its layer: whether layers are there does not change while jobs run.
    return std::make_shared<const Policy>(std::move(policy));
  }

  JobSpec request(const Policy& policy, const std::vector<JobId>& known) {
    JobSpec spec;
    spec.user = user();
    if (kind_ == Kind::kMachine) return machine_request(std::move(spec), policy);
    spec.name = dice_.pick<std::string>({"x", "y", "z"});
    spec.time_limit = minutes(dice_.between(1, 40));
    if (dice_.one_in(3)) spec.min_nodes = dice_.between(1, 3);
    if (spec.min_nodes && dice_.one_in(2)) spec.max_nodes = *spec.min_nodes + dice_.between(0, 1);
    if (dice_.one_in(2)) spec.cpus_per_task = dice_.between(1, 3);
    if (dice_.one_in(3)) spec.tasks = dice_.between(1, 5);
    if (kind_ == Kind::kQueue) return spec;
    if (!spec.tasks && dice_.one_in(8)) spec.tasks_per_node = dice_.between(1, 2);
    ask_for_more(spec, policy);
    if (dice_.one_in(5)) spec.dependencies = dependencies(known);
    if (dice_.one_in(6)) spec.kill_on_invalid_dependency = dice_.one_in(2);
    if (dice_.one_in(4)) {
      spec.array.emplace();
      const auto first = static_cast<std::uint32_t>(dice_.between(0, 3));
      spec.array->indices.insert_range(first,
                                       first + static_cast<std::uint32_t>(dice_.between(0, 5)));
      if (dice_.one_in(2)) spec.array->throttle = static_cast<std::uint32_t>(dice_.between(1, 3));
    }
    if (dice_.one_in(12)) spec.hold = true;
    if (dice_.one_in(6)) {
      spec.launch.signal.emplace();
      spec.launch.signal->signal = 10;
      spec.launch.signal->before_end = seconds(dice_.between(1, 120));
    }
    if (dice_.one_in(4)) spec.requeue = dice_.one_in(2);
    if (dice_.one_in(4)) spec.nice = dice_.between(0, 100);
    return spec;
  }

  Dependencies dependencies(const std::vector<JobId>& known) {
    Dependencies out;
    out.any = dice_.one_in(3);
    if (known.empty()) return out;
    for (std::int32_t i = dice_.between(1, 2); i > 0; --i) {
      Dependency term;
      term.type = dice_.pick({DependencyType::kAfter, DependencyType::kAfterAny,
                              DependencyType::kAfterOk, DependencyType::kAfterNotOk,
                              DependencyType::kAfterCorr, DependencyType::kSingleton});
      if (term.type != DependencyType::kSingleton) {
        term.job = recent(known);
        if (dice_.one_in(4)) term.task = static_cast<std::uint32_t>(dice_.between(0, 4));
        if (term.type == DependencyType::kAfter && dice_.one_in(2))
          term.delay = minutes(dice_.between(1, 3));
      }
      out.terms.push_back(term);
    }
    return out;
  }

  // Anything but a submission.
  Input command(const Policy& policy, const std::vector<JobId>& known, Instant now) {
    const std::int32_t what = dice_.between(0, 19);
    if (kind_ == Kind::kQueue || known.empty()) return Tick{};
    JobRef ref{recent(known), std::nullopt};
    if (dice_.one_in(4)) ref.task = static_cast<std::uint32_t>(dice_.between(0, 5));
    const Actor actor{dice_.one_in(4) ? user() : "admin", !dice_.one_in(4)};
    if (what <= 2) return CancelJob{ref, actor};
    if (what <= 4) return HoldJob{ref, actor};
    if (what <= 6) return ReleaseJob{ref, actor};
    if (what <= 8) return RequeueJob{ref, actor, dice_.one_in(3)};
    if (what <= 10) return SuspendJob{ref, actor};
    if (what <= 12) return ResumeJob{ref, actor};
    if (what <= 15) return UpdateJob{ref, change(known, now), actor};
    if (what <= 17)
      return ChangeNode{dice_.pick(policy.nodes).name,
                        dice_.pick({NodeState::kUp, NodeState::kUp, NodeState::kUp,
                                    NodeState::kDraining, NodeState::kDown}),
                        "because"};
    if (what == 18 && dice_.one_in(2)) return AdoptPolicy{changed(policy)};
    if (what == 18) return ResetUsage{};
    return Tick{};
  }

 private:
  std::shared_ptr<const Policy> machine(Policy policy) {
    const std::int32_t kinds = dice_.between(2, 5);
    for (std::int32_t kind = 0; kind < kinds; ++kind) {
      Node node;
      node.cpus = dice_.pick({4, 8, 16});
      node.memory_mb = 1000 * dice_.between(4, 16);
      node.weight = dice_.between(1, 3);
      if (dice_.one_in(3)) node.gpus.assign(2, Gpu{dice_.pick<std::string>({"a", "b"}), ""});
      if (dice_.one_in(2)) node.features.emplace_back("big");
      for (std::int32_t i = dice_.between(5, 80); i > 0; --i) {
        node.name = "n" + std::to_string(policy.nodes.size() + 1);
        policy.nodes.push_back(node);
      }
    }
    policy.scheduler.type = dice_.one_in(5) ? SchedulerType::kEasy : SchedulerType::kBackfill;
    policy.scheduler.backfill_interval = seconds(dice_.pick({0, 30}));
    policy.jobs.min_job_age = Duration(0);
    policy.jobs.memory_is_consumable = !dice_.one_in(3);
    policy.jobs.default_mem_per_cpu_mb = dice_.pick({1, 200});
    policy.enforce = {false, false, false, false};
    policy.associations.emplace_back().account = "root";
    add_partition(policy, "p0", OverSubscribe::kExclusive).is_default = true;
    add_partition(policy, "p1", OverSubscribe::kNo);
    for (NodeId node : all_nodes(policy)) {
      if (!dice_.one_in(3)) policy.partitions[0].nodes.push_back(node);
      if (!dice_.one_in(3)) policy.partitions[1].nodes.push_back(node);
    }
    if (dice_.one_in(2)) policy.priority.type = PriorityType::kMultifactor;
    policy.priority.weight_job_size = dice_.pick({0, 1000});
    return std::make_shared<const Policy>(std::move(policy));
  }

  JobSpec machine_request(JobSpec spec, const Policy& policy) {
    const auto nodes = static_cast<std::int32_t>(policy.nodes.size());
    const std::int32_t size = dice_.between(1, dice_.pick({2, 10, nodes / 2}));
    spec.time_limit = minutes(dice_.between(1, 40));
    spec.partitions = {dice_.pick<std::string>({"p0", "p0", "p1"})};
    switch (dice_.between(0, 4)) {
      case 0:
        spec.min_nodes = size;
        break;
      case 1:
        spec.min_nodes = size;
        spec.max_nodes = size + dice_.between(0, 3);
        spec.tasks_per_node = dice_.between(1, 4);
        break;
      case 2:
        spec.cpus_per_task = dice_.between(1, 8);
        break;
      default:
        spec.tasks = 4 * size;
    }
    if (dice_.one_in(6)) spec.sharing = NodeSharing::kExclusive;
    if (dice_.one_in(8))
      spec.gpus.push_back({GpusPer::kNode, dice_.pick<std::string>({"", "a"}), 1});
    if (dice_.one_in(8)) spec.constraint.any_of = {{"big"}};
    if (dice_.one_in(10)) spec.exclude_nodes = {"n1", "n7"};
    return spec;
  }

  static std::vector<NodeId> all_nodes(const Policy& policy) {
    std::vector<NodeId> all;
    for (std::size_t i = 0; i < policy.nodes.size(); ++i)
      all.push_back(NodeId(static_cast<std::uint32_t>(i)));
    return all;
  }
  std::string user() { return "u" + std::to_string(dice_.between(0, 3)); }
  JobId recent(const std::vector<JobId>& known) {
    const auto size = static_cast<std::int32_t>(known.size());
    return known[static_cast<std::size_t>(dice_.between(std::max(0, size - 8), size - 1))];
  }

  void add_nodes(Policy& policy) {
    for (std::int32_t i = dice_.between(1, 4); i > 0; --i) {
      Node& node = policy.nodes.emplace_back();
      node.name = "n" + std::to_string(policy.nodes.size());
      node.cpus = dice_.between(1, 8);
      node.memory_mb = 500 * dice_.between(1, 8);
      if (kind_ == Kind::kQueue) continue;
      if (dice_.one_in(4)) {
        node.cpus *= 2;
        node.threads_per_core = 2;
      }
      for (std::int32_t gpus = dice_.between(-2, 4); gpus > 0; --gpus)
        node.gpus.push_back({dice_.pick<std::string>({"", "a", "b"}), ""});
      for (const char* feature : {"old", "big"})
        if (dice_.one_in(2)) node.features.emplace_back(feature);
      node.weight = dice_.between(1, 3);
    }
  }

  Partition& add_partition(Policy& policy, const std::string& name, OverSubscribe sharing) {
    Partition& partition = policy.partitions.emplace_back();
    partition.name = name;
    partition.oversubscribe = sharing;
    return partition;
  }

  void add_random_partition(Policy& policy) {
    Partition& partition = add_partition(
        policy, "p" + std::to_string(policy.partitions.size()),
        dice_.pick({OverSubscribe::kNo, OverSubscribe::kNo, OverSubscribe::kNo,
                    OverSubscribe::kForce, OverSubscribe::kYes, OverSubscribe::kExclusive}));
    partition.oversubscribe_jobs = dice_.between(1, 3);
    for (NodeId node : all_nodes(policy))
      if (!dice_.one_in(4)) partition.nodes.push_back(node);
    if (partition.nodes.empty()) partition.nodes = all_nodes(policy);
    partition.priority_tier = dice_.between(1, 3);
    partition.priority_job_factor = dice_.between(1, 10);
    if (dice_.one_in(4)) partition.max_time = minutes(dice_.between(10, 40));
    if (dice_.one_in(4)) partition.default_time = minutes(5);
    if (dice_.one_in(6)) partition.max_nodes = dice_.between(1, 3);
    if (dice_.one_in(3)) partition.qos = QosId(static_cast<std::uint32_t>(some_qos(policy)));
    if (dice_.one_in(2)) partition.grace_time = seconds(dice_.between(5, 90));
    if (dice_.one_in(3)) partition.preempt_mode = mode();
    if (dice_.one_in(3))
      partition.billing_weights = {{kTresCpu, 1'500'000, 1}, {kTresMem, 250'000, 1024}};
  }
  std::int32_t some_qos(const Policy& policy) {
    return dice_.between(0, static_cast<std::int32_t>(policy.qos.size()) - 1);
  }
  PreemptMode mode() {
    return dice_.pick(
        {PreemptMode::kOff, PreemptMode::kCancel, PreemptMode::kRequeue, PreemptMode::kSuspend});
  }

  TresLimits tres_limits(std::int32_t most) {
    TresLimits limits;
    if (!limits_ || !dice_.one_in(8)) return limits;
    const TresIndex tres = dice_.pick(
        {kTresCpu, kTresCpu, kTresNode, kTresBilling, kTresGpu, TresIndex(5), TresIndex(7)});
    limits.put(tres, dice_.between(tres == kTresGpu ? 0 : 1, most));
    if (dice_.one_in(4)) limits.put(kTresMem, dice_.between(100, 400) * most);
    return limits;
  }
  std::optional<std::int64_t> count() {
    return limits_ && dice_.one_in(8) ? std::optional<std::int64_t>(dice_.between(1, 6))
                                      : std::nullopt;
  }
  void add_limits(GroupLimits& group) {
    group.tres = tres_limits(12);
    group.tres_minutes = tres_limits(600);
    group.tres_run_minutes = tres_limits(300);
    group.jobs = count();
    if (limits_ && dice_.one_in(4)) group.submit_jobs = dice_.between(5, 20);
    if (limits_ && dice_.one_in(10)) group.wall = minutes(dice_.between(10, 200));
    if (limits_ && dice_.one_in(10)) group.jobs_accrue = dice_.between(0, 4);
  }
  void add_limits(HolderLimits& holder) {
    holder.max_tres = tres_limits(8);
    holder.max_jobs = count();
    if (limits_ && dice_.one_in(6)) holder.max_submit_jobs = dice_.between(3, 12);
    if (limits_ && dice_.one_in(10)) holder.max_jobs_accrue = dice_.between(0, 4);
  }
  void add_limits(Qos& qos) {
    add_limits(qos.group);
    add_limits(qos.user);
    add_limits(qos.account);
    qos.job.max_tres = tres_limits(8);
    qos.job.max_tres_node = tres_limits(8);
    qos.job.max_tres_minutes = tres_limits(200);
    if (limits_ && dice_.one_in(8)) qos.job.min_tres.put(kTresCpu, 2);
    if (limits_ && dice_.one_in(8)) qos.job.max_wall = minutes(dice_.between(10, 40));
  }

  void add_qos(Policy& policy) {
    for (const char* name : {"normal", "low", "high", "top"}) {
      Qos& qos = policy.qos.emplace_back();
      qos.name = name;
      qos.priority = dice_.between(0, 100);
      add_limits(qos);
      qos.flags.deny_on_limit = dice_.one_in(4);
      qos.flags.over_part_qos = dice_.one_in(4);
      qos.flags.no_decay = dice_.one_in(4);
      qos.flags.no_reserve = dice_.one_in(6);
      qos.flags.partition_time_limit = dice_.one_in(6);
      qos.flags.usage_factor_safe = dice_.one_in(6);
      if (dice_.one_in(4)) qos.usage_factor_millionths = 500'000 * dice_.between(0, 4);
      if (dice_.one_in(2)) qos.grace_time = seconds(dice_.between(5, 90));
      if (dice_.one_in(4)) qos.preempt_exempt_time = seconds(dice_.between(0, 300));
    }
  }

  void add_accounts(Policy& policy) {
    Association& root = policy.associations.front();
    for (std::uint32_t i = 0; i < policy.qos.size(); ++i) root.qos.push_back(QosId(i));
    root.default_qos = QosId(0);
    if (dice_.one_in(4)) add_limits(root.group);
    const auto add = [&](const std::string& account, const std::string& user, AssocId parent) {
      Association& assoc = policy.associations.emplace_back();
      assoc.account = account;
      assoc.user = user;
      assoc.parent = parent;
      assoc.shares = dice_.between(1, 50);
      assoc.shares_of_parent = dice_.one_in(8);
      if (dice_.one_in(3)) add_limits(assoc.group);
      if (dice_.one_in(6)) assoc.job.max_tres = tres_limits(8);
      if (dice_.one_in(6)) assoc.job.max_tres_minutes = tres_limits(300);
      if (dice_.one_in(6)) assoc.max_jobs = count();
      if (limits_ && dice_.one_in(10)) assoc.job.max_wall = minutes(dice_.between(10, 40));
      return AssocId(static_cast<std::uint32_t>(policy.associations.size() - 1));
    };
    const AssocId a = add("a", "", AssocId(0));
    const AssocId b = add("b", "", dice_.one_in(2) ? a : AssocId(0));
    for (std::int32_t i = 0; i < 4; ++i) {
      const std::string name = "u" + std::to_string(i);
      add("a", name, a);
      if (dice_.one_in(2)) add("b", name, b);
      User& user = policy.users.emplace_back();
      user.name = name;
      user.default_account = "a";
      if (dice_.one_in(4)) user.coordinates = {"a"};
    }
  }

  void set_priority(PrioritySettings& priority) {
    priority = {};
    if (dice_.one_in(3)) return;
    priority.type = PriorityType::kMultifactor;
    priority.calc_period = minutes(dice_.between(1, 30));
    priority.half_life = minutes(dice_.pick({0, 60, 60 * 24 * 7}));
    priority.fair_tree = !dice_.one_in(4);
    for (std::int64_t* weight :
         {&priority.weight_age, &priority.weight_assoc, &priority.weight_fairshare,
          &priority.weight_job_size, &priority.weight_partition, &priority.weight_qos})
      if (dice_.one_in(2)) *weight = dice_.between(0, 10'000);
    priority.favor_small = dice_.one_in(4);
  }

  void set_preemption(Policy& policy) {
    PreemptSettings& preemption = policy.preemption;
    const bool shares =
        std::any_of(policy.partitions.begin(), policy.partitions.end(), [](const Partition& p) {
          return p.oversubscribe == OverSubscribe::kForce || p.oversubscribe == OverSubscribe::kYes;
        });
    preemption = {};
    preemption.type =
        dice_.pick({PreemptType::kNone, PreemptType::kQos, PreemptType::kPartitionPriority});
    if (preemption.type != PreemptType::kNone) preemption.mode = mode();
    if (preemption.mode == PreemptMode::kOff) preemption.mode = PreemptMode::kRequeue;
    preemption.gang = shares || preemption.mode == PreemptMode::kSuspend;
    preemption.time_slice = seconds(dice_.pick({10, 30}));
    preemption.youngest_first = dice_.one_in(4);
    preemption.reorder = !dice_.one_in(4);
    if (dice_.one_in(4)) preemption.exempt_time = seconds(dice_.between(0, 300));
    for (std::size_t i = 1; i < policy.qos.size(); ++i) {
      for (std::uint32_t below = 0; below < i; ++below)
        if (dice_.one_in(2)) policy.qos[i].preempt.push_back(QosId(below));
      policy.qos[i].preempt_mode.reset();
      if (dice_.one_in(3)) policy.qos[i].preempt_mode = mode();
    }
  }

  void ask_for_more(JobSpec& spec, const Policy& policy) {
    spec.account = dice_.pick<std::string>({"", "", "a", "b"});
    spec.qos = dice_.pick<std::string>({"", "normal", "low", "high", "top"});
    for (std::int32_t i = dice_.between(0, 2); i > 0; --i)
      spec.partitions.push_back(dice_.pick(policy.partitions).name);
    if (dice_.one_in(3))
      spec.memory = MemoryRequest{dice_.pick({MemoryPer::kNode, MemoryPer::kCpu, MemoryPer::kGpu}),
                                  100 * dice_.between(0, 12)};
    if (spec.memory && spec.memory->mb == 0) spec.memory->per = MemoryPer::kNode;
    if (dice_.one_in(3)) ask_for_gpus(spec);
    if (dice_.one_in(6)) spec.licenses.push_back({"lic", dice_.between(1, 2)});
    if (dice_.one_in(6)) spec.constraint.any_of = {{dice_.pick<std::string>({"old", "big"})}};
    if (dice_.one_in(10)) {
      spec.constraint.any_of = {{"old"}, {"big"}};
      spec.constraint.same_for_all_nodes = true;
    }
    if (dice_.one_in(12)) spec.exclude_nodes = {"n1"};
    if (dice_.one_in(12)) spec.require_nodes = {"n1"};
    if (dice_.one_in(8)) spec.sharing = NodeSharing::kExclusive;
    if (dice_.one_in(8)) spec.sharing = NodeSharing::kOversubscribe;
    if (dice_.one_in(10)) spec.time_limit.reset();
  }
  void ask_for_gpus(JobSpec& spec) {
    const GpusPer per = dice_.pick({GpusPer::kJob, GpusPer::kNode, GpusPer::kNode, GpusPer::kTask});
    spec.gpus.push_back({per, dice_.pick<std::string>({"", "", "a", "b"}), dice_.between(1, 2)});
    if (!dice_.one_in(6)) return;
    spec.gpus.back().type = "a";
    spec.gpus.push_back({per, "b", 1});
  }

  JobChange change(const std::vector<JobId>& known, Instant now) {
    JobChange change;
    switch (dice_.between(0, 9)) {
      case 0:
        change.account = dice_.pick<std::string>({"a", "b"});
        break;
      case 1:
        change.qos = dice_.pick<std::string>({"normal", "low", "high", "top"});
        break;
      case 2:
        change.partitions = {{"p0"}};
        break;
      case 3:
      case 4:
        change.time_limit = minutes(dice_.between(1, 40));
        break;
      case 5:
        change.cpus_per_task = dice_.between(1, 3);
        break;
      case 6:
        change.throttle = static_cast<std::uint32_t>(dice_.between(0, 3));
        break;
      case 7:
        change.begin = now + minutes(dice_.between(-1, 5));
        break;
      case 8:
        change.dependencies = dependencies(known);
        break;
      default:
        change.nice = dice_.between(-10, 100);
        if (dice_.one_in(2)) change.name = dice_.pick<std::string>({"x", "y"});
    }
    return change;
  }

  Dice& dice_;
  Kind kind_;
  bool limits_ = false;
};

}  // namespace sluice
