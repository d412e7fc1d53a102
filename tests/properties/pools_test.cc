// What pools promise: so many tasks fit, and the next one waits for what was named. Random clusters
// with limits of every kind, on the engine: it starts exactly as many.
//
// SLUICE_CASES=100000 runs more cases, SLUICE_SEED=17 one, with its numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "routing/books.h"
#include "sim/virtual_time.h"
#include "tests/properties/dice.h"
#include "views/cluster_card.h"

namespace sluice {
namespace {

class PoolCase {
 public:
  explicit PoolCase(std::uint64_t seed)
      : dice_(seed),
        time_(
            engine_,
            [](const Job&) {
              return Fate{std::chrono::hours(1000), {}};
            },
            [](const Turn&) {}) {}

  // What was wrong, or "".
  std::string run() {
    policy_ = random_policy();
    time_.give(AdoptPolicy{policy_}, now_);
    run_others();
    now_ += seconds(dice_.between(0, 1200));
    time_.advance(now_);
    const JobSpec task = random_request("ann");
    const Description seen = description_of(cluster_card(engine_, now_), policy_, "ann");
    const auto assoc = policy_->find_association(
        task.account, "ann", task.partitions.size() == 1 ? task.partitions.front() : "");
    Seat seat{*assoc, policy_->find_qos(task.qos), {}};
    for (const std::string& name : task.partitions)
      seat.partitions.push_back(*policy_->find_partition(name));
    TaskNeed need;
    need.request = std::make_shared<const JobSpec>(task);
    const Room room = Books::held(seen).room(seat, need);
    if (std::getenv("SLUICE_SEED") != nullptr) describe(task, seen);
    return compare(task, room);
  }

 private:
  // For one case: what is free, and what is asked for.
  void describe(const JobSpec& task, const Description& seen) const {
    for (std::size_t i = 0; i < seen.nodes.size(); ++i)
      fmt::print("{}: {} of {} CPUs, {} of {} MB, {} of {} GPUs, weight {}\n",
                 policy_->nodes[i].name, seen.nodes[i].free_cpus, policy_->nodes[i].cpus,
                 seen.nodes[i].free_memory_mb, policy_->nodes[i].memory_mb,
                 seen.nodes[i].free_gpus.size(), policy_->nodes[i].gpus.size(),
                 policy_->nodes[i].weight);
    fmt::print("task: {}-{} nodes, {} tasks, {} CPUs each, {} MB per {}, {} GPUs, exclusive {}\n",
               task.min_nodes.value_or(0), task.max_nodes.value_or(0), task.tasks.value_or(0),
               task.cpus_per_task.value_or(0), task.memory ? task.memory->mb : -1,
               task.memory && task.memory->per == MemoryPer::kCpu ? "CPU" : "node",
               task.gpus.empty() ? 0 : task.gpus[0].count,
               task.sharing == NodeSharing::kExclusive ? "yes" : "no");
    fmt::print("partitions {}\n", fmt::join(task.partitions, ","));
  }

  std::string compare(const JobSpec& task, const Room& room) {
    constexpr std::int64_t kMost = 60;
    if (task.partitions.size() > 1 && room.tightest &&
        room.tightest->kind == Bound::Kind::kSubmission && room.fits > 0)
      return compare_together(task, room);
    const std::int64_t tries = std::min(room.fits, kMost) + 1;
    std::int64_t started = 0;
    std::string reason;
    bool is_refused = false;
    for (std::int64_t i = 0; i < tries; ++i) {
      const Reply reply = time_.give(SubmitJob{task}, now_);
      if (const auto* refused = std::get_if<Refused>(&reply)) {
        reason = slurm_word(refused->refusal.reason, policy_->tres);
        is_refused = true;
        break;
      }
      const JobId id = std::get<Submitted>(reply).job;
      if (holds_nodes(engine_.state().job(id).state)) {
        ++started;
        continue;
      }
      reason = slurm_word(engine_.explanation(id).reason, policy_->tres);
      break;
    }
    const std::string named =
        room.tightest ? slurm_word(room.tightest->reason, policy_->tres) : std::string("nothing");
    if (started != std::min(room.fits, tries))
      return fmt::format("pools say {} ({}), the engine starts {} ({})", room.fits, named, started,
                         reason);
    // Of several limits that are shut at once a backfill pass may name another than the first pass.
    if (room.fits >= kMost || task.partitions.size() > 1 ||
        policy_->scheduler.type != SchedulerType::kBuiltin)
      return "";
    // sbatch may refuse a job for a limit and for something else: either is named.
    if (room.tightest && !room.tightest->refusal.empty() && is_refused) return "";
    if (named != reason) return fmt::format("pools name {}, the engine says {}", named, reason);
    return "";
  }

