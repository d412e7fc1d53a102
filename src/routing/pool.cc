// Everything is counted once over all jobs, however many pools there are.
#include "routing/pool.h"

#include <algorithm>
#include <map>
#include <set>

#include "policy/partition_access.h"

namespace sluice {
namespace {

// What running jobs hold, by QoS or account and then by user.
class Holdings {
 public:
  explicit Holdings(const Description& description) {
    for (const HeldJob& job : description.jobs) {
      if (!holds_nodes(job.state)) continue;
      add(by_qos_[job.qos][job.user], job);
      add(by_account_[job.account][job.user], job);
      jobs_by_qos_[job.qos].push_back(&job);
      jobs_by_account_[job.account].push_back(&job);
    }
  }
  std::vector<Holder> of_qos(const std::string& name) const { return list(by_qos_, name); }
  std::vector<Holder> of_account(const std::string& name) const { return list(by_account_, name); }
  std::vector<const HeldJob*> jobs_of_qos(const std::string& name) const {
    return jobs(jobs_by_qos_, name);
  }
  std::vector<const HeldJob*> jobs_of_account(const std::string& name) const {
    return jobs(jobs_by_account_, name);
  }

 private:
  using ByUser = std::map<std::string, Holder>;
  static void add(Holder& holder, const HeldJob& job) {
    holder.user = job.user;
    ++holder.jobs;
    holder.tres += job.tres;
  }
  static std::vector<Holder> list(const std::map<std::string, ByUser>& all,
                                  const std::string& name) {
    std::vector<Holder> out;
    if (const auto found = all.find(name); found != all.end())
      for (const auto& [user, holder] : found->second) out.push_back(holder);
    return out;
  }
  using Jobs = std::vector<const HeldJob*>;
  static Jobs jobs(const std::map<std::string, Jobs>& all, const std::string& name) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : Jobs{};
  }

  std::map<std::string, ByUser> by_qos_;
  std::map<std::string, ByUser> by_account_;
  std::map<std::string, Jobs> jobs_by_qos_;
  std::map<std::string, Jobs> jobs_by_account_;
};

struct Membership {
  AssocId assoc;
  std::string account;
};

// The user's accounts, each once, by name.
std::vector<Membership> memberships(const Description& description, const RoutingSettings& settings,
                                    const std::vector<std::string>& asked) {
  std::map<std::string, AssocId> found;
  const Policy& policy = *description.policy;
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& assoc = policy.associations[i];
    if (assoc.user != description.user || assoc.user.empty()) continue;
    // One for any partition speaks for the account.
    const AssocId id(static_cast<std::uint32_t>(i));
    const auto [at, is_new] = found.emplace(assoc.account, id);
    if (!is_new && assoc.partition.empty()) at->second = id;
  }
  const std::vector<std::string>& only = asked.empty() ? settings.accounts : asked;
  std::vector<Membership> out;
  for (const auto& [account, id] : found)
    if (only.empty() || std::any_of(only.begin(), only.end(), [&, name = account](const auto& one) {
          return is_same_account(one, name);
        }))
      out.push_back({id, account});
  return out;
}

// The QoS to use in an account; nothing known is one choice too.
std::vector<std::optional<QosId>> qos_choices(const Membership& member,
                                              const Description& description,
                                              const RoutingSettings& settings,
                                              const std::string& wanted) {
  const Policy& policy = *description.policy;
  std::vector<std::optional<QosId>> out;
  if (!wanted.empty()) {
    const auto id = policy.find_qos(wanted);
    const auto& may = policy.allowed_qos(member.assoc);
    if (id && (may.empty() || std::find(may.begin(), may.end(), *id) != may.end()))
      out.emplace_back(id);
    return out;
  }
  if (const auto said = settings.qos.find(member.account); said != settings.qos.end()) {
    for (const std::string& name : said->second)
      if (const auto id = policy.find_qos(name)) out.emplace_back(id);
    if (!out.empty()) return out;
  }
  const auto& allowed = policy.allowed_qos(member.assoc);
  if (const auto usual = policy.default_qos(member.assoc)) {
    out.emplace_back(usual);
    // An investment's QoS has its account's name, and its burst the same with a suffix.
    for (const QosId id : allowed) {
      const std::string& name = policy.qos[id.index()].name;
      if (id != *usual && (name == member.account || settings.is_burst(name)) &&
          name.starts_with(member.account))
        out.emplace_back(id);
    }
    return out;
  }
  for (const QosId id : allowed) out.emplace_back(id);
  if (!out.empty()) return out;
  // slurmdbd is away: what the account's name and one's own jobs suggest.
  if (const auto same = policy.find_qos(member.account)) return {same};
  for (const HeldJob& job : description.jobs)
    if (job.user == description.user && job.account == member.account)
      if (const auto used = policy.find_qos(job.qos)) return {used};
  return {std::nullopt};
}

