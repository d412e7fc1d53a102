// What everybody holds, as numbers that can be tried out: how many more tasks fit, and why no more.
//
// This is the only place where limits are turned into room. Tasks are tried one after the other as
// the engine would start them: the same admission, the same walk over limits, the same placement.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "cluster/task_need.h"
#include "model/reason.h"
#include "policy/placement.h"
#include "routing/observed_usage.h"

namespace sluice {

struct ObservedCluster;

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
  std::optional<TresIndex> lacks;  // Of nodes: what alone is not free.
  std::string refusal;             // sbatch's words, where it would refuse the job outright.
  std::int64_t awaited = 0;        // Of what is used: what the user's own waiting tasks will take.
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
  // cpu_percent: of a limit on CPUs only so much is used, but never less than one task needs.
  Room room(const Seat& seat, const TaskNeed& need, std::int64_t cpu_percent = 100) const;
  // So many tasks are there: they run where there is room.
  void take(const Seat& seat, const TaskNeed& need, std::int64_t tasks);
  // The job was counted already: take it out, as if it had left the queue.
  void give_back_waiting(const Seat& seat, std::int64_t tasks);

 private:
  friend class RoomCount;
  friend class PartitionFree;
  explicit Books(const Description& description);
  void count_own_waiting();
  void count_nodes();
  // Everything a task in that seat counts against: associations upwards, QoS, user and account.
  void each_book(const Seat& seat, const std::string& user, std::optional<PartitionId> partition,
                 const std::function<void(Book&)>& visit);
  // What a task that runs counts in limits on run minutes, of what it holds during its time limit.
  std::int64_t run_minutes_of(const Seat& seat, std::int64_t minutes) const;
  void take_licenses(const Shape& shape, std::int64_t tasks);
  void book(const Seat& seat, std::optional<PartitionId> partition, const TresVector& one,
            Duration limit, std::int64_t tasks, const Allocation* allocation);

  const Description* description_ = nullptr;
  std::shared_ptr<const ObservedCluster> cluster_;  // For admission and placement.
  ObservedBooks books_;
  std::vector<NodeFree> nodes_;
  std::vector<std::int64_t> licenses_taken_;  // Index by index with the policy's.
  bool everything_is_free_ = false;           // Nothing runs and no reservation keeps nodes.
};

}  // namespace sluice
