// Puts a queue whose priorities have changed in order again.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/queue_entry.h"

namespace sluice {

// What the order of one entry depends on, and where the entry is: a quarter of its size.
struct QueuePlace {
  std::uint64_t merit = 0;
  std::uint32_t order = 0;
  std::uint32_t from = 0;
};

// A long queue is sorted without moving its entries about, and each is then put where it belongs.
// Calculating anew changes the priorities of many but mostly leaves those in order that had one
// priority before and have one now, so they are only dealt out by priority and merged.
class QueueOrder {
 public:
  // Entries that have their merits already, most of which are in order: those that are not are
  // taken out and put in where they belong. For a queue that is not long.
  void mend(std::vector<QueueEntry>& entries);

  // To be filled with one place for each entry, in the order of the entries.
  std::vector<QueuePlace>& places() { return places_; }
  // Gives the entries the merits of their places, and their order.
  void arrange(std::vector<QueueEntry>& entries);

 private:
  void deal_by_merit();
  void merge_equals(const std::vector<QueueEntry>& entries);
  void take_out(const std::vector<QueueEntry>& entries, std::size_t in_order);
  void move_to_places(std::vector<QueueEntry>& entries);

  std::vector<QueuePlace> places_;
  std::vector<QueuePlace> taken_out_;
  // Kept, because asking for so much memory anew takes longer than to fill it.
  std::vector<QueuePlace> other_places_;
  std::vector<QueueEntry> other_entries_;
};

}  // namespace sluice
