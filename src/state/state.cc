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

}  // namespace sluice