  // Of several partitions each counts what waits: so many tasks may be submitted at once, and all
  // start; of one more none is taken.
  std::string compare_together(JobSpec task, const Room& room) {
    const auto array_of = [](std::int64_t tasks) {
      ArraySpec out;
      out.indices.insert_range(0, static_cast<std::uint32_t>(tasks - 1));
      return out;
    };
    task.array = array_of(room.fits + 1);
    if (!std::holds_alternative<Refused>(time_.give(SubmitJob{task}, now_)))
      return fmt::format("pools say {}, the engine takes one more", room.fits);
    task.array = array_of(room.fits);
    const Reply reply = time_.give(SubmitJob{task}, now_);
    if (!std::holds_alternative<Submitted>(reply))
      return fmt::format("pools say {}, the engine does not take them together", room.fits);
    std::int64_t started = 0;
    const JobId id = std::get<Submitted>(reply).job;
    engine_.state().for_each_job([&](const Job& job) {
      if (job.array == id && holds_nodes(job.state)) ++started;
    });
    if (started == room.fits) return "";
    return fmt::format("pools say {}, the engine starts {} of them", room.fits, started);
  }

  TresLimits limits(std::int32_t scale) {
    TresLimits out;
    if (!dice_.one_in(3)) return out;
    const auto put = [&](TresIndex tres, std::int32_t least, std::int32_t most) {
      if (dice_.one_in(3)) out.put(tres, std::int64_t{dice_.between(least, most)} * scale);
    };
    put(kTresCpu, 1, 12);
    put(kTresMem, 200, 6000);
    put(kTresNode, 1, 3);
    put(kTresGpu, 0, 3);
    put(kTresBilling, 1, 15);
    return out;
  }
  std::optional<std::int64_t> count(std::int32_t least, std::int32_t most) {
    if (!dice_.one_in(5)) return std::nullopt;
    return dice_.between(least, most);
  }
  std::optional<Duration> wall() {
    if (!dice_.one_in(8)) return std::nullopt;
    return minutes(dice_.between(5, 60));
  }
  void fill(GroupLimits& group, JobLimits& job) {
    group.tres = limits(1);
    if (dice_.one_in(3)) group.tres_minutes = limits(60);
    if (dice_.one_in(3)) group.tres_run_minutes = limits(20);
    group.jobs = count(0, 6);
    group.submit_jobs = count(0, 8);
    group.wall = wall();
    if (dice_.one_in(2)) job.max_tres = limits(1);
    if (dice_.one_in(4)) job.max_tres_node = limits(1);
    if (dice_.one_in(4)) job.max_tres_minutes = limits(20);
    job.max_wall = wall();
  }

  std::shared_ptr<const Policy> random_policy() {
    Policy policy;
    for (std::int32_t i = dice_.between(1, 4); i > 0; --i) {
      Node& node = policy.nodes.emplace_back();
      node.name = fmt::format("n{}", policy.nodes.size());
      node.cpus = dice_.between(1, 8);
      node.memory_mb = dice_.between(500, 4000);
      node.weight = dice_.between(1, 2);
      if (dice_.one_in(3)) node.gpus.resize(static_cast<std::size_t>(dice_.between(1, 3)));
    }
    for (const char* name : {"q0", "q1", "q2"}) {
      Qos& qos = policy.qos.emplace_back();
      qos.name = name;
      fill(qos.group, qos.job);
      if (dice_.one_in(6)) qos.job.min_tres = limits(1);
      qos.user.max_tres = limits(1);
      qos.user.max_jobs = count(0, 5);
      qos.user.max_submit_jobs = count(1, 8);
      qos.account.max_tres = limits(1);
      qos.account.max_jobs = count(0, 5);
      qos.account.max_submit_jobs = count(1, 8);
      qos.flags.deny_on_limit = dice_.one_in(3);
      qos.flags.over_part_qos = dice_.one_in(3);
      qos.flags.partition_time_limit = dice_.one_in(6);
      qos.flags.partition_max_nodes = dice_.one_in(6);
      qos.flags.usage_factor_safe = dice_.one_in(6);
      if (dice_.one_in(4)) qos.usage_factor_millionths = 2'000'000;
    }
    for (const char* name : {"p0", "p1"}) {
      Partition& partition = policy.partitions.emplace_back();
      partition.name = name;
      for (std::uint32_t i = 0; i < policy.nodes.size(); ++i)
        if (name[1] == '0' || !dice_.one_in(3)) partition.nodes.emplace_back(i);
      if (partition.nodes.empty()) partition.nodes.emplace_back(0);
      if (dice_.one_in(2)) partition.qos = QosId(static_cast<std::uint32_t>(dice_.between(0, 2)));
      if (dice_.one_in(5)) partition.max_time = minutes(dice_.between(10, 60));
      if (dice_.one_in(6)) partition.max_nodes = dice_.between(1, 2);
      if (dice_.one_in(6)) partition.oversubscribe = OverSubscribe::kExclusive;
      if (dice_.one_in(4)) partition.default_mem_per_cpu_mb = dice_.between(10, 500);
      if (dice_.one_in(8)) partition.max_mem_per_cpu_mb = dice_.between(100, 500);
      if (dice_.one_in(8)) partition.max_cpus_per_node = dice_.between(1, 4);
      if (dice_.one_in(12)) partition.state = PartitionState::kDown;
      if (dice_.one_in(8)) partition.deny_accounts = {"b"};
      if (dice_.one_in(8)) partition.allow_qos = {"q0", "q1"};
      partition.priority_tier = dice_.between(1, 2);
    }
    policy.partitions[0].is_default = true;
    policy.associations.emplace_back().account = "root";
    const auto add = [&](const std::string& account, const std::string& user, std::uint32_t above) {
      Association& one = policy.associations.emplace_back();
      one.account = account;
      one.user = user;
      one.parent = AssocId(above);
      fill(one.group, one.job);
      one.max_jobs = count(0, 6);
      one.max_submit_jobs = count(1, 9);
      one.qos = {QosId(0), QosId(1), QosId(2)};
    };
    add("a", "", 0);
    add("b", "", 1);
    for (const char* user : {"ann", "bob"}) {
      add("a", user, 1);
      add("b", user, 2);
    }
    policy.jobs.memory_is_consumable = !dice_.one_in(4);
    policy.enforce.safe = dice_.one_in(3);
    policy.scheduler.type = dice_.pick({SchedulerType::kBuiltin, SchedulerType::kBackfill});
    return std::make_shared<const Policy>(std::move(policy));
  }

