// Routes for Slurm's commands: records, accounts and steps.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "daemon/api_parts.h"
#include "text/hostlist.h"
#include "text/job_states.h"
#include "text/output_pattern.h"
#include "text/scan.h"
#include "views/job_view.h"
#include "views/record_view.h"

namespace sluice {
namespace {

// slurmctld's mark for a task that has no number yet; squeue and scontrol show it in paths.
constexpr std::uint32_t kNoTask = 4294967294;
// A job that runs more steps keeps the first so many and the last.
constexpr std::size_t kMostSteps = 1000;

void fill_paths(const Job& job, RecordLine& line) {
  const std::string_view first = std::string_view(line.nodes).substr(0, line.nodes.find(','));
  PatternFacts facts{job.id,    job.array, job.is_array ? kNoTask : job.task,
                     line.user, line.name, first};
  if (job.is_array) facts.job = job.array;
  const std::string pattern = line.out.empty() ? std::string(default_output(facts)) : line.out;
  line.out = fill_pattern(pattern, facts, line.folder);
  line.err = line.err.empty() ? line.out : fill_pattern(line.err, facts, line.folder);
  line.in = line.in.empty() ? "/dev/null" : fill_pattern(line.in, facts, line.folder);
}

AccountLine account_line(const HistoryRow& row) {
  AccountLine line;
  line.job = row.job;
  if (row.array != JobId{}) {
    line.array = row.array;
    if (row.tasks.empty())
      line.task = row.task;
    else
      line.waiting = row.tasks;
  }
  line.attempt = row.attempt;
  line.name = row.name;
  line.user = row.user;
  line.account = row.account;
  line.partition = row.partition;
  line.qos = row.qos;
  line.state = row.outcome.state;
  line.requeued = row.requeued;
  line.exit_code = row.outcome.exit_code;
  line.exit_signal = row.outcome.signal;
  line.submitted = row.submitted;
  line.eligible = row.eligible;
  line.started = row.started ? row.started : std::optional(row.ended);
  line.ended = row.ended;
  if (row.started) line.elapsed = row.ended - *row.started;
  if (row.limit < kForever) line.limit = row.limit;
  line.max_rss_kb = row.outcome.max_rss_kb;
  line.cpu_time = row.outcome.cpu_time;
  line.nodes = row.nodes;
  line.requested = row.requested;
  line.allocated = row.allocated;
  if (auto details = from_json<JobDetails>(row.details)) line.details = std::move(*details);
  if (auto steps = from_json<JobDetails>(row.steps)) {
    line.details.steps = std::move(steps->steps);
    line.details.cancelled_by = steps->cancelled_by;
  }
  if (line.details.folder.empty()) line.details.folder = row.folder;
  return line;
}

}  // namespace

void Api::records(const CallRef& call) {
  auto asked = filter_of(call->request);
  if (!asked) return refuse(*call, asked.error());
  const Viewer viewer = viewer_of(*call);
  RecordFilter filter;
  filter.jobs = asked->jobs;
  filter.users = asked->users;
  filter.states = asked->states;
  filter.ended_too = asked->ended_too;
  filter.viewer = &viewer;
  auto rows = RowAnswer<RecordLine>::open(call->request, "sluice.records/1", call->wall_ahead);
  if (!rows) return refuse(*call, rows.error());
  const std::string fields = call->request.parameter("fields");
  const bool paths = fields.empty() || fields.find("out") != std::string::npos ||
                     fields.find("err") != std::string::npos ||
                     fields.find("in,") != std::string::npos;
  for_each_record(driver_.engine(), driver_.now(), filter, [&](const Job& job, RecordLine& line) {
    if (paths) fill_paths(job, line);
    rows->add(line);
  });
  rows->send(*call->reply);
}

JobDetails Api::details_with_steps(const Job& job) const {
  JobDetails details = details_of(driver_.engine(), job);
  if (const auto found = accounting_.find(job.id); found != accounting_.end()) {
    details.steps = found->second.steps;
    details.cancelled_by = found->second.cancelled_by;
  }
  return details;
}

void Api::note_details(const Job& job, HistoryRow& row) {
  row.details = to_json(details_of(driver_.engine(), job));
  const auto found = accounting_.find(job.id);
  if (found == accounting_.end()) return;
  JobDetails own;
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
}

void Api::accounts(const CallRef& call) {
  auto asked = filter_of(call->request);
  if (!asked) return refuse(*call, asked.error());
  const Viewer viewer = viewer_of(*call);
  HistoryQuery query;
  query.jobs = asked->jobs;
  query.user = call->request.parameter("user");
  if (const auto since = signed_number(call->request.parameter("since")))
    query.ended_since = instant_at(seconds(*since));
  const bool duplicates = call->request.parameter("duplicates") == "1";
  const auto past = driver_.journal().history(query);
  if (!past) return refuse(*call, past.error());
  // What is in the history has ended for good; the engine may still remember it.
  std::set<JobId> latest;
  Lines<AccountLine> out;
  out.schema = "sluice.accounts/1";
  std::vector<AccountLine>& lines = out.lines;
  for (const HistoryRow& row : *past) {
    if (!viewer.sees_job(row.user, row.account)) continue;
    // The latest comes first.
    if (row.tasks.empty() && !latest.insert(row.job).second && !duplicates) continue;
    AccountLine line = account_line(row);
    // As in Slurm's accounts: what might never have started was never there.
    if (line.details.eligible || row.attempt > 0) lines.push_back(std::move(line));
  }
  const Engine& engine = driver_.engine();
  RecordFilter filter;
  filter.jobs = asked->jobs;
  if (!query.user.empty()) filter.users = {query.user};
  filter.viewer = &viewer;
  AccountLine line;
  for_each_record(engine, driver_.now(), filter, [&](const Job& job, const RecordLine&) {
    // As in Slurm's accounts: what may not start yet is not there.
    if (job.state == JobState::kPending && !job.eligible) return;
    fill_account_line(engine, job, driver_.now(), line);
    line.details = details_with_steps(job);
    if (job.state != JobState::kPending && !duplicates)
      std::erase_if(lines, [&](const AccountLine& it) { return it.job == job.id; });
    if (job.state == JobState::kPending && !duplicates && latest.contains(job.id)) return;
    lines.push_back(line);
  });
  answer(*call, out);
}

void Api::step(const CallRef& call) {
  const auto request = from_json<StepRequest>(call->request.body, UnknownMembers::kRefuse);
  if (!request) return refuse(*call, request.error());
  const auto reference = parse_job_reference(call->part);
  if (!reference) return refuse(*call, reference.error());
  const State& state = driver_.engine().state();
  const Job* job = find_record(state, reference->job,
                               reference->tasks ? reference->tasks->first() : std::nullopt);
  if (job == nullptr || !holds_nodes(job->state))
    return refuse(*call, Error{ErrorKind::kFailed, kInvalidJobText, {}, {}});
  const JobSpec& spec = *state.shape_of_job(*job).request;
  if (spec.user != call->actor.user && !call->actor.is_operator)
    return refuse(*call, Error{ErrorKind::kNotAllowed, "Access/permission denied", {}, {}});
  std::vector<StepLine>& steps = accounting_[job->id].steps;
  if (request->number) {
    for (StepLine& each : steps)
      if (each.number == *request->number) {
        const auto began = each.started;
        each = request->step;
        each.number = *request->number;
        each.started = began;
        each.ended = driver_.now();
      }
    return answer(*call, StepReply{*request->number});
  }
  StepLine line = request->step;
  line.number = steps.empty() ? 0 : steps.back().number + 1;
  line.started = driver_.now();
  line.ended.reset();
  line.state = JobState::kRunning;
  if (steps.size() >= kMostSteps) steps.pop_back();
  steps.push_back(line);
  answer(*call, StepReply{line.number});
}

}  // namespace sluice
