// Routes for Slurm's commands: records, accounts and steps.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>

#include "daemon/api_parts.h"
#include "daemon/history_lines.h"
#include "daemon/step_room.h"
#include "text/hostlist.h"
#include "text/job_states.h"
#include "text/scan.h"
#include "views/job_view.h"
#include "views/json_request.h"
#include "views/record_view.h"
#include "views/step_share.h"

namespace sluice {
namespace {

// A job that runs more steps keeps the first so many and the last.
constexpr std::size_t kMostSteps = 1000;
// What a step may say of itself, in bytes; and all steps of a job together, which are kept until it
// ends and then in its row of the history.
constexpr std::size_t kLongestStepName = 1024;
constexpr std::size_t kLongestStepLine = std::size_t{16} << 10;
constexpr std::size_t kLongestNodeList = std::size_t{64} << 10;  // As a job's.
constexpr std::size_t kLongestSteps = std::size_t{256} << 10;
constexpr std::string_view kNote = "steps.";

std::string problem_of(const StepRequest& request) {
  const StepLine& step = request.step;
  if (step.name.size() > kLongestStepName)
    return fmt::format("name: has more than {} bytes", kLongestStepName);
  if (step.line.size() > kLongestStepLine)
    return fmt::format("line: has more than {} bytes", kLongestStepLine);
  if (request.ask.nodelist.size() > kLongestNodeList)
    return fmt::format("nodelist: has more than {} bytes", kLongestNodeList);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"tasks", step.tasks},
      {"cpus", step.cpus},
      {"exit_code", step.exit_code},
      {"exit_signal", step.exit_signal},
      {"number", step.number},
      {"process", step.process},
      {"nodes", request.ask.nodes},
      {"memory_mb", request.ask.memory_mb.value_or(0)},
      {"gpus", request.ask.gpus.value_or(0)},
      {"gpus_per_node", request.ask.gpus_per_node.value_or(0)}};
  for (const auto& [name, value] : numbers)
    if (value < 0 || value > kMost)
      return fmt::format("{}: {} is not between 0 and {}", name, value, kMost);
  if (step.max_rss_kb < 0 || step.max_rss_kb > kMost * 1024)
    return fmt::format("max_rss_kb: {} is not between 0 and {}", step.max_rss_kb, kMost * 1024);
  if (step.cpu_time < Duration(0) || step.cpu_time > kForever) return "cpu_time: is out of bounds";
  return {};
}

std::size_t bytes_of(const std::vector<StepLine>& steps) {
  std::size_t bytes = 0;
  for (const StepLine& step : steps) bytes += sizeof step + step.name.size() + step.line.size();
  return bytes;
}

// Whether the srun of a step is still there: one that was killed says nothing at its end.
bool has_srun(const StepLine& step) {
  return step.process == 0 || ::kill(static_cast<pid_t>(step.process), 0) == 0 || errno != ESRCH;
}

// As they were typed, in the job's folder; Slurm's commands fill in what each of them fills in.
void in_folder(RecordLine& line) {
  for (std::string* path : {&line.out, &line.err, &line.in})
    if (!path->empty() && path->front() != '/') *path = fmt::format("{}/{}", line.folder, *path);
}

AccountLine account_line(const HistoryRow& row) {
  AccountLine line;
  fill_from(row, line);
  if (row.array != JobId{} && !row.tasks.empty()) line.waiting = row.tasks;
  if (auto details = from_json<JobDetails>(row.details)) line.details = std::move(*details);
  if (auto steps = from_json<JobDetails>(row.steps)) {
    line.details.steps = std::move(steps->steps);
    line.details.cancelled_by = steps->cancelled_by;
    line.details.gpu_percent = steps->gpu_percent;
    line.details.gpu_memory_mb = steps->gpu_memory_mb;
  }
  if (line.details.folder.empty()) line.details.folder = row.folder;
  // As sacct shows it: a job that might have started and never ran started when it ended.
  if (!line.details.eligible && row.attempt == 0)
    line.eligible.reset();
  else if (!line.started)
    line.started = row.ended;
  return line;
}

// A line of a job that has not ended for good.
struct AccountNow {
  bool waits = false;
  JobId job;
  std::string json;
};

