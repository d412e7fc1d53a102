// Counts every run once, by the batch it was in.
#include "views/chain_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "escalation/sizing.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

// At the top of a ladder that grew: which limit ended it.
std::string given_up_text(const Chain& chain, const Task& task) {
  std::string out(given_up_words(task.given_up));
  if (task.given_up == GivenUp::kTop && !chain.ladder.top.empty()) out += ": " + chain.ladder.top;
  return out;
}

using Amount = std::uint64_t;

std::int64_t saved(Amount before, Amount asked, Amount need, const std::vector<Amount>& steps) {
  return static_cast<std::int64_t>(cost_of(before, need, steps)) -
         static_cast<std::int64_t>(cost_of(asked, need, steps));
}

// For people: a list that goes on and on says no more.
std::string listed_tasks(const IndexSet& tasks) {
  constexpr std::size_t kLongest = 300;
  std::string out = compress_indices(tasks);
  if (out.size() > kLongest) out = out.substr(0, out.rfind(',', kLongest) + 1) + "…";
  return out;
}

// By task: the request of its first attempt, against what its completed run needed.
SizingView sizing_view(const Chain& chain, std::span<const TaskRun> runs) {
  SizingView out;
  const Request before = request_at(chain.ladder, chain.sizing->from);
  const Request now = sized_request(chain.ladder, *chain.sizing).request;
  const auto memory_words = [](const Request& request) {
    return request.memory ? format_memory_mb(request.memory->mb) : std::string();
  };
  const auto time_words = [](const Request& request) {
    return request.time ? format_duration(*request.time) : std::string();
  };
  out.memory_before = memory_words(before);
  out.memory = memory_words(now);
  out.time_before = time_words(before);
  out.time = time_words(now);
  const auto by_memory = memory_steps(chain.ladder);
  const auto by_time = time_steps(chain.ladder);
  std::map<std::uint32_t, const Request*> first;  // Of tasks that were sized.
  std::map<std::uint32_t, bool> failed_first;
  for (const TaskRun& run : runs) {
    const Batch& batch = chain.batch(run.batch);
    if (run.round == 1 && batch.request != before) {
      first[run.index] = &batch.request;
      failed_first[run.index] =
          run.state == JobState::kOutOfMemory || run.state == JobState::kTimeout;
      ++out.tasks;
    }
    const auto asked = first.find(run.index);
    if (asked == first.end() || run.state != JobState::kCompleted || !run.start || !run.end)
      continue;
    const auto took =
        static_cast<Amount>(std::max<std::int64_t>(1, to_seconds(*run.end - *run.start)));
    bool enough = true;
    if (before.memory && asked->second->memory && run.max_rss_kb) {
      const auto need = static_cast<Amount>((*run.max_rss_kb + 1023) / 1024);
      const auto was = static_cast<Amount>(before.memory->mb);
      enough &= need <= was;
      out.memory_before_sum += static_cast<std::int64_t>(cost_of(was, need, by_memory) * took);
      out.memory_saved +=
          saved(was, static_cast<Amount>(asked->second->memory->mb), need, by_memory) *
          static_cast<std::int64_t>(took);
    }
    if (before.time && asked->second->time) {
      const auto was = static_cast<Amount>(to_seconds(*before.time));
      enough &= took <= was;
      out.time_before_sum += static_cast<std::int64_t>(cost_of(was, took, by_time));
      out.time_saved_s +=
          saved(was, static_cast<Amount>(to_seconds(*asked->second->time)), took, by_time);
    }
    if (failed_first[run.index] && enough) ++out.retries;
  }
  return out;
}

std::string number_of(const std::optional<RemoteJob>& job) {
  return job ? std::to_string(job->job.value()) : "";
}

std::string handler_of(const Chain& chain, std::uint32_t batch) {
  // Parts of one array have one handler.
  const auto& job = chain.batch(batch).job;
  for (auto handler = chain.handlers.rbegin(); handler != chain.handlers.rend(); ++handler)
    if (std::any_of(handler->batches.begin(), handler->batches.end(), [&](std::uint32_t one) {
          return one == batch || (job && chain.batch(one).job == job);
        }))
      return number_of(handler->job);
  return "";
}

