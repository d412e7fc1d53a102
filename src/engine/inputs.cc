// Commands and reports, one function each.
#include "engine/inputs.h"

#include <algorithm>

#include "engine/adoption.h"
#include "engine/emit.h"
#include "engine/late.h"
#include "model/changed_request.h"
#include "model/job_bounds.h"
#include "policy/admission.h"
#include "policy/limits.h"

namespace sluice {
namespace {

// slurmctld's own words.
constexpr const char* kInvalidJob = "Invalid job id specified";
constexpr const char* kDenied = "Access/permission denied";
constexpr const char* kNotYours = "Invalid user id";
constexpr const char* kNotPending = "Job is no longer pending execution";
constexpr const char* kHasFinished = "Job has already finished";
constexpr const char* kFinished = "Job/step already completing or completed";
constexpr const char* kNotRunning = "Requested operation is presently disabled";

Reply refuse(std::string message, Rule rule = Rule::kNone) {
  return Refused{Refusal{Reason{.rule = rule}, std::move(message)}};
}

Refused may_not() { return {Refusal{{}, kDenied}, RefusedFor::kRights}; }

// Hold, release and update name the trouble differently from cancel.
Reply not_yours(Refused refused) {
  if (refused.because == RefusedFor::kRights) refused.refusal.message = kNotYours;
  return refused;
}

// Tasks of an array that are changed alike, one after the other, share one request: its script and
// environment may have megabytes. Only the state decides, so a replayed journal gives the same.
std::optional<SpecId> latest_like(const State& state, const JobSpec& request, SpecId own) {
  constexpr std::uint32_t kLatest = 4;
  const std::uint32_t next = state.next_spec_id().value();
  for (std::uint32_t back = 1; back <= kLatest && back < next; ++back) {
    const SpecId id(next - back);
    const Shape* shape = id == own ? nullptr : state.find_shape(id);
    if (shape != nullptr && *shape->request == request) return id;
  }
  return std::nullopt;
}

}  // namespace

bool InputHandler::is_operator(const Actor& actor) const {
  if (actor.is_operator) return true;
  const auto user = state().names().user(actor.user);
  return user && state().policy().users[*user].admin_level != AdminLevel::kNone;
}

std::vector<JobId> InputHandler::records(const JobRef& ref) const {
  std::vector<JobId> out;
  if (ref.task) {
    if (const Job* own = state().find_task(ref.job, *ref.task)) out.push_back(own->id);
    return out;
  }
  if (state().find_array(ref.job) != nullptr) {
    // The last task that waits has the array's own record.
    out = state().task_records(ref.job);
    if (state().find_job(ref.job) != nullptr) out.push_back(ref.job);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  if (state().find_job(ref.job) != nullptr) out.push_back(ref.job);
  return out;
}

std::optional<Refused> InputHandler::refuse_actor(const JobRef& ref, const Actor& actor) const {
  const Job* job = state().find_job(ref.job);
  if (job == nullptr) {
    const std::vector<JobId> all = records(JobRef{ref.job, std::nullopt});
    if (all.empty()) return Refused{Refusal{{}, kInvalidJob}};
    job = &state().job(all.front());
  }
  if (actor.is_operator) return std::nullopt;
  const Shape& shape = state().shape_of_job(*job);
  if (shape.request->user == actor.user) return std::nullopt;
  // A coordinator may touch the jobs of the account and of those below it.
  if (auto user = state().names().user(actor.user)) {
    const User& known = state().policy().users[*user];
    if (known.admin_level != AdminLevel::kNone) return std::nullopt;
    const auto accounts = state().policy().accounts_coordinated_by(known);
    if (std::find(accounts.begin(), accounts.end(), shape.request->account) != accounts.end())
      return std::nullopt;
  }
  return may_not();
}

std::optional<JobId> InputHandler::own_record(const JobRef& ref) {
  if (!ref.task) {
    if (state().find_job(ref.job) == nullptr) return std::nullopt;
    return ref.job;
  }
  if (const Job* own = state().find_task(ref.job, *ref.task)) return own->id;
  const Array* array = state().find_array(ref.job);
  if (array == nullptr || !array->waiting.contains(*ref.task)) return std::nullopt;
  const bool eligible = state().job(ref.job).eligible;
  const JobId own = engine_.split_task(ref.job, *ref.task);
  if (eligible && own != ref.job) engine_.settle(own);
  return own;
}

Reply InputHandler::operator()(const SubmitJob& input) {
  const auto asked =
      input.request.array ? static_cast<std::int64_t>(input.request.array->indices.size()) : 1;
  // What is to be forgotten with this turn makes room at once.
  if (!has_room_for(state(), asked)) engine_.forget_old();
  Admission admission = admit(state(), input.request, engine_.now_);
  if (auto* refusal = std::get_if<Refusal>(&admission)) return Refused{std::move(*refusal)};
  const SpecId spec = state().next_spec_id();
  engine_.emit(
      SpecDefined{spec, std::move(std::get<std::shared_ptr<const JobSpec>>(admission)), false});
  const JobId job = state().next_job_id();
  engine_.emit(JobSubmitted{job, spec, std::nullopt});
  engine_.settle(job);
  std::uint32_t made = 1;
  while (made < input.copies) {
    const Shape& shape = state().shape(spec);
    if (!has_room_for(state(), asked)) break;
    if (state().policy().enforce.limits && !shape.partitions.empty() &&
        limit_at_submission(state(), shape, asked))
      break;
    const JobId copy = state().next_job_id();
    engine_.emit(JobSubmitted{copy, spec, std::nullopt});
    if (!state().job(copy).eligible) engine_.settle(copy);
    ++made;
  }
  return Submitted{job, made};
}

Reply InputHandler::operator()(const DefineSpec& input) {
  Admission admission = admit(state(), *input.request, engine_.now_);
  if (auto* refusal = std::get_if<Refusal>(&admission)) return Refused{std::move(*refusal)};
  const SpecId spec = state().next_spec_id();
  engine_.emit(
      SpecDefined{spec, std::move(std::get<std::shared_ptr<const JobSpec>>(admission)), true});
  return SpecAccepted{spec};
}

Reply InputHandler::operator()(const SubmitKnown& input) {
  const Shape* shape = state().find_shape(input.spec);
  if (shape == nullptr) return refuse("no request has this number");
  if (state().policy().enforce.limits) {
    const auto tasks = shape->request->array
                           ? static_cast<std::int64_t>(shape->request->array->indices.size())
                           : 1;
    if (auto reason = limit_at_submission(state(), *shape, tasks))
      return Refused{Refusal{*reason,
                             "Job violates accounting/QOS policy (job submit limit, user's size "
                             "and/or time limits)"}};
  }
  if (input.limit && *input.limit > shape->limit)
    return refuse("the limit is longer than what was asked for");
  const JobId job = state().next_job_id();
  engine_.emit_in_place<JobSubmitted>([&](JobSubmitted& submitted) {
    submitted.job = job;
    submitted.spec = input.spec;
    if (input.limit) submitted.limit = *input.limit;
  });
  if (!state().job(job).eligible) engine_.settle(job);
  return Submitted{job};
}

void InputHandler::cancel_one(JobId id) {
  const Job& job = state().job(id);
  if (has_ended(job.state)) return;
  if (job.state == JobState::kPending) {
    if (job.in_line) engine_.order(EndJob{id, job.attempt + 1});
    engine_.emit(JobEnded{id, job.attempt, Outcome{.state = JobState::kCancelled}});
    engine_.settle_dependents(state().job(id));
  } else if (job.state == JobState::kCompleting) {
    // On its way out already; it will not come back.
    if (state().run_of(job).requeue) engine_.emit(RequeueWithdrawn{id});
  } else {
    engine_.end_job(job, JobState::kCancelled, false);
  }
}

// Those that wait in the record leave it with one event.
Reply InputHandler::cancel_tasks(JobId id, const IndexSet& tasks) {
  const Array* array = state().find_array(id);
  if (array == nullptr) return refuse(kInvalidJob);
  IndexSet waiting = array->waiting.common_with(tasks);
  IndexSet left = tasks;
  left.erase_all(waiting);
  std::vector<JobId> others;
  const auto add = [&](const Job* own) {
    if (own != nullptr && !has_ended(own->state)) others.push_back(own->id);
  };
  // Whichever are fewer: the tasks that left the record, or those of them that are meant.
  if (left.size() < array->remembered) {
    for (auto task = left.first(); task; task = left.first(*task + 1))
      add(state().find_task(id, *task));
  } else {
    for (const JobId own : state().task_records(id)) {
      const Job& job = state().job(own);
      if (left.contains(job.task)) add(&job);
    }
  }
  if (waiting.empty() && others.empty()) return refuse(kFinished);
  if (!waiting.empty()) {
    engine_.emit(TasksCancelled{id, std::move(waiting)});
    if (has_ended(state().job(id).state)) engine_.settle_dependents(state().job(id));
  }
  for (const JobId other : others) cancel_one(other);
  return Done{};
}

Reply InputHandler::operator()(const CancelJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return *refused;
  if (input.tasks) return cancel_tasks(input.ref.job, *input.tasks);
  if (input.ref.task) {
    const Array* array = state().find_array(input.ref.job);
    if (array != nullptr && array->waiting.contains(*input.ref.task)) {
      IndexSet one;
      one.insert(*input.ref.task);
      engine_.emit(TasksCancelled{input.ref.job, std::move(one)});
      if (has_ended(state().job(input.ref.job).state))
        engine_.settle_dependents(state().job(input.ref.job));
      return Done{};
    }
  }
  const std::vector<JobId> all = records(input.ref);
  if (all.empty()) return refuse(kInvalidJob);
  const bool any_left = std::any_of(all.begin(), all.end(),
                                    [&](JobId id) { return !has_ended(state().job(id).state); });
  if (!any_left) return refuse(kFinished);
  for (JobId id : all) cancel_one(id);
  return Done{};
}

Reply InputHandler::operator()(const HoldJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return not_yours(*refused);
  if (input.ref.task && !own_record(input.ref)) return refuse(kInvalidJob);
  bool any = false;
  for (JobId id : records(input.ref)) {
    const Job& job = state().job(id);
    any = any || !has_ended(job.state);
    // Slurm takes it, and nothing happens.
    if (job.state != JobState::kPending || job.in_line) continue;
    const bool own = state().shape_of_job(job).request->user == input.actor.user;
    if (job.held == HeldBy::kAdmin) continue;
    engine_.emit(JobHeld{id, own ? HeldBy::kUser : HeldBy::kAdmin});
  }
  return any ? Reply{Done{}} : refuse(kHasFinished);
}

Reply InputHandler::operator()(const ReleaseJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return not_yours(*refused);
  if (records(input.ref).empty()) return refuse(kInvalidJob);
  bool any = false;
  for (JobId id : records(input.ref)) {
    const Job& job = state().job(id);
    any = any || !has_ended(job.state);
    if (job.state != JobState::kPending) continue;
    if (job.held == HeldBy::kNobody) continue;
    if (job.held == HeldBy::kAdmin && !input.actor.is_operator) return may_not();
    engine_.emit(JobReleased{id});
    engine_.settle(id);
  }
  return any ? Reply{Done{}} : refuse(kHasFinished);
}

Reply InputHandler::operator()(const RequeueJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return *refused;
  const std::vector<JobId> all = records(input.ref);
  if (all.empty()) return refuse(kInvalidJob);
  bool any = false;
  for (JobId id : all) {
    const Job& job = state().job(id);
    if (job.state == JobState::kPending || job.state == JobState::kCompleting) continue;
    any = true;
    if (has_ended(job.state)) {
      if (job.run == 0) continue;
      engine_.requeue_job(id, input.hold, Duration(0));
    } else {
      engine_.end_job(job, JobState::kCancelled, true);
      if (input.hold) engine_.emit(JobHeld{id, HeldBy::kUser});
    }
  }
  return any ? Reply{Done{}} : refuse("Job is pending execution");
}

Reply InputHandler::operator()(const SuspendJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return *refused;
  if (!is_operator(input.actor)) return may_not();
  bool any = false;
  for (JobId id : records(input.ref)) {
    const Job& job = state().job(id);
    if (job.state != JobState::kRunning) continue;
    any = true;
    engine_.emit(JobSuspended{id, SuspendedBy::kUser, {}});
    engine_.order(PauseJob{id, job.attempt});
  }
  return any ? Reply{Done{}} : refuse(kNotRunning);
}

Reply InputHandler::operator()(const ResumeJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return *refused;
  if (!is_operator(input.actor)) return may_not();
  bool any = false;
  for (JobId id : records(input.ref)) {
    const Job& job = state().job(id);
    if (job.state != JobState::kSuspended) continue;
    const Run& run = state().run_of(job);
    if (!engine_.has_room_again(run))
      return refuse("its CPUs are in use by other jobs; try again when they are free",
                    Rule::kResources);
    any = true;
    engine_.emit(JobResumed{id});
    engine_.order(ContinueJob{id, job.attempt});
  }
  return any ? Reply{Done{}} : refuse(kNotRunning);
}

// Of a job that is no array, or of one task, Slurm takes a throttle too, and nothing happens.
void InputHandler::update_throttle(const JobRef& ref, std::uint32_t throttle) {
  if (ref.task || state().find_array(ref.job) == nullptr) return;
  engine_.emit(ThrottleChanged{
      ref.job, throttle == 0 ? std::nullopt : std::optional<std::uint32_t>(throttle)});
}

// What no change by the job's own user may do.
bool InputHandler::needs_operator(const JobChange& change) {
  return change.priority || (change.nice && *change.nice < 0) || change.contiguous ||
         change.sharing || change.tasks_per_node;
}

// The job under another request, of which one like it may be known.
void InputHandler::put_request(const Job& job, std::shared_ptr<const JobSpec> request) {
  const JobId id = job.id;
  const auto known = latest_like(state(), *request, job.spec);
  const SpecId spec = known.value_or(state().next_spec_id());
  if (!known) engine_.emit(SpecDefined{spec, std::move(request), false});
  engine_.emit(JobChanged{id, spec});
}

// Under another name a job stands in no job's way.
void InputHandler::settle_singletons(UserId user, const std::string& name) {
  for (JobId other : state().singletons_of(user, name)) engine_.settle(other);
}

// What a running job holds stays; what only its wait was about is taken and changes nothing.
Reply InputHandler::update_running(const Job& job, const Shape& shape, const UpdateJob& input) {
  const JobChange& change = input.change;
  if (change.account || change.partitions || change.memory || change.min_nodes ||
      change.max_nodes || change.tasks || change.cpus_per_task || change.gpus || change.begin ||
      change.dependencies || change.reservation || change.wckey || change.require_nodes ||
      change.exclude_nodes || change.constraint || change.licenses || change.sharing ||
      change.contiguous || change.tasks_per_node || change.min_cpus_per_node ||
      change.min_sockets || change.min_cores_per_socket || change.threads_per_core ||
      change.cpus_per_gpu || change.stdout_path || change.working_directory)
    return refuse(kNotPending);
  if (change.qos) {
    const auto qos = state().policy().find_qos(*change.qos);
    if (!qos) return refuse("Invalid qos specification", Rule::kInvalidQos);
    if (qos != shape.qos) return refuse(kNotPending);
  }
  if (needs_operator(change) && !input.actor.is_operator) return may_not();
  if (change.time_limit && *change.time_limit > job.limit && !input.actor.is_operator)
    return may_not();
  if (change.name || change.comment || change.requeue || !change.environment.empty()) {
    JobChange said;
    said.name = change.name;
    said.comment = change.comment;
    said.requeue = change.requeue;
    said.environment = change.environment;
    auto request = std::make_shared<const JobSpec>(changed_request(*shape.request, said));
    if (std::string problem = out_of_bounds(*request); !problem.empty()) return refuse(problem);
    const UserId user = shape.user;
    const std::string old_name = shape.request->name;
    put_request(job, std::move(request));
    if (change.name) settle_singletons(user, old_name);
  }
  if (!change.time_limit) return Done{};
  engine_.emit(TimeLimitChanged{job.id, *change.time_limit});
  engine_.end_expired();
  return Done{};
}

Reply InputHandler::operator()(const UpdateJob& input) {
  if (auto refused = refuse_actor(input.ref, input.actor)) return not_yours(*refused);
  const JobChange& change = input.change;
  if (std::string problem = out_of_bounds(change); !problem.empty()) return refuse(problem);
  const auto id = own_record(input.ref);
  if (!id) return refuse(kInvalidJob);
  // The throttle is the array's: it changes whatever becomes of the rest, which is the job's.
  if (change.throttle) {
    update_throttle(input.ref, *change.throttle);
    const JobSpec& request = *state().shape_of_job(state().job(*id)).request;
    if (!change.time_limit && changed_request(request, change) == request) return Done{};
  }
  const Job& job = state().job(*id);
  if (has_ended(job.state)) return refuse(kHasFinished);
  const Shape& shape = state().shape_of_job(job);
  if (job.state != JobState::kPending) return update_running(job, shape, input);
  if (job.in_line) return refuse(kNotPending);
  if (change.deadline && *change.deadline < engine_.now_) return refuse("Invalid time specified");
  if ((needs_operator(change) || change.deadline) && !input.actor.is_operator) return may_not();
  JobSpec asked = changed_request(*shape.request, change);
  if (change.time_limit) asked.limit_by_operator = input.actor.is_operator;
  if (change.time_limit && !input.actor.is_operator && !shape.partitions.empty()) {
    const auto most = state().policy().partitions[shape.partitions.front().index()].max_time;
    if (most && *change.time_limit > *most) return may_not();
  }
  Admission admission = admit_change(state(), job, asked, engine_.now_);
  if (auto* refusal = std::get_if<Refusal>(&admission)) return Refused{std::move(*refusal)};
  const UserId user = shape.user;
  const std::string old_name = shape.request->name;
  put_request(job, std::get<std::shared_ptr<const JobSpec>>(std::move(admission)));
  engine_.explanations_.erase(*id);
  engine_.settle(*id);
  if (change.name) settle_singletons(user, old_name);
  return Done{};
}

Reply InputHandler::operator()(const ChangeNode& input) {
  const auto node = state().policy().find_node(input.node);
  if (!node) return refuse("Invalid node name specified");
  engine_.emit(NodeChanged{*node, input.state, input.why});
  if (input.state != NodeState::kDown) return Done{};
  // What ran there is lost, or comes back.
  std::vector<JobId> lost;
  state().for_each_job([&](const Job& job) {
    if (!holds_nodes(job.state)) return;
    for (const NodeShare& share : state().run_of(job).allocation.shares())
      if (share.node == *node) lost.push_back(job.id);
  });
  for (JobId id : lost) lose_run(id);
  return Done{};
}

void InputHandler::lose_run(JobId id) {
  const Job& job = state().job(id);
  const bool requeue =
      state().shape_of_job(job).request->requeue.value_or(state().policy().jobs.requeue);
  if (job.state != JobState::kCompleting) engine_.end_job(job, JobState::kNodeFail, requeue);
  // The node will not report any more.
  engine_.finish_run(id, Outcome{.state = JobState::kNodeFail});
}

Reply InputHandler::operator()(const RunLost& input) {
  const Job* job = state().find_job(input.job);
  if (job == nullptr) return Done{};
  if (job->in_line && input.attempt == job->attempt + 1) {
    const Job* before = input.place ? state().find_job(*input.place) : nullptr;
    if (before == nullptr || before->run == 0) return (*this)(RunReturned{input.job});
    const Run run = state().run_of(*before);
    engine_.emit(JobStarted{input.job, input.attempt, run.partition, run.allocation});
  }
  if (job->attempt != input.attempt || !holds_nodes(job->state)) return Done{};
  lose_run(input.job);
  return Done{};
}

Reply InputHandler::operator()(const AdoptPolicy& input) {
  if (const std::string problem = adoption_problem(state(), *input.policy); !problem.empty())
    return refuse(problem);
  Declared declared = declared_by(*input.policy);
  if (declared.refusal) return Refused{std::move(*declared.refusal)};
  engine_.emit(PolicyAdopted{input.policy});
  for (const std::string& name : declared.removed) engine_.remove_reservation(name);
  for (Reservation& made : declared.made) engine_.emit(ReservationMade{std::move(made)});
  return Done{};
}

Reply InputHandler::operator()(const ResetUsage&) {
  engine_.emit(UsageWasReset{});
  return Done{};
}

Reply InputHandler::operator()(const RunEnded& input) {
  const Job* job = state().find_job(input.job);
  if (job == nullptr || job->attempt != input.attempt || !holds_nodes(job->state)) {
    // The place that the next one took is no longer recorded.
    const Job* next = input.next ? state().find_job(input.next->job) : nullptr;
    if (next != nullptr && next->in_line)
      return (*this)(RunLost{next->id, input.next->attempt, input.job});
    return Done{};
  }
  engine_.note_pace(*job);
  if (!input.next) {
    if (!engine_.lines_.empty()) engine_.lines_.erase(input.job);
    engine_.finish_run(input.job, input.outcome);
    return Done{};
  }
  const Run run = state().run_of(*job);
  engine_.finish_run(input.job, input.outcome);
  engine_.take_over(input.job, *input.next, run.partition, run.allocation);
  return Done{};
}

Reply InputHandler::operator()(const RunReturned& input) {
  const Job* job = state().find_job(input.job);
  if (job == nullptr || !job->in_line) return Done{};
  engine_.returned_[job->array].insert(input.job);
  engine_.settle(input.job);
  return Done{};
}

Reply InputHandler::operator()(const Tick&) { return Done{}; }

void InputHandler::handle_late(std::span<const Input> inputs, Instant then, Turn& turn) {
  turn.clear();
  engine_.turn_ = &turn;
  engine_.now_ = then;
  if (state().has_policy()) {
    engine_.handle_due();
    engine_.calculate_priorities();
  }
  for (const Input& input : inputs) turn.replies.emplace_back(Answer{engine_, input});
  // The next turn looks at everything, whenever it comes.
  engine_.changed_ = true;
  engine_.since_pass_ = SincePass::kAnything;
  engine_.idle_until_ = Instant::min();
  engine_.turn_ = nullptr;
}

void handle_late(Engine& engine, std::span<const Input> inputs, Instant then, Turn& turn) {
  InputHandler(engine).handle_late(inputs, then, turn);
}

}  // namespace sluice
