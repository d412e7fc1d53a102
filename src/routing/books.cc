// Room is the smallest over every gate; taking adds to every book that the walk would look at.
#include "routing/books.h"

#include <algorithm>
#include <set>

namespace sluice {
namespace {

// The partition's QoS and the job's in the order in which they are looked at.
struct Pair {
  std::optional<QosId> first;
  std::optional<QosId> second;
  LimitHolder first_holder = LimitHolder::kJobQos;
  LimitHolder second_holder = LimitHolder::kJobQos;
};
Pair pair_of(const Policy& policy, std::optional<PartitionId> partition, std::optional<QosId> job) {
  std::optional<QosId> part;
  if (partition) part = policy.partitions[partition->index()].qos;
  Pair out{part, job, LimitHolder::kPartitionQos, LimitHolder::kJobQos};
  if (job && policy.qos[job->index()].flags.over_part_qos)
    out = {job, part, LimitHolder::kJobQos, LimitHolder::kPartitionQos};
  if (part == job) out.second.reset();
  if (!out.first) out = {out.second, std::nullopt, out.second_holder, out.first_holder};
  return out;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::int64_t gpus_of(const NodeRoom& room, const std::string& type) {
  return std::count_if(room.free_gpus.begin(), room.free_gpus.end(),
                       [&](const Gpu& gpu) { return type.empty() || gpu.type == type; });
}

std::int64_t divided(std::int64_t free, std::int64_t asked) {
  return asked <= 0 ? kPlenty : std::max<std::int64_t>(0, free) / asked;
}

// How many tasks (or, of a task on several nodes, parts) one node takes.
std::int64_t fit_on(const NodeRoom& room, const TaskNeed& need) {
  if (!room.usable) return 0;
  const std::int64_t parts = need.nodes;
  const auto part = [&](std::int64_t whole) { return (whole + parts - 1) / parts; };
  return std::min({divided(room.free_cpus, part(need.cpus)),
                   divided(room.free_memory_mb, part(need.memory_mb)),
                   divided(gpus_of(room, need.gpu_type), part(need.gpus))});
}

}  // namespace

Books Books::held(const Description& description) {
  Books out;
  out.description_ = &description;
  out.associations_ = description.associations;
  out.qos_ = description.qos;
  out.users_ = description.users;
  out.accounts_ = description.accounts;
  out.nodes_ = description.nodes;
  return out;
}

Books Books::now(const Description& description) {
  Books out = held(description);
  out.count_own_waiting();
  return out;
}

// One's own tasks that wait for nothing but their turn will be there before any new one. What
// others let wait holds nothing.
void Books::count_own_waiting() {
  const Policy& policy = *description_->policy;
  for (const HeldJob& job : description_->jobs) {
    if (job.state != JobState::kPending || job.user != description_->user) continue;
    if (job.reason != "None" && job.reason != "Priority" && job.reason != "Resources") continue;
    const std::string partition = job.partition.substr(0, job.partition.find(','));
    const auto assoc = policy.find_association(job.account, job.user, partition);
    if (!assoc) continue;
    Seat seat{*assoc, policy.find_qos(job.qos), {}};
    if (const auto id = policy.find_partition(partition)) seat.partitions.push_back(*id);
    TaskNeed need;
    need.cpus = job.tres[kTresCpu];
    need.memory_mb = job.tres[kTresMem];
    need.gpus = job.tres[kTresGpu];
    need.nodes = std::max<std::int64_t>(1, job.tres[kTresNode]);
    take(seat, need, job.tasks);
    give_back_waiting(seat, job.tasks);  // As submitted it was counted before.
  }
}

Books Books::empty(const Description& description) {
  Books out;
  out.description_ = &description;
  out.associations_.resize(description.associations.size());
  out.qos_.resize(description.qos.size());
  const std::vector<Node>& nodes = description.policy->nodes;
  for (std::size_t i = 0; i < description.nodes.size() && i < nodes.size(); ++i)
    out.nodes_.push_back(
        {description.nodes[i].usable, nodes[i].cpus, nodes[i].memory_mb, nodes[i].gpus});
  return out;
}

const Use* Books::user_in(QosId qos) const {
  for (const HolderUse& use : users_)
    if (use.qos == qos && use.holder == description_->user) return &use.use;
  return nullptr;
}

const Use* Books::account_in(QosId qos, const std::string& account) const {
  for (const HolderUse& use : accounts_)
    if (use.qos == qos && use.holder == account) return &use.use;
  return nullptr;
}

std::vector<NodeId> Books::nodes_of(const std::vector<PartitionId>& partitions) const {
  std::set<NodeId> out;
  for (const PartitionId id : partitions) {
    const Partition& partition = description_->policy->partitions[id.index()];
    if (partition.state != PartitionState::kUp) continue;
    for (const NodeId node : partition.nodes)
      if (node.index() < nodes_.size()) out.insert(node);
  }
  return {out.begin(), out.end()};
}

std::int64_t Books::fit_on_nodes(const std::vector<PartitionId>& partitions,
                                 const TaskNeed& need) const {
  std::int64_t out = 0;
  for (const NodeId node : nodes_of(partitions))
    out += std::min(kPlenty, fit_on(nodes_[node.index()], need));
  return std::min(kPlenty, out / need.nodes);
}

// One partition's walk over the limits.
class Books::Walk {
 public:
  Walk(const Books& books, const Seat& seat, std::optional<PartitionId> partition,
       const TaskNeed& need, std::int64_t cpu_percent)
      : books_(books),
        policy_(*books.description_->policy),
        seat_(seat),
        partition_(partition),
        need_(need),
        tres_(need.billed(policy_, partition)),
        cpu_percent_(cpu_percent),
        pair_(pair_of(policy_, partition, seat.qos)) {
    account_ = policy_.associations[seat.assoc.index()].account;
    if (need.time_limit) minutes_ = (to_seconds(*need.time_limit) + 59) / 60;
  }

