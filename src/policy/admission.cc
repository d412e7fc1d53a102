// Submission, step by step in the order of slurmctld's _job_create; the first step that objects
// refuses the job.
#include "policy/admission.h"

#include <algorithm>
#include <string_view>

#include "model/default_memory.h"
#include "model/job_bounds.h"
#include "policy/feasibility.h"
#include "policy/limits.h"
#include "policy/memory_bound.h"
#include "policy/natural_order.h"
#include "policy/partition_access.h"
#include "policy/refusal.h"
#include "policy/reservations.h"

namespace sluice {
namespace {

using Objection = std::optional<Refusal>;

bool is_operator(const Policy& policy, const std::string& user) {
  if (user == "root") return true;
  const auto id = policy.find_user(user);
  return id && policy.users[id->index()].admin_level != AdminLevel::kNone;
}

class Candidate {
 public:
  Candidate(const State& state, const JobSpec& asked, Instant now, const Job* changed)
      : state_(state),
        policy_(state.policy()),
        now_(now),
        changed_(changed),
        request_(std::make_shared<JobSpec>(asked)),
        spec_(*request_) {
    // Only an operator who changes a job that waits can say so.
    if (changed == nullptr) spec_.limit_by_operator = false;
  }

  Admission decide() {
    using Step = Objection (Candidate::*)();
    constexpr Step kSteps[] = {
        &Candidate::check_bounds,     &Candidate::read_array,
        &Candidate::find_room,        &Candidate::find_partitions,
        &Candidate::find_association, &Candidate::find_qos,
        &Candidate::fill_in,          &Candidate::check_totals,
        &Candidate::enter_partitions, &Candidate::bound_memory,
        &Candidate::check_totals,     &Candidate::check_time,
        &Candidate::find_licenses,    &Candidate::respect_limits,
        &Candidate::find_nodes,       &Candidate::find_features_and_gpus,
        &Candidate::find_reservation, &Candidate::find_dependencies,
        &Candidate::fit_somewhere,
    };
    for (const Step step : kSteps)
      if (Objection objection = (this->*step)()) return *std::move(objection);
    return std::shared_ptr<const JobSpec>(request_);
  }

 private:
  Objection check_bounds();
  Objection read_array();
  Objection find_room();
  Objection check_totals();
  Objection find_partitions();
  Objection find_association();
  Objection find_qos();
  Objection fill_in();
  Objection enter_partitions();
  Objection bound_memory();
  Objection check_time();
  Objection find_licenses();
  Objection respect_limits();
  Objection find_nodes();
  void name_nodes_between();
  Objection find_features_and_gpus();
  Objection find_reservation();
  Objection find_dependencies();
  Objection fit_somewhere();

  const Partition& partition(PartitionId id) const { return policy_.partitions[id.index()]; }
  Objection enter(const Shape& shape, PartitionId id) const;
  void name_partitions() {
    spec_.partitions.clear();
    for (PartitionId id : partitions_) spec_.partitions.push_back(partition(id).name);
  }
  void fill_in_time();
  void fill_in_memory();
  // The request as it stands; made anew where it was changed since.
  const Shape& shape() {
    if (!shape_) {
      // A user nobody has heard of has a number past the last, and so holds nothing.
      const UserId unknown(static_cast<std::uint32_t>(state_.user_count()));
      shape_ = shape_of(policy_, state_.names(), request_,
                        state_.find_user(spec_.user).value_or(unknown));
    }
    return *shape_;
  }
  std::int64_t tasks() const {
    if (changed_ != nullptr) {
      const Array* array = changed_->is_array ? state_.find_array(changed_->array) : nullptr;
      return array != nullptr ? static_cast<std::int64_t>(array->waiting.size()) : 1;
    }
    return spec_.array ? static_cast<std::int64_t>(spec_.array->indices.size()) : 1;
  }

