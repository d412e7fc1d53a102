// Rules first, then names, then everybody else in turn.
#include "sim/workloads/user_mapping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/workloads/request_table.h"

namespace sluice {
namespace {

std::string default_account(const Policy& policy, const User& user) {
  if (!user.default_account.empty()) return user.default_account;
  for (const Association& assoc : policy.associations)
    if (assoc.user == user.name) return assoc.account;
  return {};
}

// Names in the order in which they come up.
class NameList {
 public:
  std::uint32_t index_of(const std::string& name) {
    const auto [at, is_new] = indices_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::map<std::string, std::uint32_t, std::less<>> indices_;
  std::vector<std::string> names_;
};

// What the rules that match a request set, taken together.
struct Targets {
  std::string user, account, qos, partition;
  bool drop = false;
};

class Mapper {
 public:
  Mapper(const Policy& policy, const Workload& before, const MappingRules& rules)
      : policy_(policy), before_(before), rules_(rules) {
    // No user's jobs become root's, unless there is no other user.
    for (const User& user : policy.users)
      if (user.name != "root") takers_.push_back(&user);
    if (takers_.empty() && !policy.users.empty() && policy.enforce.associations)
      takers_.push_back(&policy.users.front());
    user_of_.resize(before.users.size());
    for (const User& user : policy.users) users_.index_of(user.name);
    mapping_.takers = takers_.size();
    // In the order of the workload's users, by first submission. Where the policy has no users,
    // each keeps its name.
    if (rules_.rules.empty() && !takers_.empty())
      for (std::size_t i = 0; i < before.users.size(); ++i) own_user(static_cast<std::uint32_t>(i));
  }

  // Nothing where a rule leaves the job out; so many jobs ask for this.
  std::optional<WorkRequest> mapped(WorkRequest request, std::size_t jobs) {
    const Targets to = targets(request);
    if (to.drop) return std::nullopt;
    if (takers_.empty()) {
      request.user = users_.index_of(before_.users[request.user]);
      request.account =
          accounts_.index_of(to.account.empty() ? before_.accounts[request.account] : to.account);
    } else {
      const User& user = to.user.empty() ? own_user(request.user) : named_user(request.user, to);
      const std::string wanted =
          to.account.empty() ? before_.accounts[request.account] : to.account;
      const bool is_in_it = policy_.find_association(wanted, user.name, "").has_value();
      // Of a user whose jobs are dealt out the account means nothing here.
      if (!is_in_it && !wanted.empty() &&
          (!to.account.empty() || user.name == before_.users[request.user]))
        not_there_[{Kind::kAccount, wanted}] += jobs;
      request.user = users_.index_of(user.name);
      request.account = accounts_.index_of(is_in_it ? wanted : default_account(policy_, user));
    }
    if (to.qos.empty() && request.qos > 0 && !policy_.find_qos(before_.qos[request.qos - 1]))
      not_there_[{Kind::kQos, before_.qos[request.qos - 1]}] += jobs;
    if (to.partition.empty() && request.partition > 0 &&
        !policy_.find_partition(before_.partitions[request.partition - 1]))
      not_there_[{Kind::kPartition, before_.partitions[request.partition - 1]}] += jobs;
    request.qos = place(to.qos.empty() ? qos_of(request) : to.qos, qos_);
    request.partition =
        place(to.partition.empty() ? partition_of(request) : to.partition, partitions_);
    request.queue = request.log_section = request.program = 0;
    return request;
  }

  UserMapping finish(Workload& workload) {
    workload.users = users_.take();
    workload.accounts = accounts_.take();
    workload.qos = qos_.take();
    workload.partitions = partitions_.take();
    workload.labels.clear();
    for (const auto& [name, jobs] : not_there_)
      mapping_.not_there.push_back({name.first, name.second, jobs});
    std::stable_sort(mapping_.not_there.begin(), mapping_.not_there.end(),
                     [](const NameNotThere& a, const NameNotThere& b) {
                       return a.kind != b.kind ? a.kind < b.kind : a.jobs > b.jobs;
                     });
    return mapping_;
  }

 private:
  using Kind = NameNotThere::Kind;

  static std::uint32_t place(const std::string& name, NameList& names) {
    return name.empty() ? 0 : names.index_of(name) + 1;
  }

  std::string_view label(std::uint32_t index) const {
    return index == 0 ? std::string_view{} : std::string_view(before_.labels[index - 1]);
  }