// As Api::accounts_now wrote them: "w 12 {…}" of one that waits, "b 12 {…}" of one that has begun.
std::vector<AccountNow> read_accounts(std::string_view text) {
  std::vector<AccountNow> out;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t blank = line.find(' ', 2);
    if (blank == std::string_view::npos) continue;
    const auto number = whole_number(line.substr(2, blank - 2));
    out.push_back({line.front() == 'w', JobId(static_cast<std::uint32_t>(number.value_or(0))),
                   std::string(line.substr(blank + 1))});
  }
  return out;
}

}  // namespace

// The routes that are served here: each has its row in wire/routes.cc.
struct Api::SlurmRoutes {
  static void records(Api& api, const CallRef& call);
  static void accounts(Api& api, const CallRef& call);
  static void step(Api& api, const CallRef& call);
};

std::span<const Api::Route> Api::slurm_routes() {
  static constexpr Route kRoutes[] = {
      {"records", &SlurmRoutes::records},
      {"accounts", &SlurmRoutes::accounts},
      {"step", &SlurmRoutes::step},
  };
  return kRoutes;
}

void Api::SlurmRoutes::records(Api& api, const CallRef& call) {
  auto asked = filter_of(call->request);
  if (!asked) return refuse(*call, asked.error());
  const auto make = [&api, call, asked = *asked]() -> Result<ListText> {
    const Viewer viewer = api.viewer_of(*call);
    RecordFilter filter;
    filter.jobs = asked.jobs;
    filter.users = asked.users;
    filter.states = asked.states;
    filter.ended_too = asked.ended_too;
    filter.viewer = &viewer;
    TRY(auto rows,
        RowAnswer<RecordLine>::open(call->request, "sluice.records/1", call->wall_ahead));
    const std::string fields = call->request.parameter("fields");
    const bool paths = fields.empty() || fields.find("out") != std::string::npos ||
                       fields.find("err") != std::string::npos ||
                       fields.find("in,") != std::string::npos;
    for_each_record(api.driver_.engine(), api.driver_.now(), filter,
                    [&](const Job&, RecordLine& line) {
                      if (paths) in_folder(line);
                      rows.add(line);
                    });
    if (!call->actor.is_operator && rows.size() > kLongestList)
      return tl::unexpected<Error>(too_long_a_list());
    return ListText{std::string(rows.content_type()), rows.take()};
  };
  api.answer_list(call, api.driver_.engine().state().job_count(), make);
}

// A note for each step, "steps.12.3", and one for the user who cancelled it, "steps.12.by".
Result<void> Api::recall() {
  TRY(const std::vector<Note> notes, driver_.journal().notes(kNote));
  for (const Note& note : notes) {
    const auto words = split(note.name, '.');
    const auto number = words.size() == 3 ? whole_number(words[1]) : std::nullopt;
    const JobId job(static_cast<std::uint32_t>(number.value_or(0)));
    const Job* found = driver_.engine().state().find_job(job);
    auto step = from_json<StepLine>(note.value);
    if (found == nullptr || has_ended(found->state))
      driver_.note_down(note.name, {});
    else if (words[2] == "by")
      accounting_[job].cancelled_by = note.value;
    else if (step)
      accounting_[job].steps.push_back(std::move(*step));
  }
  for (auto& [job, accounting] : accounting_)
    std::sort(accounting.steps.begin(), accounting.steps.end(),
              [](const StepLine& one, const StepLine& other) { return one.number < other.number; });
  return {};
}

void Api::keep_step(JobId job, const StepLine& step) {
  driver_.note_down(fmt::format("{}{}.{}", kNote, job.value(), step.number), to_json(step));
}

void Api::forget_step(JobId job, std::int64_t number) {
  driver_.note_down(fmt::format("{}{}.{}", kNote, job.value(), number), {});
}

JobDetails Api::details_with_steps(const Job& job) const {
  JobDetails details = details_of(driver_.engine(), job, driver_.now());
  if (const auto found = accounting_.find(job.id); found != accounting_.end()) {
    details.steps = found->second.steps;
    details.cancelled_by = found->second.cancelled_by;
  }
  return details;
}

