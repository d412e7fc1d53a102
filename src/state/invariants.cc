// What must hold after every turn: the books agree with the jobs they were written from.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>

#include "state/state.h"

namespace sluice {
namespace {

// Counts everything anew from the jobs alone, the slow and obvious way.
struct Recount {
  std::vector<NodeUse> nodes;
  std::int64_t cpus = 0;
  std::size_t pending = 0;
  std::vector<std::int64_t> licenses;
  std::vector<Holding> assoc;
  std::vector<Holding> qos;
  std::map<std::pair<std::size_t, std::size_t>, Holding> qos_users;
  std::map<std::pair<std::size_t, std::size_t>, Holding> qos_accounts;
  std::map<JobId, Array> arrays;
  std::map<SpecId, std::uint32_t> references;
  std::size_t holding_jobs = 0;
  std::int32_t by_user = 0;
  std::size_t suspended = 0;
};

// change(book, whether a limit counts nodes in it)
template <class Change>
void for_each_book(Recount& count, const Policy& policy, const Shape& shape,
                   std::span<const PartitionId> partitions, Change change) {
  for (std::optional<AssocId> a = shape.assoc; a; a = policy.associations[a->index()].parent)
    change(count.assoc[a->index()], policy.associations[a->index()].group.tres.has(kTresNode));
  std::set<QosId> all;
  if (shape.qos) all.insert(*shape.qos);
  for (PartitionId partition : partitions)
    if (const auto& qos = policy.partitions[partition.index()].qos) all.insert(*qos);
  for (QosId id : all) {
    const Qos& qos = policy.qos[id.index()];
    change(count.qos[id.index()], qos.group.tres.has(kTresNode));
    change(count.qos_users[{id.index(), shape.user.index()}], qos.user.max_tres.has(kTresNode));
    if (shape.assoc)
      if (auto account = policy.associations[shape.assoc->index()].parent)
        change(count.qos_accounts[{id.index(), account->index()}],
               qos.account.max_tres.has(kTresNode));
  }
}

void count_run(Recount& count, const State& state, const Job& job) {
  const Policy& policy = state.policy();
  const Run& run = state.run_of(job);
  const Shape& shape = state.shape_of_job(job);
  ++count.holding_jobs;
  if (shape.by_user) ++count.by_user;
  const bool cpus_given_up = run.cpus_lent;
  if (job.state == JobState::kSuspended) ++count.suspended;
  for (const NodeShare& share : run.allocation.shares()) {
    NodeUse& node = count.nodes[share.node.index()];
    if (cpus_given_up && share.layer == 0 && run.suspended_by != SuspendedBy::kUser)
      node.cpus_suspended += share.cpus;
    if (!cpus_given_up) {
      count.cpus += share.cpus;
      if (share.layer > 0) {
        if (node.layers.size() < share.layer) node.layers.resize(share.layer);
        node.layers[share.layer - 1u] += share.cpus;
      } else {
        node.cpus_taken += share.cpus;
      }
    }
    node.memory_taken += share.memory_mb;
    node.gpus_taken |= share.gpus;
    ++node.jobs;
    if (shape.exclusive) ++node.exclusive;
  }
  for (std::size_t i = 0; i < policy.licenses.size(); ++i)
    for (const LicenseRequest& wanted : shape.request->licenses)
      if (wanted.name == policy.licenses[i].name) count.licenses[i] += wanted.count;
  const std::int64_t end = to_seconds(run.planned_end - state.origin());
  for_each_book(count, policy, shape, {&run.partition, 1}, [&](Holding& holding, bool nodes) {
    holding.tres += run.tres;
    ++holding.jobs;
    if (nodes) {
      holding.node_jobs.resize(policy.nodes.size());
      for (const NodeShare& share : run.allocation.shares())
        ++holding.node_jobs[share.node.index()];
      holding.nodes = std::ssize(holding.node_jobs) -
                      std::count(holding.node_jobs.begin(), holding.node_jobs.end(), 0u);
    }
    TresVector tres_end;
    for (std::size_t i = 0; i < policy.tres.size(); ++i) {
      const TresIndex tres(static_cast<std::uint8_t>(i));
      tres_end[tres] = run.tres[tres] * end;
    }
    holding.tres_end += tres_end;
    if (shape.qos && policy.qos[shape.qos->index()].usage_factor_millionths != 1'000'000)
      count_factored(holding, *shape.qos, run.tres, tres_end, 1);
  });
}

Recount recount(const State& state) {
  const Policy& policy = state.policy();
  Recount count;
  count.nodes.resize(policy.nodes.size());
  count.licenses.resize(policy.licenses.size());
  count.assoc.resize(policy.associations.size());
  count.qos.resize(policy.qos.size());
  state.for_each_job([&](const Job& job) {
    ++count.references[job.spec];
    const Shape& shape = state.shape_of_job(job);
    std::int64_t tasks = 1;
    if (job.array != JobId{}) {
      Array& array = count.arrays[job.array];
      ++array.remembered;
      if (job.is_array) {
        tasks = static_cast<std::int64_t>(state.find_array(job.array)->waiting.size());
        array.unfinished += static_cast<std::uint32_t>(tasks);
      } else if (!has_ended(job.state)) {
        ++array.unfinished;
      }
      if (holds_nodes(job.state)) ++array.holding;
    }
    if (job.state == JobState::kPending) ++count.pending;
    if (!has_ended(job.state) && !shape.partitions.empty()) {
      // What waits counts with every partition it names, what runs with the one it runs in.
      std::span<const PartitionId> partitions = shape.partitions;
      if (holds_nodes(job.state)) partitions = {&state.run_of(job).partition, 1};
      for_each_book(count, policy, shape, partitions,
                    [&](Holding& holding, bool) { holding.submitted += tasks; });
    }
    if (holds_nodes(job.state)) count_run(count, state, job);
  });
  return count;
}

std::string compare_nodes(const State& state, const Recount& count) {
  for (std::size_t i = 0; i < count.nodes.size(); ++i) {
    const NodeUse& use = state.nodes()[i];
    const NodeUse& now = count.nodes[i];
    const std::string& name = state.policy().nodes[i].name;
    if (use.cpus_taken != now.cpus_taken || use.cpus_suspended != now.cpus_suspended ||
        use.memory_taken != now.memory_taken || use.gpus_taken != now.gpus_taken ||
        use.jobs != now.jobs || use.exclusive != now.exclusive)
      return fmt::format("node {} has other jobs than its books say", name);
    if (use.cpus_taken > use.cpus) return fmt::format("node {} gave more CPUs than it has", name);
    if (state.policy().jobs.memory_is_consumable && use.memory_taken > use.memory)
      return fmt::format("node {} gave more memory than it has", name);
    if ((use.gpus_taken & ~use.gpus) != 0)
      return fmt::format("node {} gave GPUs it does not have", name);
    if (use.exclusive > 0 && use.jobs > 1)
      return fmt::format("node {} is shared though a job has it for itself", name);
    for (std::size_t layer = 0; layer < use.layers.size(); ++layer) {
      const std::int32_t expected = layer < now.layers.size() ? now.layers[layer] : 0;
      if (use.layers[layer] != expected || expected > use.cpus)
        return fmt::format("layer {} of node {} is wrong", layer + 1, name);
    }
  }
  return {};
}

// An association that held nodes once keeps a list of zeros.
bool agree(const Holding& book, Holding expected) {
  if (expected.node_jobs.empty()) expected.node_jobs.resize(book.node_jobs.size());
  return book == expected;
}

std::string compare_books(const State& state, const Recount& count) {
  for (std::size_t i = 0; i < count.assoc.size(); ++i)
    if (!agree(state.usage(AssocId(static_cast<std::uint32_t>(i))).now, count.assoc[i]))
      return fmt::format("the books of association {} are wrong", i);
  for (std::size_t i = 0; i < count.qos.size(); ++i) {
    const QosUsage& usage = state.usage(QosId(static_cast<std::uint32_t>(i)));
    if (!agree(usage.now, count.qos[i]))
      return fmt::format("the books of QoS {} are wrong", state.policy().qos[i].name);
  }
  const Holding nothing;
  for (const auto& [key, holding] : count.qos_users) {
    const Holding* book =
        state.usage(QosId(static_cast<std::uint32_t>(key.first))).users.find(key.second);
    if (!agree(book == nullptr ? nothing : *book, holding))
      return fmt::format("the books of user {} in QoS {} are wrong", key.second, key.first);
  }
  for (const auto& [key, holding] : count.qos_accounts) {
    const Holding* book =
        state.usage(QosId(static_cast<std::uint32_t>(key.first))).accounts.find(key.second);
    if (!agree(book == nullptr ? nothing : *book, holding))
      return fmt::format("the books of account {} in QoS {} are wrong", key.second, key.first);
  }
  return {};
}

std::string compare_ends(const State& state, const Recount& count) {
  const auto& ends = state.expected_ends();
  if (ends.size() != count.holding_jobs - count.suspended)
    return "the list of expected ends has other jobs than run";
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Job& job = state.job(ends[i].job);
    if (state.run_of(job).expected_end != ends[i].at)
      return fmt::format("job {} is expected to end at another time", job.id.value());
    if (i > 0 && (ends[i].at < ends[i - 1].at ||
                  (ends[i].at == ends[i - 1].at && ends[i].order < ends[i - 1].order)))
      return "the expected ends are out of order";
  }
  return {};
}

}  // namespace

