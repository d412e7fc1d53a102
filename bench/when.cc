// When a job will start, asked of a queue of thousands of separate jobs.
#include "bench/scale_workload.h"
#include "bench/table.h"
#include "sim/forks/finish_forecast.h"
#include "sim/forks/start_forecast.h"

namespace sluice::bench {
namespace {

// A machine that is full, and jobs that wait one by one: each user asks for the same few things
// over and over.
class Waiting {
 public:
  explicit Waiting(std::size_t jobs) {
    Scale scale;
    scale.nodes = 60;
    scale.sharing = Sharing::kCores;
    scale.jobs = static_cast<std::int64_t>(jobs) * 2;
    const ScaleWorkload workload = scale_workload(scale);
    tell(AdoptPolicy{std::make_shared<const Policy>(scale_policy(scale))});
    for (const ScaleJob& job : workload.jobs) {
      if (engine_.state().pending_count() >= jobs) break;
      const std::shared_ptr<const JobSpec>& request = workload.requests[job.request];
      tell(SubmitJob{*request});
      past_.push_back({request->user, request->name, *request->time_limit, job.run});
    }
    now_ += minutes(1);
    tell(Tick{});
  }
  StateSnapshot snapshot() const { return engine_.state().snapshot(); }
  Instant now() const { return now_; }
  // The one behind all others.
  JobId last() const { return engine_.queue().entries().back().job; }
  // Runs of the same users that ended before.
  const std::vector<RanBefore>& past() const { return past_; }

 private:
  void tell(const Input& input) { engine_.handle(input, now_, turn_); }

  std::vector<RanBefore> past_;
  Engine engine_{Engine::Explain::kNo};
  Turn turn_;
  Instant now_ = instant_at(seconds(1'000'000));
};

void ask(Table& table, std::size_t jobs, double aim) {
  Waiting waiting(jobs);
  const StateSnapshot state = waiting.snapshot();
  const LearntRunTimes nothing;
  const LearntRunTimes learnt(waiting.past());
  const StartQuestion question{JobRef{waiting.last(), std::nullopt}, std::nullopt};
  for (const LearntRunTimes* past : {&nothing, &learnt}) {
    const std::string name =
        fmt::format("the last of {} separate jobs{}", count_text(static_cast<double>(jobs)),
                    past == &learnt ? ", with a past" : "");
    StartForecast found;
    Sample seconds;
    for (int i = 0; i < 3; ++i)
      seconds.add(time_of([&] { found = forecast_start(state, waiting.now(), question, *past); }));
    if (!found.start) {
      table.wrong(name, "no start was found");
      continue;
    }
    table.row(name, time_text(seconds.median()),
              fmt::format("{} runs, steps of {} s", found.runs, to_seconds(found.grain)), "",
              seconds.median(), at_most(aim, fmt::format("<= {:.0f} s", aim)));
  }
}

// Where 100 tasks that come behind all that wait would end first.
void choose(Table& table, std::size_t jobs, double aim) {
  Waiting waiting(jobs);
  const StateSnapshot state = waiting.snapshot();
  const LearntRunTimes learnt(waiting.past());
  FinishQuestion question;
  question.tasks = 100;
  question.array = true;
  for (int i = 1; i <= 2; ++i) {
    FinishPool pool;
    pool.request.user = fmt::format("u{}", i);
    pool.request.account = fmt::format("g{}", i);
    pool.request.tasks = 1;
    pool.request.cpus_per_task = 4;
    pool.request.time_limit = minutes(60);
    pool.most = question.tasks;
    question.pools.push_back(std::move(pool));
  }
  FinishCard found;
  Sample seconds;
  for (int i = 0; i < 3; ++i)
    seconds.add(time_of([&] { found = choose_by_finish(state, waiting.now(), question, learnt); }));
  const std::string name = fmt::format("submit --by finish behind {} separate jobs, with a past",
                                       count_text(static_cast<double>(jobs)));
  if (!found.done) return table.wrong(name, "no end was found");
  table.row(name, time_text(seconds.median()), fmt::format("{} ways tried", found.tried), "",
            seconds.median(), at_most(aim, fmt::format("<= {:.0f} s", aim)));
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  using namespace sluice::bench;
  const std::size_t jobs = argc > 1 ? std::stoul(argv[1]) : 10'000;
  Table table("When a job will start (the state in memory, one core)");
  ask(table, jobs, 1);
  choose(table, jobs, 3);
}
