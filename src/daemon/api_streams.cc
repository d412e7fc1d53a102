// Routes that answer later: output as it comes, changes as they happen, the end of a job.
#include <fmt/format.h>

#include "daemon/api_parts.h"
#include "engine/codec.h"
#include "host/keeper/output_store.h"
#include "text/scan.h"
#include "views/job_line.h"
#include "views/job_view.h"

namespace sluice {
namespace {

// How often the keeper is asked for more while a client follows; a person sees no gap.
constexpr Duration kLookAgain(100);
// A short command is over before anybody gets bored: the first looks come soon.
constexpr Duration kFirstLook(4);

struct KindAndJob {
  std::string_view kind;
  std::optional<JobId> job;
};

template <class Body>
constexpr std::string_view kind_name() {
  if constexpr (std::is_same_v<Body, PolicyAdopted>)
    return "PolicyAdopted";
  else if constexpr (std::is_same_v<Body, JobSubmitted>)
    return "JobSubmitted";
  else if constexpr (std::is_same_v<Body, JobBecameEligible>)
    return "JobBecameEligible";
  else if constexpr (std::is_same_v<Body, DependencyDecided>)
    return "DependencyDecided";
  else if constexpr (std::is_same_v<Body, TaskSplit>)
    return "TaskSplit";
  else if constexpr (std::is_same_v<Body, AgeBegan>)
    return "AgeBegan";
  else if constexpr (std::is_same_v<Body, JobStarted>)
    return "JobStarted";
  else if constexpr (std::is_same_v<Body, JobSuspended>)
    return "JobSuspended";
  else if constexpr (std::is_same_v<Body, JobResumed>)
    return "JobResumed";
  else if constexpr (std::is_same_v<Body, PreemptionWarned>)
    return "PreemptionWarned";
  else if constexpr (std::is_same_v<Body, JobEnding>)
    return "JobEnding";
  else if constexpr (std::is_same_v<Body, RequeueWithdrawn>)
    return "RequeueWithdrawn";
  else if constexpr (std::is_same_v<Body, JobEnded>)
    return "JobEnded";
  else if constexpr (std::is_same_v<Body, JobRequeued>)
    return "JobRequeued";
  else if constexpr (std::is_same_v<Body, JobHeld>)
    return "JobHeld";
  else if constexpr (std::is_same_v<Body, JobReleased>)
    return "JobReleased";
  else if constexpr (std::is_same_v<Body, JobChanged>)
    return "JobChanged";
  else if constexpr (std::is_same_v<Body, TimeLimitChanged>)
    return "TimeLimitChanged";
  else if constexpr (std::is_same_v<Body, ThrottleChanged>)
    return "ThrottleChanged";
  else if constexpr (std::is_same_v<Body, TasksCancelled>)
    return "TasksCancelled";
  else if constexpr (std::is_same_v<Body, NodeChanged>)
    return "NodeChanged";
  else if constexpr (std::is_same_v<Body, LimitSignalled>)
    return "LimitSignalled";
  else if constexpr (std::is_same_v<Body, TaskPutInLine>)
    return "TaskPutInLine";
  else if constexpr (std::is_same_v<Body, ReservationMade>)
    return "ReservationMade";
  else if constexpr (std::is_same_v<Body, ReservationRemoved>)
    return "ReservationRemoved";
  // What says nothing to a person: requests by number, calculations, forgetting.
  else
    return "";
}

KindAndJob kind_of(const Event& event) {
  return std::visit(
      []<class Body>(const Body& body) -> KindAndJob {
        KindAndJob out{kind_name<Body>(), std::nullopt};
        if constexpr (requires { body.job; })
          out.job = body.job;
        else if constexpr (requires { body.array; })
          out.job = body.array;
        return out;
      },
      event.body);
}

}  // namespace

// The routes that are served here: each has its row in wire/routes.cc.
struct Api::StreamRoutes {
  static void output(Api& api, const CallRef& call);
  static void events(Api& api, const CallRef& call);
};

std::span<const Api::Route> Api::stream_routes() {
  static constexpr Route kRoutes[] = {
      {"output", &StreamRoutes::output},
      {"events", &StreamRoutes::events},
  };
  return kRoutes;
}

bool Api::may_read(const Call& call, const std::string& owner) const {
  return call.actor.user == owner || viewer_of(call).sees_all();
}

void Api::StreamRoutes::output(Api& api, const CallRef& call) {
  const auto reference = parse_job_reference(call->part);
  if (!reference) return refuse(*call, reference.error());
  const auto task = reference->tasks ? reference->tasks->first() : std::nullopt;
  const State& state = api.driver_.engine().state();
  const auto from =
      static_cast<std::uint64_t>(whole_number(call->request.parameter("from")).value_or(0));
  const Job* job = find_record(state, reference->job, task);
  if (job != nullptr) {
    const JobSpec& spec = *state.shape_of_job(*job).request;
    if (!api.may_read(*call, spec.user)) return refuse(*call, 403, {kDeniedText, {}, {}, 77, {}});
    if (!spec.launch.capture)
      return refuse(*call, 409,
                    {"its output goes to a file",
                     {},
                     fmt::format("see where: sluice job {}", call->part),
                     1,
                     {}});
    const bool follow = call->request.parameter("follow") == "1";
    if (holds_nodes(job->state) || (follow && !has_ended(job->state))) {
      auto started = std::make_shared<Follow>();
      started->call = call;
      started->run = {job->id, std::max(job->attempt, 1U)};
      started->from = from;
      started->goes_on = follow;
      if (job->is_array && task) {
        return refuse(*call, 409,
                      {"it has not started yet",
                       {},
                       fmt::format("see why: sluice why {}", call->part),
                       1,
                       {}});
      }
      return api.hear(started);
    }
    if (!has_ended(job->state))
      return refuse(
          *call, 409,
          {"it has not started yet", {}, fmt::format("see why: sluice why {}", call->part), 1, {}});
  }
  const auto found = api.row_of(*reference);
  if (!found) return refuse(*call, found.error());
  if (!*found) return refuse(*call, 404, {kInvalidJobText, {}, "sluice history", 1, {}});
  const HistoryRow& row = **found;
  if (!api.may_read(*call, row.user)) return refuse(*call, 403, {kDeniedText, {}, {}, 77, {}});
  api.from_store(call, row.output, from);
}

void Api::from_store(const CallRef& call, const std::string& token, std::uint64_t from) {
  // Whether it is there at all is said with the status.
  if (!token.empty())
    if (const auto there = read_output(output_folder_, token, from, 1); !there)
      return refuse(*call, there.error());
  call->reply->begin_stream("application/octet-stream");
  push_stored(call, token, from);
}

void Api::push_stored(const CallRef& call, const std::string& token, std::uint64_t from,
                      int tries) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  // Descriptors that ran out come back.
  constexpr int kMostTries = 10;
  constexpr Duration kTryAgain(500);
  auto read = token.empty() ? std::string() : read_output(output_folder_, token, from, kPiece);
  if (!read && tries < kMostTries) {
    loop_.after(kTryAgain, [=, this] { push_stored(call, token, from, tries + 1); });
    return;
  }
  if (!read) {
    // What was sent has ended without an error for all that the reader can see.
    call->reply->push(fmt::format("\n[sluice: the rest cannot be read: {}]\n", read.error().what));
    return call->reply->finish();
  }
  if (read->empty()) return call->reply->finish();
  const std::uint64_t next = from + read->size();
  if (!call->reply->push(std::move(*read))) return;
  call->reply->when_sent([this, call, token, next] { push_stored(call, token, next); });
}

