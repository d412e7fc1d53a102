// When a job will start: a copy of the daemon runs ahead in virtual time.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/api_parts.h"
#include "model/job_bounds.h"
#include "sim/forks/finish_forecast.h"
#include "sim/forks/start_card.h"
#include "state/snapshot.h"
#include "text/duration.h"
#include "views/job_line.h"
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

// Of one question about the finish of tasks.
constexpr std::size_t kMostPools = 64;
constexpr std::int64_t kMostTasks = 1'000'000;

// What cannot be meant, or "".
std::string problem_with(const FinishQuestion& question) {
  if (question.pools.empty() || question.pools.size() > kMostPools)
    return fmt::format("finish: name from 1 to {} pools", kMostPools);
  if (question.tasks < 1 || question.tasks > kMostTasks)
    return fmt::format("finish: tasks is not between 1 and {}", kMostTasks);
  if (!question.array && question.tasks != 1) return "finish: one job is not an array of several";
  if (question.throttle && *question.throttle < 1) return "finish: throttle is below 1";
  if (!question.by_slots.empty()) {
    if (question.by_slots.size() != question.pools.size())
      return "finish: by_slots has as many numbers as there are pools, or none";
    std::int64_t all = 0;
    for (const std::int64_t tasks : question.by_slots) {
      if (tasks < 0 || tasks > question.tasks) return "finish: by_slots is out of bounds";
      all += tasks;
    }
    if (all != question.tasks) return "finish: by_slots does not share out all tasks";
  }
  for (const FinishPool& pool : question.pools) {
    if (pool.request.array) return "finish: the request of a pool is one task";
    if (pool.run && (*pool.run <= Duration(0) || *pool.run > kLongestDuration))
      return "finish: run is out of bounds";
    if (pool.most < 0 || pool.most > kMostTasks) return "finish: most is out of bounds";
  }
  return {};
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
  std::optional<FinishQuestion> finish;
  std::vector<RanBefore> past;
  WhenCard card;
  Duration wall_ahead{0};
};

std::string Api::look_ahead(const AheadQuestion& asked) {
  const Engine& engine = driver_.engine();
  const LearntRunTimes learnt(asked.past);
  WhenCard card = asked.card;
  if (asked.finish) {
    card.finish = choose_by_finish(engine.state().snapshot(), card.asked, *asked.finish, learnt);
    return to_json(in_wall_time(std::move(card), asked.wall_ahead)) + "\n";
  }
  const StartForecast forecast =
      forecast_start(engine.state().snapshot(), card.asked, asked.question, learnt);
  const std::string command =
      card.id.empty() ? "sluice submit" : fmt::format("sluice update {}", card.id);
  put_forecast(
      forecast, engine.state().policy(), learnt,
      [&](const JobChange& change) { return command + " " + option_for(change); },
      [&](JobId id) {
        const Job* job = engine.state().find_job(id);
        return job == nullptr ? std::to_string(id.value()) : job_id_text(engine.state(), *job);
      },
      card);
  return to_json(in_wall_time(std::move(card), asked.wall_ahead)) + "\n";
}

void Api::WhenRoutes::when(Api& api, const CallRef& call) {
  auto request = from_request<WhenRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  if ((request->job.empty() ? 0 : 1) + request->request.size() + request->finish.size() != 1)
    return refuse(*call, Error{ErrorKind::kBadInput, "name one job, or send one request", {}, {}});
  const State& state = api.driver_.engine().state();
  auto asked = std::make_shared<AheadQuestion>();
  asked->wall_ahead = call->wall_ahead;
  WhenCard& card = asked->card;
  card.asked = api.driver_.now();
  // As one that the caller submits; false: it was refused.
  const auto take_request = [&](JobSpec& spec) {
    if (const std::string problem = out_of_bounds(spec); !problem.empty()) {
      refuse(*call, Error{ErrorKind::kBadInput, problem, {}, "see docs/reference/bounds.md"});
      return false;
    }
    if (spec.priority && !call->actor.is_operator) {
      refuse(*call, Error{ErrorKind::kNotAllowed, kDeniedText, {}, {}});
      return false;
    }
    for (auto* time : {&spec.begin, &spec.deadline})
      if (*time) **time -= call->wall_ahead;
    spec.user = call->actor.user;
    spec.launch = Launch{};
    if (!call->actor.is_operator) spec.nice = std::max<std::int64_t>(spec.nice, 0);
    return true;
  };
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
  } else if (!request->finish.empty()) {
    FinishQuestion& finish = request->finish.front();
    if (const std::string problem = problem_with(finish); !problem.empty())
      return refuse(*call,
                    Error{ErrorKind::kBadInput, problem, {}, "see docs/reference/bounds.md"});
    for (FinishPool& pool : finish.pools)
      if (!take_request(pool.request)) return;
    card.user = call->actor.user;
    asked->finish = std::move(finish);
  } else {
    JobSpec& spec = request->request.front();
    if (!take_request(spec)) return;
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
