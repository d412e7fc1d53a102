// When a job will start: a copy of the daemon runs ahead in virtual time.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/api_parts.h"
#include "model/job_bounds.h"
#include "sim/forks/start_card.h"
#include "state/snapshot.h"
#include "views/job_view.h"
#include "views/json_request.h"
#include "views/when_fields.h"
#include "wire/when_request.h"

namespace sluice {
namespace {

// The latest; a few thousand know how long people's jobs run.
constexpr std::size_t kMostPastRuns = 5000;

bool shows_run_time(const HistoryRow& row) {
  switch (row.outcome.state) {
    case JobState::kCompleted:
    case JobState::kFailed:
    case JobState::kTimeout:
    case JobState::kOutOfMemory:
      return row.started.has_value() && row.limit > Duration(0);
    default:
      return false;
  }
}

}  // namespace

// The routes that are served here: each has its row in wire/routes.cc.
struct Api::WhenRoutes {
  static void when(Api& api, const CallRef& call);
};

std::span<const Api::Route> Api::when_routes() {
  static constexpr Route kRoutes[] = {
      {"when", &WhenRoutes::when},
  };
  return kRoutes;
}

struct Api::AheadQuestion {
  StartQuestion question;
  std::vector<RanBefore> past;
  WhenCard card;
  Duration wall_ahead{0};
};

std::string Api::look_ahead(const AheadQuestion& asked) {
  const Engine& engine = driver_.engine();
  const LearntRunTimes learnt(asked.past);
  WhenCard card = asked.card;
  const StartForecast forecast =
      forecast_start(engine.state().snapshot(), card.asked, asked.question, learnt);
  const std::string command =
      card.id.empty() ? "sluice submit" : fmt::format("sluice update {}", card.id);
  put_forecast(
      forecast, engine.state().policy(), learnt,
      [&](const JobChange& change) { return command + " " + option_for(change); }, card);
  return to_json(in_wall_time(std::move(card), asked.wall_ahead)) + "\n";
}

void Api::WhenRoutes::when(Api& api, const CallRef& call) {
  auto request = from_request<WhenRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  if (request->job.empty() == request->request.empty() || request->request.size() > 1)
    return refuse(*call, Error{ErrorKind::kBadInput, "name one job, or send one request", {}, {}});
  const State& state = api.driver_.engine().state();
  auto asked = std::make_shared<AheadQuestion>();
  asked->wall_ahead = call->wall_ahead;
  WhenCard& card = asked->card;
  card.asked = api.driver_.now();
  if (!request->job.empty()) {
    const auto reference = parse_job_reference(request->job);
    if (!reference) return refuse(*call, reference.error());
    const auto task = reference->tasks ? reference->tasks->first() : std::nullopt;
    // Whether it may be seen, and one that the engine has forgotten.
    const auto known = api.card_of(*call, *reference);
    if (!known) return refuse(*call, known.error());
    card.id = request->job;
    card.name = known->line.name;
    card.user = known->line.user;
    card.state = slurm_name(known->line.state);
    card.submitted = known->line.submitted;
    asked->question.job = JobRef{reference->job, task};
    const Job* job = find_record(state, reference->job, task);
    if (job != nullptr && job->state != JobState::kPending && !task && job->array != JobId{})
      if (const Job* waiting = first_waiting(state, job->array)) job = waiting;
    if (job == nullptr) return answer(*call, card);
    card.state = slurm_name(job->state);
    card.planned = api.driver_.engine().explanation(job->id).expected;
  } else {
    JobSpec& spec = request->request.front();
    if (const std::string problem = out_of_bounds(spec); !problem.empty())
      return refuse(*call,
                    Error{ErrorKind::kBadInput, problem, {}, "see docs/reference/bounds.md"});
    if (spec.priority && !call->actor.is_operator)
      return refuse(*call, Error{ErrorKind::kNotAllowed, kDeniedText, {}, {}});
    for (auto* time : {&spec.begin, &spec.deadline})
      if (*time) **time -= call->wall_ahead;
    spec.user = call->actor.user;
    spec.launch = Launch{};
    if (!call->actor.is_operator) spec.nice = std::max<std::int64_t>(spec.nice, 0);
    card.name = spec.name;
    card.user = spec.user;
    asked->question.request = std::move(spec);
  }
  const auto visit = [asked](const HistoryRow& row) {
    if (shows_run_time(row))
      asked->past.push_back({row.user, row.name, row.limit, row.ended - *row.started});
    return asked->past.size() < kMostPastRuns;
  };
  api.walk_history(call, HasTurn::kNo, {}, visit, [&api, call, asked](const Result<void>& read) {
    if (!read) return refuse(*call, read.error());
    api.ahead_copies_.run(
        call->actor.user, [&api, asked] { return api.look_ahead(*asked); },
        [call](const Result<std::string>& said) {
          if (!said) return refuse(*call, said.error());
          call->reply->send(200, "application/json", *said);
        });
  });
}

}  // namespace sluice