void count(ChainRow& row, const TaskRun& run) {
  ++row.states[std::string(slurm_name(run.state))];
  switch (run.state) {
    case JobState::kCompleted:
      ++row.done;
      break;
    case JobState::kOutOfMemory:
      ++row.out_of_memory;
      break;
    case JobState::kTimeout:
    case JobState::kDeadline:
      ++row.timeout;
      break;
    case JobState::kPreempted:
    case JobState::kNodeFail:
    case JobState::kBootFail:
      ++row.interrupted;
      break;
    case JobState::kCancelled:
      ++row.cancelled;
      break;
    default:
      ++row.failed;
  }
  if (!run.node.empty()) ++row.nodes[run.node];
  if (run.start && run.end && *run.end >= *run.start) {
    const Duration elapsed = *run.end - *run.start;
    if (!row.shortest || elapsed < *row.shortest) row.shortest = elapsed;
    if (!row.longest || elapsed > *row.longest) row.longest = elapsed;
  }
  if (run.max_rss_kb) row.most_rss_kb = std::max(row.most_rss_kb.value_or(0), *run.max_rss_kb);
}

void count(Waste& waste, const Batch& batch, const TaskRun& run) {
  ++waste.runs;
  if (run.round > 1) ++waste.retries;
  if (!run.start || !run.end || *run.end < *run.start) return;
  const std::int64_t elapsed = to_seconds(*run.end - *run.start);
  waste.time_used_s += elapsed;
  if (run.state != JobState::kCompleted) waste.time_lost_s += elapsed;
  if (batch.request.time) waste.time_asked_s += to_seconds(*batch.request.time);
  const auto tenth = [](std::int64_t used, std::int64_t asked) {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(used * 10 / std::max<std::int64_t>(1, asked), 0, 9));
  };
  const bool done = run.state == JobState::kCompleted;
  if (done && batch.request.time)
    ++waste.time_tenths[tenth(elapsed, to_seconds(*batch.request.time))];
  if (!batch.request.memory) return;
  if (done && run.max_rss_kb)
    ++waste.memory_tenths[tenth(*run.max_rss_kb / 1024, batch.request.memory->mb)];
  const std::int64_t asked = batch.request.memory->mb * elapsed;
  waste.memory_asked += asked;
  if (!run.max_rss_kb) return;
  waste.memory_of_known += asked;
  waste.memory_used += *run.max_rss_kb / 1024 * elapsed;
}

std::string status_of(const Batch& batch, const ChainRow& row) {
  if (batch.state == BatchState::kWithdrawn) return batch.refusal.empty() ? "WITHDRAWN" : "REFUSED";
  if (batch.move && (batch.state == BatchState::kIntended || batch.state == BatchState::kTaking))
    return "MOVING";
  if (row.tasks == 0) return "RESIZED";  // Or moved.
  if (row.running > 0) return "RUNNING";
  if (row.waiting > 0) return "WAITING";
  if (row.climbed > 0) return "ESCALATING";
  if (row.done == row.tasks) return "COMPLETED";
  return row.done + row.cancelled == row.tasks ? "CANCELLED" : "FAILED";
}

}  // namespace