std::string State::broken_invariant() const {
  const Recount count = recount(*this);
  if (count.pending != pending_) return "the number of pending jobs is wrong";
  if (count.cpus != cpus_taken_) return "the sum of CPUs taken is wrong";
  if (count.by_user != jobs_by_user_) return "the number of jobs that keep others away is wrong";
  if (count.suspended != suspended_.size()) return "the list of suspended jobs is wrong";
  for (std::size_t i = 0; i < licenses_.size(); ++i)
    if (licenses_[i] != count.licenses[i]) return "the licenses in use are wrong";
  if (count.arrays.size() != arrays_.size()) return "the list of arrays is wrong";
  for (const auto& [id, array] : arrays_) {
    const Array& now = count.arrays.at(id);
    if (array.remembered != now.remembered || array.holding != now.holding ||
        array.unfinished != now.unfinished)
      return fmt::format("array {} counts its tasks wrongly", id.value());
  }
  for (const auto& [spec, jobs] : count.references)
    if (shapes_.at(spec).jobs != jobs)
      return fmt::format("spec {} miscounts its jobs", spec.value());
  std::string problem = compare_nodes(*this, count);
  if (problem.empty()) problem = compare_books(*this, count);
  if (problem.empty()) problem = compare_ends(*this, count);
  return problem;
}

}  // namespace sluice
