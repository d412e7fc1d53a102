// Routes that want something done.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "daemon/api_parts.h"
#include "model/job_bounds.h"
#include "text/scan.h"
#include "views/admission_view.h"
#include "views/job_view.h"
#include "views/json_request.h"
#include "views/refusal_text.h"

namespace sluice {
namespace {

// What the engine takes for one job of a request, about.
constexpr std::chrono::microseconds kEngineCost(20);
// How fast a request is copied, compared and written down, about.
constexpr std::int64_t kBytesInAMicrosecond = 200;
// Tasks that a request other than a cancellation names, each of which gets a record of its own.
constexpr std::size_t kMostTasksOfOneRequest = 10'000;

// A random number of 128 bits has 32 digits.
constexpr std::size_t kLongestKey = 64;

std::string problem_of(const JobSpec& spec, const Actor& actor) {
  const Launch& launch = spec.launch;
  if (launch.script.empty() && launch.program.empty()) return "Batch script is empty";
  if (!launch.working_directory.starts_with('/')) return "working_directory must begin with '/'";
  if (!launch.program.empty() && !launch.program.starts_with('/'))
    return "program must begin with '/'";
  if (spec.priority && !actor.is_operator) return kDeniedText;
  return {};
}

// Before anything of it is believed. One answer for the whole request: nothing of it was taken.
std::optional<Error> problem_of(const SubmitRequest& request) {
  const auto wrong = [](std::string what) {
    return Error{ErrorKind::kBadInput, std::move(what), {}, "see docs/reference/bounds.md"};
  };
  if (request.jobs.size() > kMostJobsOfOneRequest)
    return wrong(fmt::format("jobs: {} are too many; at most {} in one request",
                             request.jobs.size(), kMostJobsOfOneRequest));
  if (request.copies < 1 || request.copies > kMostCopies)
    return wrong(fmt::format("copies: {} is not between 1 and {}", request.copies, kMostCopies));
  for (const JobSpec& spec : request.jobs)
    if (std::string problem = out_of_bounds(spec); !problem.empty()) return wrong(problem);
  return std::nullopt;
}

SubmitResult result_of(const Policy& policy, const AskedNames& asked, const Reply& reply) {
  SubmitResult result;
  if (const auto* submitted = std::get_if<Submitted>(&reply)) {
    result.job = submitted->job;
    result.count = submitted->count;
  } else if (const auto* refused = std::get_if<Refused>(&reply)) {
    result.refusal = refused->refusal.message;
    if (refused->refusal.reason.rule != Rule::kNone)
      result.reason = slurm_word(refused->refusal.reason, policy.tres);
    result.detail = refusal_detail(policy, asked, refused->refusal);
  }
  return result;
}

std::size_t tasks_named(const std::vector<NamedJob>& named) {
  std::size_t count = 0;
  for (const NamedJob& each : named)
    count += each.reference.tasks ? each.reference.tasks->size() : 1;
  return count;
}

std::optional<Error> too_many_tasks(const std::vector<NamedJob>& named) {
  const std::size_t count = tasks_named(named);
  if (count <= kMostTasksOfOneRequest) return std::nullopt;
  return Error{ErrorKind::kBadInput,
               fmt::format("{} tasks are named; at most {} at once", count, kMostTasksOfOneRequest),
               {},
               "name the whole array by its number, or fewer of its tasks"};
}

// Those that a reference means.
std::vector<JobId> records_of(const State& state, const JobReference& reference) {
  std::vector<JobId> out;
  if (reference.tasks) {
    for (const std::uint32_t task : reference.tasks->to_vector())
      if (const Job* job = state.find_task(reference.job, task)) out.push_back(job->id);
    return out;
  }
  out = state.task_records(reference.job);
  if (state.find_job(reference.job) != nullptr) out.push_back(reference.job);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

// The routes that are served here: each has its row in wire/routes.cc.
struct Api::JobRoutes {
  static void submit(Api& api, const CallRef& call);
  static void cancel(Api& api, const CallRef& call);
  static void hold(Api& api, const CallRef& call);
  static void release(Api& api, const CallRef& call);
  static void suspend(Api& api, const CallRef& call);
  static void resume(Api& api, const CallRef& call);
  static void requeue(Api& api, const CallRef& call);
  static void update(Api& api, const CallRef& call);
  static void signal(Api& api, const CallRef& call);
  static void node(Api& api, const CallRef& call);
  static void reload(Api& api, const CallRef& call);
  static void policy_replace(Api& api, const CallRef& call);
  static void policy_plan(Api& api, const CallRef& call);
  static void stop(Api& api, const CallRef& call);
};

std::span<const Api::Route> Api::job_routes() {
  static constexpr Route kRoutes[] = {
      {"submit", &JobRoutes::submit},
      {"cancel", &JobRoutes::cancel},
      {"hold", &JobRoutes::hold},
      {"release", &JobRoutes::release},
      {"suspend", &JobRoutes::suspend},
      {"resume", &JobRoutes::resume},
      {"requeue", &JobRoutes::requeue},
      {"update", &JobRoutes::update},
      {"signal", &JobRoutes::signal},
      {"node", &JobRoutes::node},
      {"reload", &JobRoutes::reload},
      {"policy_replace", &JobRoutes::policy_replace},
      {"policy_plan", &JobRoutes::policy_plan},
      {"stop", &JobRoutes::stop},
  };
  return kRoutes;
}

bool Api::was_submitted(const CallRef& call, const std::string& key) {
  const std::pair name{call->actor.user, key};
  if (const auto found = in_flight_.find(name); found != in_flight_.end()) {
    found->second.push_back(call);
    return true;
  }
  const auto known = driver_.journal().answer(name.first, name.second);
  if (!known) {
    refuse(*call, known.error());
    return true;
  }
  if (*known) {
    call->reply->send(200, "application/json", **known + "\n");
    return true;
  }
  in_flight_.emplace(name, std::vector<CallRef>());
  return false;
}

void Api::answer_submission(const CallRef& call, const std::string& key, const SubmitReply& reply) {
  if (const auto found = in_flight_.find({call->actor.user, key}); found != in_flight_.end()) {
    for (const CallRef& other : found->second) answer(*other, reply);
    in_flight_.erase(found);
  }
  answer(*call, reply);
}

void Api::refuse_submission(const CallRef& call, const std::string& key, const Error& error) {
  if (const auto found = in_flight_.find({call->actor.user, key}); found != in_flight_.end()) {
    for (const CallRef& other : found->second) refuse(*other, error);
    in_flight_.erase(found);
  }
  refuse(*call, error);
}

void Api::JobRoutes::submit(Api& api, const CallRef& call) {
  auto request = from_request<SubmitRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  if (const auto problem = problem_of(*request)) return refuse(*call, *problem);
  // Nobody's jobs could be started as nobody.
  const auto identity = api.driver_.identities().named(call->actor.user, api.driver_.now());
  if (!identity && identity.error().kind != ErrorKind::kUnreachable)
    return refuse(*call, Error{ErrorKind::kNotAllowed,
                               identity.error().what,
                               {},
                               "ask the administrator of this machine"});
  const std::string key = request->test_only ? "" : call->request.parameter("key");
  if (key.size() > kLongestKey)
    return refuse(
        *call,
        Error{
            ErrorKind::kBadInput, fmt::format("key: has more than {} bytes", kLongestKey), {}, {}});
  if (!key.empty() && api.was_submitted(call, key)) return;
  if (const auto& trouble = api.driver_.trouble())
    return api.refuse_submission(
        call, key,
        Error{ErrorKind::kNoCapacity,
              "no jobs are accepted: the journal cannot be written: " + trouble->what,
              trouble->where, "make room there; jobs that run are not affected"});
  if (const auto full = api.quotas_.refuse(call->actor, *request))
    return api.refuse_submission(call, key, *full);
  call->reply->costs(kEngineCost * request->copies * request->jobs.size());
  // What comes back, once every job has its answer; they all have it with the same turn.
  struct Gathering {
    std::string key;
    SubmitReply reply;
    std::vector<AskedNames> asked;
    std::size_t missing = 0;
    std::size_t unanswered = 0;
  };
  auto gathered = std::make_shared<Gathering>();
  gathered->key = key;
  gathered->reply.results.resize(request->jobs.size());
  const auto keep = [&api, call, gathered](std::size_t i,
                                           const Reply& reply) -> std::optional<KeptAnswer> {
    gathered->reply.results[i] =
        result_of(api.driver_.engine().state().policy(), gathered->asked[i], reply);
    if (--gathered->missing > 0 || gathered->key.empty()) return std::nullopt;
    // Where nothing was made nothing can be made twice.
    const auto& results = gathered->reply.results;
    if (std::none_of(results.begin(), results.end(),
                     [](const SubmitResult& each) { return each.job.has_value(); }))
      return std::nullopt;
    return KeptAnswer{call->actor.user, gathered->key, api.driver_.now(), to_json(gathered->reply)};
  };
  for (std::size_t i = 0; i < request->jobs.size(); ++i) {
    JobSpec& spec = request->jobs[i];
    for (auto* time : {&spec.begin, &spec.deadline})
      if (*time) **time -= call->wall_ahead;
    spec.user = call->actor.user;
    if (!call->actor.is_operator) spec.nice = std::max<std::int64_t>(spec.nice, 0);
    gathered->asked.push_back(AskedNames::of(spec));
    std::string problem = problem_of(spec, call->actor);
    if (!problem.empty()) {
      gathered->reply.results[i].refusal = std::move(problem);
    } else if (request->test_only) {
      if (const auto refusal = refusal_of(api.driver_.engine(), spec, api.driver_.now()))
        gathered->reply.results[i] =
            result_of(api.driver_.engine().state().policy(), gathered->asked[i], Refused{*refusal});
    } else {
      ++gathered->missing;
      ++gathered->unanswered;
      api.driver_.give(
          SubmitJob{std::move(spec), request->copies},
          [&api, call, gathered](const Reply&) {
            if (--gathered->unanswered == 0)
              api.answer_submission(call, gathered->key, gathered->reply);
          },
          [keep, i](const Reply& reply) { return keep(i, reply); });
    }
  }
  if (gathered->unanswered == 0) api.answer_submission(call, gathered->key, gathered->reply);
}

struct Api::Acts {
  CallRef call;
  std::function<Input(const JobRef&)> command;
  std::optional<JobChange> change;  // Where it changes requests.
  std::function<void()> ended;      // Another request about many jobs may begin.
  std::vector<JobRef> targets;
  std::size_t next = 0;
  std::size_t unanswered = 0;  // Of those that were given.
  ActionReply reply;
};

void Api::act(const CallRef& call, std::function<Input(const JobRef&)> command,
              std::optional<JobChange> change) {
  const auto named = jobs_named(call->part);
  if (!named) return refuse(*call, named.error());
  const std::size_t count = tasks_named(*named);
  if (count == 0) return refuse(*call, Error{ErrorKind::kBadInput, "no job is named", {}, {}});
  if (const auto many = too_many_tasks(*named)) return refuse(*call, *many);
  if (const auto full = quotas_.refuse_records(call->actor, count)) return refuse(*call, *full);
  call->reply->costs(kEngineCost * count);
  auto acts = std::make_shared<Acts>();
  acts->call = call;
  acts->command = std::move(command);
  acts->change = std::move(change);
  acts->reply.results.reserve(count);
  for (const NamedJob& each : *named) {
    if (!each.reference.tasks) {
      acts->targets.push_back({each.reference.job, std::nullopt});
      acts->reply.results.push_back({each.word, {}, false});
      continue;
    }
    for (const std::uint32_t task : each.reference.tasks->to_vector()) {
      acts->targets.push_back({each.reference.job, task});
      acts->reply.results.push_back(
          {fmt::format("{}_{}", each.reference.job.value(), task), {}, false});
    }
  }
  if (acts->change)
    call->reply->costs(std::chrono::microseconds(quotas_.bytes_to_change(acts->targets.front()) /
                                                 kBytesInAMicrosecond));
  if (count == 1) return act_on_next(acts);
  long_acts_.run(call->actor.user, [this, acts](std::function<void()> ended) {
    acts->ended = std::move(ended);
    act_on_next(acts);
  });
}

// So many make a turn of a few milliseconds; others come in between.
std::size_t Api::next_acts(const Acts& acts) const {
  constexpr std::size_t kAtOnce = 250;
  constexpr std::int64_t kBytesAtOnce = 2 << 20;
  const std::size_t most = std::min(kAtOnce, acts.targets.size() - acts.next);
  if (!acts.change) return most;
  std::size_t count = 0;
  for (std::int64_t bytes = 0; count < most && bytes < kBytesAtOnce; ++count)
    bytes += quotas_.bytes_to_change(acts.targets[acts.next + count]);
  return count;
}

void Api::end_acts(const std::shared_ptr<Acts>& acts) {
  answer(*acts->call, acts->reply);
  if (acts->ended) acts->ended();
}

void Api::act_on_next(const std::shared_ptr<Acts>& acts) {
  const std::size_t count = next_acts(*acts);
  const std::size_t end = acts->next + count;
  const std::span<const JobRef> targets(acts->targets);
  const JobChange* change = acts->change ? &*acts->change : nullptr;
  if (const auto full =
          quotas_.refuse_targets(acts->call->actor, targets.subspan(acts->next, count), change)) {
    if (acts->next == 0) {
      refuse(*acts->call, *full);
      if (acts->ended) acts->ended();
      return;
    }
    for (std::size_t i = acts->next; i < targets.size(); ++i)
      acts->reply.results[i].error = full->what;
    return end_acts(acts);
  }
  acts->unanswered = count;
  for (; acts->next < end; ++acts->next) {
    const std::size_t i = acts->next;
    driver_.give(acts->command(acts->targets[i]), [this, acts, i](const Reply& reply) {
      ActionResult& result = acts->reply.results[i];
      if (const auto* refused = std::get_if<Refused>(&reply)) {
        result.error = refused->refusal.message;
        result.denied = refused->because == RefusedFor::kRights;
      }
      if (--acts->unanswered > 0) return;
      if (acts->next == acts->targets.size()) return end_acts(acts);
      loop_.post([this, acts] { act_on_next(acts); });
    });
  }
}

// Ranges are one command: a million tasks of an array leave it with one event.
void Api::JobRoutes::cancel(Api& api, const CallRef& call) {
  struct Gathering {
    ActionReply reply;
    std::size_t missing = 0;
  };
  auto gathered = std::make_shared<Gathering>();
  auto targets = jobs_named(call->part);
  if (!targets) return refuse(*call, targets.error());
  if (targets->empty())
    return refuse(*call, Error{ErrorKind::kBadInput, "no job is named", {}, {}});
  gathered->missing = targets->size();
  gathered->reply.results.resize(targets->size());
  for (std::size_t i = 0; i < targets->size(); ++i) {
    gathered->reply.results[i].id = (*targets)[i].word;
    JobReference& reference = (*targets)[i].reference;
    api.note_cancel(*call, reference);
    CancelJob command{JobRef{reference.job, std::nullopt}, call->actor, std::nullopt};
    if (reference.tasks && reference.tasks->size() == 1)
      command.ref.task = reference.tasks->first();
    else
      command.tasks = std::move(reference.tasks);
    api.driver_.give(std::move(command), [call, gathered, i](const Reply& reply) {
      ActionResult& result = gathered->reply.results[i];
      if (const auto* refused = std::get_if<Refused>(&reply)) {
        result.error = refused->refusal.message;
        result.denied = refused->because == RefusedFor::kRights;
      }
      if (--gathered->missing == 0) answer(*call, gathered->reply);
    });
  }
}

void Api::JobRoutes::hold(Api& api, const CallRef& call) {
  api.act(call, [call](const JobRef& ref) -> Input { return HoldJob{ref, call->actor}; });
}
void Api::JobRoutes::release(Api& api, const CallRef& call) {
  api.act(call, [call](const JobRef& ref) -> Input { return ReleaseJob{ref, call->actor}; });
}
void Api::JobRoutes::suspend(Api& api, const CallRef& call) {
  api.act(call, [call](const JobRef& ref) -> Input { return SuspendJob{ref, call->actor}; });
}
void Api::JobRoutes::resume(Api& api, const CallRef& call) {
  api.act(call, [call](const JobRef& ref) -> Input { return ResumeJob{ref, call->actor}; });
}

void Api::JobRoutes::requeue(Api& api, const CallRef& call) {
  RequeueRequest request;
  if (!call->request.body.empty()) {
    const auto read = from_request<RequeueRequest>(call->request.body);
    if (!read) return refuse(*call, read.error());
    request = *read;
  }
  api.act(call, [call, hold = request.hold](const JobRef& ref) -> Input {
    return RequeueJob{ref, call->actor, hold};
  });
}

void Api::JobRoutes::update(Api& api, const CallRef& call) {
  auto change = from_request<JobChange>(call->request.body);
  if (!change) return refuse(*call, change.error());
  if (const std::string problem = out_of_bounds(*change); !problem.empty())
    return refuse(*call, Error{ErrorKind::kBadInput, problem, {}, "see docs/reference/bounds.md"});
  if (change->begin) *change->begin -= call->wall_ahead;
  if (change->deadline) *change->deadline -= call->wall_ahead;
  const auto command = [call, change = *change](const JobRef& ref) -> Input {
    return UpdateJob{ref, change, call->actor};
  };
  api.act(call, command, std::move(*change));
}

void Api::JobRoutes::signal(Api& api, const CallRef& call) {
  const auto request = from_request<SignalRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  if (request->signal < 1 || request->signal > 64)
    return refuse(*call, Error{ErrorKind::kBadInput, "signal: expected 1 to 64", {}, {}});
  ActionReply reply;
  const State& state = api.driver_.engine().state();
  const Viewer viewer = api.viewer_of(*call);
  const auto named = jobs_named(call->part);
  if (!named) return refuse(*call, named.error());
  if (const auto many = too_many_tasks(*named)) return refuse(*call, *many);
  // An array that is named again gets its signal once: it may have thousands of records.
  std::map<JobId, std::size_t> whole;
  for (const auto& [reference, word] : *named) {
    const std::size_t at = reply.results.size();
    ActionResult& result = reply.results.emplace_back();
    result.id = word;
    if (!reference.tasks)
      if (const auto [known, is_new] = whole.emplace(reference.job, at); !is_new) {
        result.error = reply.results[known->second].error;
        result.denied = reply.results[known->second].denied;
        continue;
      }
    std::size_t found = 0;
    std::size_t signalled = 0;
    for (const JobId id : records_of(state, reference)) {
      const Job& job = state.job(id);
      ++found;
      const JobSpec& spec = *state.shape_of_job(job).request;
      if (!api.may_read(*call, spec.user) && !viewer.coordinates(spec.account)) {
        result.denied = true;
        continue;
      }
      if (!holds_nodes(job.state)) continue;
      ++signalled;
      api.driver_.signal(job, request->signal, request->batch_only);
    }
    if (found == 0)
      result.error = kInvalidJobText;
    else if (result.denied)
      result.error = kDeniedText;
    else if (signalled == 0)
      result.error = "Job is not running";
  }
  answer(*call, reply);
}

void Api::JobRoutes::node(Api& api, const CallRef& call) {
  if (!check_operator(*call)) return;
  const auto request = from_request<NodeRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  ChangeNode change{call->part, NodeState::kUp, request->why};
  if (request->state == "drain")
    change.state = NodeState::kDraining;
  else if (request->state == "down")
    change.state = NodeState::kDown;
  else if (request->state != "up")
    return refuse(*call, Error{ErrorKind::kBadInput, "state: expected up, drain or down", {}, {}});
  api.driver_.give(change, [&api, call, change](const Reply& reply) {
    ActionReply done{{ActionResult{call->part, {}, false}}};
    if (const auto* refused = std::get_if<Refused>(&reply))
      done.results.front().error = refused->refusal.message;
    else if (change.state == NodeState::kUp)
      api.node_words_.erase(change.node);
    else
      api.node_words_[change.node] = {change.why, call->actor.user, api.driver_.now()};
    answer(*call, done);
  });
}

void Api::answer_reload(const CallRef& call, const Result<ReloadReply>& done) {
  if (!done) return refuse(*call, done.error());
  const bool wrong = std::any_of(done->findings.begin(), done->findings.end(),
                                 [](const FindingLine& it) { return it.severity == "error"; });
  if (wrong)
    return refuse(
        *call, 409,
        {"the policy has mistakes, so the old one stays in force", {}, {}, 2, done->findings});
  answer(*call, *done);
}

void Api::JobRoutes::reload(Api& api, const CallRef& call) {
  if (!check_operator(*call)) return;
  api.daemon_.policy->reload(
      [call](const Result<ReloadReply>& done) { answer_reload(call, done); });
}

void Api::JobRoutes::policy_replace(Api& api, const CallRef& call) {
  if (!check_operator(*call)) return;
  const auto request = from_request<PolicyRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  api.daemon_.policy->replace(
      *request, [call](const Result<ReloadReply>& done) { answer_reload(call, done); });
}

void Api::JobRoutes::policy_plan(Api& api, const CallRef& call) {
  // What would change tells what there is.
  if (!api.viewer_of(*call).sees_policy() && !check_operator(*call)) return;
  const auto request = from_request<PolicyRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  api.daemon_.policy->plan(call->actor.user, *request, [call](const Result<PolicyPlanReply>& done) {
    if (!done) return refuse(*call, done.error());
    answer(*call, *done);
  });
}

void Api::JobRoutes::stop(Api& api, const CallRef& call) {
  if (!check_operator(*call)) return;
  StopRequest request;
  if (!call->request.body.empty()) {
    const auto read = from_request<StopRequest>(call->request.body);
    if (!read) return refuse(*call, read.error());
    request = *read;
  }
  const auto finish = [&api, call] {
    answer(*call, ActionReply{});
    api.daemon_.stop();
  };
  if (!request.cancel_jobs) return finish();
  // Every job is told to end; the daemon goes when the last has.
  std::set<JobId> all;
  api.driver_.engine().state().for_each_job([&](const Job& job) {
    if (!has_ended(job.state)) all.insert(job.array != JobId{} ? job.array : job.id);
  });
  for (const JobId id : all)
    api.driver_.give(CancelJob{JobRef{id, std::nullopt}, call->actor, std::nullopt});
  api.stop_when_empty_ = finish;
  if (all.empty()) api.stop_if_empty();
}

void Api::stop_if_empty() {
  if (!stop_when_empty_) return;
  bool busy = false;
  driver_.engine().state().for_each_job([&](const Job& job) { busy |= !has_ended(job.state); });
  if (!busy) std::exchange(stop_when_empty_, {})();
}

}  // namespace sluice