  Room walk() {
    look_at_partition();
    if (policy_.enforce.limits) {
      look_at_qos(pair_.first, pair_.first_holder);
      look_at_qos(pair_.second, pair_.second_holder);
      look_at_associations();
    }
    room_.fits = kPlenty;
    room_.submittable = kPlenty;
    for (const Bound& gate : room_.gates) {
      if (gate.kind == Bound::Kind::kSubmission || gate.kind == Bound::Kind::kAlone ||
          gate.kind == Bound::Kind::kClosed)
        room_.submittable = std::min(room_.submittable, gate.fits);
      if (gate.fits < room_.fits || !room_.tightest) {
        room_.fits = std::min(room_.fits, gate.fits);
        room_.tightest = gate;
      }
    }
    return std::move(room_);
  }

 private:
  // What a QoS has set already, one bit for a dimension.
  struct Hidden {
    std::uint32_t group = 0;
    std::uint32_t minutes = 0;
    std::uint32_t run_minutes = 0;
    std::uint32_t job = 0;
    std::uint32_t node = 0;
    std::uint32_t user = 0;
    std::uint32_t account = 0;
    bool group_jobs = false;
    bool group_submit = false;
    bool wall = false;
    bool group_wall = false;
    bool user_jobs = false;
    bool user_submit = false;
  };
  struct Level {
    LimitHolder holder;
    std::uint32_t id;
    std::string name;
  };

  void gate(Bound::Kind kind, const Level& level, Rule rule, TresIndex tres, std::int64_t limit,
            std::int64_t used, std::int64_t asked, std::int64_t fits) {
    room_.gates.push_back(
        {kind, Reason{rule, level.holder, tres, level.id, limit, used, asked}, level.name, fits});
  }

  template <class Each>
  static void each(const TresLimits& limits, std::uint32_t hidden, Each body) {
    for (std::uint8_t i = 0; i < kMaxTres; ++i)
      if (limits.has(TresIndex(i)) && ((hidden >> i) & 1U) == 0)
        body(TresIndex(i), limits[TresIndex(i)]);
  }

