// Carries out the steps of a story on an engine in virtual time, and keeps what became of its jobs.
#include "sim/chains/simulated_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/event.h"
#include "policy/fairshare.h"
#include "policy/gates.h"
#include "sim/stories/story_line.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

// Longer than any story: a job that runs forever is stopped by its limit or by a user.
constexpr Duration kWithoutEnd = std::chrono::hours(24 * 365 * 20);

std::string where(const SeenJob& job) {
  const std::vector<std::string> nodes = job.nodes();
  return nodes.empty() ? "" : " on " + compress_hostlist(nodes);
}

}  // namespace

std::string SeenJob::text() const { return task ? fmt::format("{}[{}]", name, *task) : name; }

std::vector<std::string> SeenJob::nodes() const {
  std::vector<std::string> out;
  for (const SeenShare& share : shares) out.push_back(share.node);
  return out;
}

SimulatedTarget::SimulatedTarget()
    : time_(
          engine_, [this](const Job& job) { return fate_of(job); },
          [this](const Turn& turn) { take(turn); }) {}

Result<void> SimulatedTarget::begin(const Story& story) {
  routing_ = story.routing;
  time_.give(AdoptPolicy{story.policy}, Instant{});
  return {};
}

Fate SimulatedTarget::fate_of(const Job& job) const {
  const StoryFate& fate = jobs_.at(key_of(job.id).first).fate;
  return Fate{fate.run.value_or(kWithoutEnd), fate.outcome};
}

std::string SimulatedTarget::name_of(JobId job) const {
  const auto found = keys_.find(job);
  if (found == keys_.end()) return fmt::format("job {}", job.value());
  SeenJob named;
  named.name = found->second.first;
  named.task = found->second.second;
  return named.text();
}

SeenJob& SimulatedTarget::life(JobId job) {
  const Key& key = key_of(job);
  SeenJob& own = lives_[key];
  own.name = key.first;
  own.task = key.second;
  return own;
}

void SimulatedTarget::take(const Turn& turn) {
  for (const Event& event : turn.events) take(event);
}

void SimulatedTarget::take(const Event& event) {
  const Instant at = event.at;
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    keys_[submitted->job] = {submitting_->name, std::nullopt};
    jobs_[submitting_->name].id = submitted->job;
  } else if (const auto* split = std::get_if<TaskSplit>(&event.body)) {
    keys_[split->job] = {key_of(split->array).first, split->task};
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    SeenJob& own = life(started->job);
    own.started = at;
    own.outcome.reset();
    own.shares.clear();
    for (const NodeShare& share : started->allocation.shares()) {
      SeenShare one;
      one.node = state().policy().nodes[share.node.index()].name;
      one.cpus = share.cpus;
      one.memory_mb = share.memory_mb;
      for (std::uint32_t i = 0; i < kMaxGpusPerNode; ++i)
        if (((share.gpus >> i) & 1U) != 0) one.gpus.insert(i);
      own.shares.push_back(std::move(one));
    }
    say(at, fmt::format("{} starts{}", own.text(), where(own)));
  } else if (const auto* ending = std::get_if<JobEnding>(&event.body)) {
    if (ending->as != JobState::kPreempted) return;
    life(ending->job).preempted = at;
    say(at, fmt::format("{} makes room for {}", name_of(ending->job), name_of(ending->preemptor)));
  } else if (const auto* warned = std::get_if<PreemptionWarned>(&event.body)) {
    life(warned->job).preempted = at;
    say(at, fmt::format("{} has to make room for {} by {}", name_of(warned->job),
                        name_of(warned->preemptor),
                        format_story_time(warned->deadline.time_since_epoch())));
  } else if (const auto* suspended = std::get_if<JobSuspended>(&event.body)) {
    std::string text = fmt::format("{} is suspended", name_of(suspended->job));
    if (suspended->by == SuspendedBy::kPreemption) {
      life(suspended->job).preempted = at;
      text += fmt::format(" for {}", name_of(suspended->preemptor));
    }
    say(at, std::move(text));
  } else if (const auto* resumed = std::get_if<JobResumed>(&event.body)) {
    life(resumed->job).resumed = at;
    say(at, fmt::format("{} runs on", name_of(resumed->job)));
  } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
    SeenJob& own = life(ended->job);
    own.ended = at;
    own.outcome = ended->outcome.state;
    say(at, fmt::format("{} ends {}", own.text(), slurm_name(ended->outcome.state)));
  } else if (const auto* cancelled = std::get_if<TasksCancelled>(&event.body)) {
    const std::string& name = key_of(cancelled->array).first;
    for (const std::uint32_t task : cancelled->tasks.to_vector()) {
      SeenJob& own = lives_[{name, task}];
      own.name = name;
      own.task = task;
      own.ended = at;
      own.outcome = JobState::kCancelled;
      say(at, fmt::format("{} ends CANCELLED", own.text()));
    }
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    life(requeued->job).requeued = at;
    say(at, fmt::format("{} is back in the queue", name_of(requeued->job)));
  } else if (const auto* node = std::get_if<NodeChanged>(&event.body)) {
    static constexpr const char* kWords[] = {"is up", "drains", "is down"};
    say(at, fmt::format("{} {}", state().policy().nodes[node->node.index()].name,
                        kWords[static_cast<std::size_t>(node->state)]));
  }
}