Duration Api::next_look(Follow& follow) {
  follow.pause = std::clamp(follow.pause * 2, kFirstLook, kLookAgain);
  return follow.pause;
}

void Api::hear(const std::shared_ptr<Follow>& follow) {
  if (!follow->call->reply->is_open()) return;
  const Job* job = driver_.engine().state().find_job(follow->run.job);
  if (follow->goes_on && job != nullptr && job->state == JobState::kPending) {
    // Not started, or put back: its next run is the one to follow.
    follow->run.attempt = job->attempt + 1;
    loop_.after(next_look(*follow), [this, follow] { hear(follow); });
    return;
  }
  driver_.read_output(follow->run, follow->from,
                      [this, follow](const RunOutput& heard) { told(follow, heard); });
}

void Api::hear_on(const std::shared_ptr<Follow>& follow) {
  follow->call->reply->when_sent([this, follow] { hear(follow); });
}

void Api::told(const std::shared_ptr<Follow>& follow, const RunOutput& heard) {
  const CallRef& call = follow->call;
  if (!follow->began) call->reply->begin_stream("application/octet-stream");
  follow->began = true;
  follow->from += heard.bytes.size();
  if (!heard.bytes.empty() && !call->reply->push(heard.bytes)) return;
  if (heard.bytes.size() >= kMostOutputAtOnce) return hear_on(follow);
  const Job* job = driver_.engine().state().find_job(follow->run.job);
  const bool over = job == nullptr || has_ended(job->state) || job->attempt != follow->run.attempt;
  if (heard.running || !over) {
    if (!follow->goes_on) return call->reply->finish();
    loop_.after(next_look(*follow), [this, follow] { hear(follow); });
    return;
  }
  // The keeper may have forgotten it between two questions: the rest is in the store.
  HistoryQuery query;
  query.jobs = {follow->run.job};
  query.attempt = follow->run.attempt;
  const auto rows = driver_.journal().history(query);
  if (rows && !rows->empty() && !rows->front().output.empty())
    return push_stored(call, rows->front().output, follow->from);
  call->reply->finish();
}

