// The books of what is held, and what taking a place adds to them.
#include "routing/books.h"

#include <algorithm>
#include <map>
#include <set>

#include "policy/admission.h"
#include "policy/partition_access.h"
#include "routing/room_count.h"

namespace sluice {
namespace {

// A node as placement sees it. GPUs are known by type only: any of a type will do.
NodeFree free_of(const Node& node, const NodeRoom& room) {
  NodeFree out;
  out.usable = room.usable;
  out.cpus = room.free_cpus;
  out.memory = room.free_memory_mb;
  std::map<std::string_view, std::int64_t> left;
  for (const Gpu& gpu : room.free_gpus) ++left[gpu.type];
  for (std::size_t i = 0; i < node.gpus.size() && i < kMaxGpusPerNode; ++i)
    if (const auto at = left.find(node.gpus[i].type); at != left.end() && at->second-- > 0)
      out.gpus |= std::uint64_t{1} << i;
  return out;
}

std::string first_of(std::string_view list) { return std::string(list.substr(0, list.find(','))); }

// What a waiting or running job of the queue stands in.
std::optional<Seat> seat_of(const HeldJob& job, const Policy& policy) {
  const std::string partition = first_of(job.partition);
  const auto assoc = policy.find_association(job.account, job.user, partition);
  if (!assoc) return std::nullopt;
  Seat seat{*assoc, policy.find_qos(job.qos), {}};
  if (const auto id = policy.find_partition(partition)) seat.partitions.push_back(*id);
  return seat;
}

bool limits_nodes(const Policy& policy) {
  const auto counts = [](const TresLimits& limits) { return limits.has(kTresNode); };
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [&](const Qos& qos) {
                       return counts(qos.group.tres) || counts(qos.user.max_tres) ||
                              counts(qos.account.max_tres);
                     }) ||
         std::any_of(policy.associations.begin(), policy.associations.end(),
                     [&](const Association& one) { return counts(one.group.tres); });
}

void put_on(Book& book, NodeId node, std::size_t nodes, std::uint32_t jobs) {
  if (book.node_jobs.empty()) book.node_jobs.resize(nodes);
  if (book.node_jobs[node.index()] == 0) ++book.nodes;
  book.node_jobs[node.index()] += jobs;
}

}  // namespace

Books::Books(const Description& description)
    : description_(&description), cluster_(std::make_shared<const ObservedCluster>(description)) {
  books_.policy = description.policy.get();
  books_.user = description.user;
}

Books Books::held(const Description& description) {
  Books out(description);
  const Policy& policy = *description.policy;
  for (const Use& use : description.associations) out.books_.associations.emplace_back(use);
  out.books_.associations.resize(policy.associations.size());
  for (const Use& use : description.qos) out.books_.qos.emplace_back(use);
  out.books_.qos.resize(policy.qos.size());
  for (const HolderUse& use : description.users)
    out.books_.users.push_back({use.qos, use.holder, Book(use.use)});
  for (const HolderUse& use : description.accounts)
    out.books_.accounts.push_back({use.qos, use.holder, Book(use.use)});
  for (std::size_t i = 0; i < description.nodes.size() && i < policy.nodes.size(); ++i)
    out.nodes_.push_back(free_of(policy.nodes[i], description.nodes[i]));
  out.licenses_taken_ = description.licenses_taken;
  out.licenses_taken_.resize(policy.licenses.size());
  out.books_.nodes_known = !out.nodes_.empty();
  out.count_nodes();
  return out;
}

Books Books::now(const Description& description) {
  Books out = held(description);
  out.count_own_waiting();
  return out;
}

Books Books::empty(const Description& description) {
  Books out(description);
  const Policy& policy = *description.policy;
  out.books_.associations.resize(policy.associations.size());
  out.books_.qos.resize(policy.qos.size());
  for (std::size_t i = 0; i < description.nodes.size() && i < policy.nodes.size(); ++i) {
    const Node& node = policy.nodes[i];
    out.nodes_.push_back(
        free_of(node, NodeRoom{description.nodes[i].usable, node.cpus, node.memory_mb, node.gpus}));
  }
  out.licenses_taken_.resize(policy.licenses.size());
  out.books_.nodes_known = !out.nodes_.empty();
  out.everything_is_free_ = true;
  return out;
}

// Which nodes each job is on: a node that two jobs of one group share counts once, and a job that
// wants a node for itself needs one without any.
void Books::count_nodes() {
  const Policy& policy = *description_->policy;
  const bool counted = limits_nodes(policy) && description_->capabilities.others_visible;
  if (counted)
    for (auto* books : {&books_.associations, &books_.qos})
      for (Book& book : *books) book.nodes = 0;
  if (counted)
    for (auto* holders : {&books_.users, &books_.accounts})
      for (ObservedBooks::Holder& holder : *holders) holder.book.nodes = 0;
  std::map<std::string_view, NodeId> by_name;
  for (std::size_t i = 0; i < policy.nodes.size(); ++i)
    by_name.emplace(policy.nodes[i].name, NodeId(static_cast<std::uint32_t>(i)));
  for (const HeldJob& job : description_->jobs) {
    if (!holds_nodes(job.state)) continue;
    const auto seat = counted ? seat_of(job, policy) : std::nullopt;
    for (const std::string& name : job.nodes) {
      const auto node = by_name.find(name);
      if (node == by_name.end() || node->second.index() >= nodes_.size()) continue;
      ++nodes_[node->second.index()].jobs;
      if (!seat) continue;
      std::optional<PartitionId> partition;
      if (!seat->partitions.empty()) partition = seat->partitions.front();
      each_book(*seat, job.user, partition,
                [&](Book& book) { put_on(book, node->second, nodes_.size(), 1); });
    }
  }
  // Whose jobs they are may be hidden; that something is taken is not.
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].jobs == 0 && !description_->capabilities.others_visible &&
        nodes_[i].cpus < policy.nodes[i].cpus)
      nodes_[i].jobs = 1;
}