ChainView chain_view(const Chain& chain, std::span<const TaskRun> runs, Instant now) {
  ChainView out;
  out.id = chain.id;
  out.name = chain.spec.name;
  static constexpr const char* kStates[] = {"active", "cancelled", "ended"};
  out.state = kStates[static_cast<std::size_t>(chain.state)];
  if (chain.state == ChainState::kActive && (chain.terms.stopped || chain.terms.last_level))
    out.state = "stopped";
  out.engine = chain.terms.engine;
  out.idle = chain.state == ChainState::kActive && !chain.is_under_way() &&
             std::none_of(chain.tasks.begin(), chain.tasks.end(), [&](const Task& task) {
               return task.state == TaskState::kSubmitted ||
                      (task.state == TaskState::kWaiting && !chain.is_stopped(task));
             });
  out.created = chain.created;
  out.now = now;
  out.sum = audit(chain);
  for (const Handler& handler : chain.handlers)
    if (!handler.gone && handler.job) out.handler = number_of(handler.job);
  for (const Batch& batch : chain.batches) {
    ChainRow& row = out.rows.emplace_back();
    row.round = batch.round;
    row.batch = batch.number;
    row.job = number_of(batch.job);
    row.handler = handler_of(chain, batch.number);
    if (batch.request.memory) row.memory = format_memory_mb(batch.request.memory->mb);
    if (batch.request.time) row.time = format_duration(*batch.request.time);
    row.partitions = fmt::format("{}", fmt::join(batch.request.partitions, ","));
    row.with = kind_words(chain.ladder, batch.request);
    row.tasks = batch.tasks.size();
    if (chain.array) row.task_list = listed_tasks(batch.tasks);
    row.refusal = batch.refusal;
    if (batch.placement) {
      const JobSpec& shape = batch.placement->shape;
      row.pool = batch.placement->pool;
      if (shape.memory) row.memory = format_memory_mb(shape.memory->mb);
      if (shape.time_limit) row.time = format_duration(*shape.time_limit);
      row.partitions = fmt::format("{}", fmt::join(shape.partitions, ","));
    }
    if (batch.move) {
      row.account = batch.move->account;
      row.moved_from = std::to_string(batch.move->job.job.value());
    }
  }
  IndexSet cancelled;  // By a person, while they waited or ran.
  for (const TaskRun& run : runs) {
    ChainRow& row = out.rows[run.batch - 1];
    count(row, run);
    count(out.waste, chain.batch(run.batch), run);
    if (run.start && run.end)
      out.runs.push_back({run.index, run.round, run.state, *run.start, *run.end, run.node});
    if (run.end) out.last_end = std::max(out.last_end.value_or(*run.end), *run.end);
    const Task& task = chain.task(run.index);
    // It climbed where it went on after this batch.
    const bool last = task.batch == run.batch;
    if (run.state != JobState::kCompleted && (!last || task.state == TaskState::kWaiting))
      ++row.climbed;
    if (!last || task.state != TaskState::kGivenUp) continue;
    GivenUpRow lost;
    lost.task = run.index;
    lost.state = slurm_name(run.state);
    lost.exit_code = run.exit_code;
    lost.signal = run.signal;
    lost.node = run.node;
    if (run.start && run.end) lost.elapsed = *run.end - *run.start;
    lost.why = given_up_text(chain, task);
    if (run.state == JobState::kCancelled) {
      lost.why = given_up_words(GivenUp::kWithdrawn);
      cancelled.insert(run.index);
    }
    const Batch& batch = chain.batch(run.batch);
    if (batch.job)
      lost.job = chain.array ? fmt::format("{}_{}", row.job, run.index - batch.offset) : row.job;
    out.given_up.push_back(std::move(lost));
  }
  for (const Task& task : chain.tasks) {
    if (task.state == TaskState::kGivenUp)
      ++out.given_up_by_why[cancelled.contains(task.index)
                                ? std::string(given_up_words(GivenUp::kWithdrawn))
                                : given_up_text(chain, task)];
    if (task.state != TaskState::kSubmitted) continue;
    ChainRow& row = out.rows[task.batch - 1];
    ++(task.running ? row.running : row.waiting);
  }
  for (std::size_t i = 0; i < out.rows.size(); ++i)
    out.rows[i].status = status_of(chain.batches[i], out.rows[i]);
  // All of its tasks ask for something else now, or are in another job.
  std::erase_if(out.rows, [](const ChainRow& row) { return row.status == "RESIZED"; });
  if (chain.sizing) out.sizing = sizing_view(chain, runs);
  return out;
}

std::vector<std::string> chain_move_lines(const ChainView& view) {
  std::vector<std::string> out;
  for (const ChainRow& row : view.rows) {
    if (row.moved_from.empty() || row.status == "WITHDRAWN" || row.status == "REFUSED") continue;
    const char* tasks = row.tasks == 1 ? "task" : "tasks";
    out.push_back(
        row.status == "MOVING"
            ? fmt::format("{} {} of job {}: on the way to account {}.", row.tasks, tasks,
                          row.moved_from, row.account)
            : fmt::format(
                  "{} {} of job {} went to account {} as job {}, as the site does not let users "
                  "change a job.",
                  row.tasks, tasks, row.moved_from, row.account, row.job));
  }
  return out;
}

std::string chain_sum_line(const ChainView& view) {
  std::string out = fmt::format("{} of {} {} completed", view.sum.completed, view.sum.tasks,
                                view.sum.tasks == 1 ? "task" : "tasks");
  if (view.sum.running > 0) out += fmt::format(", {} running", view.sum.running);
  if (view.sum.waiting > 0) out += fmt::format(", {} waiting", view.sum.waiting);
  if (view.sum.given_up > 0) {
    out += fmt::format(", {} given up (", view.sum.given_up);
    bool first = true;
    for (const auto& [why, count] : view.given_up_by_why) {
      out += fmt::format("{}{} {}", first ? "" : ", ", count, why);
      first = false;
    }
    out += ")";
  }
  return out;
}

}  // namespace sluice
