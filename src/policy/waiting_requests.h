// What all waiting jobs of one request have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/priority.h"
#include "policy/queue_entry.h"
#include "state/id_table.h"

namespace sluice {

// A row for each partition that a request names. Rows stay where they are while a job waits.
class WaitingRequests {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Row {
    QueueEntry entry;            // What every job begins with; its merit lacks the priority.
    std::uint32_t next = kNone;  // The same request in the next partition it names.
    std::uint32_t jobs = 0;      // That wait; in the first of its rows.
    SpecId spec;                 // None: the row is free.
    std::uint32_t place = 0;     // Among those with jobs; in the first of its rows.
    bool has_priority = false;   // Otherwise the job's number alone decides.
  };

  // Its first row, or kNone.
  std::uint32_t find(SpecId spec) const {
    const std::uint32_t* first = first_.find(spec);
    return first != nullptr ? *first : kNone;
  }
  // Adds a row behind `last`, or its first where that is kNone.
  std::uint32_t add(SpecId spec, std::uint32_t last, const Row& row, const PriorityTerms& terms);
  void enter(std::uint32_t first) {
    if (rows_[first].jobs++ > 0) return;
    rows_[first].place = static_cast<std::uint32_t>(with_jobs_.size());
    with_jobs_.push_back(first);
  }
  // What is idle is kept for a while, in case it is asked for again.
  void leave(std::uint32_t first) {
    if (--rows_[first].jobs > 0) return;
    const std::uint32_t place = rows_[first].place;
    with_jobs_[place] = with_jobs_.back();
    rows_[with_jobs_[place]].place = place;
    with_jobs_.pop_back();
    const std::size_t idle = first_.size() - with_jobs_.size();
    if (2 * idle > kMostIdle + first_.size()) drop_idle();
  }
  // The first rows of all that somebody waits with.
  const std::vector<std::uint32_t>& with_jobs() const { return with_jobs_; }
  void clear() { *this = {}; }

  std::size_t size() const { return rows_.size(); }  // Rows, in use or free.
  const Row& row(std::uint32_t i) const { return rows_[i]; }
  PriorityTerms& terms(std::uint32_t i) { return terms_[i]; }
  const PriorityTerms& terms(std::uint32_t i) const { return terms_[i]; }

 private:
  static constexpr std::size_t kMostIdle = 2048;
  void drop_idle();

  std::vector<Row> rows_;
  std::vector<PriorityTerms> terms_;  // Apart, because calculating priorities needs nothing else.
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> with_jobs_;
  IdTable<SpecId, std::uint32_t> first_;
};

}  // namespace sluice