// One's own tasks that wait for nothing but their turn will be there before any new one. What
// others let wait holds nothing.
void Books::count_own_waiting() {
  const Policy& policy = *description_->policy;
  for (const HeldJob& job : description_->jobs) {
    if (job.state != JobState::kPending || job.user != description_->user) continue;
    if (job.reason != "None" && job.reason != "Priority" && job.reason != "Resources") continue;
    const auto seat = seat_of(job, policy);
    if (!seat) continue;
    TaskNeed need;
    need.cpus = job.tres[kTresCpu];
    need.memory_mb = job.tres[kTresMem];
    need.gpus = job.tres[kTresGpu];
    need.nodes = std::max<std::int64_t>(1, job.tres[kTresNode]);
    take(*seat, need, job.tasks);
    give_back_waiting(*seat, job.tasks);  // As submitted it was counted before.
  }
}

Room Books::room(const Seat& seat, const TaskNeed& need, std::int64_t cpu_percent) const {
  return RoomCount(*this, seat, need, cpu_percent).room();
}

void Books::take(const Seat& seat, const TaskNeed& need, std::int64_t tasks) {
  const Policy& policy = *description_->policy;
  const auto shape = cluster_->shape_of(seat, need);
  std::optional<PartitionId> partition;
  if (!seat.partitions.empty()) partition = seat.partitions.front();
  if (shape) take_licenses(*shape, tasks);
  if (shape && !nodes_.empty())
    for (const PartitionId at : shape->partitions) {
      const Shape here_shape = cluster_->in_partition(seat, need, *shape, at);
      PartitionFree free(*this, here_shape, at);
      while (tasks > 0) {
        const auto allocation = free.place();
        if (!allocation) break;
        const std::int64_t here = std::min(tasks, free.times(*allocation));
        book(seat, at, tres_of(policy, here_shape, at, *allocation), shape->limit, here,
             &*allocation);
        free.take(*allocation, here);
        take_times(nodes_, *allocation, here);
        tasks -= here;
      }
    }
  if (tasks > 0)
    book(seat, partition, need.billed(policy, partition), need.time_limit.value_or(Duration(0)),
         tasks, nullptr);
}

// Run minutes of a job that runs count as often as its own QoS says; the factor of a partition's
// QoS does not count, nor, without UsageFactorSafe, any for what a job asks for.
std::int64_t Books::run_minutes_of(const Seat& seat, std::int64_t minutes) const {
  if (!seat.qos) return minutes;
  return scaled_by_millionths(minutes,
                              description_->policy->qos[seat.qos->index()].usage_factor_millionths);
}

void Books::book(const Seat& seat, std::optional<PartitionId> partition, const TresVector& one,
                 Duration limit, std::int64_t tasks, const Allocation* allocation) {
  const std::int64_t minutes = (to_seconds(limit) + 59) / 60;
  each_book(seat, description_->user, partition, [&](Book& use) {
    for (std::uint8_t i = 0; i < kMaxTres; ++i) {
      use.tres[TresIndex(i)] += one[TresIndex(i)] * tasks;
      use.tres_run_minutes[TresIndex(i)] +=
          run_minutes_of(seat, one[TresIndex(i)] * minutes) * tasks;
    }
    use.jobs += tasks;
    use.submitted += tasks;
    if (allocation == nullptr || (use.node_jobs.empty() && use.nodes > 0)) return;
    for (const NodeShare& share : allocation->shares())
      put_on(use, share.node, nodes_.size(), static_cast<std::uint32_t>(tasks));
  });
}

void Books::take_licenses(const Shape& shape, std::int64_t tasks) {
  const std::vector<License>& licenses = description_->policy->licenses;
  for (const LicenseRequest& wanted : shape.request->licenses)
    for (std::size_t i = 0; i < licenses.size(); ++i)
      if (licenses[i].name == wanted.name) licenses_taken_[i] += wanted.count * tasks;
}

void Books::give_back_waiting(const Seat& seat, std::int64_t tasks) {
  std::optional<PartitionId> partition;
  if (!seat.partitions.empty()) partition = seat.partitions.front();
  each_book(seat, description_->user, partition, [&](Book& book) {
    book.submitted = std::max<std::int64_t>(0, book.submitted - tasks);
  });
}

void Books::each_book(const Seat& seat, const std::string& user,
                      std::optional<PartitionId> partition,
                      const std::function<void(Book&)>& visit) {
  const Policy& policy = *description_->policy;
  for (std::optional<AssocId> id = seat.assoc; id; id = policy.associations[id->index()].parent)
    visit(books_.associations[id->index()]);
  const std::string& account = policy.associations[seat.assoc.index()].account;
  QosPair pair{seat.qos, std::nullopt};
  if (partition) pair = qos_in_order(policy, *partition, seat.qos);
  for (const std::optional<QosId>& id : {pair.first, pair.second}) {
    if (!id) continue;
    visit(books_.qos[id->index()]);
    visit(ObservedBooks::make(books_.users, *id, user));
    visit(ObservedBooks::make(books_.accounts, *id, account));
  }
}

}  // namespace sluice
