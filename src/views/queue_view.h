// The queue: which jobs run, which wait and why, in the order in which they come.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "views/rows.h"
#include "views/viewer.h"

namespace sluice {

enum class ArrayLines : std::uint8_t {
  kOne,      // A whole array is one line.
  kRecords,  // As squeue: its waiting tasks share a line, the others have their own.
  kTasks,    // A line for every task.
};

// Empty lists let everybody through.
struct QueueFilter {
  ArrayLines arrays = ArrayLines::kOne;
  std::vector<JobId> jobs;  // Or the numbers of arrays.
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::vector<std::string> names;
  std::string comment_word;        // That the comment has; empty: any comment.
  std::vector<JobState> states;    // Empty: those that have not ended.
  std::size_t most = 0;            // Lines; 0: all.
  bool ended_too = false;          // With no states named: those that are still remembered as well.
  const Viewer* viewer = nullptr;  // Whose jobs are shown to whom; absent: all.
};

// What is known of a line beside the one before it: with kAlike, all but kOwnFields is the same.
enum class LineBefore : std::uint8_t { kAny, kAlike };

// Running jobs in order of their start, then the queue, then those that wait for something else
// than their turn, then those that ended. The line is good for the length of the call.
void for_each_queue_line(const Engine& engine, Instant now, const QueueFilter& filter,
                         const std::function<void(const QueueLine&, LineBefore)>& visit);

std::vector<QueueLine> queue_lines(const Engine& engine, Instant now, const QueueFilter& filter);

}  // namespace sluice