std::vector<PartitionId> ids_of(const std::vector<std::string>& names, const Policy& policy) {
  std::vector<PartitionId> out;
  for (const std::string& name : names)
    if (const auto id = policy.find_partition(name)) out.push_back(*id);
  return out;
}

// Which limits to show, and who holds what of them.
void fill_use(Pool& pool, const Description& description, const Holdings& holdings) {
  const Policy& policy = *description.policy;
  TresVector used;
  std::vector<const HeldJob*> jobs;
  const auto show_qos = [&](QosId id) {
    const Qos& qos = policy.qos[id.index()];
    pool.limits_of = "qos " + qos.name;
    pool.limits = qos.group.tres;
    used = description.qos[id.index()].tres;
    pool.holders = holdings.of_qos(qos.name);
    jobs = holdings.jobs_of_qos(qos.name);
  };
  bool shown = false;
  if (pool.seat.qos && !policy.qos[pool.seat.qos->index()].group.tres.empty()) {
    show_qos(*pool.seat.qos);
    shown = true;
  }
  for (std::optional<AssocId> id = pool.seat.assoc; id && !shown;
       id = policy.associations[id->index()].parent) {
    const Association& assoc = policy.associations[id->index()];
    if (assoc.group.tres.empty()) continue;
    pool.limits_of = "account " + assoc.account;
    pool.limits = assoc.group.tres;
    used = description.associations[id->index()].tres;
    pool.holders = holdings.of_account(assoc.account);
    jobs = holdings.jobs_of_account(assoc.account);
    shown = true;
  }
  if (!shown && pool.seat.qos) show_qos(*pool.seat.qos);
  for (const Holder& holder : pool.holders)
    if (holder.user == description.user) pool.mine = holder.tres;
  pool.others = used;
  pool.others -= pool.mine;
  const TresIndex by = pool.tightest && pool.tightest->kind == Bound::Kind::kTogether &&
                               pool.tightest->reason.rule == Rule::kGrpTres
                           ? pool.tightest->reason.tres
                           : kTresCpu;
  std::stable_sort(pool.holders.begin(), pool.holders.end(),
                   [&](const Holder& a, const Holder& b) { return a.tres[by] > b.tres[by]; });
  // When have enough of them ended?
  if (pool.now > 0 || !pool.tightest || pool.tightest->kind != Bound::Kind::kTogether ||
      pool.tightest->reason.rule != Rule::kGrpTres)
    return;
  const Reason& reason = pool.tightest->reason;
  std::sort(jobs.begin(), jobs.end(), [](const HeldJob* a, const HeldJob* b) {
    return a->ends_by.value_or(Instant::max()) < b->ends_by.value_or(Instant::max());
  });
  std::int64_t left = reason.limit - reason.used;
  for (const HeldJob* job : jobs) {
    if (!job->ends_by) break;
    left += job->tres[reason.tres];
    if (left >= reason.asked) {
      pool.room_by = job->ends_by;
      break;
    }
  }
}

// One after the other: what one pool takes is gone for the next.
void fill_jointly(std::vector<Pool>& pools, Books books, std::int64_t cpu_percent,
                  std::int64_t Pool::*into) {
  for (const Device device : {Device::kGpu, Device::kCpu})
    for (Pool& pool : pools) {
      if (pool.device != device || pool.left_out != LeftOut::kNo) continue;
      const Room room =
          books.room(pool.seat, pool.need, device == Device::kCpu ? cpu_percent : 100);
      pool.*into = room.fits;
      if (room.fits < kPlenty) books.take(pool.seat, pool.need, room.fits);
    }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// What the same gate says is used.
std::int64_t used_of(const Bound& gate, const std::vector<Bound>& gates) {
  for (const Bound& each : gates)
    if (each.kind == gate.kind && each.name == gate.name && each.reason.rule == gate.reason.rule &&
        each.reason.tres == gate.reason.tres && each.reason.holder == gate.reason.holder &&
        each.reason.holder_id == gate.reason.holder_id)
      return each.reason.used;
  return gate.reason.used;
}

}  // namespace

bool is_same_account(std::string_view a, std::string_view b) {
  return is_same_name(trimmed(a), trimmed(b));
}

std::vector<std::string> accounts_of(const Description& description) {
  std::vector<std::string> out;
  for (const Membership& member : memberships(description, {}, {})) out.push_back(member.account);
  return out;
}

bool Pool::never() const {
  return std::any_of(gates.begin(), gates.end(), [](const Bound& gate) {
    return gate.kind == Bound::Kind::kAlone || gate.reason.rule == Rule::kAccountNotAllowed ||
           gate.reason.rule == Rule::kQosNotAllowed;
  });
}

std::optional<std::int64_t> Pool::free(TresIndex tres) const {
  if (!limits.has(tres)) return std::nullopt;
  return std::max<std::int64_t>(0, limits[tres] - mine[tres] - others[tres]);
}

