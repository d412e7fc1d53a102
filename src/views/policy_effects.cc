#include "views/policy_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/event.h"
#include "policy/gates.h"
#include "text/printable.h"
#include "views/job_line.h"

namespace sluice {
namespace {

constexpr const char* kWords[] = {"ends",   "preempted", "blocked", "freed",
                                  "starts", "waits",     "moved"};

// A limit or a right stands in the way, not the lack of room.
bool is_policy(Rule rule) {
  return is_limit(rule) || (rule >= Rule::kPartitionDown && rule <= Rule::kInvalidQos);
}

// What the pass said; where it stopped at the lack of room, a limit may stand behind that.
Reason reason_of(const Engine& engine, JobId id, Instant now) {
  const Reason said = engine.explanation(id).reason;
  const Job& job = engine.state().job(id);
  const Shape& shape = engine.state().shape_of_job(job);
  if (is_policy(said.rule) || shape.partitions.empty()) return said;
  for (const Gate& gate :
       gates_of(engine.state(), shape, shape.partitions.front(), job.limit, shape.asked, now))
    if (!gate.passed && is_policy(gate.reason.rule)) return gate.reason;
  return said;
}

std::string why(const Policy& policy, const Reason& reason) {
  std::string out = slurm_word(reason, policy.tres);
  const std::string limit = limit_name(policy, reason);
  const std::string holder = holder_name(policy, reason);
  if (!is_limit(reason.rule) || limit.empty()) return out;
  out += fmt::format(" ({} of {} is {}", limit, holder, reason.limit);
  if (reason.used > 0) out += fmt::format(", {} used", reason.used);
  return out + fmt::format(", it asks for {})", reason.asked);
}

std::string starting(std::int64_t tasks) {
  return tasks > 1 ? fmt::format("{} tasks start at once", tasks) : "starts at once";
}

}  // namespace

std::string_view effect_word(Effect effect) { return kWords[static_cast<std::size_t>(effect)]; }

std::string job_label(const QueuedJob& job) {
  if (job.request.name.empty()) return fmt::format("{} ({})", job.id, job.request.user);
  return fmt::format("{} ({}, {})", job.id, printable(job.request.name), job.request.user);
}

Standings places_in_queue(const Engine& engine) {
  Standings out;
  std::vector<QueueEntry> entries;
  for (const QueueEntry& entry : engine.queue().entries())
    if (!entry.gone) entries.push_back(entry);
  std::stable_sort(entries.begin(), entries.end(), [](const QueueEntry& a, const QueueEntry& b) {
    return std::tuple(b.merit, a.order, a.task) < std::tuple(a.merit, b.order, b.task);
  });
  for (const QueueEntry& entry : entries) {
    Standing& standing = out[entry.job];
    if (standing.place == 0) standing.place = out.size();
    standing.priority = engine.queue().priority(entry.job);
  }
  return out;
}

void note_turn(const Engine& engine, const Turn& turn, Standings& standings) {
  const auto out = [&](JobId job, JobId preemptor) {
    standings[job].pushed_out = true;
    standings[job].preemptor = preemptor;
  };
  for (const Event& event : turn.events) {
    if (const auto* start = std::get_if<JobStarted>(&event.body)) {
      ++standings[start->job].starts;
      // A task that has just left its array is known by the array.
      if (const Job* job = engine.state().find_job(start->job);
          job != nullptr && job->array != JobId{} && job->array != start->job)
        ++standings[job->array].starts;
    }
    if (const auto* warned = std::get_if<PreemptionWarned>(&event.body))
      out(warned->job, warned->preemptor);
    if (const auto* ending = std::get_if<JobEnding>(&event.body);
        ending != nullptr && ending->as == JobState::kPreempted)
      out(ending->job, ending->preemptor);
    if (const auto* paused = std::get_if<JobSuspended>(&event.body);
        paused != nullptr && paused->by == SuspendedBy::kPreemption)
      out(paused->job, paused->preemptor);
  }
}

void note_reasons(const Engine& engine, const std::vector<JobId>& jobs, Instant now,
                  Standings& standings) {
  for (const JobId id : jobs)
    if (const Job* job = engine.state().find_job(id);
        job != nullptr && job->state == JobState::kPending)
      standings[id].reason = reason_of(engine, id, now);
}

Standings standings_under(Engine& engine, std::shared_ptr<const Policy> policy,
                          const std::vector<JobId>& jobs, Instant now) {
  engine.replay(Event(now, PolicyAdopted{std::move(policy)}));
  Standings out = places_in_queue(engine);
  Turn turn;
  engine.handle(Tick{}, now, turn);
  note_turn(engine, turn, out);
  note_reasons(engine, jobs, now, out);
  return out;
}

std::vector<JobEffect> effects_between(const std::vector<KnownJob>& jobs, const Policy& before,
                                       const Standings& was, const Policy& after,
                                       const Standings& becomes) {
  std::map<JobId, const QueuedJob*> known;
  for (const KnownJob& each : jobs) known[each.id] = &each.job;
  const auto standing = [](const Standings& in, JobId id) {
    const auto found = in.find(id);
    return found == in.end() ? Standing{} : found->second;
  };
  std::vector<JobEffect> out;
  for (const auto& [job, id] : jobs) {
    const Standing then = standing(was, id);
    const Standing now = standing(becomes, id);
    const std::string label = job_label(job);
    const auto say = [&](Effect effect, std::string text) {
      out.push_back({label, effect, std::move(text)});
    };
    if (job.state != JobState::kPending) {
      if (now.pushed_out && !then.pushed_out) {
        const auto by = known.find(now.preemptor);
        say(Effect::kPushedOut,
            by == known.end() ? "makes room" : "makes room for " + job_label(*by->second));
      }
      continue;
    }
    if (job.kept_back) continue;
    const bool stopped = is_policy(then.reason.rule);
    const bool stops = is_policy(now.reason.rule);
    if (stops && (!stopped || now.reason.rule != then.reason.rule))
      say(Effect::kBlocked, why(after, now.reason));
    else if (stopped && !stops)
      say(Effect::kFreed,
          fmt::format("waits no longer for {}{}", slurm_word(then.reason, before.tres),
                      now.starts > 0 ? ", " + starting(now.starts) : ""));
    else if (now.starts > then.starts)
      say(Effect::kStarts, starting(now.starts));
    else if (then.starts > 0 && now.starts == 0)
      say(Effect::kWaits, fmt::format("waits for {}", slurm_word(now.reason, after.tres)));
    else if (then.place != now.place && then.place > 0 && now.place > 0)
      say(Effect::kMoved, fmt::format("place {} in the queue, was {} (priority {}, was {})",
                                      now.place, then.place, now.priority, then.priority));
  }
  return out;
}

std::vector<KnownJob> known_jobs(const Engine& engine) {
  std::vector<KnownJob> out;
  const State& state = engine.state();
  state.for_each_job([&](const Job& job) {
    if (has_ended(job.state)) return;
    KnownJob& each = out.emplace_back();
    each.id = job.id;
    each.job.id = job_id_text(state, job);
    each.job.request = *state.shape_of_job(job).request;
    each.job.state = job.state;
    each.job.submitted = job.submitted;
    each.job.kept_back = job.state == JobState::kPending && !engine.queue().contains(job.id);
  });
  return out;
}

std::string blast_text(const std::vector<JobEffect>& effects) {
  // More of a kind than this are counted.
  constexpr std::size_t kNamed = 20;
  std::map<Effect, std::vector<const JobEffect*>> by_effect;
  for (const JobEffect& effect : effects) by_effect[effect.effect].push_back(&effect);
  std::string out;
  for (const auto& [effect, rows] : by_effect) {
    for (std::size_t i = 0; i < std::min(kNamed, rows.size()); ++i)
      out += fmt::format("  {:<11}{}: {}\n", effect_word(effect), rows[i]->job, rows[i]->text);
    if (rows.size() > kNamed)
      out += fmt::format("  {:<11}and {} more\n", effect_word(effect), rows.size() - kNamed);
  }
  return out;
}

}  // namespace sluice
