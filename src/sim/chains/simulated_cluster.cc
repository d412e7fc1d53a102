// Follows the engine's events and answers from them.
#include "sim/chains/simulated_cluster.h"

#include "model/event.h"
#include "views/cluster_card.h"

namespace sluice {

SimulatedCluster::SimulatedCluster(std::shared_ptr<const Policy> policy, std::string user,
                                   FateOf fate_of)
    : user_(std::move(user)),
      fate_of_(std::move(fate_of)),
      time_(
          engine_, [this](const Job& job) { return fate(job); },
          [this](const Turn& turn) {
            for (const Event& event : turn.events) take(event);
          }) {
  time_.give(AdoptPolicy{std::move(policy)}, Instant{});
}

Fate SimulatedCluster::fate(const Job& job) const {
  const Owner& owner = owners_.at(job.id);
  return fate_of_(jobs_.at(owner.job).spec, owner.task);
}

SeenTask* SimulatedCluster::seen(JobId job) {
  const auto owner = owners_.find(job);
  if (owner == owners_.end()) return nullptr;
  return &jobs_.at(owner->second.job).tasks[owner->second.task.value_or(0)];
}

void SimulatedCluster::take(const Event& event) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    Known& known = jobs_[submitted->job];
    known.job = {submitted->job, event.at};
    known.spec = submitting_->spec;
    known.key = submitting_->key;
    owners_[submitted->job] = {submitted->job, std::nullopt};
    by_key_[known.key].push_back(submitted->job);
    if (!known.spec.array) known.tasks[0] = {};
    if (known.spec.array)
      for (const std::uint32_t index : known.spec.array->indices.to_vector()) {
        SeenTask& task = known.tasks[index];
        task.task = index;
      }
    if (known.spec.hold) note_hold(submitted->job, "JobHeldUser");
  } else if (const auto* split = std::get_if<TaskSplit>(&event.body)) {
    owners_[split->job] = {split->array, split->task};
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    SeenTask& task = *seen(started->job);
    task.state = JobState::kRunning;
    task.reason.clear();
    task.start = event.at;
    task.restarts = static_cast<std::int32_t>(started->attempt) - 1;
    task.nodes.clear();
    const Policy& policy = engine_.state().policy();
    task.partition = policy.partitions[started->partition.index()].name;
    for (const NodeShare& share : started->allocation.shares())
      task.nodes.push_back(policy.nodes[share.node.index()].name);
    const Owner& owner = owners_.at(started->job);
    launched_.push_back({owner.job, owner.task, jobs_.at(owner.job).key, event.at});
  } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
    const Owner& owner = owners_.at(ended->job);
    ended_.push_back({owner.job, owner.task, jobs_.at(owner.job).key, event.at});
    if (Known& known = jobs_.at(owner.job); known.spec.array && !owner.task) {
      // The tasks that never left the array's record.
      for (auto& [index, task] : known.tasks)
        if (task.state == JobState::kPending) {
          task.state = ended->outcome.state;
          task.end = event.at;
        }
      return;
    }
    SeenTask& task = *seen(ended->job);
    task.state = ended->outcome.state;
    task.end = event.at;
    task.exit_code = ended->outcome.exit_code;
    task.signal = ended->outcome.signal;
    if (ended->outcome.max_rss_kb > 0) task.max_rss_kb = ended->outcome.max_rss_kb;
  } else if (const auto* cancelled = std::get_if<TasksCancelled>(&event.body)) {
    for (const std::uint32_t index : cancelled->tasks.to_vector()) {
      SeenTask& task = jobs_.at(cancelled->array).tasks[index];
      task.state = JobState::kCancelled;
      task.end = event.at;
    }
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    seen(requeued->job)->state = JobState::kPending;
  } else if (const auto* held = std::get_if<JobHeld>(&event.body)) {
    note_hold(held->job, "JobHeldUser");
  } else if (const auto* released = std::get_if<JobReleased>(&event.body)) {
    note_hold(released->job, {});
  }
}

bool SimulatedCluster::is_busy(JobId job) const {
  const auto known = jobs_.find(job);
  if (known == jobs_.end()) return false;
  for (const auto& [index, task] : known->second.tasks)
    if (!has_ended(task.state)) return true;
  return false;
}

// A record of an array stands for its tasks that wait in it.
void SimulatedCluster::note_hold(JobId job, const std::string& reason) {
  const auto owner = owners_.find(job);
  if (owner == owners_.end()) return;
  for (auto& [index, task] : jobs_.at(owner->second.job).tasks)
    if ((!owner->second.task || *owner->second.task == index) && task.state == JobState::kPending)
      task.reason = reason;
}

Result<SubmitAnswer> SimulatedCluster::submit(const Submission& submission) {
  return submit_as(user_, submission);
}

