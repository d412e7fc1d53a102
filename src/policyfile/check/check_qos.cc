// Limits of QoS that cannot be met, or that say something else than was meant.
#include <fmt/format.h>

#include <algorithm>

#include "policyfile/check/check.h"
#include "policyfile/read/quantities.h"
#include "text/duration.h"

namespace sluice {
namespace {

std::string limits_text(const TresLimits& limits, const TresRegistry& tres) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < tres.size(); ++i) {
    const TresIndex index(static_cast<std::uint8_t>(i));
    if (limits.has(index))
      words.push_back(fmt::format("{}={}", tres.name(index), print_amount(index, limits[index])));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

// What one node has; nothing where the dimension is not a node's (billing, licenses).
std::optional<std::int64_t> of_node(const Node& node, TresIndex tres, const TresRegistry& names) {
  if (tres == kTresCpu) return node.cpus;
  if (tres == kTresMem) return node.memory_mb;
  if (tres == kTresNode) return 1;
  if (tres == kTresGpu) return static_cast<std::int64_t>(node.gpus.size());
  const std::string_view name = names.name(tres);
  if (!name.starts_with("gres/gpu:")) return std::nullopt;
  return std::count_if(node.gpus.begin(), node.gpus.end(),
                       [&](const Gpu& gpu) { return gpu.type == name.substr(9); });
}

std::optional<std::int64_t> of_cluster(const Policy& policy, TresIndex tres) {
  std::optional<std::int64_t> sum;
  for (const Node& node : policy.nodes)
    if (auto amount = of_node(node, tres, policy.tres))
      // A hundred thousand nodes of this size still add up.
      sum = sum.value_or(0) + std::min(*amount, std::int64_t{1} << 46);
  return sum;
}

void check_minimum(Checks& checks, const Qos& qos, const std::string& path) {
  const Policy& policy = checks.policy;
  for (std::size_t i = 0; i < policy.tres.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    const auto least = qos.job.min_tres.get(tres);
    if (!least) continue;
    const std::string name = policy.tres.name(tres);
    const auto all = of_cluster(policy, tres);
    if (all && *least > *all)
      checks.add(Severity::kError, "qos-impossible", path + ".MinTRESPerJob",
                 fmt::format("every job must ask for at least {} of {}, the whole cluster has {}",
                             print_amount(tres, *least), name, print_amount(tres, *all)),
                 fmt::format("MinTRESPerJob: {}={}", name, print_amount(tres, *all)));
    const std::pair<const TresLimits*, const char*> ceilings[] = {
        {&qos.job.max_tres, "MaxTRESPerJob"},
        {&qos.user.max_tres, "MaxTRESPerUser"},
        {&qos.account.max_tres, "MaxTRESPerAccount"},
        {&qos.group.tres, "GrpTRES"},
    };
    for (const auto& [limits, key] : ceilings)
      if (auto most = limits->get(tres); most && *most < *least)
        checks.add(Severity::kError, "qos-impossible", path + ".MinTRESPerJob",
                   fmt::format("every job must ask for at least {} of {}, {} allows {}",
                               print_amount(tres, *least), name, key, print_amount(tres, *most)),
                   fmt::format("{}: {}={}", key, name, print_amount(tres, *least)));
  }
}

bool may_use(const Partition& partition, const Qos& qos) {
  const auto names = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), qos.name) != list.end();
  };
  return partition.allow_qos.empty() ? !names(partition.deny_qos) : names(partition.allow_qos);
}

// The most that one job of the QoS can get there: as many nodes as it may have, and of each what
// the node has and a job may take of it.
std::int64_t reachable(const Policy& policy, const Qos& qos, const Partition& partition,
                       TresIndex tres) {
  std::vector<std::int64_t> each;
  for (const NodeId id : partition.nodes) {
    std::int64_t amount = of_node(policy.nodes[id.index()], tres, policy.tres).value_or(0);
    if (const auto most = qos.job.max_tres_node.get(tres)) amount = std::min(amount, *most);
    if (tres == kTresCpu && partition.max_cpus_per_node)
      amount = std::min<std::int64_t>(amount, *partition.max_cpus_per_node);
    if (tres == kTresMem && partition.max_mem_per_node_mb)
      amount = std::min(amount, *partition.max_mem_per_node_mb);
    each.push_back(std::min(amount, std::int64_t{1} << 46));
  }
  std::sort(each.rbegin(), each.rend());
  std::size_t nodes = each.size();
  const auto bound = [&](std::optional<std::int64_t> most) {
    if (most) nodes = std::min(nodes, static_cast<std::size_t>(std::max<std::int64_t>(0, *most)));
  };
  if (partition.max_nodes && !qos.flags.partition_max_nodes) bound(*partition.max_nodes);
  for (const TresLimits* limits :
       {&qos.job.max_tres, &qos.user.max_tres, &qos.account.max_tres, &qos.group.tres}) {
    bound(limits->get(kTresNode));
    bound(limits->get(kTresCpu));  // Every node of a job holds a CPU at least.
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < nodes; ++i) sum += each[i];
  return sum;
}