void Api::StreamRoutes::events(Api& api, const CallRef& call) {
  std::optional<JobId> job;
  if (const std::string text = call->request.parameter("job"); !text.empty()) {
    const auto reference = parse_job_reference(text);
    if (!reference) return refuse(*call, reference.error());
    job = reference->job;
  }
  call->reply->begin_stream("text/event-stream");
  call->reply->push(": changes as they happen\n\n");
  api.listeners_.push_back({call, job});
}

void Api::tell(std::span<const Event> events) {
  stop_if_empty();
  // The driver drains nodes by itself; what an operator says has its own words.
  for (const Event& event : events)
    if (const auto* changed = std::get_if<NodeChanged>(&event.body);
        changed != nullptr && changed->state == NodeState::kDraining && !changed->why.empty())
      node_words_.try_emplace(driver_.engine().state().policy().nodes[changed->node.index()].name,
                              NodeWord{changed->why, "sluice", driver_.now()});
  waiters_.remove_if([this](const Waiter& waiter) {
    if (!waiter.call->reply->is_open()) return true;
    if (!is_settled(waiter)) return false;
    const auto card = card_of(*waiter.call, waiter.reference);
    card ? answer(*waiter.call, *card) : refuse(*waiter.call, card.error());
    return true;
  });
  listeners_.remove_if([](const Listener& it) { return !it.call->reply->is_open(); });
  if (listeners_.empty()) return;
  const State& state = driver_.engine().state();
  // Nobody has to be asked for where jobs are not private.
  std::vector<Viewer> viewers;
  if (state.policy().jobs.private_data.jobs)
    for (const Listener& each : listeners_) viewers.push_back(viewer_of(*each.call));
  for (const Event& event : events) {
    const KindAndJob what = kind_of(event);
    if (what.kind.empty()) continue;
    ChangeLine line;
    line.at = event.at + driver_.wall_ahead();
    line.kind = what.kind;
    line.job = what.job;
    const Job* job = what.job ? state.find_job(*what.job) : nullptr;
    if (job != nullptr) line.id = job_id_text(state, *job);
    const std::string text = describe(event, &state.policy());
    line.text = text.substr(std::min(text.find(' ') + 1, text.size()));
    const std::string message = fmt::format("event: change\ndata: {}\n\n", to_json(line));
    const JobSpec* spec = job != nullptr ? state.shape_of_job(*job).request.get() : nullptr;
    std::size_t next = 0;
    for (const Listener& each : listeners_) {
      const Viewer* viewer = viewers.empty() ? nullptr : &viewers[next++];
      const bool wanted =
          !each.job || what.job == each.job || (job != nullptr && job->array == *each.job);
      if (!wanted) continue;
      // The owner of a forgotten job is no longer known.
      if (viewer != nullptr && what.job &&
          !(spec ? viewer->sees_job(spec->user, spec->account) : viewer->sees_all_jobs()))
        continue;
      each.call->reply->push(message);
    }
  }
}

bool Api::is_settled(const Waiter& waiter) const {
  const State& state = driver_.engine().state();
  const JobReference& reference = waiter.reference;
  const auto task = reference.tasks ? reference.tasks->first() : std::nullopt;
  const Job* job = find_record(state, reference.job, task);
  const auto is_hopeless = [&] {
    return waiter.until == WaitFor::kSettled && job != nullptr &&
           job->state == JobState::kPending &&
           driver_.engine().explanation(job->id).reason.rule == Rule::kDependencyNeverSatisfied;
  };
  if (!task)
    if (const Array* array = state.find_array(reference.job))
      return array->unfinished == 0 || (waiter.until == WaitFor::kStart && array->any_started) ||
             is_hopeless();
  if (job == nullptr || has_ended(job->state)) return true;
  return waiter.until == WaitFor::kStart ? job->state != JobState::kPending : is_hopeless();
}

bool Api::sees_record(const Call& call, const JobReference& reference) const {
  const State& state = driver_.engine().state();
  const auto task = reference.tasks ? reference.tasks->first() : std::nullopt;
  const Job* job = find_record(state, reference.job, task);
  if (job == nullptr) return true;
  const JobSpec& spec = *state.shape_of_job(*job).request;
  return viewer_of(call).sees_job(spec.user, spec.account);
}

void Api::wait(const CallRef& call, const JobReference& reference, WaitFor until) {
  Waiter waiter{call, reference, until};
  // Not even the moment of its end is told of a job that the caller may not see.
  if (!is_settled(waiter) && sees_record(*call, reference)) {
    waiters_.push_back(std::move(waiter));
    return;
  }
  const auto card = card_of(*call, reference);
  card ? answer(*call, *card) : refuse(*call, card.error());
}

}  // namespace sluice
