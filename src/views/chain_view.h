// A chain as people look at it: rounds, what failed and why, what was asked for and what was used.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "escalation/chain.h"

namespace sluice {

// One array that was handed in.
struct ChainRow {
  std::uint32_t round = 0;
  std::uint32_t batch = 0;
  std::string job;      // "" while the cluster has not taken it.
  std::string handler;  // The job that goes on after it.
  std::string memory;
  std::string time;
  std::string partitions;
  std::string with;     // "1 a100 GPU, 8 CPUs", where the ladder's levels differ in such things.
  std::string account;  // That its tasks moved to; "" where the chain submitted them.
  std::string pool;     // "maigan/gpu", where it was given to one.
  std::string refusal;  // The limit and its numbers, in the cluster's words, where it was refused.
  std::string moved_from;  // The job that they had waited in.
  std::size_t tasks = 0;
  std::string task_list;  // Which these are: "0-2,7"; cut after some hundred characters.
  std::size_t done = 0;
  std::size_t out_of_memory = 0;
  std::size_t timeout = 0;
  std::size_t interrupted = 0;  // Preempted, lost its node.
  std::size_t cancelled = 0;    // By a person: no failure of theirs.
  std::size_t failed = 0;       // Everything else.
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::size_t climbed = 0;  // Of the ended: handed in again, or about to be.
  std::string status;       // COMPLETED, ESCALATING, RUNNING, WAITING, FAILED, WITHDRAWN, MOVING
  std::map<std::string, std::size_t> states;
  std::map<std::string, std::size_t> nodes;
  std::optional<Duration> shortest;
  std::optional<Duration> longest;
  std::optional<std::int64_t> most_rss_kb;
};

// One run of a task, where its times are known.
struct TaskSpan {
  std::uint32_t task = 0;
  std::uint32_t round = 0;
  JobState state = JobState::kCompleted;
  Instant start;
  Instant end;
  std::string node;
};

struct GivenUpRow {
  std::uint32_t task = 0;
  std::string state;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::string node;
  std::optional<Duration> elapsed;
  std::string why;
  std::string job;         // "12_3", to find its output.
  std::string last_lines;  // Of what it wrote; filled in by the caller, who can read files.
};

// Megabyte seconds and seconds, summed over all runs whose length is known.
struct Waste {
  std::int64_t memory_asked = 0;
  std::int64_t memory_used = 0;  // Of runs whose peak is known.
  std::int64_t memory_of_known = 0;
  std::int64_t time_asked_s = 0;
  std::int64_t time_used_s = 0;
  std::int64_t time_lost_s = 0;  // In runs that did not complete.
  std::size_t runs = 0;
  std::size_t retries = 0;
  // Completed runs by how much they used of what they asked for, in tenths.
  std::array<std::size_t, 10> memory_tenths{};
  std::array<std::size_t, 10> time_tenths{};
};

// What learning from the first tasks changed. Saved is against what they would have held without
// it, retries included, by the needs that are known now.
struct SizingView {
  std::string memory_before;
  std::string memory;
  std::string time_before;
  std::string time;
  std::size_t tasks = 0;    // That asked for something else than the ladder's.
  std::size_t retries = 0;  // Of these, handed in again although the ladder's would have sufficed.
  std::int64_t memory_saved = 0;  // Megabyte seconds.
  std::int64_t memory_before_sum = 0;
  std::int64_t time_saved_s = 0;  // Of time asked for.
  std::int64_t time_before_sum = 0;
};

struct ChainView {
  std::string id;
  std::string name;
  std::string state;   // active, stopped, cancelled, ended
  std::string engine;  // slurm, embedded
  bool idle = false;   // Stopped, and nothing of it waits or runs on the cluster.
  Instant created;
  Instant now;
  Audit sum;
  std::string handler;  // The job that will go on with the chain; "" where none is there.
  bool attended = false;
  bool followed = false;  // The daemon goes on with it.
  std::vector<ChainRow> rows;
  std::vector<GivenUpRow> given_up;
  std::map<std::string, std::size_t> given_up_by_why;
  Waste waste;
  std::optional<SizingView> sizing;  // Where it was asked for.
  std::optional<Instant> last_end;
  std::vector<TaskSpan> runs;
  std::vector<std::string> notes;
};

ChainView chain_view(const Chain& chain, std::span<const TaskRun> runs, Instant now);

// "3 of 20 tasks completed", one line.
std::string chain_sum_line(const ChainView& view);
// Which tasks went to another account by another job, one line each.
std::vector<std::string> chain_move_lines(const ChainView& view);
// By what has completed so far; nothing where nothing has, or nothing is left.
struct ChainPace {
  std::int64_t tasks_per_hour = 0;
  Duration left{0};
};
std::optional<ChainPace> pace_of(const ChainView& view);
// "30 tasks an hour so far; …", one line with its end; nothing where there is no pace.
std::string pace_line(const ChainView& view);

// What `sluice status` prints.
std::string chain_status(const ChainView& view, std::size_t width);

enum class ReportDetail : std::uint8_t { kShort, kDetailed };
std::string chain_markdown(const ChainView& view, ReportDetail detail);
// For a terminal: aligned, and every failure with the last lines that the task wrote.
std::string chain_text(const ChainView& view, ReportDetail detail);
// One page without anything from elsewhere.
std::string chain_html(std::span<const ChainView> views, ReportDetail detail);
std::string chain_json(std::span<const ChainView> views);

}  // namespace sluice