// No node, and no limit of its own, stands in the way; together they do.
void check_reachable(Checks& checks, const Qos& qos, const std::string& path) {
  const Policy& policy = checks.policy;
  for (std::size_t i = 0; i < policy.tres.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    const auto least = qos.job.min_tres.get(tres);
    const auto all = of_cluster(policy, tres);
    if (!least || !all || *least > *all) continue;  // Said already.
    std::int64_t most = 0;
    bool used = false;
    for (const Partition& partition : policy.partitions) {
      if (!may_use(partition, qos)) continue;
      used = true;
      most = std::max(most, reachable(policy, qos, partition, tres));
    }
    if (!used || most >= *least) continue;
    checks.add(
        Severity::kError, "qos-impossible", path + ".MinTRESPerJob",
        fmt::format("every job must ask for at least {} of {}; the nodes of a partition and "
                    "the limits on one job together allow {}",
                    print_amount(tres, *least), policy.tres.name(tres), print_amount(tres, most)),
        fmt::format("MinTRESPerJob: {}={}", policy.tres.name(tres), print_amount(tres, most)));
  }
}

bool is_on_one_node(const Qos& qos, const Partition& partition) {
  if (partition.max_nodes == 1 && !qos.flags.partition_max_nodes) return true;
  const TresLimits* all[] = {&qos.job.max_tres, &qos.user.max_tres, &qos.account.max_tres,
                             &qos.group.tres};
  return std::any_of(std::begin(all), std::end(all),
                     [](const TresLimits* limits) { return limits->get(kTresNode) == 1; });
}

// Each of its minimums can be met, and no node of any partition meets all of them, where a job has
// one node alone.
void check_one_node(Checks& checks, const Qos& qos, const std::string& path) {
  const Policy& policy = checks.policy;
  const auto meets = [&](const Node& node) {
    for (std::size_t i = 0; i < policy.tres.size(); ++i) {
      const TresIndex tres(static_cast<std::uint8_t>(i));
      const auto least = qos.job.min_tres.get(tres);
      const auto has = of_node(node, tres, policy.tres);
      if (least && has && *has < *least) return false;
    }
    return true;
  };
  bool used = false;
  for (const Partition& partition : policy.partitions) {
    if (!may_use(partition, qos)) continue;
    if (!is_on_one_node(qos, partition)) return;
    for (const NodeId id : partition.nodes) {
      if (meets(policy.nodes[id.index()])) return;
      used = true;
    }
  }
  for (std::size_t i = 0; i < policy.tres.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    const auto least = qos.job.min_tres.get(tres);
    const auto has_it = [&](const Node& node) {
      return of_node(node, tres, policy.tres).value_or(0) >= *least;
    };
    if (least && of_cluster(policy, tres) &&
        std::none_of(policy.nodes.begin(), policy.nodes.end(), has_it))
      return;  // Said already.
  }
  if (!used) return;
  checks.add(Severity::kError, "qos-impossible", path + ".MinTRESPerJob",
             fmt::format("every job must ask for at least {}, a job has one node here, and no node "
                         "has all of it",
                         limits_text(qos.job.min_tres, policy.tres)),
             "MaxTRESPerJob: node=2     # or a smaller MinTRESPerJob");
}

void check_zero(Checks& checks, const Qos& qos, const std::string& path) {
  const Policy& policy = checks.policy;
  for (TresIndex tres : {kTresCpu, kTresMem, kTresNode})
    for (const auto& [limits, key] :
         {std::pair<const TresLimits*, const char*>{&qos.job.max_tres, "MaxTRESPerJob"},
          {&qos.group.tres, "GrpTRES"},
          {&qos.user.max_tres, "MaxTRESPerUser"}})
      if (limits->get(tres) == 0)
        checks.add(
            Severity::kError, "qos-impossible", fmt::format("{}.{}", path, key),
            fmt::format("{} of {} is 0, and every job needs some", key, policy.tres.name(tres)),
            fmt::format("{} without {}", key, policy.tres.name(tres)));
  if (qos.group.jobs == 0 || qos.user.max_jobs == 0)
    checks.add(Severity::kWarning, "qos-closed",
               path + (qos.group.jobs == 0 ? ".GrpJobs" : ".MaxJobsPerUser"),
               fmt::format("no job of QoS '{}' may run", qos.name), "remove the limit to open it");
}

void check_wall(Checks& checks, const Qos& qos, const std::string& path) {
  if (!qos.job.max_wall || qos.flags.partition_time_limit || checks.policy.partitions.empty())
    return;
  Duration longest{0};
  for (const Partition& partition : checks.policy.partitions) {
    if (!partition.max_time) return;
    longest = std::max(longest, *partition.max_time);
  }
  if (*qos.job.max_wall > longest)
    checks.add(
        Severity::kWarning, "wall-unreachable", path + ".MaxWall",
        fmt::format("MaxWall {} is above every partition's max_time (the longest is {}): "
                    "no job can have it",
                    format_friendly_duration(*qos.job.max_wall), format_friendly_duration(longest)),
        fmt::format("MaxWall: {}   or   Flags: [PartitionTimeLimit]",
                    format_friendly_duration(longest)));
}