void Api::note_details(const Ended& ended, HistoryRow& row) {
  const Job& job = ended.job;
  JobDetails details = details_of(driver_.engine(), ended);
  if (const std::string* failure = driver_.failure_of({job.id, row.attempt}))
    details.failure = *failure;
  row.details = to_json(details);
  const auto found = accounting_.find(job.id);
  const auto gpus = daemon_.gpu_use({job.id, row.attempt});
  if (found == accounting_.end() && !gpus) return;
  JobDetails own;
  if (gpus) {
    own.gpu_percent = gpus->busy_percent;
    own.gpu_memory_mb = gpus->memory_mb;
  }
  if (found == accounting_.end()) {
    row.steps = to_json(own);
    return;
  }
  for (const StepLine& step : found->second.steps) forget_step(job.id, step.number);
  if (!found->second.cancelled_by.empty())
    driver_.note_down(fmt::format("{}{}.by", kNote, job.id.value()), {});
  own.steps = std::move(found->second.steps);
  own.cancelled_by = std::move(found->second.cancelled_by);
  for (StepLine& step : own.steps) {
    if (step.ended) continue;
    step.ended = row.ended;
    step.state = JobState::kCancelled;
  }
  row.steps = to_json(own);
  accounting_.erase(found);
}

void Api::note_cancel(const Call& call, const JobReference& reference) {
  const State& state = driver_.engine().state();
  const Job* job =
      find_record(state, reference.job, reference.tasks ? reference.tasks->first() : std::nullopt);
  if (job == nullptr || has_ended(job->state) || !call.actor.is_operator) return;
  if (state.shape_of_job(*job).request->user == call.actor.user) return;
  accounting_[job->id].cancelled_by = call.actor.user;
  driver_.note_down(fmt::format("{}{}.by", kNote, job->id.value()), call.actor.user);
}

std::string Api::accounts_now(const Call& call, const QueueFilter& asked,
                              const std::string& user) const {
  const Engine& engine = driver_.engine();
  const Viewer viewer = viewer_of(call);
  RecordFilter filter;
  filter.jobs = asked.jobs;
  if (!user.empty()) filter.users = {user};
  filter.viewer = &viewer;
  std::string out;
  AccountLine line;
  for_each_record(engine, driver_.now(), filter, [&](const Job& job, const RecordLine&) {
    const bool waits = job.state == JobState::kPending;
    fill_account_line(engine, job, driver_.now(), line);
    const std::string reason = std::move(line.details.reason);
    line.details = details_with_steps(job);
    line.details.reason = reason;
    out += fmt::format("{} {} {}\n", waits ? 'w' : 'b', job.id.value(),
                       to_json(in_wall_time(line, call.wall_ahead)));
  });
  return out;
}

// What is in the history has ended for good; the engine may still remember it. The engine's lines
// are made first: a job that ends meanwhile is in the list as it was.
void Api::SlurmRoutes::accounts(Api& api, const CallRef& call) {
  auto asked = filter_of(call->request);
  if (!asked) return refuse(*call, asked.error());
  HistoryQuery query;
  query.jobs = asked->jobs;
  query.user = call->request.parameter("user");
  if (const auto since = signed_number(call->request.parameter("since")))
    query.ended_since = instant_at(seconds(*since));
  struct Gathering {
    std::vector<AccountNow> now;
    std::set<JobId> begun;   // Of those that are now.
    std::set<JobId> latest;  // Of the history.
    std::string text = "{\"schema\":\"sluice.accounts/1\",\"lines\":[";
    std::optional<Error> problem;
    bool duplicates = false;
    void add(std::string_view line) {
      if (text.back() != '[') text += ',';
      text += line;
    }
  };
  auto gathered = std::make_shared<Gathering>();
  gathered->duplicates = call->request.parameter("duplicates") == "1";
  const auto visit = [&api, call, gathered](const HistoryRow& row) {
    if (!api.viewer_of(*call).sees_job(row.user, row.account)) return true;
    // The latest comes first.
    if (row.tasks.empty() && !gathered->latest.insert(row.job).second && !gathered->duplicates)
      return true;
    if (!gathered->duplicates && gathered->begun.contains(row.job)) return true;
    const AccountLine line = account_line(row);
    gathered->add(to_json(in_wall_time(line, call->wall_ahead)));
    if (!call->actor.is_operator && gathered->text.size() > kLongestList)
      gathered->problem = too_long_a_list();
    return !gathered->problem;
  };
  const auto finish = [call, gathered] {
    for (const AccountNow& each : gathered->now)
      if (!each.waits || gathered->duplicates || !gathered->latest.contains(each.job))
        gathered->add(each.json);
    gathered->text += "]}\n";
    call->reply->send(200, "application/json", std::move(gathered->text));
  };
  const auto make = [&api, call, asked = *asked, user = query.user]() -> Result<ListText> {
    return ListText{"lines", api.accounts_now(*call, asked, user)};
  };
  const std::size_t lines = api.driver_.engine().state().job_count();
  api.long_answers_.run(call->actor.user, [=, &api](const std::function<void()>& ended) {
    api.make_list(call, lines, make, [=, &api](const Result<ListText>& list) {
      if (!list) {
        refuse(*call, list.error());
        return ended();
      }
      gathered->now = read_accounts(list->body);
      for (const AccountNow& each : gathered->now)
        if (!each.waits) gathered->begun.insert(each.job);
      api.walk_history(call, HasTurn::kYes, query, visit, [=](const Result<void>& done) {
        if (!done)
          refuse(*call, done.error());
        else if (gathered->problem)
          refuse(*call, *gathered->problem);
        else
          finish();
        ended();
      });
    });
  });
}