Result<SubmitAnswer> SimulatedCluster::submit_as(const std::string& user,
                                                 const Submission& submission) {
  Submission own = submission;
  own.spec.user = user;
  own.spec.hold = own.spec.hold || own.held;
  submitting_ = &own;
  const Reply reply = time_.give(SubmitJob{own.spec}, time_.now());
  submitting_ = nullptr;
  if (const auto* refused = std::get_if<Refused>(&reply)) return Declined{refused->refusal};
  return Accepted{jobs_.at(std::get<Submitted>(reply).job).job};
}

Result<std::vector<RemoteJob>> SimulatedCluster::find(const std::string& key) {
  std::vector<RemoteJob> out;
  if (const auto found = by_key_.find(key); found != by_key_.end())
    for (const JobId job : found->second) out.push_back(jobs_.at(job).job);
  return out;
}

Result<Changed> SimulatedCluster::release(const RemoteRef& ref) {
  const Reply reply =
      time_.give(ReleaseJob{{ref.job.job, ref.task}, Actor{user_, false}}, time_.now());
  return std::holds_alternative<Refused>(reply) ? Changed::kTooLate : Changed::kDone;
}

Result<std::variant<Changed, Refusal>> SimulatedCluster::hold(const RemoteRef& ref) {
  const Reply reply =
      time_.give(HoldJob{{ref.job.job, ref.task}, Actor{user_, false}}, time_.now());
  if (std::holds_alternative<Refused>(reply)) return Changed::kTooLate;
  return Changed::kDone;
}

Result<std::variant<Changed, Refusal>> SimulatedCluster::update(const RemoteRef& ref,
                                                                const JobChange& change) {
  const auto found = jobs_.find(ref.job.job);
  if (found == jobs_.end()) return Changed::kTooLate;
  for (const auto& [index, task] : found->second.tasks)
    if ((!ref.task || *ref.task == index) && task.state != JobState::kPending)
      return Changed::kTooLate;
  const Reply reply =
      time_.give(UpdateJob{{ref.job.job, ref.task}, change, Actor{user_, false}}, time_.now());
  if (const auto* refused = std::get_if<Refused>(&reply)) return refused->refusal;
  if (change.memory) found->second.spec.memory = change.memory;
  if (change.time_limit) found->second.spec.time_limit = change.time_limit;
  return Changed::kDone;
}

Result<std::variant<Changed, Refusal>> SimulatedCluster::update_tasks(const RemoteJob& job,
                                                                      const IndexSet& tasks,
                                                                      const JobChange& change) {
  const auto found = jobs_.find(job.job);
  if (found == jobs_.end()) return Changed::kTooLate;
  for (const auto& [index, task] : found->second.tasks)
    if (task.state == JobState::kPending && !tasks.contains(index))
      return Cluster::update_tasks(job, tasks, change);
  const Reply reply =
      time_.give(UpdateJob{{job.job, std::nullopt}, change, Actor{user_, false}}, time_.now());
  if (const auto* refused = std::get_if<Refused>(&reply)) return refused->refusal;
  if (change.memory) found->second.spec.memory = change.memory;
  if (change.time_limit) found->second.spec.time_limit = change.time_limit;
  return Changed::kDone;
}

Result<void> SimulatedCluster::cancel(const RemoteRef& ref) {
  time_.give(CancelJob{{ref.job.job, ref.task}, Actor{user_, false}}, time_.now());
  return {};
}

Result<std::vector<Sighting>> SimulatedCluster::observe(std::span<const RemoteRef> refs) {
  std::vector<Sighting> out;
  for (const RemoteRef& ref : refs) {
    Sighting& sighting = out.emplace_back();
    sighting.ref = ref;
    sighting.as_of = time_.now();
    const auto found = jobs_.find(ref.job.job);
    if (found == jobs_.end() || found->second.job != ref.job) continue;
    for (const auto& [index, task] : found->second.tasks)
      if (!ref.task || *ref.task == index) sighting.tasks.push_back(task);
  }
  return out;
}

Result<Description> SimulatedCluster::describe() {
  Description out =
      description_of(cluster_card(engine_, time_.now()), engine_.state().shared_policy(), user_);
  out.capabilities.software = "simulated";
  return out;
}

Result<std::vector<PastRun>> SimulatedCluster::past_runs(const std::string& name) {
  std::vector<PastRun> out;
  for (const auto& [id, known] : jobs_) {
    if (known.spec.name != name || known.spec.user != user_) continue;
    std::int64_t gpus = 0;
    for (const GpuRequest& one : known.spec.gpus) gpus += one.count;
    for (const auto& [index, task] : known.tasks)
      if (task.state == JobState::kCompleted && task.start && task.end)
        out.push_back({gpus, *task.end - *task.start});
  }
  return out;
}

Result<std::vector<WaitingTasks>> SimulatedCluster::waiting() {
  return waiting_of(cluster_card(engine_, time_.now()), engine_.state().policy(), user_);
}

void SimulatedCluster::change_node(const std::string& node, NodeState state) {
  time_.give(ChangeNode{node, state, "simulated"}, time_.now());
}

}  // namespace sluice