  const State& state_;
  const Policy& policy_;
  Instant now_;
  const Job* changed_;
  std::shared_ptr<JobSpec> request_;
  JobSpec& spec_;
  std::vector<PartitionId> partitions_;
  std::optional<AssocId> assoc_;
  std::optional<Shape> shape_;
};

Objection Candidate::check_bounds() {
  std::string problem = out_of_bounds(spec_);
  if (problem.empty()) return std::nullopt;
  return Refusal{{}, std::move(problem)};
}

// Defaults of the policy, and CPUs that come with memory, count too.
Objection Candidate::check_totals() {
  std::string problem = totals_out_of_bounds(spec_);
  if (problem.empty()) return std::nullopt;
  return Refusal{{}, std::move(problem)};
}

// As slurmctld counts: with MaxJobCount=6 there are five.
Objection Candidate::find_room() {
  if (changed_ != nullptr || has_room_for(state_, tasks())) return std::nullopt;
  return refusal::of(refusal::kQueueFull);
}

Objection Candidate::read_array() {
  if (!spec_.array) return std::nullopt;
  const auto last = spec_.array->indices.last();
  if (!last || *last >= policy_.jobs.max_array_size) return refusal::of(refusal::kArray);
  return std::nullopt;
}

Objection Candidate::find_partitions() {
  if (spec_.partitions.empty()) {
    const auto id = policy_.default_partition();
    if (!id) return refusal::of(refusal::kNoPartition);
    spec_.partitions = {partition(*id).name};
  }
  for (const std::string& name : spec_.partitions) {
    const auto id = policy_.find_partition(name);
    if (!id) return refusal::of(refusal::kPartition);
    if (std::find(partitions_.begin(), partitions_.end(), *id) == partitions_.end())
      partitions_.push_back(*id);
  }
  if (partitions_.size() < spec_.partitions.size()) name_partitions();
  return std::nullopt;
}

Objection Candidate::find_association() {
  if (spec_.account.empty())
    if (const auto user = state_.names().user(spec_.user))
      spec_.account = policy_.users[*user].default_account;
  assoc_ = state_.names().association(spec_.account, spec_.user,
                                      partitions_.size() == 1 ? spec_.partitions.front() : "");
  if (assoc_) spec_.account = policy_.associations[assoc_->index()].account;
  // Which association such a job stands in would depend on where it starts.
  const auto has_its_own = [&](PartitionId id) {
    const auto there = state_.names().association(spec_.account, spec_.user, partition(id).name);
    return there && !policy_.associations[there->index()].partition.empty();
  };
  if (partitions_.size() > 1 && std::any_of(partitions_.begin(), partitions_.end(), has_its_own))
    return refusal::of(refusal::kPartitionAssociation);
  if (assoc_ || !policy_.enforce.associations) return std::nullopt;
  return refusal::of(refusal::kAccount, Reason{.rule = Rule::kInvalidAccount});
}

Objection Candidate::find_qos() {
  constexpr std::string_view kNormal = "normal";
  const std::vector<QosId> none;
  const std::vector<QosId>& allowed = assoc_ ? policy_.allowed_qos(*assoc_) : none;
  const auto refused = [] { return refusal::of(refusal::kQos, Reason{.rule = Rule::kInvalidQos}); };
  if (spec_.qos.empty()) {
    if (const auto id = assoc_ ? policy_.default_qos(*assoc_) : std::nullopt)
      spec_.qos = policy_.qos[id->index()].name;
    else if (allowed.size() == 1)
      spec_.qos = policy_.qos[allowed.front().index()].name;
    else if (policy_.find_qos(kNormal))
      spec_.qos = kNormal;
    else  // A policy that names no QoS for it: the job has none.
      return policy_.enforce.qos && !allowed.empty() ? Objection(refused()) : std::nullopt;
  }
  const auto id = policy_.find_qos(spec_.qos);
  if (!id) return policy_.enforce.qos ? Objection(refused()) : std::nullopt;
  spec_.qos = policy_.qos[id->index()].name;
  if (!policy_.enforce.qos || !assoc_) return std::nullopt;
  // Where no association says anything, Slurm's own root association allows `normal`.
  const bool may = allowed.empty()
                       ? spec_.qos == kNormal
                       : std::find(allowed.begin(), allowed.end(), *id) != allowed.end();
  return may ? std::nullopt : Objection(refused());
}

void Candidate::fill_in_time() {
  // No limit is one that no partition with a limit of its own allows; then the job waits.
  if (spec_.no_time_limit && !spec_.time_limit) spec_.time_limit = kForever;
  if (spec_.time_limit) return;
  const Partition& first = partition(partitions_.front());
  if (first.default_time)
    spec_.time_limit = first.default_time;
  else if (const auto wall =
               wall_from_limits(policy_, assoc_, policy_.find_qos(spec_.qos), partitions_.front()))
    spec_.time_limit = wall;  // Even where the partition allows less; then the job waits.
  else
    spec_.time_limit = first.max_time;
}

void Candidate::fill_in_memory() {
  if (spec_.memory) return;
  spec_.memory = usual_memory(policy_, partitions_.front());
  if (!spec_.memory && policy_.jobs.memory_is_consumable)
    spec_.memory = MemoryRequest{MemoryPer::kNode, 0};
}

Objection Candidate::fill_in() {
  if (spec_.name.empty()) spec_.name = "sbatch";  // What sbatch calls a script from its stdin.
  if (changed_ == nullptr) {
    // Operators set priorities; for others, and where 0 is given, sbatch's --priority means
    // nothing. A change is checked by whoever knows who asks for it.
    const bool trusted = is_operator(policy_, spec_.user);
    if (!trusted || spec_.priority == 0) spec_.priority.reset();
    if (!trusted && spec_.nice < 0) return refusal::of(refusal::kNice);
  } else if (spec_.priority == 0) {
    spec_.hold = true;
    spec_.priority.reset();
  }
  // A job that says how many tasks it has gets no more nodes than tasks: -n1 -N1-2 is 1-1.
  if (spec_.tasks && spec_.min_nodes) spec_.min_nodes = std::min(*spec_.min_nodes, *spec_.tasks);
  if (spec_.tasks && spec_.max_nodes) spec_.max_nodes = std::min(*spec_.max_nodes, *spec_.tasks);
  // One GPU is on one node: --gpus=2 -N1-3 is 1-2.
  for (const GpuRequest& gpus : spec_.gpus)
    if (spec_.max_nodes && gpus.per == GpusPer::kJob && gpus.count >= spec_.min_nodes.value_or(1))
      spec_.max_nodes = std::min(*spec_.max_nodes, gpus.count);
  // Several partitions: the least that any of them asks for.
  std::int32_t least = partition(partitions_.front()).min_nodes;
  for (PartitionId id : partitions_) least = std::min(least, partition(id).min_nodes);
  if (spec_.min_nodes.value_or(1) < least && spec_.max_nodes.value_or(least) >= least)
    spec_.min_nodes = least;
  if (spec_.max_nodes && *spec_.max_nodes < spec_.min_nodes.value_or(1))
    return refusal::of(refusal::kNodeCount);
  fill_in_time();
  give_with_gpus(policy_, partitions_.front(), spec_);
  fill_in_memory();
  return std::nullopt;
}

// _part_access_check, which looks at the whole time limit, not at --time-min.
Objection Candidate::enter(const Shape& shape, PartitionId id) const {
  const Partition& there = partition(id);
  if (cpus_up_to(policy_, there, shape.asked[kTresCpu]) < shape.asked[kTresCpu])
    return refusal::of(refusal::kProcessors);
  for (const std::string& name : spec_.require_nodes) {
    const auto node = policy_.find_node(name);
    if (node && std::find(there.nodes.begin(), there.nodes.end(), *node) == there.nodes.end())
      return refusal::of(refusal::kNodesElsewhere);
  }
  const bool own_time = shape.qos && policy_.qos[shape.qos->index()].flags.partition_time_limit;
  const bool too_long =
      there.max_time && shape.limit > *there.max_time && !own_time && !shape.limit_by_operator;
  Objection objection;
  const auto first_that_refuses = [&](const Reason& reason, bool passed) {
    if (passed || objection) return !objection;
    if (reason.rule == Rule::kPartitionNodeLimit)
      objection = refusal::of(refusal::kNodeCount, reason);
    if (reason.rule == Rule::kAccountNotAllowed) objection = refusal::of(refusal::kAccount, reason);
    if (reason.rule == Rule::kQosNotAllowed) objection = refusal::of(refusal::kQos, reason);
    return !objection;  // A partition that is down takes jobs and keeps them waiting.
  };
  walk_partition(policy_, shape, id, shape.limit, first_that_refuses);
  const bool by_nodes = objection && objection->reason.rule == Rule::kPartitionNodeLimit;
  if (too_long && !by_nodes)
    return refusal::of(refusal::kTime, Reason{Rule::kPartitionTimeLimit,
                                              LimitHolder::kPartition,
                                              {},
                                              id.value(),
                                              to_seconds(*there.max_time),
                                              0,
                                              to_seconds(shape.limit)});
  return objection;
}

// A closed partition takes nobody and is left out of several. What else a partition asks refuses
// the job where EnforcePartLimits says so, and keeps it waiting where it does not.
Objection Candidate::enter_partitions() {
  const EnforcePartLimits enforce = policy_.jobs.enforce_part_limits;
  const std::size_t asked = partitions_.size();
  std::erase_if(partitions_, [&](PartitionId id) {
    const PartitionState state = partition(id).state;
    return state == PartitionState::kDrain || state == PartitionState::kInactive;
  });
  if (partitions_.empty()) return refusal::of(refusal::kPartitionClosed);
  // 22.05 keeps a forbidden partition of several without EnforcePartLimits, and with it the job
  // never starts anywhere; here the job is kept for the others.
  const auto forbidden = [&](PartitionId id) { return !group_allowed(policy_, spec_.user, id); };
  if (std::erase_if(partitions_, forbidden) > 0 &&
      (partitions_.empty() || enforce != EnforcePartLimits::kNo))
    return refusal::of(refusal::kGroup);
  if (partitions_.size() < asked) name_partitions();
  if (enforce == EnforcePartLimits::kNo) return std::nullopt;
  const Shape& shape = this->shape();
  Objection last;
  for (PartitionId id : partitions_) {
    last = enter(shape, id);
    if (last.has_value() == (enforce == EnforcePartLimits::kAll)) break;
  }
  return last;
}

// Raises CPUs always; refuses, like the other limits of partitions, only where that is enforced.
Objection Candidate::bound_memory() {
  const bool all = policy_.jobs.enforce_part_limits == EnforcePartLimits::kAll;
  bool fits = false;
  const std::optional<std::int32_t> cpus = spec_.cpus_per_task;
  const std::optional<MemoryRequest> memory = spec_.memory;
  for (PartitionId id : partitions_) {
    fits = fit_memory_bound(policy_, partition(id), spec_);
    if (fits != all) break;
  }
  if (spec_.cpus_per_task != cpus || spec_.memory != memory) shape_.reset();
  if (fits || policy_.jobs.enforce_part_limits == EnforcePartLimits::kNo) return std::nullopt;
  return refusal::of(refusal::kMemory, Reason{.rule = Rule::kMaxMemoryPerLimit});
}

Objection Candidate::check_time() {
  if (spec_.time_min && spec_.time_limit && *spec_.time_min > *spec_.time_limit)
    return refusal::of(refusal::kTimeMin);
  // A deadline that the limit cannot meet ends the job later; only one that has passed refuses it.
  if (spec_.deadline && *spec_.deadline <= now_)
    return refusal::of(refusal::kTime, Reason{.rule = Rule::kDeadline});
  return std::nullopt;
}

Objection Candidate::find_licenses() {
  for (const LicenseRequest& wanted : spec_.licenses) {
    const auto it = std::find_if(policy_.licenses.begin(), policy_.licenses.end(),
                                 [&](const License& l) { return l.name == wanted.name; });
    if (it == policy_.licenses.end() || wanted.count > it->count)
      return refusal::of(refusal::kLicense, Reason{.rule = Rule::kLicenses});
  }
  return std::nullopt;
}

// Whatever EnforcePartLimits says, the limits of each partition's QoS must let the job in.
Objection Candidate::respect_limits() {
  const Shape& shape = this->shape();
  const std::optional<Reason> reason =
      changed_ != nullptr ? limit_at_change(state_, state_.shape_of_job(*changed_), shape, tasks())
                          : limit_at_submission(state_, shape, tasks());
  return reason ? Objection(refusal::of(refusal::kLimits, *reason)) : std::nullopt;
}

Objection Candidate::find_nodes() {
  for (const std::string& name : spec_.require_nodes)
    if (!policy_.find_node(name) ||
        std::find(spec_.exclude_nodes.begin(), spec_.exclude_nodes.end(), name) !=
            spec_.exclude_nodes.end())
      return refusal::of(refusal::kNodeName);
  for (const std::string& name : spec_.exclude_nodes)
    if (!policy_.find_node(name)) return refusal::of(refusal::kNodeName);
  if (spec_.contiguous && spec_.require_nodes.size() > 1) name_nodes_between();
  if (spec_.contiguous && spec_.max_nodes && std::ssize(spec_.require_nodes) > *spec_.max_nodes)
    return refusal::of(refusal::kNodeCount);
  return std::nullopt;
}

// Nodes that follow each other have no gaps between those that are named.
void Candidate::name_nodes_between() {
  std::vector<std::string> all;
  for (const Node& node : policy_.nodes) all.push_back(node.name);
  std::stable_sort(all.begin(), all.end(), natural_less);
  const auto is_named = [&](const std::string& name) {
    return std::find(spec_.require_nodes.begin(), spec_.require_nodes.end(), name) !=
           spec_.require_nodes.end();
  };
  const auto first = std::find_if(all.begin(), all.end(), is_named);
  const auto last = std::find_if(all.rbegin(), all.rend(), is_named).base();
  spec_.require_nodes.assign(first, last);
}

Objection Candidate::find_features_and_gpus() {
  const auto exists = [&](const std::string& feature) {
    return std::any_of(policy_.nodes.begin(), policy_.nodes.end(), [&](const Node& node) {
      return std::find(node.features.begin(), node.features.end(), feature) != node.features.end();
    });
  };
  const auto all_exist = [&](const std::vector<std::vector<std::string>>& any_of) {
    for (const auto& wanted : any_of)
      if (!std::all_of(wanted.begin(), wanted.end(), exists)) return false;
    return true;
  };
  bool known = all_exist(spec_.constraint.any_of);
  for (const CountedFeature& counted : spec_.constraint.counted)
    known = known && all_exist(counted.any_of);
  if (!known) return refusal::of(refusal::kFeature, Reason{.rule = Rule::kBadConstraints});
  if (!all_exist(spec_.prefer.any_of))
    return refusal::of(refusal::kPreferredFeature, Reason{.rule = Rule::kBadConstraints});
  const bool asks = std::any_of(spec_.gpus.begin(), spec_.gpus.end(),
                                [](const GpuRequest& gpu) { return gpu.count > 0; });
  if (asks && std::all_of(policy_.nodes.begin(), policy_.nodes.end(),
                          [](const Node& node) { return node.gpus.empty(); }))
    return refusal::of(refusal::kGres);
  return std::nullopt;
}

Objection Candidate::find_reservation() {
  if (spec_.reservation.empty()) {
    const auto qos = policy_.find_qos(spec_.qos);
    if (qos && policy_.qos[qos->index()].flags.require_reservation)
      return refusal::of(refusal::kQos, Reason{.rule = Rule::kInvalidQos});
    return std::nullopt;
  }
  const KeptReservation* kept = state_.find_reservation(spec_.reservation);
  if (kept == nullptr) return refusal::of(refusal::kReservation);
  if (!may_use_reservation(policy_, kept->told, spec_.user, spec_.account))
    return refusal::of(refusal::kReservationAccess);
  return std::nullopt;
}

// A job that is not known any more, or never was, is waited for by nobody.
Objection Candidate::find_dependencies() {
  Dependencies& dependencies = spec_.dependencies;
  const auto gone = [&](const Dependency& term) {
    return term.type != DependencyType::kSingleton && state_.find_job(term.job) == nullptr &&
           state_.find_array(term.job) == nullptr;
  };
  for (const Dependency& term : dependencies.terms)
    if (changed_ != nullptr && term.type != DependencyType::kSingleton &&
        (term.job == changed_->id || (term.job == changed_->array && term.job != JobId{})))
      return refusal::of(refusal::kDependency, Reason{.rule = Rule::kDependency});
  const auto lifted = std::erase_if(dependencies.terms, gone);
  if (lifted > 0 && dependencies.any) dependencies.terms.clear();
  return std::nullopt;
}

// A job that is held is not checked.
Objection Candidate::fit_somewhere() {
  const Shape& shape = this->shape();
  if (changed_ != nullptr)
    return has_too_few_cpus(policy_, shape)
               ? Objection(refusal::of(refusal::kPartitionConfiguration,
                                       Reason{.rule = Rule::kPartitionConfig}))
               : std::nullopt;
  if (spec_.hold) return std::nullopt;
  const ShutGates shut{
      [&](PartitionId id) { return partition_gate(state_, shape, id, shape.limit).has_value(); },
      [&](PartitionId id) { return limit_before_placement(state_, shape, id, shape.limit, now_); }};
  const KeptReservation* own =
      shape.in_reservation ? state_.find_reservation(spec_.reservation) : nullptr;
  const bool bound = own != nullptr && !own->told.flags.flex;
  // Before it begins nobody looks whether any nodes could hold the job.
  if (bound && own->told.start > now_) return std::nullopt;
  if (!no_node_could_hold(policy_, shape, partitions_, shut, bound ? &own->has_node : nullptr))
    return std::nullopt;
  return refusal::of(refusal::kNodeConfiguration, Reason{.rule = Rule::kBadConstraints});
}

}  // namespace

bool has_room_for(const State& state, std::int64_t tasks) {
  return static_cast<std::int64_t>(state.task_count()) + tasks <
         std::int64_t{state.policy().jobs.max_job_count};
}

Admission admit(const State& state, const JobSpec& asked, Instant now) {
  return Candidate(state, asked, now, nullptr).decide();
}

Admission admit_change(const State& state, const Job& job, const JobSpec& asked, Instant now) {
  return Candidate(state, asked, now, &job).decide();
}

}  // namespace sluice
