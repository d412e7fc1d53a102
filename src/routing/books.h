// What everybody holds, as numbers that can be tried out: how many more tasks fit, and why no more.
//
// This is the only place where limits are turned into room. It decides nothing: slurmctld, or the
// engine, still does. It walks in slurmctld's order. Of one kind of limit in one dimension the
// first QoS of the pair (partition's, job's) that sets it hides the other and every association;
// among associations every group limit binds, and of the others the nearest that is set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "cluster/task_need.h"
#include "model/reason.h"

namespace sluice {

// Who would run a task where.
struct Seat {
  AssocId assoc;
  std::optional<QosId> qos;
  std::vector<PartitionId> partitions;
};

// One thing that bounds how many fit.
struct Bound {
  enum class Kind : std::uint8_t {
    kTogether,    // limit, used by all, asked by one task: what is left is shared.
    kSubmission,  // The same for jobs that only wait.
    kAlone,       // One task breaks it by itself: it can never run here.
    kNodes,       // Nodes that have so much free.
    kClosed,      // The partition does not take it.
  };
  Kind kind = Kind::kTogether;
  Reason reason;
  std::string name;  // Of the QoS, account, user in account, or partition.
  std::int64_t fits = 0;
  friend bool operator==(const Bound&, const Bound&) = default;
};

struct Room {
  std::int64_t fits = 0;         // Tasks that could run at once.
  std::int64_t submittable = 0;  // Tasks that may be submitted.
  std::vector<Bound> gates;      // All that were looked at, in order.
  std::optional<Bound> tightest;
};

// More fit than anybody counts: no limit, or none that is known.
inline constexpr std::int64_t kPlenty = 1'000'000'000;

class Books {
 public:
  // What runs; that and one's own tasks that only wait for their turn; or as if nobody held
  // anything, on all nodes that are up.
  static Books held(const Description& description);
  static Books now(const Description& description);
  static Books empty(const Description& description);

  const Description& description() const { return *description_; }
  // cpu_percent: of a limit on CPUs only so much is used.
  Room room(const Seat& seat, const TaskNeed& need, std::int64_t cpu_percent = 100) const;
  // So many tasks are there: they run where there is room.
  void take(const Seat& seat, const TaskNeed& need, std::int64_t tasks);
  // The job was counted already: take it out, as if it had left the queue.
  void give_back_waiting(const Seat& seat, std::int64_t tasks);

 private:
  Books() = default;
  class Walk;
  void count_own_waiting();
  // Everything a task in that seat counts against: associations upwards, QoS, user and account.
  void each_use(const Seat& seat, const std::function<void(Use&)>& visit);
  std::int64_t fit_on_nodes(const std::vector<PartitionId>& partitions, const TaskNeed& need) const;
  std::vector<NodeId> nodes_of(const std::vector<PartitionId>& partitions) const;
  const Use* user_in(QosId qos) const;
  const Use* account_in(QosId qos, const std::string& account) const;

  const Description* description_ = nullptr;
  std::vector<Use> associations_;
  std::vector<Use> qos_;
  std::vector<HolderUse> users_;
  std::vector<HolderUse> accounts_;
  std::vector<NodeRoom> nodes_;
};

}  // namespace sluice