  Targets targets(const WorkRequest& request) const {
    Targets out;
    if (rules_.rules.empty()) return out;
    LoggedJob job;
    job.user = before_.users[request.user];
    job.account = before_.accounts[request.account];
    if (request.qos > 0) job.qos = before_.qos[request.qos - 1];
    job.queue = label(request.queue);
    job.partition = request.partition > 0
                        ? std::string_view(before_.partitions[request.partition - 1])
                        : label(request.log_section);
    job.program = label(request.program);
    job.cpus = request.cpus;
    job.gpus = request.gpus;
    job.limit = request.limit;
    const auto set = [](std::string& field, const std::string& value) {
      if (field.empty()) field = value;
    };
    for (const MappingRule& rule : rules_.rules) {
      if (!rule.matches(job)) continue;
      set(out.user, rule.to_user);
      set(out.account, rule.to_account);
      set(out.qos, rule.to_qos);
      set(out.partition, rule.to_partition);
      out.drop = out.drop || rule.drop;
    }
    return out;
  }

  const User& own_user(std::uint32_t index) {
    if (user_of_[index] == nullptr) {
      if (const auto known = policy_.find_user(before_.users[index])) {
        user_of_[index] = &policy_.users[known->index()];
        ++mapping_.matched;
      } else {
        user_of_[index] = takers_[next_++ % takers_.size()];
        ++mapping_.dealt;
      }
    }
    return *user_of_[index];
  }

  const User& named_user(std::uint32_t index, const Targets& to) {
    if (user_of_[index] == nullptr) {
      user_of_[index] = &policy_.users[policy_.find_user(to.user)->index()];
      ++mapping_.matched;
    }
    return policy_.users[policy_.find_user(to.user)->index()];
  }

  // The log's own QoS or queue, where the policy has one of that name.
  std::string qos_of(const WorkRequest& request) const {
    if (request.qos > 0 && policy_.find_qos(before_.qos[request.qos - 1]))
      return before_.qos[request.qos - 1];
    const std::string queue(label(request.queue));
    return policy_.find_qos(queue) ? queue : std::string();
  }

  std::string partition_of(const WorkRequest& request) const {
    if (request.partition > 0 && policy_.find_partition(before_.partitions[request.partition - 1]))
      return before_.partitions[request.partition - 1];
    for (const std::uint32_t index : {request.log_section, request.queue})
      if (const std::string name(label(index)); policy_.find_partition(name)) return name;
    return {};
  }

  const Policy& policy_;
  const Workload& before_;
  const MappingRules& rules_;
  std::vector<const User*> takers_;
  std::vector<const User*> user_of_;  // As the workload's users; none yet: nullptr.
  std::size_t next_ = 0;
  NameList users_;
  NameList accounts_;
  NameList qos_;
  NameList partitions_;
  std::map<std::pair<Kind, std::string>, std::size_t> not_there_;
  UserMapping mapping_;
};

}  // namespace

UserMapping map_users(const Policy& policy, Workload& workload, const MappingRules& rules) {
  Workload before;
  before.users = std::move(workload.users);
  before.accounts = std::move(workload.accounts);
  before.qos = std::move(workload.qos);
  before.partitions = std::move(workload.partitions);
  before.labels = std::move(workload.labels);
  const std::vector<WorkRequest> requests_before = std::move(workload.requests);
  workload.requests.clear();
  Mapper mapper(policy, before, rules);
  // Requests that differed only in names that are one now become one, too.
  RequestTable requests(workload.requests);
  constexpr std::uint32_t kDropped = UINT32_MAX;
  std::vector<std::size_t> jobs(requests_before.size(), 0);
  for (const WorkItem& item : workload.items) ++jobs[item.request];
  std::vector<std::uint32_t> request_of;
  request_of.reserve(requests_before.size());
  for (std::size_t i = 0; i < requests_before.size(); ++i) {
    const auto mapped = mapper.mapped(requests_before[i], jobs[i]);
    request_of.push_back(mapped ? requests.number_of(*mapped) : kDropped);
  }
  for (WorkItem& item : workload.items) item.request = request_of[item.request];
  workload.left_out.by_rule +=
      std::erase_if(workload.items, [](const WorkItem& item) { return item.request == kDropped; });
  return mapper.finish(workload);
}

}  // namespace sluice
