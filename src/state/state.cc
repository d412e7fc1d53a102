// Look-ups in the state, and the entry of the fold.
#include "state/state.h"

#include "state/fold.h"

namespace sluice {

void State::apply(const Event& event) {
  std::visit([&](const auto& body) { apply_body(event.at, body); }, event.body);
}

const Array* State::find_array(JobId id) const {
  auto it = arrays_.find(id);
  return it == arrays_.end() ? nullptr : &it->second;
}

const Job* State::find_task(JobId array, std::uint32_t task) const {
  auto it = tasks_.find({array, task});
  return it == tasks_.end() ? nullptr : jobs_.find(it->second);
}

std::vector<JobId> State::task_records(JobId array) const {
  std::vector<JobId> out;
  for (auto it = tasks_.lower_bound({array, 0}); it != tasks_.end() && it->first.first == array;
       ++it)
    out.push_back(it->second);
  return out;
}

UserId State::user_id(std::string_view name) {
  auto it = users_.find(name);
  if (it != users_.end()) return it->second;
  const UserId id(static_cast<std::uint32_t>(user_names_.size()));
  user_names_.emplace_back(name);
  users_.emplace(name, id);
  return id;
}

std::optional<UserId> State::find_user(std::string_view name) const {
  auto it = users_.find(name);
  return it == users_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<JobId> State::dependents_of(JobId job) const {
  auto it = dependents_.find(job);
  if (it == dependents_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

std::set<JobId> State::dependents() const {
  std::set<JobId> all;
  for (const auto& [target, waiting] : dependents_) all.insert(waiting.begin(), waiting.end());
  return all;
}

std::vector<JobId> State::singletons_of(UserId user, std::string_view name) const {
  auto it = singletons_.find({user, std::string(name)});
  if (it == singletons_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

QosPair qos_in_order(const Policy& policy, PartitionId partition, std::optional<QosId> job_qos) {
  const std::optional<QosId> part_qos = policy.partitions[partition.index()].qos;
  const bool job_first = job_qos && policy.qos[job_qos->index()].flags.over_part_qos;
  QosPair pair;
  if (part_qos && !job_first) {
    pair = {part_qos, job_qos, LimitHolder::kPartitionQos, LimitHolder::kJobQos};
  } else {
    pair = {job_qos, part_qos, LimitHolder::kJobQos, LimitHolder::kPartitionQos};
  }
  if (pair.first == pair.second) pair.second.reset();
  if (!pair.first) {
    pair.first = pair.second;
    pair.first_holder = pair.second_holder;
    pair.second.reset();
  }
  return pair;
}

}  // namespace sluice