void Api::SlurmRoutes::step(Api& api, const CallRef& call) {
  const auto request = from_request<StepRequest>(call->request.body);
  if (!request) return refuse(*call, request.error());
  const auto reference = parse_job_reference(call->part);
  if (!reference) return refuse(*call, reference.error());
  const State& state = api.driver_.engine().state();
  const Job* job = find_record(state, reference->job,
                               reference->tasks ? reference->tasks->first() : std::nullopt);
  if (job == nullptr || !holds_nodes(job->state))
    return refuse(*call, Error{ErrorKind::kFailed, kInvalidJobText, {}, {}});
  const JobSpec& spec = *state.shape_of_job(*job).request;
  if (spec.user != call->actor.user && !call->actor.is_operator)
    return refuse(*call, Error{ErrorKind::kNotAllowed, kDeniedText, {}, {}});
  if (const std::string problem = problem_of(*request); !problem.empty())
    return refuse(*call, Error{ErrorKind::kBadInput, problem, {}, {}});
  std::vector<StepLine>& steps = api.accounting_[job->id].steps;
  const auto told = [&api, call](std::int64_t number, const std::string& shares) {
    api.driver_.give(Tick{}, [call, number, shares](const Reply&) {
      answer(*call, StepReply{number, false, {}, shares});
    });
  };
  if (request->number) {
    for (StepLine& each : steps)
      if (each.number == *request->number) {
        const StepLine before = each;
        each = request->step;
        each.number = *request->number;
        each.started = before.started;
        each.cpus = before.cpus;
        each.shares = before.shares;
        each.ended = api.driver_.now();
        api.keep_step(job->id, each);
        // What it says at its end may be longer than what it said at its beginning.
        api.drop_steps(job->id, steps);
        break;
      }
    return told(*request->number, {});
  }
  for (StepLine& each : steps) {
    if (each.ended || has_srun(each)) continue;
    each.ended = api.driver_.now();
    each.state = JobState::kCancelled;
    api.keep_step(job->id, each);
  }
  StepLine line = request->step;
  const StepRoom room(state.policy(), state.run_of(*job), steps);
  if (const StepReply placed = room.place(line, request->ask);
      placed.busy || !placed.refusal.empty())
    return answer(*call, placed);
  line.number = steps.empty() ? 0 : steps.back().number + 1;
  line.started = api.driver_.now();
  line.ended.reset();
  line.state = JobState::kRunning;
  steps.push_back(line);
  api.keep_step(job->id, line);
  api.drop_steps(job->id, steps);
  told(line.number, line.shares);
}

void Api::drop_steps(JobId job, std::vector<StepLine>& steps) {
  while (steps.size() > 1 && (steps.size() > kMostSteps || bytes_of(steps) > kLongestSteps)) {
    forget_step(job, (steps.end() - 2)->number);
    steps.erase(steps.end() - 2);
  }
}

}  // namespace sluice
