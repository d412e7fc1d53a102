// A policy comes into force: everything that is indexed by its tables is made anew.
#include "state/fold.h"

namespace sluice {
namespace {

std::uint64_t all_gpus(const Node& node) {
  return node.gpus.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << node.gpus.size()) - 1;
}

}  // namespace

void StateFold::operator()(const PolicyAdopted& event) {
  const std::shared_ptr<const Policy> before = s_.policy_;
  const Policy& policy = *event.policy;
  s_.policy_ = event.policy;
  s_.names_ = PolicyNames(policy);
  s_.decayed_count_ = 0;
  s_.decayed_seconds_ = 0;
  for (const User& user : policy.users) s_.user_id(user.name);

  const std::vector<NodeUse> old_nodes = std::move(s_.nodes_);
  s_.nodes_.assign(policy.nodes.size(), NodeUse{});
  for (std::size_t i = 0; i < policy.nodes.size(); ++i) {
    NodeUse& use = s_.nodes_[i];
    use.cpus = policy.nodes[i].cpus;
    use.memory = policy.nodes[i].memory_mb;
    use.gpus = all_gpus(policy.nodes[i]);
    if (!before) continue;
    if (auto old = before->find_node(policy.nodes[i].name))
      use.state = old_nodes[old->index()].state;
  }
  for (KeptReservation& kept : s_.reservations_) number_nodes(kept);
  s_.node_changes_.note_all();
  s_.node_ends_.clear(policy.nodes.size());
  const std::vector<PastUsage> old_past = s_.assoc_past_.all();
  std::vector<PastUsage> past(policy.associations.size());
  const std::vector<QosUsage> old_qos = std::move(s_.qos_usage_);
  s_.assoc_usage_.assign(policy.associations.size(), AccountUsage{});
  s_.qos_usage_.assign(policy.qos.size(), QosUsage{});
  s_.licenses_.assign(policy.licenses.size(), 0);
  s_.cpus_taken_ = 0;
  s_.jobs_by_user_ = 0;
  s_.ends_.clear();
  if (!before) {
    s_.assoc_past_ = PastTable(std::move(past), policy.tres.size());
    s_.origin_ = at_;
    s_.last_calculated_ = at_;
    s_.next_job_ = policy.jobs.first_job_id;
    return;
  }

  // The past stays with the names.
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& now = policy.associations[i];
    for (std::size_t k = 0; k < before->associations.size(); ++k) {
      const Association& then = before->associations[k];
      if (then.account == now.account && then.user == now.user && then.partition == now.partition)
        past[i] = old_past[k];
    }
  }
  s_.assoc_past_ = PastTable(std::move(past), policy.tres.size());
  for (std::size_t i = 0; i < policy.qos.size(); ++i)
    if (auto old = before->find_qos(policy.qos[i].name))
      s_.qos_usage_[i].past = old_qos[old->index()].past;

  s_.shapes_.for_each_mutable([&](Shape& shape) {
    const bool keep = shape.keep;
    const std::uint32_t jobs = shape.jobs;
    shape = shape_of(policy, s_.names_, shape.request, shape.user);
    shape.keep = keep;
    shape.jobs = jobs;
  });
  // What runs keeps running where it is; the books are written anew in order of start.
  // What gained age before there was a limit on it gains it still.
  const bool ages = policy.limits_ages() && !before->limits_ages();
  s_.jobs_.for_each_mutable([&](Job& j) {
    if (ages && j.state == JobState::kPending && j.eligible) j.ages_since = j.eligible_since;
    if (j.state == JobState::kPending) write_waiting(j);
    if (!holds_nodes(j.state)) return;
    Run& r = run(j);
    Allocation moved;
    for (NodeShare share : r.allocation.shares()) {
      const auto node = policy.find_node(before->nodes[share.node.index()].name);
      CHECK(node.has_value(), "a node with jobs left the policy");
      share.node = *node;
      moved.add(share);
    }
    r.allocation = moved;
    const auto partition = policy.find_partition(before->partitions[r.partition.index()].name);
    CHECK(partition.has_value(), "a partition with jobs left the policy");
    r.partition = *partition;
    write_run(j, r);
  });
}

}  // namespace sluice
