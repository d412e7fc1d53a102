// Look-ups by name in a policy's tables.
#include "model/policy.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {
namespace {

template <class IdType, class Table, class Match>
std::optional<IdType> first_where(const Table& table, Match match) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (match(table[i])) return IdType(static_cast<typename IdType::rep>(i));
  return std::nullopt;
}

template <class IdType, class Table>
std::optional<IdType> named(const Table& table, std::string_view name) {
  return first_where<IdType>(table, [&](const auto& row) { return row.name == name; });
}

}  // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<NodeId> Policy::find_node(std::string_view name) const {
  return named<NodeId>(nodes, name);
}

std::optional<PartitionId> Policy::find_partition(std::string_view name) const {
  return named<PartitionId>(partitions, name);
}

std::optional<QosId> Policy::find_qos(std::string_view name) const {
  if (const auto id = named<QosId>(qos, name)) return id;
  return first_where<QosId>(qos, [&](const Qos& row) { return is_same_name(row.name, name); });
}

std::optional<UserId> Policy::find_user(std::string_view name) const {
  return named<UserId>(users, name);
}

std::optional<PartitionId> Policy::default_partition() const {
  return first_where<PartitionId>(partitions, [](const Partition& p) { return p.is_default; });
}

std::optional<AssocId> Policy::find_account(std::string_view account) const {
  return first_where<AssocId>(
      associations, [&](const Association& a) { return a.user.empty() && a.account == account; });
}

std::optional<AssocId> Policy::find_association(std::string_view account, std::string_view user,
                                                std::string_view partition) const {
  auto find = [&](std::string_view p) {
    return first_where<AssocId>(associations, [&](const Association& a) {
      return a.account == account && a.user == user && a.partition == p;
    });
  };
  if (user.empty()) return std::nullopt;
  if (!partition.empty())
    if (auto found = find(partition)) return found;
  return find("");
}

Duration Policy::over_time_limit(PartitionId partition) const {
  return partitions[partition.index()].over_time_limit.value_or(jobs.over_time_limit);
}

bool Policy::limits_ages() const {
  if (!enforce.limits || priority.accrue_always) return false;
  return std::any_of(qos.begin(), qos.end(),
                     [](const Qos& it) {
                       return it.group.jobs_accrue || it.user.max_jobs_accrue ||
                              it.account.max_jobs_accrue;
                     }) ||
         std::any_of(associations.begin(), associations.end(), [](const Association& it) {
           return it.group.jobs_accrue || it.max_jobs_accrue;
         });
}

const std::vector<QosId>& Policy::allowed_qos(AssocId assoc) const {
  const Association* a = &associations[assoc.index()];
  while (a->qos.empty() && a->parent) a = &associations[a->parent->index()];
  return a->qos;
}

std::optional<QosId> Policy::default_qos(AssocId assoc) const {
  const Association* a = &associations[assoc.index()];
  while (!a->default_qos && a->parent) a = &associations[a->parent->index()];
  return a->default_qos;
}

std::vector<std::string_view> Policy::accounts_coordinated_by(const User& user) const {
  std::vector<std::string_view> out;
  if (user.coordinates.empty()) return out;
  // Parents stand before their children.
  std::vector<bool> inside(associations.size());
  for (std::size_t i = 0; i < associations.size(); ++i) {
    const Association& a = associations[i];
    if (!a.user.empty()) continue;
    inside[i] = (a.parent && inside[a.parent->index()]) ||
                std::find(user.coordinates.begin(), user.coordinates.end(), a.account) !=
                    user.coordinates.end();
    if (inside[i]) out.push_back(a.account);
  }
  return out;
}

}  // namespace sluice
