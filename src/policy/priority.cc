// priority/multifactor and priority/basic, to the last bit as slurmctld 22.05 adds them up.
#include "policy/priority.h"

#include <algorithm>

#include "model/billing.h"
#include "policy/age.h"

namespace sluice {
namespace {

// priority/basic counts down from here (TOP_PRIORITY).
constexpr std::int64_t kBasicTop = 0xffff0000;
// A time limit that is unlimited, in minutes, as Slurm writes it (INFINITE).
constexpr double kUnlimitedMinutes = 4294967295.0;

double time_limit_minutes(const State& state, const JobSpec& request, PartitionId partition) {
  if (request.no_time_limit) return kUnlimitedMinutes;
  const std::optional<Duration> limit = request.time_limit
                                            ? request.time_limit
                                            : state.policy().partitions[partition.index()].max_time;
  if (!limit) return kUnlimitedMinutes;
  return static_cast<double>(
      std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::minutes>(*limit).count()));
}

double job_size_factor(const State& state, const PriorityContext& context, const Shape& shape,
                       PartitionId partition, const TresVector& tres) {
  const PrioritySettings& settings = state.policy().priority;
  const auto nodes = static_cast<double>(shape.min_nodes);
  const auto cpus = static_cast<double>(tres[kTresCpu]);
  const auto all_nodes = static_cast<double>(context.cluster_nodes);
  const auto all_cpus = static_cast<double>(context.cluster_cpus);
  if (context.cluster_nodes == 0 || context.cluster_cpus == 0) return 0;
  double factor = 0;
  if (settings.small_relative_to_time) {
    factor = std::max(nodes * all_cpus / all_nodes, cpus);
    factor /= time_limit_minutes(state, *shape.request, partition);
    factor /= all_cpus;
    if (settings.favor_small) factor = 1.0 - factor;
  } else if (settings.favor_small) {
    factor = (all_nodes - nodes) / all_nodes;
    if (cpus != 0) factor = (factor + (all_cpus - cpus) / all_cpus) / 2;
  } else {
    factor = nodes / all_nodes;
    if (cpus != 0) factor = (factor + cpus / all_cpus) / 2;
  }
  return std::clamp(factor, 0.0, 1.0);
}

PriorityTerms terms_of(const State& state, const PriorityContext& context, const Shape& shape,
                       PartitionId partition, const TresVector& tres) {
  const PrioritySettings& settings = state.policy().priority;
  PriorityTerms terms;
  const std::int64_t fixed =
      shape.has_priority ? std::clamp<std::int64_t>(*shape.request->priority, 0, kMaxPriority) : 0;
  if (fixed > 0) {
    terms.fixed = true;
    terms.nice = static_cast<double>(fixed);
    return terms;
  }
  terms.nice = static_cast<double>(shape.request->nice);
  terms.several_partitions = shape.partitions.size() > 1;
  if (settings.type == PriorityType::kBasic) return terms;
  if (shape.assoc) {
    terms.assoc = context.assoc_part[shape.assoc->index()];
    if (settings.weight_fairshare != 0) terms.row = shape.assoc->value();
  }
  if (settings.weight_job_size != 0)
    terms.job_size = job_size_factor(state, context, shape, partition, tres) *
                     static_cast<double>(settings.weight_job_size);
  terms.partition = context.partition_part[partition.index()];
  if (shape.qos) terms.qos = context.qos_part[shape.qos->index()];
  for (const PriorityContext::TresFactor& factor : context.tres_factors[partition.index()])
    terms.tres += static_cast<double>(tres[factor.tres]) / factor.total * factor.weight;
  return terms;
}

double age_part(const State& state, const Job& job, Instant now) {
  const auto since = age_since(state.policy(), state.shape_of_job(job), job);
  return since ? AgeScale(state.policy().priority, now).part(to_seconds(*since)) : 0;
}

double first_part(const State& state, const Job& job, Instant now) {
  const PrioritySettings& settings = state.policy().priority;
  return settings.type == PriorityType::kBasic
             ? basic_part(state.policy(), job.array != JobId{} ? job.array : job.id)
             : age_part(state, job, now);
}

// By dimension, what all nodes of a partition have; licenses are the cluster's.
TresVector tres_of_nodes(const Policy& policy, const std::vector<NodeId>& nodes) {
  TresVector total;
  for (NodeId id : nodes) {
    const Node& node = policy.nodes[id.index()];
    total[kTresCpu] += node.cpus;
    total[kTresMem] += node.memory_mb;
    total[kTresNode] += 1;
    total[kTresGpu] += static_cast<std::int64_t>(node.gpus.size());
    for (const Gpu& gpu : node.gpus)
      if (!gpu.type.empty())
        if (auto typed = policy.tres.find("gres/gpu:" + gpu.type)) total[*typed] += 1;
  }
  for (const License& license : policy.licenses)
    if (auto index = policy.tres.find("license/" + license.name)) total[*index] += license.count;
  return total;
}

std::vector<PriorityContext::TresFactor> tres_factors(const Policy& policy, PartitionId partition) {
  std::vector<PriorityContext::TresFactor> factors;
  if (policy.priority.weight_tres.empty()) return factors;
  TresVector total = tres_of_nodes(policy, policy.partitions[partition.index()].nodes);
  total[kTresBilling] = billing_of(policy, partition, total);
  for (const TresWeight& weight : policy.priority.weight_tres) {
    const double by = policy.priority.no_normal_tres ? 1 : static_cast<double>(total[weight.tres]);
    if (by == 0) continue;
    factors.push_back(
        {weight.tres,
         static_cast<double>(weight.millionths) / 1e6 / static_cast<double>(weight.per), by});
  }
  std::stable_sort(factors.begin(), factors.end(),
                   [](const auto& a, const auto& b) { return a.tres < b.tres; });
  return factors;
}

// The nearest association above counts where one has none of its own.
void fill_assoc_parts(const Policy& policy, PriorityContext& context) {
  const PrioritySettings& settings = policy.priority;
  std::vector<double>& part = context.assoc_part;
  part.resize(policy.associations.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Association& assoc = policy.associations[i];
    part[i] = assoc.priority ? static_cast<double>(*assoc.priority)
              : assoc.parent ? part[assoc.parent->index()]
                             : 0;
    context.max_assoc_priority = std::max(context.max_assoc_priority, part[i]);
  }
  const double by = settings.no_normal_assoc ? 1 : context.max_assoc_priority;
  for (double& value : part)
    value = by > 0 ? value / by * static_cast<double>(settings.weight_assoc) : 0;
}

}  // namespace