bool is_listed(const Description& description, PartitionId partition) {
  const Policy& policy = *description.policy;
  const std::vector<PartitionRules>& rules = description.partition_rules;
  if (partition.index() < rules.size() && rules[partition.index()].is_hidden) return false;
  const auto user = policy.find_user(description.user);
  const bool groups_known = user && !policy.users[user->index()].groups.empty();
  return !groups_known || group_allowed(policy, description.user, partition);
}

namespace {

// Slurm refuses a job for one partition of several that takes only root's, or only those of a
// reservation.
bool takes_jobs_of(const Description& description, PartitionId partition) {
  if (!is_listed(description, partition)) return false;
  if (partition.index() >= description.partition_rules.size()) return true;
  const PartitionRules& rules = description.partition_rules[partition.index()];
  return !rules.needs_reservation && (!rules.root_only || description.user == "root");
}

}  // namespace

std::vector<std::string> partitions_for(Device device, const Description& description,
                                        const RoutingSettings& settings) {
  const DeviceSettings& said = settings.device(device);
  if (!said.partitions.empty()) return said.partitions;
  const Policy& policy = *description.policy;
  const auto has_gpus = [&](const Partition& partition) {
    return std::any_of(partition.nodes.begin(), partition.nodes.end(),
                       [&](NodeId node) { return !policy.nodes[node.index()].gpus.empty(); });
  };
  if (device == Device::kCpu)
    if (const auto usual = policy.default_partition())
      return {policy.partitions[usual->index()].name};
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < policy.partitions.size(); ++i)
    if (has_gpus(policy.partitions[i]) == (device == Device::kGpu) &&
        takes_jobs_of(description, PartitionId(i)))
      out.push_back(policy.partitions[i].name);
  return out;
}

TaskNeeds usual_needs(const Description& description, const RoutingSettings& settings) {
  const auto usual = [&](Device device) {
    const DeviceSettings& said = settings.device(device);
    TaskNeed out;
    out.cpus = said.cpus.value_or(1);
    out.memory_mb = said.memory_mb.value_or(0);
    out.gpus = device == Device::kGpu ? said.gpus.value_or(1) : 0;
    if (device == Device::kGpu) out.gpu_type = said.gpu_type;
    out.time_limit = said.time_limit;
    out.partitions = partitions_for(device, description, settings);
    return out;
  };
  TaskNeeds out;
  out.gpu = usual(Device::kGpu);
  if (out.gpu->partitions.empty()) out.gpu.reset();
  out.cpu = usual(Device::kCpu);
  return out;
}

std::vector<Pool> find_pools(const Description& description, const RoutingSettings& settings,
                             const TaskNeeds& needs) {
  const Policy& policy = *description.policy;
  const Holdings holdings(description);
  const Books now = Books::now(description);
  const Books empty = Books::empty(description);
  const Books held = Books::held(description);
  std::vector<Pool> pools;
  for (const Membership& member : memberships(description, settings, needs.accounts)) {
    for (const auto& qos : qos_choices(member, description, settings, needs.qos)) {
      for (const Device device : {Device::kGpu, Device::kCpu}) {
        const auto& need = device == Device::kGpu ? needs.gpu : needs.cpu;
        if (!need) continue;
        Pool pool;
        pool.account = member.account;
        pool.qos = qos ? policy.qos[qos->index()].name : std::string();
        pool.device = device;
        pool.need = *need;
        if (pool.need.partitions.empty())
          pool.need.partitions = partitions_for(device, description, settings);
        pool.seat = {member.assoc, qos, ids_of(pool.need.partitions, policy)};
        if (const Block* block = settings.block_of(member.account)) {
          pool.left_out = LeftOut::kBlocked;
          pool.block = *block;
        } else if (settings.is_burst(pool.account) || settings.is_burst(pool.qos)) {
          pool.left_out = LeftOut::kBurst;
        } else if (pool.seat.partitions.empty()) {
          pool.left_out = LeftOut::kNoPartition;
        }
        if (pool.left_out != LeftOut::kNo) {
          fill_use(pool, description, holdings);
          pools.push_back(std::move(pool));
          continue;
        }
        const std::int64_t percent = device == Device::kCpu ? settings.cpu_percent : 100;
        Room room = now.room(pool.seat, pool.need, percent);
        pool.now = room.fits;
        pool.submittable = room.submittable;
        pool.tightest = std::move(room.tightest);
        pool.gates = std::move(room.gates);
        if (room.fits == 0 && pool.tightest && pool.tightest->kind == Bound::Kind::kTogether)
          pool.tightest->awaited =
              pool.tightest->reason.used -
              used_of(*pool.tightest, held.room(pool.seat, pool.need, percent).gates);
        pool.at_most = empty.room(pool.seat, pool.need, percent).fits;
        fill_use(pool, description, holdings);
        pools.push_back(std::move(pool));
      }
    }
  }
  fill_jointly(pools, now, settings.cpu_percent, &Pool::now_jointly);
  fill_jointly(pools, empty, settings.cpu_percent, &Pool::at_most_jointly);
  return pools;
}

}  // namespace sluice