  // Tasks that ask for nothing of it are not bounded by it.
  void together(const Level& level, Rule rule, const TresLimits& limits, const TresVector& used,
                std::uint32_t hidden, std::int64_t times = 1) {
    each(limits, hidden, [&](TresIndex tres, std::int64_t limit) {
      const std::int64_t asked = tres_[tres] * times;
      if (asked == 0) return;
      std::int64_t most = limit;
      if (tres == kTresCpu && rule == Rule::kGrpTres) most = limit * cpu_percent_ / 100;
      if (asked > limit)
        gate(Bound::Kind::kAlone, level, rule, tres, limit, 0, asked, 0);
      else
        gate(Bound::Kind::kTogether, level, rule, tres, most, used[tres], asked,
             divided(most - used[tres], asked));
    });
  }
  void alone(const Level& level, Rule rule, const TresLimits& limits, std::uint32_t hidden,
             std::int64_t parts) {
    each(limits, hidden, [&](TresIndex tres, std::int64_t limit) {
      const std::int64_t asked = tres_[tres] / parts;
      if (asked > limit) gate(Bound::Kind::kAlone, level, rule, tres, limit, 0, asked, 0);
    });
  }
  void jobs(const Level& level, Rule rule, const std::optional<std::int64_t>& limit,
            std::int64_t used) {
    if (limit)
      gate(Bound::Kind::kTogether, level, rule, {}, *limit, used, 1, divided(*limit - used, 1));
  }
  void submissions(const Level& level, Rule rule, const std::optional<std::int64_t>& limit,
                   std::int64_t used) {
    if (limit)
      gate(Bound::Kind::kSubmission, level, rule, {}, *limit, used, 1, divided(*limit - used, 1));
  }
  void wall(const Level& level, const std::optional<Duration>& limit) {
    if (limit && need_.time_limit && *need_.time_limit > *limit)
      gate(Bound::Kind::kAlone, level, Rule::kMaxWall, {}, to_seconds(*limit), 0,
           to_seconds(*need_.time_limit), 0);
  }
  // GrpTRESMins: what was used up counts; what is still to come only where Slurm is told to be
  // safe.
  void minutes(const Level& level, const TresLimits& limits, const Use& use, std::uint32_t hidden) {
    each(limits, hidden, [&](TresIndex tres, std::int64_t limit) {
      if (tres_[tres] == 0) return;
      const std::int64_t used = use.tres_minutes[tres];
      if (policy_.enforce.safe && minutes_ > 0)
        gate(Bound::Kind::kTogether, level, Rule::kGrpTresMinutes, tres, limit,
             used + use.tres_run_minutes[tres], tres_[tres] * minutes_,
             divided(limit - used - use.tres_run_minutes[tres], tres_[tres] * minutes_));
      else
        gate(Bound::Kind::kTogether, level, Rule::kGrpTresMinutes, tres, limit, used, 0,
             used < limit ? kPlenty : 0);
    });
  }
  void group(const Level& level, const GroupLimits& limits, const Use& use) {
    together(level, Rule::kGrpTres, limits.tres, use.tres, hidden_.group);
    if (!hidden_.group_jobs) jobs(level, Rule::kGrpJobs, limits.jobs, use.jobs);
    if (!hidden_.group_submit)
      submissions(level, Rule::kGrpSubmitJobs, limits.submit_jobs, use.submitted);
    minutes(level, limits.tres_minutes, use, hidden_.minutes);
    if (minutes_ > 0)
      together(level, Rule::kGrpTresRunMinutes, limits.tres_run_minutes, use.tres_run_minutes,
               hidden_.run_minutes, minutes_);
    if (limits.wall && !hidden_.group_wall)
      gate(Bound::Kind::kTogether, level, Rule::kGrpWall, {}, to_seconds(*limits.wall),
           to_seconds(use.wall), 0, use.wall < *limits.wall ? kPlenty : 0);
  }

  void look_at_qos(const std::optional<QosId>& id, LimitHolder holder) {
    if (!id) return;
    const Qos& qos = policy_.qos[id->index()];
    const Level level{holder, id->value(), qos.name};
    static const Use kNothing{};
    group(level, qos.group, books_.qos_[id->index()]);
    const Use* user = books_.user_in(*id);
    if (user == nullptr) user = &kNothing;
    const Use* account = books_.account_in(*id, account_);
    if (account == nullptr) account = &kNothing;
    together(level, Rule::kMaxTresPerUser, qos.user.max_tres, user->tres, hidden_.user);
    together(level, Rule::kMaxTresPerAccount, qos.account.max_tres, account->tres, hidden_.account);
    if (!hidden_.user_jobs) {
      jobs(level, Rule::kMaxJobsPerUser, qos.user.max_jobs, user->jobs);
      jobs(level, Rule::kMaxJobsPerAccount, qos.account.max_jobs, account->jobs);
    }
    if (!hidden_.user_submit) {
      submissions(level, Rule::kMaxSubmitJobsPerUser, qos.user.max_submit_jobs, user->submitted);
      submissions(level, Rule::kMaxSubmitJobsPerAccount, qos.account.max_submit_jobs,
                  account->submitted);
    }
    alone(level, Rule::kMaxTresPerJob, qos.job.max_tres, hidden_.job, 1);
    alone(level, Rule::kMaxTresPerNode, qos.job.max_tres_node, hidden_.node, need_.nodes);
    each(qos.job.min_tres, 0, [&](TresIndex tres, std::int64_t limit) {
      if (tres_[tres] < limit)
        gate(Bound::Kind::kAlone, level, Rule::kMinTresPerJob, tres, limit, 0, tres_[tres], 0);
    });
    if (!hidden_.wall) wall(level, qos.job.max_wall);
    hidden_.group |= qos.group.tres.bits();
    hidden_.minutes |= qos.group.tres_minutes.bits();
    hidden_.run_minutes |= qos.group.tres_run_minutes.bits();
    hidden_.user |= qos.user.max_tres.bits();
    hidden_.account |= qos.account.max_tres.bits();
    hidden_.job |= qos.job.max_tres.bits();
    hidden_.node |= qos.job.max_tres_node.bits();
    hidden_.group_jobs |= qos.group.jobs.has_value();
    hidden_.group_submit |= qos.group.submit_jobs.has_value();
    hidden_.group_wall |= qos.group.wall.has_value();
    hidden_.wall |= qos.job.max_wall.has_value();
    hidden_.user_jobs |= qos.user.max_jobs.has_value();
    hidden_.user_submit |= qos.user.max_submit_jobs.has_value();
  }

