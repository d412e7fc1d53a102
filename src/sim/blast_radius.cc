// Events that bring an engine to where the live queue is, then one pass under each policy.
#include "sim/blast_radius.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/engine.h"
#include "policy/gates.h"

namespace sluice {
namespace {

constexpr const char* kWords[] = {"ends",   "pushed out", "blocked", "freed",
                                  "starts", "waits",      "moved"};

// Every waiting job is looked at, however long the queue is.
std::shared_ptr<const Policy> looking_at_all(const Policy& policy, std::size_t jobs) {
  auto out = std::make_shared<Policy>(policy);
  out->jobs.first_job_id = 1;
  const auto many = static_cast<std::int32_t>(std::min<std::size_t>(jobs + 1, 1'000'000));
  out->scheduler.default_queue_depth = std::max(out->scheduler.default_queue_depth, many);
  out->scheduler.backfill_max_job_test = std::max(out->scheduler.backfill_max_job_test, many);
  return out;
}

struct View {
  bool started = false;
  bool pushed_out = false;
  JobId preemptor;
  Reason reason;
  std::size_t place = 0;  // In the queue, from 1; 0: not in it.
  std::int64_t priority = 0;
};

// A limit or a right stands in the way, not the lack of room.
bool is_policy(Rule rule) {
  return is_limit(rule) || (rule >= Rule::kPartitionDown && rule <= Rule::kInvalidQos);
}

class Rehearsal {
 public:
  Rehearsal(std::shared_ptr<const Policy> live, const std::vector<QueuedJob>& jobs) {
    Instant first = jobs.front().submitted;
    for (const QueuedJob& job : jobs) first = std::min(first, job.submitted);
    engine_.replay(Event(first, PolicyAdopted{live}));
    // Numbers go by submission, and time does not run backwards.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < jobs.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return jobs[a].submitted < jobs[b].submitted;
    });
    std::vector<Event> starts;
    ids_.resize(jobs.size());
    std::uint32_t number = 0;
    std::vector<Event> events;
    for (const std::size_t i : order) {
      const JobId id(++number);
      const SpecId spec(engine_.state().next_spec_id().value() + number - 1);
      ids_[i] = id;
      events.emplace_back(
          jobs[i].submitted,
          SpecDefined{spec, std::make_shared<const JobSpec>(jobs[i].request), false});
      events.emplace_back(jobs[i].submitted, JobSubmitted{id, spec, std::nullopt});
      if (!jobs[i].started) continue;
      const auto partition = live->find_partition(jobs[i].request.partitions.front());
      CHECK(partition.has_value());
      starts.emplace_back(std::max(*jobs[i].started, jobs[i].submitted),
                          JobStarted{id, 1, *partition, allocation(*live, jobs[i])});
      if (jobs[i].state == JobState::kSuspended)
        starts.emplace_back(starts.back().at, JobSuspended{id, SuspendedBy::kUser, {}});
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    std::vector<Event> all;
    std::merge(events.begin(), events.end(), starts.begin(), starts.end(), std::back_inserter(all),
               [](const Event& a, const Event& b) { return a.at < b.at; });
    for (const Event& event : all) engine_.replay(event);
  }

  std::vector<View> decide(std::shared_ptr<const Policy> policy, Instant now) {
    engine_.replay(Event(now, PolicyAdopted{std::move(policy)}));
    std::map<JobId, View> views;
    std::vector<QueueEntry> entries;
    for (const QueueEntry& entry : engine_.queue().entries())
      if (!entry.gone) entries.push_back(entry);
    std::stable_sort(entries.begin(), entries.end(), [](const QueueEntry& a, const QueueEntry& b) {
      return std::tuple(b.merit, a.order, a.task) < std::tuple(a.merit, b.order, b.task);
    });
    for (const QueueEntry& entry : entries) {
      View& view = views[entry.job];
      if (view.place == 0) view.place = views.size();
      view.priority = engine_.queue().priority(entry.job);
    }
    Turn turn;
    engine_.handle(Tick{}, now, turn);
    for (const Event& event : turn.events) {
      if (const auto* start = std::get_if<JobStarted>(&event.body))
        views[start->job].started = true;
      const auto out = [&](JobId job, JobId preemptor) {
        views[job].pushed_out = true;
        views[job].preemptor = preemptor;
      };
      if (const auto* warned = std::get_if<PreemptionWarned>(&event.body))
        out(warned->job, warned->preemptor);
      if (const auto* ending = std::get_if<JobEnding>(&event.body);
          ending != nullptr && ending->as == JobState::kPreempted)
        out(ending->job, ending->preemptor);
      if (const auto* paused = std::get_if<JobSuspended>(&event.body);
          paused != nullptr && paused->by == SuspendedBy::kPreemption)
        out(paused->job, paused->preemptor);
    }
    std::vector<View> out;
    for (const JobId id : ids_) {
      View view = views[id];
      if (engine_.state().job(id).state == JobState::kPending) view.reason = reason_of(id, now);
      out.push_back(view);
    }
    return out;
  }

  const std::vector<JobId>& ids() const { return ids_; }

