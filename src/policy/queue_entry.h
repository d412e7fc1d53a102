// A job in one of its partitions, as it waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "model/ids.h"

namespace sluice {

// As large as a line of memory: a long queue costs what it takes to read it.
struct QueueEntry {
  std::uint64_t merit = 0;  // Larger goes first: push-out rank, whether it has a reservation,
                            // partition tier, priority.
  std::uint32_t order = 0;  // Then smaller: the job's number (its array's, for a task),
  std::uint32_t task = 0;   // and the task's index.
  JobId job;
  PartitionId partition;
  std::int32_t cpus = 0;
  bool gone = false;
  bool pushes_out = false;  // May be able to push others out.
  bool special = false;     // Asks for more than CPUs of one node, or stands for several tasks.
  std::uint8_t nth = 0;     // Which of the job's partitions; the first it names goes first.
  std::int32_t min_nodes = 1;
  // Of requests of one kind the larger are no easier to place: CPUs, nodes and time say it all.
  // 0: compares with none.
  std::uint32_t kind = 0;
  Duration limit{0};
  std::int64_t since = 0;     // Its age began, in seconds.
  std::uint32_t request = 0;  // Its row among the waiting requests.
};

static_assert(sizeof(QueueEntry) == 64);

// A lambda, so that sorting does not call it by its address.
inline constexpr auto goes_before = [](const QueueEntry& a, const QueueEntry& b) {
  if (a.merit != b.merit) return a.merit > b.merit;
  if (a.order != b.order) return a.order < b.order;
  if (a.task != b.task) return a.task < b.task;
  return a.nth < b.nth;
};

// What a longer queue is made of lies beyond the caches.
inline constexpr std::size_t kLongQueue = 4096;

}  // namespace sluice