  void look_at_associations() {
    bool jobs_seen = hidden_.user_jobs;
    bool submit_seen = hidden_.user_submit;
    bool wall_seen = hidden_.wall;
    std::uint32_t job_seen = hidden_.job;
    std::uint32_t node_seen = hidden_.node;
    const Use& own = books_.associations_[seat_.assoc.index()];
    for (std::optional<AssocId> id = seat_.assoc; id;
         id = policy_.associations[id->index()].parent) {
      const Association& assoc = policy_.associations[id->index()];
      const Level level{LimitHolder::kAssociation, id->value(),
                        assoc.user.empty() ? assoc.account : assoc.user + " in " + assoc.account};
      group(level, assoc.group, books_.associations_[id->index()]);
      // MaxJobs and its kin are those of the user, wherever up the tree they are written.
      if (!jobs_seen) jobs(level, Rule::kMaxJobsPerUser, assoc.max_jobs, own.jobs);
      if (!submit_seen)
        submissions(level, Rule::kMaxSubmitJobsPerUser, assoc.max_submit_jobs, own.submitted);
      if (!wall_seen) wall(level, assoc.job.max_wall);
      alone(level, Rule::kMaxTresPerJob, assoc.job.max_tres, job_seen, 1);
      alone(level, Rule::kMaxTresPerNode, assoc.job.max_tres_node, node_seen, need_.nodes);
      jobs_seen |= assoc.max_jobs.has_value();
      submit_seen |= assoc.max_submit_jobs.has_value();
      wall_seen |= assoc.job.max_wall.has_value();
      job_seen |= assoc.job.max_tres.bits();
      node_seen |= assoc.job.max_tres_node.bits();
    }
  }

  void look_at_partition() {
    if (!partition_) return;
    const Partition& partition = policy_.partitions[partition_->index()];
    const Level level{LimitHolder::kPartition, partition_->value(), partition.name};
    const auto closed = [&](Rule rule) { gate(Bound::Kind::kClosed, level, rule, {}, 0, 0, 0, 0); };
    if (partition.state == PartitionState::kInactive) closed(Rule::kPartitionInactive);
    if (partition.state == PartitionState::kDown || partition.state == PartitionState::kDrain)
      closed(Rule::kPartitionDown);
    if (!partition.allow_accounts.empty() ? !contains(partition.allow_accounts, account_)
                                          : contains(partition.deny_accounts, account_))
      closed(Rule::kAccountNotAllowed);
    if (seat_.qos) {
      const std::string& qos = policy_.qos[seat_.qos->index()].name;
      if (!partition.allow_qos.empty() ? !contains(partition.allow_qos, qos)
                                       : contains(partition.deny_qos, qos))
        closed(Rule::kQosNotAllowed);
    }
    const bool own_time = seat_.qos && policy_.qos[seat_.qos->index()].flags.partition_time_limit;
    if (partition.max_time && need_.time_limit && *need_.time_limit > *partition.max_time &&
        !own_time)
      gate(Bound::Kind::kAlone, level, Rule::kPartitionTimeLimit, {},
           to_seconds(*partition.max_time), 0, to_seconds(*need_.time_limit), 0);
    if (partition.max_nodes && need_.nodes > *partition.max_nodes)
      gate(Bound::Kind::kAlone, level, Rule::kPartitionNodeLimit, kTresNode, *partition.max_nodes,
           0, need_.nodes, 0);
  }

