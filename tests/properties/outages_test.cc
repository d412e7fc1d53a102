// squeue and sacct that are away, late, cut off or say what they said before: a task that has not
// ended is never taken for one that has, and one that has ended is never taken for anything else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "escalation/remedy.h"
#include "slurm/accounting_rows.h"
#include "slurm/my_jobs.h"
#include "slurm/observation.h"
#include "slurm/table.h"
#include "tests/properties/dice.h"

namespace sluice {
namespace {

constexpr std::int64_t kBegin = 1'700'000'000;

struct End {
  JobState state;
  const char* word;
  int code;
  int signal;
};
constexpr End kEnds[] = {{JobState::kCompleted, "COMPLETED", 0, 0},
                         {JobState::kFailed, "FAILED", 1, 0},
                         {JobState::kFailed, "FAILED", 137, 0},
                         {JobState::kFailed, "FAILED", 139, 0},
                         {JobState::kFailed, "FAILED", 255, 0},
                         {JobState::kFailed, "FAILED", 0, 9},
                         {JobState::kOutOfMemory, "OUT_OF_MEMORY", 0, 125},
                         {JobState::kTimeout, "TIMEOUT", 0, 0},
                         {JobState::kNodeFail, "NODE_FAIL", 1, 0},
                         {JobState::kPreempted, "PREEMPTED", 0, 0},
                         {JobState::kCancelled, "CANCELLED by 1000", 0, 15}};

struct TrueTask {
  std::int64_t start = 0;
  std::int64_t end = 0;
  End how{};
};

// One array and, where its number was used before, what had it then.
struct TrueJob {
  std::uint32_t number = 0;
  std::int64_t submitted = 0;
  std::vector<TrueTask> tasks;
};

TrueJob made_up(Dice& dice, std::uint32_t number, std::int64_t submitted) {
  TrueJob job{number, submitted, {}};
  for (std::int32_t i = dice.between(1, 12); i > 0; --i) {
    TrueTask task;
    task.start = submitted + dice.between(0, 600);
    task.end = task.start + dice.between(0, 3600);
    task.how = dice.pick(std::vector<End>(std::begin(kEnds), std::end(kEnds)));
    job.tasks.push_back(task);
  }
  return job;
}

std::string times(std::int64_t at, std::int64_t now) {
  return at <= now ? std::to_string(at) : "Unknown";
}

// What sacct would print at that moment; some rows have not arrived.
std::string sacct_text(Dice& dice, const TrueJob& job, std::int64_t now, std::int32_t missing) {
  std::string out;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const TrueTask& task = job.tasks[i];
    if (task.start > now || (missing > 0 && dice.one_in(missing))) continue;
    const bool ended = task.end <= now;
    // The database may know the state of the end before its time.
    const bool without_end = ended && dice.one_in(20);
    const auto row = [&](const char* step, bool own) {
      const std::string cells[] = {
          fmt::format("{}_{}{}", job.number, i, step), ended ? task.how.word : "RUNNING",
          // As sacct prints them: from 128 on less 128.
          ended ? fmt::format("{}:{}", task.how.code % 128, task.how.signal) : "0:0",
          std::to_string(job.submitted), std::to_string(task.start),
          without_end && own ? "Unknown" : times(task.end, now), own ? "" : "1024K", "00:00.002",
          "lab", "normal", "main", "n1"};
      for (std::size_t c = 0; c < std::size(cells); ++c)
        out += (c == 0 ? "" : std::string(1, kFieldEnd)) + cells[c];
      out += '\n';
    };
    row("", true);
    if (!dice.one_in(4)) row(".batch", false);
  }
  return out;
}

// The columns that squeue is asked for, each with what stands behind it.
std::vector<std::pair<std::string, char>> squeue_columns() {
  constexpr std::string_view kOption = "--Format=";
  const std::string asked = my_jobs_command().back().substr(kOption.size());
  std::vector<std::pair<std::string, char>> out;
  for (std::size_t at = 0; at < asked.size();) {
    const std::size_t colon = asked.find(':', at);
    out.emplace_back(asked.substr(at, colon - at), asked[colon + 1]);
    at = colon + 3;  // The separator and a comma.
  }
  return out;
}

// What squeue would print: what has ended leaves after five minutes.
std::string squeue_text(const TrueJob& job, std::int64_t now) {
  static const auto kColumns = squeue_columns();
  std::string out;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const TrueTask& task = job.tasks[i];
    if (task.end + 300 < now || job.submitted > now) continue;
    const bool ended = task.end <= now;
    const bool runs = task.start <= now;
    const std::string_view word = task.how.word;
    const std::map<std::string, std::string> cells = {
        {"JobID", std::to_string(job.number + 1 + i)},
        {"ArrayJobID", std::to_string(job.number)},
        {"ArrayTaskID", std::to_string(i)},
        {"State", ended  ? std::string(word.substr(0, word.find(' ')))
                  : runs ? "RUNNING"
                         : "PENDING"},
        {"Reason", "None"},
        {"SubmitTime", std::to_string(job.submitted)},
        {"StartTime", times(task.start, now)},
        {"EndTime", times(task.end, now)},
        {"NodeList", runs ? "n1" : ""},
        {"Account", "lab"},
        {"QOS", "normal"},
        {"Partition", "main"},
        {"RestartCnt", "0"},
        {"exit_code", ended ? std::to_string(task.how.code * 256 + task.how.signal) : "0"},
        {"tres-alloc", "cpu=1"},
        {"TimeLimit", "1:00"},
        {"PriorityLong", "1"},
        {"Name", "a name"},
        {"Comment", "a comment"}};
    for (const auto& column : kColumns) {
      if (const auto found = cells.find(column.first); found != cells.end()) out += found->second;
      out += column.second;
    }
    out += '\n';
  }
  return out;
}