PriorityContext priority_context(const State& state) {
  const Policy& policy = state.policy();
  const PrioritySettings& settings = policy.priority;
  PriorityContext context;
  std::vector<NodeId> all;
  for (std::size_t i = 0; i < policy.nodes.size(); ++i)
    all.push_back(NodeId(static_cast<std::uint32_t>(i)));
  context.cluster_tres = tres_of_nodes(policy, all);
  context.cluster_cpus = context.cluster_tres[kTresCpu];
  context.cluster_nodes = context.cluster_tres[kTresNode];

  context.max_partition_factor = 1;  // Slurm starts from 1, not from 0.
  for (const Partition& partition : policy.partitions)
    context.max_partition_factor =
        std::max(context.max_partition_factor, static_cast<double>(partition.priority_job_factor));
  for (std::size_t i = 0; i < policy.partitions.size(); ++i) {
    const auto own = static_cast<double>(policy.partitions[i].priority_job_factor);
    const double factor = settings.no_normal_part ? own : own / context.max_partition_factor;
    context.partition_part.push_back(factor * static_cast<double>(settings.weight_partition));
    context.tres_factors.push_back(
        tres_factors(policy, PartitionId(static_cast<std::uint32_t>(i))));
  }
  for (const Qos& qos : policy.qos)
    context.max_qos_priority =
        std::max(context.max_qos_priority, static_cast<double>(qos.priority));
  for (const Qos& qos : policy.qos) {
    const double by = settings.no_normal_qos ? 1 : context.max_qos_priority;
    const double factor = by > 0 ? static_cast<double>(qos.priority) / by : 0;
    context.qos_part.push_back(factor * static_cast<double>(settings.weight_qos));
  }
  fill_assoc_parts(policy, context);
  return context;
}

PriorityTerms priority_terms(const State& state, const PriorityContext& context, const Shape& shape,
                             PartitionId partition) {
  return terms_of(state, context, shape, partition, shape.asked);
}

void fill_fairshare(const PrioritySettings& settings, const Fairshare& fairshare,
                    PriorityTerms& terms) {
  if (terms.row < fairshare.rows.size())
    terms.fairshare =
        fairshare.rows[terms.row].factor * static_cast<double>(settings.weight_fairshare);
}

double basic_part(const Policy& policy, JobId number) {
  const auto first = static_cast<std::int64_t>(policy.jobs.first_job_id);
  return static_cast<double>(kBasicTop - 1 - (std::int64_t{number.value()} - first));
}

PriorityParts priority_of(const State& state, const PriorityContext& context,
                          const Fairshare& fairshare, const Job& job, PartitionId partition,
                          Instant now) {
  const Shape& shape = state.shape_of_job(job);
  const TresVector& tres = holds_nodes(job.state) ? state.run_of(job).tres : shape.asked;
  PriorityTerms terms = terms_of(state, context, shape, partition, tres);
  fill_fairshare(state.policy().priority, fairshare, terms);
  PriorityParts parts;
  if (terms.fixed) {
    parts.total = priority_total(terms, 0);
  } else {
    const double first = first_part(state, job, now);
    if (state.policy().priority.type == PriorityType::kMultifactor) parts.age = first;
    parts.assoc = terms.assoc;
    parts.fairshare = terms.fairshare;
    parts.job_size = terms.job_size;
    parts.partition = terms.partition;
    parts.qos = terms.qos;
    parts.tres = terms.tres;
    parts.nice = shape.request->nice;
    parts.total = priority_total(terms, first);
  }
  if (job.held != HeldBy::kNobody) parts.total = 0;
  return parts;
}

}  // namespace sluice