std::vector<Happening> SimulatedTarget::take_happenings() { return std::exchange(happenings_, {}); }

Actor SimulatedTarget::actor(const std::string& who) const {
  Actor out{who, who == "root"};
  if (const auto user = state().policy().find_user(who))
    out.is_operator |= state().policy().users[user->index()].admin_level != AdminLevel::kNone;
  return out;
}

StoryAnswer SimulatedTarget::answer_of(const Reply& reply) const {
  StoryAnswer out;
  const auto* refused = std::get_if<Refused>(&reply);
  if (refused == nullptr) return out;
  out.refused = true;
  const Reason& reason = refused->refusal.reason;
  if (reason.rule != Rule::kNone) out.reason = slurm_word(reason, state().policy().tres);
  out.message = refused->refusal.message;
  out.detail = numbers(reason);
  return out;
}

Result<StoryAnswer> SimulatedTarget::act(const StoryAction& action, Instant at) {
  if (const auto* step = std::get_if<StorySubmit>(&action)) return submit(*step, at);
  if (const auto* step = std::get_if<StoryCommand>(&action)) return command(*step, at);
  if (const auto* step = std::get_if<StoryUpdate>(&action)) return update(*step, at);
  if (const auto* step = std::get_if<StoryEnd>(&action)) return end(*step, at);
  if (const auto* step = std::get_if<StoryRoute>(&action)) return route(*step, at);
  if (const auto* step = std::get_if<StoryRebalance>(&action)) return rebalance(*step, at);
  if (const auto* step = std::get_if<StoryReservation>(&action)) return reservation(*step, at);
  if (const auto* step = std::get_if<StoryPolicyChange>(&action))
    return answer_of(time_.give(AdoptPolicy{step->policy}, at));
  if (std::holds_alternative<StoryUsageReset>(action))
    return answer_of(time_.give(ResetUsage{}, at));
  if (const auto* step = std::get_if<StoryNodeChange>(&action)) {
    StoryAnswer answer;
    for (const std::string& node : step->nodes)
      if (StoryAnswer one = answer_of(time_.give(ChangeNode{node, step->state, "story"}, at));
          one.refused)
        answer = one;
    return answer;
  }
  return StoryAnswer{};
}

Result<void> SimulatedTarget::settle(Instant at) {
  // Priorities are due every few minutes, but no turn is made for them while nothing waits.
  time_.give(Tick{}, at);
  time_.advance(at);
  return {};
}

std::optional<Dependencies> SimulatedTarget::numbered(
    const std::vector<StoryDependency>& dependencies, bool any) const {
  Dependencies out;
  out.any = any;
  for (const StoryDependency& one : dependencies) {
    Dependency term;
    term.type = one.type;
    term.delay = one.delay;
    if (one.type != DependencyType::kSingleton) {
      const Submitted& known = jobs_.at(one.job.name);
      if (known.refused) return std::nullopt;
      term.job = known.id;
      if (one.job.tasks) term.task = one.job.tasks->first();
    }
    out.terms.push_back(term);
  }
  return out;
}

