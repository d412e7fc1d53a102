// Settles tasks whose end was seen, then hands in what waits.
#include "escalation/next_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "escalation/sizing.h"
#include "text/quoting.h"

namespace sluice {
namespace {

TaskRun run_of(const SeenTask& seen, const Task& task) {
  TaskRun run;
  run.index = task.index;
  run.batch = task.batch;
  run.round = task.round;
  run.state = seen.state;
  run.exit_code = seen.exit_code;
  run.signal = seen.signal;
  run.max_rss_kb = seen.max_rss_kb;
  run.start = seen.start;
  run.end = seen.end;
  if (!seen.nodes.empty()) run.node = seen.nodes.front();
  run.restarts = seen.restarts;
  return run;
}

// The batches whose failed tasks are handed in again: closed ones, and those of which a tenth waits
// already. Frequent looks would otherwise make an array of every few tasks.
IndexSet batches_due(const Chain& chain) {
  std::vector<std::size_t> waiting(chain.batches.size() + 1);
  for (const Task& task : chain.tasks)
    if (task.state == TaskState::kWaiting) ++waiting[task.batch];
  IndexSet due;
  for (const Batch& batch : chain.batches)
    if (batch.state == BatchState::kClosed || batch.state == BatchState::kWithdrawn ||
        waiting[batch.number] * 10 >= batch.tasks.size())
      due.insert(batch.number);
  return due;
}

bool is_due(const Chain& chain, const Task& task, const IndexSet& due) {
  return task.state == TaskState::kWaiting && !chain.is_stopped(task) &&
         (task.round == 0 || due.contains(task.batch));
}

// "%a" in a file name becomes "%a+1001": Slurm numbers the array's tasks, and two arrays of one
// chain must not write to one file.
std::string with_offset(const std::string& pattern, std::uint32_t offset) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    out += pattern[i];
    if (pattern[i] != '%') continue;
    std::size_t end = i + 1;
    while (end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9') ++end;
    if (end == pattern.size()) continue;
    out.append(pattern, i + 1, end - i);
    if (pattern[end] == 'a') out += fmt::format("+{}", offset);
    i = end;
  }
  return out;
}

// In single quotes for a shell.
void add_what_chains_add(const Chain& chain, const Batch& batch, JobSpec& spec) {
  // One place decides about another attempt. A user who asks for --requeue gets both.
  if (!spec.requeue) spec.requeue = false;
  if (chain.ladder.checkpoint && !spec.launch.signal)
    spec.launch.signal = chain.ladder.checkpoint->signal;
  // A round that learns from the first tasks must get in before the others of its own chain.
  if (chain.sizing) spec.nice += 100;
  const auto add = [&](std::string name, std::string value) {
    spec.launch.environment.push_back({std::move(name), std::move(value)});
  };
  add("SLUICE_CHAIN", chain.id);
  add("SLUICE_ROUND", std::to_string(batch.round));
  add("SLUICE_LEVEL", std::to_string(batch.rung.highest() + 1));
  if (chain.array) add("SLUICE_OFFSET", std::to_string(batch.offset));
}

// Each task of an array that begins at its offset sees its own index.
void shift_indices(const Chain& chain, const Batch& batch, JobSpec& spec) {
  spec.launch.script = fmt::format(
      "#!/bin/sh\n"
      "# Tasks beyond the indices one array may have: each sees its own.\n"
      "SLURM_ARRAY_TASK_ID=$((SLURM_ARRAY_TASK_ID + {}))\n"
      "export SLURM_ARRAY_TASK_ID\n"
      "exec {} \"$@\"\n",
      batch.offset, shell_word(chain.script_path));
  if (spec.launch.stdout_path.empty()) spec.launch.stdout_path = "slurm-%A_%a.out";
  spec.launch.stdout_path = with_offset(spec.launch.stdout_path, batch.offset);
  spec.launch.stderr_path = with_offset(spec.launch.stderr_path, batch.offset);
  spec.launch.stdin_path = with_offset(spec.launch.stdin_path, batch.offset);
}

bool was_on_gpu(const Chain& chain, const Batch& batch) {
  if (batch.placement) return !batch.placement->shape.gpus.empty();
  return batch.request.gpus ? !batch.request.gpus->empty() : !chain.spec.gpus.empty();
}

// A task that made progress before its time was over: by its exit code, or by what it wrote.
bool goes_on(const Ladder& ladder, const Ending& ending) {
  if (!ladder.checkpoint) return false;
  if (ending.state == JobState::kFailed)
    return ending.signal == 0 && ending.exit_code == ladder.checkpoint->exit_code;
  return ending.state == JobState::kTimeout && ending.stderr_rule.has_value();
}

std::vector<std::string> patterns_for(const Ladder& ladder, const Ending& ending) {
  if (ladder.checkpoint && ending.state == JobState::kTimeout) return {ladder.checkpoint->progress};
  return stderr_patterns(ladder.handling, ending);
}

}  // namespace