  const Books& books_;
  const Policy& policy_;
  const Seat& seat_;
  std::optional<PartitionId> partition_;
  const TaskNeed& need_;
  TresVector tres_;
  std::int64_t cpu_percent_;
  Pair pair_;
  std::string account_;
  std::int64_t minutes_ = 0;
  Hidden hidden_;
  Room room_;
};

Room Books::room(const Seat& seat, const TaskNeed& need, std::int64_t cpu_percent) const {
  // Slurm takes whichever partition lets it start: the one with the most room counts.
  std::optional<Room> best;
  std::vector<std::optional<PartitionId>> choices(seat.partitions.begin(), seat.partitions.end());
  if (choices.empty()) choices.emplace_back();
  for (const auto& partition : choices) {
    Room one = Walk(*this, seat, partition, need, cpu_percent).walk();
    if (!best || one.fits > best->fits) best = std::move(one);
  }
  if (!seat.partitions.empty() && !nodes_.empty()) {
    Bound gate{Bound::Kind::kNodes, {}, {}, fit_on_nodes(seat.partitions, need)};
    gate.reason.rule = Rule::kResources;
    gate.reason.holder = LimitHolder::kPartition;
    gate.reason.holder_id = seat.partitions.front().value();
    for (const PartitionId id : seat.partitions)
      gate.name +=
          (gate.name.empty() ? "" : ",") + description_->policy->partitions[id.index()].name;
    if (gate.fits < best->fits) {
      best->fits = gate.fits;
      best->tightest = gate;
    }
    best->gates.push_back(std::move(gate));
  }
  return *best;
}

void Books::take(const Seat& seat, const TaskNeed& need, std::int64_t tasks) {
  const Policy& policy = *description_->policy;
  std::optional<PartitionId> partition;
  if (!seat.partitions.empty()) partition = seat.partitions.front();
  const TresVector one = need.billed(policy, partition);
  const std::int64_t minutes =
      need.time_limit ? (to_seconds(*need.time_limit) + 59) / 60 : std::int64_t{0};
  const auto add = [&](Use& use) {
    for (std::uint8_t i = 0; i < policy.tres.size(); ++i) {
      use.tres[TresIndex(i)] += one[TresIndex(i)] * tasks;
      use.tres_run_minutes[TresIndex(i)] += one[TresIndex(i)] * tasks * minutes;
    }
    use.jobs += tasks;
    use.submitted += tasks;
  };
  each_use(seat, add);
  // Onto the nodes that take the most first; of a task on several nodes a part on each.
  std::int64_t parts = tasks * need.nodes;
  std::vector<NodeId> nodes = nodes_of(seat.partitions);
  std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return fit_on(nodes_[a.index()], need) > fit_on(nodes_[b.index()], need);
  });
  const auto part = [&](std::int64_t whole) { return (whole + need.nodes - 1) / need.nodes; };
  for (const NodeId node : nodes) {
    if (parts <= 0) break;
    NodeRoom& room = nodes_[node.index()];
    const std::int64_t here = std::min(parts, fit_on(room, need));
    if (here <= 0) continue;
    parts -= here;
    room.free_cpus -= static_cast<std::int32_t>(here * part(need.cpus));
    room.free_memory_mb -= here * part(need.memory_mb);
    std::int64_t gpus = here * part(need.gpus);
    std::erase_if(room.free_gpus, [&](const Gpu& gpu) {
      if (gpus == 0 || (!need.gpu_type.empty() && gpu.type != need.gpu_type)) return false;
      --gpus;
      return true;
    });
  }
}

void Books::give_back_waiting(const Seat& seat, std::int64_t tasks) {
  each_use(seat,
           [&](Use& use) { use.submitted = std::max<std::int64_t>(0, use.submitted - tasks); });
}

void Books::each_use(const Seat& seat, const std::function<void(Use&)>& visit) {
  const Policy& policy = *description_->policy;
  for (std::optional<AssocId> id = seat.assoc; id; id = policy.associations[id->index()].parent)
    visit(associations_[id->index()]);
  std::optional<PartitionId> partition;
  if (!seat.partitions.empty()) partition = seat.partitions.front();
  const Pair pair = pair_of(policy, partition, seat.qos);
  const std::string& account = policy.associations[seat.assoc.index()].account;
  for (const std::optional<QosId>& id : {pair.first, pair.second}) {
    if (!id) continue;
    visit(qos_[id->index()]);
    const auto holder = [&](std::vector<HolderUse>& all, const std::string& name) -> Use& {
      for (HolderUse& use : all)
        if (use.qos == *id && use.holder == name) return use.use;
      return all.emplace_back(HolderUse{*id, name, {}}).use;
    };
    visit(holder(users_, description_->user));
    visit(holder(accounts_, account));
  }
}

}  // namespace sluice