StoryAnswer SimulatedTarget::submit(const StorySubmit& step, Instant at) {
  Submitted& own = jobs_[step.name];
  own.fate = step.fate;
  own.request = step;
  if (step.request.array) own.tasks = step.request.array->indices;
  JobSpec request = step.request;
  const auto dependencies = numbered(step.dependencies, step.any_dependency);
  if (!dependencies) {
    own.refused = true;
    return {true, "", "it depends on a job that was refused", ""};
  }
  request.dependencies = *dependencies;
  submitting_ = &step;
  const StoryAnswer answer = answer_of(time_.give(SubmitJob{std::move(request)}, at));
  submitting_ = nullptr;
  own.refused = answer.refused;
  if (answer.refused)
    say(at, fmt::format("{} is refused: {}", step.name,
                        answer.reason.empty() ? answer.message : answer.reason));
  return answer;
}

std::vector<JobRef> SimulatedTarget::refs(const StoryJob& job) const {
  const Submitted& known = jobs_.at(job.name);
  if (known.refused) return {};
  std::vector<JobRef> out;
  if (!job.tasks) {
    for (const auto& [tasks, id] : known.parts) out.push_back(JobRef{id, std::nullopt});
    if (out.empty()) out.push_back(JobRef{known.id, std::nullopt});
    return out;
  }
  for (const std::uint32_t task : job.tasks->to_vector())
    out.push_back(JobRef{known.id_of(task), task});
  return out;
}

StoryAnswer SimulatedTarget::command(const StoryCommand& step, Instant at) {
  const Actor who = actor(step.who);
  StoryAnswer answer;
  const std::vector<JobRef> all = refs(step.job);
  if (all.empty()) return {true, "", "Invalid job id specified", ""};
  for (const JobRef& ref : all) {
    Input input;
    switch (step.verb) {
      case StoryVerb::kCancel:
        input = CancelJob{ref, who};
        break;
      case StoryVerb::kHold:
        input = HoldJob{ref, who};
        break;
      case StoryVerb::kRelease:
        input = ReleaseJob{ref, who};
        break;
      case StoryVerb::kRequeue:
        input = RequeueJob{ref, who, false};
        break;
      case StoryVerb::kSuspend:
        input = SuspendJob{ref, who};
        break;
      case StoryVerb::kResume:
        input = ResumeJob{ref, who};
        break;
    }
    if (StoryAnswer one = answer_of(time_.give(input, at)); one.refused) answer = one;
  }
  return answer;
}

StoryAnswer SimulatedTarget::update(const StoryUpdate& step, Instant at) {
  JobChange change = step.change;
  if (step.dependencies) {
    change.dependencies = numbered(*step.dependencies, step.any_dependency);
    if (!change.dependencies) return {true, "", "it would depend on a job that was refused", ""};
  }
  StoryAnswer answer;
  const std::vector<JobRef> all = refs(step.job);
  if (all.empty()) return {true, "", "Invalid job id specified", ""};
  for (const JobRef& ref : all)
    if (StoryAnswer one = answer_of(time_.give(UpdateJob{ref, change, actor(step.who)}, at));
        one.refused)
      answer = one;
  return answer;
}

StoryAnswer SimulatedTarget::reservation(const StoryReservation& step, Instant at) {
  const Actor who = actor(step.who);
  switch (step.verb) {
    case StoryReservation::Verb::kCreate:
      return answer_of(time_.give(CreateReservation{step.request, who}, at));
    case StoryReservation::Verb::kUpdate:
      return answer_of(time_.give(UpdateReservation{step.request.name, step.change, who}, at));
    case StoryReservation::Verb::kDelete:
      break;
  }
  return answer_of(time_.give(DeleteReservation{step.request.name, who}, at));
}

StoryAnswer SimulatedTarget::end(const StoryEnd& step, Instant at) {
  // What comes first at this instant may have ended it already.
  time_.give(Tick{}, at);
  const Submitted& known = jobs_.at(step.job.name);
  std::vector<std::optional<std::uint32_t>> tasks;
  if (step.job.tasks)
    for (const std::uint32_t task : step.job.tasks->to_vector()) tasks.emplace_back(task);
  else if (known.tasks)
    for (const std::uint32_t task : known.tasks->to_vector()) tasks.emplace_back(task);
  else
    tasks.emplace_back();
  bool any = false;
  for (const auto& task : tasks) {
    const Job* job = record(known, task);
    if (job == nullptr || !holds_nodes(job->state)) continue;
    any = true;
    time_.give(RunEnded{job->id, job->attempt, step.outcome}, at);
  }
  return any ? StoryAnswer{} : StoryAnswer{true, "", "it does not run", ""};
}

}  // namespace sluice
