// Routes that only read.
#include <fmt/format.h>

#include <charconv>
#include <set>

#include "daemon/api_parts.h"
#include "daemon/history_lines.h"
#include "policyfile/write/policy_writer.h"
#include "text/hostlist.h"
#include "text/job_states.h"
#include "text/output_pattern.h"
#include "text/scan.h"
#include "views/cluster_card.h"
#include "views/job_line.h"
#include "views/job_view.h"
#include "views/node_view.h"
#include "views/priority_view.h"
#include "views/record_line.h"
#include "views/share_view.h"
#include "views/why_view.h"
#include "wire/history_purge.h"

namespace sluice {
namespace {

// What its GPUs did, where that was measured: few runs have any.
template <class Row>
void add_gpu_use(const HistoryRow& row, Row& line) {
  if (row.steps.find("\"gpu_percent\"") == std::string::npos) return;
  const auto kept = from_json<JobDetails>(row.steps);
  if (!kept) return;
  line.gpu_percent = kept->gpu_percent;
  line.gpu_memory_mb = kept->gpu_memory_mb;
}

HistoryLine line_of(const HistoryRow& row) {
  HistoryLine line;
  line.id = !row.tasks.empty()     ? fmt::format("{}_[{}]", row.array.value(), row.tasks)
            : row.array != JobId{} ? fmt::format("{}_{}", row.array.value(), row.task)
                                   : fmt::format("{}", row.job.value());
  fill_from(row, line);
  add_gpu_use(row, line);
  return line;
}

std::optional<std::string> failure_of(const HistoryRow& row) {
  const auto details = from_json<JobDetails>(row.details);
  return details ? details->failure : std::nullopt;
}

// A card from what the history kept.
JobCard card_of_row(const HistoryRow& row) {
  const HistoryLine line = line_of(row);
  JobCard card;
  card.line.id = line.id;
  card.line.job = line.job;
  card.line.array = line.array;
  card.line.task = line.task;
  card.line.name = line.name;
  card.line.user = line.user;
  card.line.account = line.account;
  card.line.partition = line.partition;
  card.line.qos = line.qos;
  card.line.state = line.state;
  card.line.nodes = line.nodes;
  card.line.limit = line.limit;
  card.line.elapsed = line.elapsed;
  card.line.submitted = line.submitted;
  card.line.started = line.started;
  card.line.done = 1;
  card.attempt = line.attempt;
  card.requested = line.requested;
  card.allocated = line.allocated;
  card.captured = !row.output.empty();
  card.working_directory = row.folder;
  if (!row.folder.empty() && row.attempt > 0) {
    PatternFacts facts{row.job, row.array, row.task, row.user, row.name, {}};
    const auto nodes = expand_hostlist(row.nodes);
    if (nodes && !nodes->empty()) facts.first_node = nodes->front();
    const auto pattern =
        row.stdout_pattern.empty() ? default_output(facts) : std::string_view(row.stdout_pattern);
    card.stdout_path = fill_pattern(pattern, facts, row.folder);
    if (!row.stderr_pattern.empty())
      card.stderr_path = fill_pattern(row.stderr_pattern, facts, row.folder);
  }
  card.eligible = line.eligible;
  card.ended = line.ended;
  card.exit_code = line.exit_code;
  card.exit_signal = line.exit_signal;
  card.max_rss_kb = line.max_rss_kb;
  card.cpu_time = line.cpu_time;
  card.gpu_percent = line.gpu_percent;
  card.gpu_memory_mb = line.gpu_memory_mb;
  if (const auto details = from_json<JobDetails>(row.details)) {
    card.failure = details->failure;
    card.command = details->command.value_or("");
  }
  return card;
}

tl::unexpected<Error> no_such_job() {
  return tl::unexpected<Error>(Error{
      ErrorKind::kFailed, kInvalidJobText, {}, "see what there is: sluice queue, sluice history"});
}

// A user who does not run the daemon asks for some at a time. Whether there may be too many; then
// one line more than allowed is looked for.
bool bound_lines(const Actor& actor, QueueFilter& filter) {
  if (actor.is_operator || (filter.most > 0 && filter.most <= kMostLines)) return false;
  filter.most = kMostLines + 1;
  return true;
}

Error too_many_lines() {
  return Error{ErrorKind::kBadInput,
               fmt::format("the answer has more than {} lines", kMostLines),
               {},
               "ask for some of it: by user or job, or with limit"};
}

Result<std::optional<Instant>> time_parameter(const HttpRequest& request, const std::string& name) {
  const std::string text = request.parameter(name);
  if (text.empty()) return std::optional<Instant>{};
  const auto number = signed_number(text.substr(0, text.find('.')));
  if (!number) return bad_input(fmt::format("{} is {}", name, quoted(text)), "seconds since 1970");
  return std::optional(instant_at(seconds(*number)));
}

}  // namespace

// The routes that are served here: each has its row in wire/routes.cc.
struct Api::ViewRoutes {
  static void daemon(Api& api, const CallRef& call);
  static void openapi(Api& api, const CallRef& call);
  static void policy(Api& api, const CallRef& call);
  static void cluster(Api& api, const CallRef& call);
  static void policy_source(Api& api, const CallRef& call);
  static void queue(Api& api, const CallRef& call);
  static void job(Api& api, const CallRef& call);
  static void why(Api& api, const CallRef& call);
  static void nodes(Api& api, const CallRef& call);
  static void shares(Api& api, const CallRef& call);
  static void priority(Api& api, const CallRef& call);
  static void history_purge(Api& api, const CallRef& call);
  static void history(Api& api, const CallRef& call);
};

std::span<const Api::Route> Api::view_routes() {
  static constexpr Route kRoutes[] = {
      {"daemon", &ViewRoutes::daemon},
      {"openapi", &ViewRoutes::openapi},
      {"policy", &ViewRoutes::policy},
      {"cluster", &ViewRoutes::cluster},
      {"policy_source", &ViewRoutes::policy_source},
      {"queue", &ViewRoutes::queue},
      {"job", &ViewRoutes::job},
      {"why", &ViewRoutes::why},
      {"nodes", &ViewRoutes::nodes},
      {"shares", &ViewRoutes::shares},
      {"priority", &ViewRoutes::priority},
      {"history_purge", &ViewRoutes::history_purge},
      {"history", &ViewRoutes::history},
  };
  return kRoutes;
}

void Api::ViewRoutes::daemon(Api& api, const CallRef& call) { answer(*call, api.daemon_.card()); }

void Api::ViewRoutes::openapi(Api&, const CallRef& call) {
  call->reply->send(200, "application/json", openapi_document() + "\n");
}

void Api::ViewRoutes::policy(Api& api, const CallRef& call) {
  const Policy& policy = api.driver_.engine().state().policy();
  const Viewer viewer = api.viewer_of(*call);
  call->reply->send(
      200, "application/json",
      write_policy_json(viewer.sees_policy() ? policy : policy_seen_by(viewer, policy)) + "\n");
}

void Api::ViewRoutes::cluster(Api& api, const CallRef& call) {
  const Viewer viewer = api.viewer_of(*call);
  ClusterCard card = cluster_card(api.driver_.engine(), api.driver_.now());
  std::erase_if(card.jobs,
                [&](const HeldLine& it) { return !viewer.sees_job(it.user, it.account); });
  // What an account holds binds everybody in it: only whose it is, is nobody's business.
  const std::vector<bool> seen = viewer.associations_seen();
  std::set<std::string> accounts;
  std::vector<UseLine> associations;
  // There is one line for each association, in the order of the policy's table.
  for (std::size_t i = 0; i < card.associations.size(); ++i) {
    UseLine& it = card.associations[i];
    if (!seen[i]) continue;
    accounts.insert(it.account);
    if (it.user.empty() || viewer.sees_usage(it.user, it.account))
      associations.push_back(std::move(it));
  }
  card.associations = std::move(associations);
  std::erase_if(card.holders, [&](const UseLine& it) {
    return it.user.empty() ? !accounts.contains(it.account) : !viewer.sees_usage(it.user, "");
  });
  answer(*call, card);
}

void Api::ViewRoutes::policy_source(Api& api, const CallRef& call) {
  const auto source = api.daemon_.policy->source();
  if (!source) return refuse(*call, source.error());
  PolicySource shown = *source;
  // A user who may not change it sees what is in force, not what is being written.
  if (!call->actor.is_operator) shown.text.clear();
  answer(*call, shown);
}

void Api::ViewRoutes::queue(Api& api, const CallRef& call) {
  auto asked = filter_of(call->request);
  if (!asked) return refuse(*call, asked.error());
  const bool bounded = bound_lines(call->actor, *asked);
  const auto make = [&api, call, filter = *asked, bounded]() mutable -> Result<ListText> {
    const Viewer viewer = api.viewer_of(*call);
    filter.viewer = &viewer;
    static const auto own = chosen_fields(field_names<QueueLine>(), kOwnFields);
    // Written as they come: a hundred thousand lines need no list of rows.
    TRY(auto rows, RowAnswer<QueueLine>::open(call->request, "sluice.queue/1", call->wall_ahead));
    std::size_t lines = 0;
    for_each_queue_line(api.driver_.engine(), api.driver_.now(), filter,
                        [&](const QueueLine& line, LineBefore before) {
                          ++lines;
                          rows.add(line, before == LineBefore::kAlike ? *own : kAllFields);
                        });
    if (bounded && lines > kMostLines) return tl::unexpected<Error>(too_many_lines());
    if (!call->actor.is_operator && rows.size() > kLongestList)
      return tl::unexpected<Error>(too_long_a_list());
    return ListText{std::string(rows.content_type()), rows.take()};
  };
  api.answer_list(call, api.lines_of(*asked), make);
}

Result<std::optional<HistoryRow>> Api::row_of(const JobReference& reference) const {
  HistoryQuery query;
  query.jobs = {reference.job};
  if (reference.tasks && reference.tasks->size() == 1) query.task = reference.tasks->first();
  query.most = 1;
  TRY(HistoryPart part, driver_.journal().history_part(query, std::nullopt));
  if (part.rows.empty() && part.next) {
    query.any_order = true;
    TRY(part.rows, driver_.journal().history(query));
  }
  if (part.rows.empty()) return std::optional<HistoryRow>();
  return std::optional(std::move(part.rows.front()));
}

// Of its last run, which has ended.
std::optional<HistoryRow> Api::last_run_row(const Job& job) const {
  HistoryQuery query;
  query.jobs = {job.id};
  query.attempt = job.attempt;
  auto rows = driver_.journal().history(query);
  if (!rows || rows->empty()) return std::nullopt;
  return std::move(rows->front());
}

// What went wrong outside the job at the end of its last run.
std::optional<std::string> Api::last_failure(const Job& job) const {
  const auto row = last_run_row(job);
  return row ? failure_of(*row) : std::nullopt;
}

Result<JobCard> Api::card_of(const Call& call, const JobReference& reference) const {
  TRY(JobCard card, any_card_of(reference));
  // As slurmctld: a user who may not see it is told that there is no such job.
  if (!viewer_of(call).sees_job(card.line.user, card.line.account)) return no_such_job();
  return card;
}

Result<JobCard> Api::any_card_of(const JobReference& reference) const {
  const State& state = driver_.engine().state();
  std::optional<std::uint32_t> task;
  if (reference.tasks) {
    if (reference.tasks->size() > 1)
      return bad_input("one job or task has a card", "name one, as 12 or 12_3");
    task = reference.tasks->first();
  }
  if (const Job* job = find_record(state, reference.job, task)) {
    JobCard card = job_card(driver_.engine(), *job, driver_.now(), task);
    if (!task && state.find_array(reference.job) != nullptr) {
      QueueFilter filter;
      filter.jobs = {reference.job};
      filter.ended_too = true;
      const auto lines = queue_lines(driver_.engine(), driver_.now(), filter);
      if (!lines.empty()) card.line = lines.front();
    }
    if (const auto assignment = driver_.assignment(*job)) {
      card.stdin_path = assignment->stdin_path;
      card.stdout_path = assignment->stdout_path;
      card.stderr_path = assignment->stderr_path;
    }
    if (job->attempt > 0 && holds_nodes(job->state)) {
      if (const auto use = daemon_.gpu_use_so_far({job->id, job->attempt})) {
        card.gpu_percent = use->busy_percent;
        card.gpu_memory_mb = use->memory_mb;
      }
    } else if (job->attempt > 0) {
      if (const auto row = last_run_row(*job)) {
        if (job->state != JobState::kCompleted) card.failure = failure_of(*row);
        if (has_ended(job->state)) add_gpu_use(*row, card);
      }
    }
    return card;
  }
  TRY(const std::optional<HistoryRow> row, row_of(reference));
  if (!row) return no_such_job();
  return card_of_row(*row);
}

void Api::ViewRoutes::job(Api& api, const CallRef& call) {
  const auto reference = parse_job_reference(call->part);
  if (!reference) return refuse(*call, reference.error());
  const std::string until = call->request.parameter("wait");
  if (until == "ended") return api.wait(call, *reference, WaitFor::kEnd);
  if (until == "started") return api.wait(call, *reference, WaitFor::kStart);
  if (until == "settled") return api.wait(call, *reference, WaitFor::kSettled);
  if (!until.empty())
    return refuse(
        *call,
        Error{ErrorKind::kBadInput, "wait is " + quoted(until), {}, "started, ended or settled"});
  const auto card = api.card_of(*call, *reference);
  if (!card) return refuse(*call, card.error());
  answer(*call, *card);
}

void Api::ViewRoutes::why(Api& api, const CallRef& call) {
  const auto reference = parse_job_reference(call->part);
  if (!reference) return refuse(*call, reference.error());
  const auto task = reference->tasks ? reference->tasks->first() : std::nullopt;
  const State& state = api.driver_.engine().state();
  const Job* job = find_record(state, reference->job, task);
  // Of an array, what waits is asked about, also where the first of it runs.
  if (job != nullptr && !task && job->array != JobId{} && job->state != JobState::kPending)
    if (const Job* waiting = first_waiting(state, job->array)) job = waiting;
  const Viewer viewer = api.viewer_of(*call);
  if (job != nullptr) {
    const JobSpec& spec = *state.shape_of_job(*job).request;
    if (!viewer.sees_job(spec.user, spec.account)) return refuse(*call, no_such_job().value());
    WhyCard card = why_card(api.driver_.engine(), *job, api.driver_.now(), task, &viewer);
    if (job->held == HeldBy::kAdmin && job->attempt > 0)
      if (const auto failure = api.last_failure(*job))
        card.sentence += ", because its last run could not start: " + *failure;
    if (has_ended(job->state))
      if (const auto failure = api.last_failure(*job)) card.sentence += ": " + *failure;
    return answer(*call, card);
  }
  const auto card = api.card_of(*call, *reference);
  if (!card) return refuse(*call, card.error());
  WhyCard why;
  why.id = card->line.id;
  why.name = card->line.name;
  why.user = card->line.user;
  why.state = card->line.state;
  why.sentence = fmt::format("does not wait: it ended, {}", slurm_name(card->line.state));
  if (card->failure) why.sentence += ": " + *card->failure;
  why.help.push_back({"see how it ended", "sluice job " + why.id});
  answer(*call, why);
}

void Api::ViewRoutes::nodes(Api& api, const CallRef& call) {
  std::vector<NodeLine> lines = node_lines(api.driver_.engine(), api.daemon_.card().enforces);
  for (NodeLine& line : lines) {
    const auto word = api.node_words_.find(line.name);
    if (word == api.node_words_.end()) continue;
    line.why = word->second.why;
    line.by = word->second.by;
    line.since = word->second.since;
  }
  answer_rows(*call, "sluice.nodes/1", lines);
}

void Api::ViewRoutes::shares(Api& api, const CallRef& call) {
  const Viewer viewer = api.viewer_of(*call);
  std::vector<ShareLine> lines = share_lines(api.driver_.engine());
  std::erase_if(lines,
                [&](const ShareLine& it) { return !viewer.sees_usage(it.user, it.account); });
  answer_rows(*call, "sluice.shares/1", lines);
}

void Api::ViewRoutes::priority(Api& api, const CallRef& call) {
  auto asked = filter_of(call->request);
  if (!asked) return refuse(*call, asked.error());
  const bool bounded = bound_lines(call->actor, *asked);
  const auto make = [&api, call, filter = *asked, bounded]() mutable -> Result<ListText> {
    const Viewer viewer = api.viewer_of(*call);
    filter.viewer = &viewer;
    const auto lines = priority_lines(api.driver_.engine(), api.driver_.now(), filter);
    if (bounded && lines.size() > kMostLines) return tl::unexpected<Error>(too_many_lines());
    TRY(auto rows,
        RowAnswer<PriorityLine>::open(call->request, "sluice.priority/1", call->wall_ahead));
    for (const PriorityLine& line : lines) rows.add(line);
    return ListText{std::string(rows.content_type()), rows.take()};
  };
  api.answer_list(call, api.lines_of(*asked), make);
}

void Api::ViewRoutes::history_purge(Api& api, const CallRef& call) {
  if (!call->actor.is_operator)
    return refuse(
        *call,
        Error{
            ErrorKind::kNotAllowed, "only operators of the daemon may purge the history", {}, {}});
  auto before = time_parameter(call->request, "before");
  if (before && !*before) before = bad_input("before: is missing", "seconds since 1970");
  if (!before) return refuse(*call, before.error());
  const auto gone = api.driver_.forget_before(**before - call->wall_ahead);
  if (!gone) return refuse(*call, gone.error());
  answer(*call, PurgeReply{static_cast<std::int64_t>(gone->rows), gone->more});
}

void Api::ViewRoutes::history(Api& api, const CallRef& call) {
  const auto query = [&]() -> Result<HistoryQuery> {
    HistoryQuery out;
    const HttpRequest& request = call->request;
    TRY(const std::vector<NamedJob> named, jobs_named(request.parameter("job")));
    for (const auto& [reference, word] : named) {
      out.jobs.push_back(reference.job);
      if (reference.tasks && reference.tasks->size() == 1) out.task = reference.tasks->first();
    }
    if (const auto task = whole_number(request.parameter("task")))
      out.task = static_cast<std::uint32_t>(*task);
    out.user = request.parameter("user");
    out.account = request.parameter("account");
    if (const std::string states = request.parameter("state"); !states.empty()) {
      TRY(const JobStateList list, parse_job_states(states));
      out.states = list.states;
    }
    TRY(out.ended_since, time_parameter(request, "since"));
    TRY(out.ended_before, time_parameter(request, "before"));
    for (auto* time : {&out.ended_since, &out.ended_before})
      if (*time) **time -= call->wall_ahead;
    if (const auto most = whole_number(request.parameter("limit")))
      out.most = static_cast<std::size_t>(*most);
    return out;
  }();
  if (!query) return refuse(*call, query.error());
  const Viewer viewer = api.viewer_of(*call);
  HistoryQuery seen = *query;
  seen.most = HistoryQuery{}.most;
  std::size_t most = query->most;
  if (!viewer.sees_all_jobs() && !viewer.coordinates_any()) {
    if (seen.user.empty())
      seen.user = viewer.name();
    else if (seen.user != viewer.name())
      most = 0;
  }
  auto lines = RowAnswer<HistoryLine>::open(call->request, "sluice.history/1", call->wall_ahead);
  if (!lines) return refuse(*call, lines.error());
  struct Gathering {
    RowAnswer<HistoryLine> lines;
    std::size_t count = 0;
    std::optional<Error> problem;
  };
  auto gathered = std::make_shared<Gathering>(Gathering{std::move(*lines), 0, {}});
  const bool bounded = !call->actor.is_operator;
  // Rows that are not seen do not count against how many were asked for.
  const auto visit = [&api, call, gathered, most, bounded](const HistoryRow& row) {
    if (gathered->count >= most) return false;
    if (!api.viewer_of(*call).sees_job(row.user, row.account)) return true;
    if (bounded && gathered->count >= kMostLines) gathered->problem = too_many_lines();
    if (bounded && gathered->lines.size() > kLongestList) gathered->problem = too_long_a_list();
    if (gathered->problem) return false;
    gathered->lines.add(line_of(row));
    return ++gathered->count < most;
  };
  api.walk_history(call, HasTurn::kNo, seen, visit, [call, gathered](Result<void> done) {
    if (done && gathered->problem) done = tl::unexpected(*gathered->problem);
    if (!done) return refuse(*call, done.error());
    gathered->lines.send(*call->reply);
  });
}

}  // namespace sluice
