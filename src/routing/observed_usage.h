// What was observed of a cluster as a source of usage for the walk over limits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "limits/walk.h"
#include "model/allocation.h"
#include "state/state.h"

namespace sluice {

// What counts against the limits of one association, one QoS, or one holder inside a QoS, with the
// nodes it is on.
struct Book : Use {
  std::vector<std::uint32_t> node_jobs;  // Jobs on each node, where a limit counts nodes.
  std::int64_t nodes = 0;                // Each node once.

  Book() = default;
  explicit Book(const Use& use) : Use(use), nodes(use.tres[kTresNode]) {}
};

// The books of all.
struct ObservedBooks {
  const Policy* policy = nullptr;
  std::string user;
  std::vector<Book> associations;
  std::vector<Book> qos;
  struct Holder {
    QosId qos;
    std::string name;
    Book book;
  };
  std::vector<Holder> users;
  std::vector<Holder> accounts;
  bool nodes_known = false;  // A task without a place has none; else none was looked for.

  static const Book& find(const std::vector<Holder>& all, QosId qos, const std::string& name) {
    static const Book nothing{};
    for (const Holder& holder : all)
      if (holder.qos == qos && holder.name == name) return holder.book;
    return nothing;
  }
  static Book& make(std::vector<Holder>& all, QosId qos, const std::string& name) {
    for (Holder& holder : all)
      if (holder.qos == qos && holder.name == name) return holder.book;
    return all.emplace_back(Holder{qos, name, {}}).book;
  }
};

class ObservedUsage {
 public:
  ObservedUsage(const ObservedBooks& books, AssocId assoc, const TresVector& tres,
                const Allocation* allocation)
      : books_(books),
        account_(books.policy->associations[assoc.index()].account),
        tres_(tres),
        allocation_(allocation) {}

  const Policy& policy() const { return *books_.policy; }
  QosPair qos_pair(PartitionId partition, std::optional<QosId> qos) const {
    return qos_in_order(policy(), partition, qos);
  }

  const Book& now(QosId id) const { return books_.qos[id.index()]; }
  const Book& now(AssocId id) const { return books_.associations[id.index()]; }
  const Book& of_user(QosId id) const { return ObservedBooks::find(books_.users, id, books_.user); }
  const Book& of_account(QosId id) const {
    return ObservedBooks::find(books_.accounts, id, account_);
  }
  template <class Id>
  std::int64_t used_minutes(Id id, TresIndex tres) const {
    return now(id).tres_minutes[tres];
  }
  template <class Id>
  std::int64_t used_wall_seconds(Id id) const {
    return to_seconds(now(id).wall);
  }
  std::int64_t run_minutes(LimitLevel /*level*/, const Book& book, TresIndex tres) const {
    return book.tres_run_minutes[tres];
  }
  std::int64_t nodes(const Book& book) const { return book.nodes; }
  // A task that found no place counts as all that it asks for, as in the engine. Where nodes, or
  // which of them are in use, are not known it takes as few as can be.
  std::int64_t more_nodes(const Book& book) const {
    if (allocation_ == nullptr && books_.nodes_known) return tres_[kTresNode];
    if (allocation_ == nullptr || (book.node_jobs.empty() && book.nodes > 0))
      return std::max<std::int64_t>(0, tres_[kTresNode] - book.nodes);
    const auto shares = allocation_->shares();
    return std::count_if(shares.begin(), shares.end(), [&](const NodeShare& share) {
      return book.node_jobs.empty() || book.node_jobs[share.node.index()] == 0;
    });
  }
  // Only jobs that are new are asked about.
  template <class Id>
  std::int64_t own(Id /*id*/) const {
    return 0;
  }
  std::int64_t own_of_account(QosId /*qos*/) const { return 0; }

 private:
  const ObservedBooks& books_;
  const std::string& account_;
  const TresVector& tres_;
  const Allocation* allocation_;
};

}  // namespace sluice