Task after_run(const Ladder& ladder, const Task& task, const Request& asked, const Ending& ending,
               ChainState state) {
  Task after = task;
  after.running = false;
  const auto remedy = remedy_for(ladder.handling, ending);
  if (!remedy) {
    after.state = TaskState::kCompleted;
    return after;
  }
  const auto give_up = [&](GivenUp why) {
    after.state = TaskState::kGivenUp;
    after.given_up = why;
    return after;
  };
  if (state == ChainState::kCancelled) return give_up(GivenUp::kWithdrawn);
  if (goes_on(ladder, ending)) {
    if (task.continued >= ladder.checkpoint->most) return give_up(GivenUp::kTooOften);
    after.state = TaskState::kWaiting;
    ++after.continued;
    return after;
  }
  if (*remedy == Remedy::kGiveUp) return give_up(GivenUp::kNotRetried);
  after.state = TaskState::kWaiting;
  if (*remedy == Remedy::kAgain) {
    if (task.again >= ladder.most_again) return give_up(GivenUp::kTooOften);
    after.again = static_cast<std::uint16_t>(task.again + 1);
    return after;
  }
  const auto next = climb_from(ladder, task.rung, asked, *remedy);
  if (!next) return give_up(*remedy == Remedy::kOtherGpu ? GivenUp::kNoOtherGpu : GivenUp::kTop);
  after.rung = *next;
  return after;
}

Settling settle(const Chain& chain, std::span<const Sighting> sightings,
                const MatchStderr& match_stderr) {
  Settling out;
  IndexSet settled;  // A task that is listed twice ends once.
  for (const Sighting& sighting : sightings) {
    const Batch* carried = chain.carried_by(sighting.ref.job);
    if (carried == nullptr) continue;
    for (const SeenTask& seen : sighting.tasks) {
      const std::uint32_t index = chain.array ? seen.task.value_or(0) + carried->offset : 0;
      const Task* found = chain.array && !seen.task ? nullptr : chain.find_task(index);
      if (found == nullptr || found->state != TaskState::kSubmitted) continue;
      const Task& task = *found;
      // It may have been handed in again since.
      const Batch& batch = chain.batch(task.batch);
      if (batch.job != sighting.ref.job) continue;
      if (!has_ended(seen.state)) {
        const bool running = seen.state != JobState::kPending;
        if (running != task.running)
          (running ? out.seen.running : out.seen.pending).push_back(index);
        continue;
      }
      if (settled.contains(index)) continue;
      settled.insert(index);
      Settlement one;
      one.run = run_of(seen, task);
      Ending ending{seen.state, seen.exit_code, seen.signal, std::nullopt,
                    was_on_gpu(chain, batch)};
      if (const auto patterns = patterns_for(chain.ladder, ending);
          match_stderr && !patterns.empty())
        ending.stderr_rule = match_stderr(batch, one.run, patterns);
      one.after = after_run(chain.ladder, task, batch.request, ending, chain.state);
      out.settled.settlements.push_back(std::move(one));
    }
  }
  return out;
}

bool anything_due(const Chain& chain) {
  const IndexSet due = batches_due(chain);
  return std::any_of(chain.tasks.begin(), chain.tasks.end(),
                     [&](const Task& task) { return is_due(chain, task, due); });
}