// One source: fresh, late, empty, cut, as before, or none.
class Source {
 public:
  std::optional<std::string> say(Dice& dice, std::string fresh, std::string late) {
    switch (dice.between(0, 5)) {
      case 0:
        return std::nullopt;
      case 1:
        return "";
      case 2:
        return before_;
      case 3:
        before_ = std::move(late);
        return before_;
      case 4:
        return fresh.substr(
            0, static_cast<std::size_t>(dice.between(0, static_cast<std::int32_t>(fresh.size()))));
      default:
        before_ = std::move(fresh);
        return before_;
    }
  }

 private:
  std::string before_;
};

struct Count {
  std::int64_t looks = 0, ends = 0, wrong = 0, forgotten = 0;
};

void check(const TrueJob& job, const std::vector<SeenTask>& seen, std::int64_t now, Count& count,
           std::uint64_t seed) {
  const Handling handling;
  for (const SeenTask& one : seen) {
    if (!has_ended(one.state)) continue;
    ++count.ends;
    const bool known = one.task && *one.task < job.tasks.size();
    const TrueTask truth = known ? job.tasks[*one.task] : TrueTask{};
    const End& how = truth.how;
    const bool right = known && truth.end <= now && one.state == how.state &&
                       (one.exit_code == how.code || one.exit_code == how.code % 128) &&
                       one.signal == how.signal &&
                       remedy_for(handling, {one.state, one.exit_code, one.signal, std::nullopt}) ==
                           remedy_for(handling, {how.state, how.code, how.signal, std::nullopt});
    if (right) continue;
    ++count.wrong;
    ADD_FAILURE() << "seed " << seed << " at " << now - job.submitted << ": task "
                  << one.task.value_or(0) << " ended as " << static_cast<int>(one.state) << " "
                  << one.exit_code << ":" << one.signal << ", in truth " << (known ? how.word : "")
                  << " at " << truth.end - job.submitted;
  }
}

void try_one(std::uint64_t seed, Count& count) {
  Dice dice(seed);
  const std::uint32_t number = 100;
  const TrueJob job = made_up(dice, number, kBegin);
  // After a reset of the cluster numbers begin again.
  std::optional<TrueJob> earlier;
  if (dice.one_in(3)) earlier = made_up(dice, number, kBegin - 100'000);
  const RemoteRef ref{{JobId(number), instant_at(seconds(kBegin))}, std::nullopt};
  Source queue;
  Source accounting;
  const auto accounts_at = [&](std::int64_t at, std::int32_t missing) {
    return (earlier ? sacct_text(dice, *earlier, at, missing) : "") +
           sacct_text(dice, job, at, missing);
  };
  const auto look = [&](std::int64_t now, const std::optional<std::string>& shown,
                        const std::optional<std::string>& accounted) {
    ++count.looks;
    const auto seen = put_together(ref, parse_my_jobs(shown.value_or("")).jobs,
                                   parse_accounted_tasks(accounted.value_or("")));
    check(job, seen, now, count, seed);
    return seen;
  };
  std::int64_t now = kBegin;
  for (std::int32_t i = dice.between(3, 12); i > 0; --i) {
    now += dice.between(1, 700);
    const std::int64_t then = now - dice.between(1, 3600);
    look(now, queue.say(dice, squeue_text(job, now), squeue_text(job, then)),
         accounting.say(dice, accounts_at(now, 0), accounts_at(then, dice.between(2, 5))));
  }
  // When both are there again nothing is forgotten.
  now = kBegin + 10'000;
  const std::string whole = sacct_text(dice, job, now, 0);
  const auto seen = look(now, squeue_text(job, now), whole);
  const MyJobs at_first = parse_my_jobs(squeue_text(job, kBegin));
  EXPECT_EQ(at_first.unreadable, 0U);
  EXPECT_EQ(at_first.jobs.size(), job.tasks.size());
  const auto known = parse_accounted_tasks(whole).size();
  if (seen.size() != known) ++count.forgotten;
}

TEST(Outages, NoAnswerOfSlurmMakesAnEndThatIsNot) {
  Count count;
  constexpr std::uint64_t kTrials = 10'000;
  for (std::uint64_t seed = 1; seed <= kTrials && count.wrong == 0; ++seed) try_one(seed, count);
  fmt::print("{} trials, {} looks, {} ends seen: {} wrong, {} forgotten\n", kTrials, count.looks,
             count.ends, count.wrong, count.forgotten);
  EXPECT_EQ(count.forgotten, 0);
  EXPECT_GT(count.ends, static_cast<std::int64_t>(kTrials));
}

}  // namespace
}  // namespace sluice