void check_meaning(Checks& checks, const Qos& qos, const std::string& path) {
  const TresRegistry& tres = checks.policy.tres;
  const bool per_user = qos.user.max_jobs || qos.user.max_submit_jobs;
  if (!qos.group.tres.empty() && qos.user.max_tres.empty() && per_user) {
    const std::string limits = limits_text(qos.group.tres, tres);
    checks.add(Severity::kWarning, "grp-or-per-user", path + ".GrpTRES",
               fmt::format("GrpTRES={} is for all users of '{}' together, while its other limits "
                           "are per user: the first user who takes it leaves nothing to the others",
                           limits, qos.name),
               fmt::format("MaxTRESPerUser: {}     # instead, if each user was meant; with both, "
                           "GrpTRES caps all users together",
                           limits));
  }
  if (!qos.group.tres.empty() && qos.job.max_tres.empty())
    checks.add(Severity::kNote, "grp-without-per-job", path + ".GrpTRES",
               fmt::format("one job may take all of GrpTRES={}, and a request for more is stopped "
                           "by the sum, not by itself",
                           limits_text(qos.group.tres, tres)),
               fmt::format("MaxTRESPerJob: {}", limits_text(qos.group.tres, tres)));
  const bool job_can_break = !qos.group.tres.empty() || !qos.job.max_tres.empty() ||
                             !qos.job.max_tres_node.empty() || !qos.job.min_tres.empty() ||
                             !qos.user.max_tres.empty() || !qos.account.max_tres.empty() ||
                             qos.job.max_wall;
  if (job_can_break && !qos.flags.deny_on_limit)
    checks.add(Severity::kWarning, "no-deny-on-limit", path,
               fmt::format("a job that breaks a limit of '{}' by itself waits for ever instead of "
                           "being refused",
                           qos.name),
               "Flags: [DenyOnLimit]");
  if (qos.user.max_submit_jobs && *qos.user.max_submit_jobs < checks.policy.jobs.max_array_size - 1)
    checks.add(Severity::kNote, "submit-limit-counts-tasks", path + ".MaxSubmitJobsPerUser",
               fmt::format("every task of an array counts: sbatch --array=0-{} is refused as a "
                           "whole",
                           *qos.user.max_submit_jobs),
               fmt::format("MaxJobsPerUser: {}     # throttles arrays, refuses none",
                           *qos.user.max_submit_jobs));
}

// slurmctld counts a typed GPU only where the job asked for the type.
void check_typed_gpus(Checks& checks, const Qos& qos, const std::string& path) {
  const TresRegistry& tres = checks.policy.tres;
  for (const auto& [limits, key] :
       {std::pair<const TresLimits*, const char*>{&qos.group.tres, "GrpTRES"},
        {&qos.job.max_tres, "MaxTRESPerJob"},
        {&qos.user.max_tres, "MaxTRESPerUser"},
        {&qos.account.max_tres, "MaxTRESPerAccount"}})
    for (std::size_t i = kStandardTres; i < tres.size(); ++i) {
      const TresIndex index(static_cast<std::uint8_t>(i));
      if (!limits->has(index) || limits->has(kTresGpu) ||
          !tres.name(index).starts_with("gres/gpu:"))
        continue;
      checks.add(
          Severity::kWarning, "typed-gpu-limit", fmt::format("{}.{}", path, key),
          fmt::format("a job that asks for GPUs without a type is not stopped by {}={}",
                      tres.name(index), (*limits)[index]),
          fmt::format("{}: {},gres/gpu={}", key, limits_text(*limits, tres), (*limits)[index]));
      break;
    }
}

void check_use(Checks& checks, const Qos& qos, QosId id, const std::string& path) {
  const Policy& policy = checks.policy;
  if (qos.name == "normal" || !policy.enforce.qos) return;
  for (const Association& a : policy.associations)
    if (std::find(a.qos.begin(), a.qos.end(), id) != a.qos.end()) return;
  for (const Partition& partition : policy.partitions)
    if (partition.qos == id) return;
  checks.add(Severity::kWarning, "qos-unused", path,
             fmt::format("no account may use QoS '{}' and no partition has it", qos.name),
             fmt::format("qos: [{}]     # at an account", qos.name));
}

}  // namespace

void check_qos(Checks& checks) {
  for (std::size_t i = 0; i < checks.policy.qos.size(); ++i) {
    const Qos& qos = checks.policy.qos[i];
    const std::string path = "qos." + qos.name;
    check_minimum(checks, qos, path);
    check_reachable(checks, qos, path);
    check_one_node(checks, qos, path);
    check_zero(checks, qos, path);
    check_wall(checks, qos, path);
    check_meaning(checks, qos, path);
    check_typed_gpus(checks, qos, path);
    check_use(checks, qos, QosId(static_cast<QosId::rep>(i)), path);
  }
}

}  // namespace sluice