namespace {

// How many tasks of the chain may run beside those that arrays on the cluster may run already.
std::int64_t throttle_left(const Chain& chain) {
  std::vector<std::int64_t> unfinished(chain.batches.size() + 1);
  for (const Task& task : chain.tasks)
    if (task.state == TaskState::kSubmitted) ++unfinished[task.batch];
  // Parts that were resized are in the same array.
  std::map<JobId, std::pair<std::int64_t, std::int64_t>> arrays;  // Open tasks, and the throttle.
  std::int64_t left = *chain.throttle;
  for (const Batch& batch : chain.batches) {
    const auto most = static_cast<std::int64_t>(batch.throttle.value_or(*chain.throttle));
    if (batch.job) {
      auto& [tasks, throttle] = arrays[batch.job->job];
      tasks += unfinished[batch.number];
      throttle = most;
    } else {
      left -= std::min(unfinished[batch.number], most);
    }
  }
  for (const auto& [job, array] : arrays) left -= std::min(array.first, array.second);
  return left;
}

// Arrays that run beside each other share the chain's throttle. Those that would get nothing of it
// are left out; their tasks wait until others have ended.
void share_throttle(const Chain& chain, std::vector<Batch>& batches) {
  std::vector<std::int64_t> sizes;
  for (const Batch& batch : batches) sizes.push_back(static_cast<std::int64_t>(batch.tasks.size()));
  const std::int64_t left = std::max<std::int64_t>(0, throttle_left(chain));
  // One for each, so that a small array does not wait for the end of a large one.
  const std::int64_t each = left >= std::ssize(sizes) ? 1 : 0;
  auto parts = in_proportion(left - each * std::ssize(sizes), sizes);
  for (std::int64_t& part : parts) part += each;
  std::vector<Batch> kept;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (parts[i] <= 0) continue;
    Batch& batch = kept.emplace_back(std::move(batches[i]));
    batch.throttle = static_cast<std::uint32_t>(parts[i]);
    batch.number = static_cast<std::uint32_t>(chain.batches.size() + kept.size());
    batch.key = fmt::format("{}.b{}", chain.id, batch.number);
  }
  batches = std::move(kept);
}

}  // namespace

Result<BatchesIntended> hand_in(const Chain& chain, const PackingLimits& limits, Instant now,
                                const Spread& spread) {
  BatchesIntended out;
  if (chain.state != ChainState::kActive) return out;
  // First attempts before second ones; low rungs before high ones.
  std::map<std::pair<std::uint16_t, Rung>, IndexSet> groups;
  const IndexSet due = batches_due(chain);
  for (const Task& task : chain.tasks)
    if (is_due(chain, task, due)) groups[{task.round, task.rung}].insert(task.index);
  PackingLimits left = limits;
  for (const auto& [group, tasks] : groups) {
    SizedRequest asked{group.second, request_at(chain.ladder, group.second)};
    if (group.first == 0 && chain.sizing && chain.sizing->from == group.second)
      asked = sized_request(chain.ladder, *chain.sizing);
    std::vector<Share> shares = {{tasks, std::nullopt}};
    if (spread) {
      TRY(shares, spread(chain, tasks, asked.request));
    }
    for (const Share& share : shares)
      for (Pack& pack : pack(share.tasks, left)) {
        if (left.submit_room) *left.submit_room -= static_cast<std::int64_t>(pack.tasks.size());
        Batch batch;
        batch.number = static_cast<std::uint32_t>(chain.batches.size() + out.batches.size() + 1);
        batch.round = group.first + 1U;
        batch.key = fmt::format("{}.b{}", chain.id, batch.number);
        batch.rung = asked.rung;
        batch.request = asked.request;
        batch.offset = pack.offset;
        batch.tasks = std::move(pack.tasks);
        batch.intended = now;
        batch.placement = share.placement;
        out.batches.push_back(std::move(batch));
      }
    // What was just shared out has to be there before the next group is.
    if (spread && !out.batches.empty()) break;
  }
  if (chain.throttle) share_throttle(chain, out.batches);
  return out;
}

Step next_step(const Chain& chain, std::span<const Sighting> sightings, const PackingLimits& limits,
               Instant now, const MatchStderr& match_stderr) {
  Step step;
  step.settling = settle(chain, sightings, match_stderr);
  Chain after = chain;
  record_in(after, step.settling.settled);
  record_in(after, step.settling.seen);
  step.intended = hand_in(after, limits, now).value();
  step.ended = std::all_of(after.tasks.begin(), after.tasks.end(), [](const Task& task) {
    return task.state == TaskState::kCompleted || task.state == TaskState::kGivenUp;
  });
  return step;
}

JobSpec batch_job(const Chain& chain, const Batch& batch) {
  JobSpec spec;
  if (batch.placement) {
    spec = batch.placement->shape;
    spec.launch = chain.spec.launch;
    for (const EnvironmentVariable& one : batch.placement->shape.launch.environment)
      set_variable(spec.launch.environment, one.name, one.value);
  } else {
    spec = spec_asking(chain.spec, batch.request);
  }
  if (batch.move) {
    spec.account = batch.move->account;
    spec.qos = batch.move->qos;
    // They waited for a limit: what they depended on and their begin time have passed.
    spec.dependencies = {};
    spec.begin.reset();
    spec.hold = false;
  }
  if (chain.array) spec.array = ArraySpec{shifted_down(batch.tasks, batch.offset), batch.throttle};
  if (!chain.terms.routed) add_what_chains_add(chain, batch, spec);
  if (batch.offset > 0) shift_indices(chain, batch, spec);
  return spec;
}

}  // namespace sluice