  JobSpec random_request(const std::string& user) {
    JobSpec spec;
    spec.user = user;
    spec.account = dice_.pick<std::string>({"a", "b"});
    spec.qos = dice_.pick<std::string>({"q0", "q1", "q2"});
    spec.partitions = {dice_.pick<std::string>({"p0", "p1"})};
    // Without backfill a job that waits in its first partition keeps that one's nodes from itself.
    // The engine takes what a partition gives a job (memory, whole nodes) from the first one;
    // pools take each partition's own, as slurmctld does.
    const Partition& one = policy_->partitions[0];
    const Partition& other = policy_->partitions[1];
    if (dice_.one_in(6) && policy_->scheduler.type == SchedulerType::kBackfill &&
        one.oversubscribe == other.oversubscribe &&
        one.default_mem_per_cpu_mb == other.default_mem_per_cpu_mb &&
        one.max_mem_per_cpu_mb == other.max_mem_per_cpu_mb)
      spec.partitions = {"p0", "p1"};
    spec.time_limit = minutes(dice_.between(1, 40));
    if (dice_.one_in(4)) spec.min_nodes = dice_.between(1, 2);
    if (spec.min_nodes && dice_.one_in(2)) spec.max_nodes = spec.min_nodes;
    if (dice_.one_in(2)) spec.cpus_per_task = dice_.between(1, 3);
    if (dice_.one_in(3)) spec.tasks = dice_.between(1, 3);
    // Without any the engine takes the first partition's default, pools each one's own.
    if (!dice_.one_in(4) || spec.partitions.size() > 1)
      spec.memory = MemoryRequest{dice_.one_in(2) ? MemoryPer::kCpu : MemoryPer::kNode,
                                  dice_.between(10, 900)};
    if (dice_.one_in(4)) spec.gpus = {{GpusPer::kNode, "", dice_.between(1, 2)}};
    if (dice_.one_in(10)) spec.sharing = NodeSharing::kExclusive;
    return spec;
  }

  // Jobs of everybody; those that do not start at once go away.
  void run_others() {
    for (std::int32_t i = dice_.between(0, 5); i > 0; --i) {
      const Reply reply =
          time_.give(SubmitJob{random_request(dice_.one_in(3) ? "ann" : "bob")}, now_);
      const auto* submitted = std::get_if<Submitted>(&reply);
      if (submitted == nullptr) continue;
      if (!holds_nodes(engine_.state().job(submitted->job).state))
        time_.give(CancelJob{{submitted->job, std::nullopt}, Actor{"root", true}}, now_);
    }
  }

  Dice dice_;
  Engine engine_;
  VirtualTime time_;
  Instant now_{};
  std::shared_ptr<const Policy> policy_;
};

TEST(Pools, SayHowManyTasksTheEngineStartsAndWhyNoMore) {
  std::uint64_t cases = 3000;
  if (const char* wanted = std::getenv("SLUICE_CASES")) cases = std::strtoull(wanted, nullptr, 10);
  std::uint64_t first = 1;
  if (const char* seed = std::getenv("SLUICE_SEED")) {
    first = std::strtoull(seed, nullptr, 10);
    cases = 1;
  }
  int wrong = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const std::string problem = PoolCase(seed).run();
    if (problem.empty()) continue;
    ADD_FAILURE() << "SLUICE_SEED=" << seed << ": " << problem;
    if (++wrong == 20) return;
  }
}

}  // namespace
}  // namespace sluice