 private:
  // What the pass said; where it stopped at the lack of room, a limit may stand behind that.
  Reason reason_of(JobId id, Instant now) const {
    const Reason said = engine_.explanation(id).reason;
    const Job& job = engine_.state().job(id);
    const Shape& shape = engine_.state().shape_of_job(job);
    if (is_policy(said.rule) || shape.partitions.empty()) return said;
    for (const Gate& gate :
         gates_of(engine_.state(), shape, shape.partitions.front(), job.limit, shape.asked, now))
      if (!gate.passed && is_policy(gate.reason.rule)) return gate.reason;
    return said;
  }

  static Allocation allocation(const Policy& policy, const QueuedJob& job) {
    std::vector<NodeShare> shares;
    for (const QueuedShare& held : job.shares) {
      const auto node = policy.find_node(held.node);
      CHECK(node.has_value());
      NodeShare share;
      share.node = *node;
      share.cpus = held.cpus;
      share.memory_mb = policy.jobs.memory_is_consumable ? held.memory_mb : 0;
      for (const std::uint32_t gpu : held.gpus)
        if (gpu < policy.nodes[node->index()].gpus.size()) share.gpus |= std::uint64_t{1} << gpu;
      shares.push_back(share);
    }
    std::sort(shares.begin(), shares.end(),
              [](const NodeShare& a, const NodeShare& b) { return a.node < b.node; });
    Allocation out;
    for (const NodeShare& share : shares) out.add(share);
    return out;
  }

  Engine engine_;
  std::vector<JobId> ids_;
};

std::string why(const Policy& policy, const Reason& reason) {
  std::string out = slurm_word(reason, policy.tres);
  const std::string limit = limit_name(policy, reason);
  const std::string holder = holder_name(policy, reason);
  if (!is_limit(reason.rule) || limit.empty()) return out;
  out += fmt::format(" ({} of {} is {}", limit, holder, reason.limit);
  if (reason.used > 0) out += fmt::format(", {} used", reason.used);
  return out + fmt::format(", it asks for {})", reason.asked);
}

bool has_association(const Policy& policy, const JobSpec& spec) {
  return policy
      .find_association(spec.account, spec.user,
                        spec.partitions.empty() ? std::string() : spec.partitions.front())
      .has_value();
}

}  // namespace

std::string_view effect_word(Effect effect) { return kWords[static_cast<std::size_t>(effect)]; }

std::string job_label(const QueuedJob& job) {
  return fmt::format("{} ({}, {})", job.id, job.request.name, job.request.user);
}

std::vector<JobEffect> blast_radius(std::shared_ptr<const Policy> before,
                                    std::shared_ptr<const Policy> after,
                                    const std::vector<QueuedJob>& jobs, Instant now) {
  if (jobs.empty()) return {};
  const auto live = looking_at_all(*before, jobs.size());
  const auto next = looking_at_all(*after, jobs.size());
  Rehearsal as_it_is(live, jobs);
  Rehearsal as_it_will_be(live, jobs);
  const std::vector<View> was = as_it_is.decide(live, now);
  const std::vector<View> becomes = as_it_will_be.decide(next, now);
  std::map<JobId, std::size_t> index;
  for (std::size_t i = 0; i < jobs.size(); ++i) index[as_it_will_be.ids()[i]] = i;

  std::vector<JobEffect> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const QueuedJob& job = jobs[i];
    const auto say = [&](Effect effect, std::string text) {
      out.push_back({job_label(job), effect, std::move(text)});
    };
    if (next->enforce.associations && has_association(*live, job.request) &&
        !has_association(*next, job.request)) {
      say(Effect::kEnds,
          fmt::format("{} is no longer in account {}", job.request.user, job.request.account));
      continue;
    }
    if (job.state != JobState::kPending) {
      if (becomes[i].pushed_out && !was[i].pushed_out) {
        const auto by = index.find(becomes[i].preemptor);
        say(Effect::kPushedOut,
            by == index.end() ? "makes room" : "makes room for " + job_label(jobs[by->second]));
      }
      continue;
    }
    if (job.kept_back) continue;
    const bool stopped = is_policy(was[i].reason.rule);
    const bool stops = is_policy(becomes[i].reason.rule);
    if (stops && (!stopped || becomes[i].reason.rule != was[i].reason.rule))
      say(Effect::kBlocked, why(*next, becomes[i].reason));
    else if (stopped && !stops)
      say(Effect::kFreed,
          fmt::format("waits no longer for {}{}", slurm_word(was[i].reason, live->tres),
                      becomes[i].started ? ", starts at once" : ""));
    else if (becomes[i].started && !was[i].started)
      say(Effect::kStarts, "starts at once");
    else if (was[i].started && !becomes[i].started)
      say(Effect::kWaits, fmt::format("waits for {}", slurm_word(becomes[i].reason, next->tres)));
    else if (was[i].place != becomes[i].place && was[i].place > 0 && becomes[i].place > 0)
      say(Effect::kMoved,
          fmt::format("place {} in the queue, was {} (priority {}, was {})", becomes[i].place,
                      was[i].place, becomes[i].priority, was[i].priority));
  }
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
