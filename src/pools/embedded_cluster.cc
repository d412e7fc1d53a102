// Submissions carry their key in the comment, as they do on Slurm.
#include "pools/embedded_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "base/version.h"
#include "cli/own_user.h"
#include "cli/target.h"
#include "policyfile/read/policy_reader.h"
#include "slurm/submit_command.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/mail_types.h"
#include "text/scan.h"
#include "views/cluster_card.h"
#include "views/row_text.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// The latest of them.
constexpr int kMostPastRuns = 2000;

std::string job_name(const RemoteRef& ref) {
  return ref.task ? fmt::format("{}_{}", ref.job.job.value(), *ref.task)
                  : std::to_string(ref.job.job.value());
}

std::string numbers(std::span<const RemoteRef> refs) {
  std::string out;
  for (const RemoteRef& ref : refs)
    out += fmt::format("{}{}", out.empty() ? "" : ",", ref.job.job.value());
  return out;
}

std::optional<std::string> first_error(const ActionReply& reply) {
  for (const ActionResult& result : reply.results)
    if (!result.error.empty()) return result.error;
  return std::nullopt;
}

}  // namespace

Result<Connection*> EmbeddedCluster::daemon() {
  if (!connection_) {
    TRY(Connection opened, Connection::open(start_));
    connection_.emplace(std::move(opened));
  }
  return &*connection_;
}

// What only reads may be asked twice.
Result<std::string> EmbeddedCluster::get(const std::string& target) {
  for (int attempt = 0;; ++attempt) {
    TRY(Connection * open, daemon());
    auto body = open->get(target);
    if (body || body.error().kind != ErrorKind::kUnreachable || attempt > 0) return body;
    connection_.reset();
  }
}

Result<SubmitAnswer> EmbeddedCluster::submit(const Submission& submission) {
  SubmitRequest request;
  JobSpec spec = submission.spec;
  spec.comment = comment_with(submission.key, spec.comment);
  spec.hold = spec.hold || submission.held;
  spec.launch.follower = follower_;
  // A chain has an end of its own to tell.
  if (!follower_.empty()) set_variable(spec.launch.environment, kHooksVariable, "");
  request.jobs.push_back(std::move(spec));
  // A fresh connection: what fails while it is made was not sent.
  connection_.reset();
  TRY(Connection * open, daemon());
  auto body = open->send("POST", "/v1/jobs", to_json(request));
  if (!body) {
    connection_.reset();
    if (body.error().kind == ErrorKind::kUnreachable || body.error().kind == ErrorKind::kUnknown)
      return Uncertain{body.error().what};
    return tl::unexpected<Error>(body.error());
  }
  TRY(const SubmitReply reply, from_json<SubmitReply>(*body));
  if (reply.results.empty()) return Uncertain{"the daemon sent an empty answer"};
  const SubmitResult& result = reply.results.front();
  if (result.job) return Accepted{{*result.job, Instant{}}};
  Refusal refusal;
  refusal.message =
      result.detail.empty() ? result.refusal : fmt::format("{}; {}", result.refusal, result.detail);
  if (const auto rule = rule_of_word(result.reason)) refusal.reason.rule = *rule;
  return Declined{std::move(refusal)};
}

Result<std::vector<RemoteJob>> EmbeddedCluster::find(const std::string& key) {
  TRY(const std::string body, get(Target("/v1/queue")
                                      .with("state", "all")
                                      .with("comment", comment_with(key, {}))
                                      .with("format", "tsv")
                                      .with("fields", "job,array")
                                      .text()));
  TRY(auto lines, RowTextReader<QueueLine>::over(body));
  std::vector<RemoteJob> out;
  for (QueueLine line; lines.next(line);) out.push_back({line.array.value_or(line.job), Instant{}});
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<Changed> EmbeddedCluster::release(const RemoteRef& ref) {
  TRY(Connection * open, daemon());
  TRY(const std::string body,
      open->send("POST", fmt::format("/v1/jobs/{}/release", job_name(ref)), {}));
  TRY(const ActionReply reply, from_json<ActionReply>(body));
  return first_error(reply) ? Changed::kTooLate : Changed::kDone;
}

Result<std::variant<Changed, Refusal>> EmbeddedCluster::update(const RemoteRef& ref,
                                                               const JobChange& change) {
  TRY(Connection * open, daemon());
  TRY(const std::string body,
      open->send("PATCH", fmt::format("/v1/jobs/{}", job_name(ref)), to_json(change)));
  return changed(ref, body);
}

Result<std::variant<Changed, Refusal>> EmbeddedCluster::hold(const RemoteRef& ref) {
  TRY(Connection * open, daemon());
  TRY(const std::string body,
      open->send("POST", fmt::format("/v1/jobs/{}/hold", job_name(ref)), {}));
  return changed(ref, body);
}

// What the daemon said of a change: of what no longer waits it is no refusal.
Result<std::variant<Changed, Refusal>> EmbeddedCluster::changed(const RemoteRef& ref,
                                                                const std::string& body) {
  TRY(const ActionReply reply, from_json<ActionReply>(body));
  const auto error = first_error(reply);
  if (!error) return Changed::kDone;
  TRY(const auto seen, observe({&ref, 1}));
  const bool waits =
      std::any_of(seen.front().tasks.begin(), seen.front().tasks.end(),
                  [](const SeenTask& task) { return task.state == JobState::kPending; });
  if (!waits) return Changed::kTooLate;
  return Refusal{{}, *error};
}

Result<std::variant<Changed, Refusal>> EmbeddedCluster::update_tasks(const RemoteJob& job,
                                                                     const IndexSet& tasks,
                                                                     const JobChange& change) {
  TRY(const std::string body, get(Target("/v1/queue")
                                      .with("arrays", "tasks")
                                      .with("state", "PENDING")
                                      .with("job", std::to_string(job.job.value()))
                                      .with("format", "tsv")
                                      .with("fields", "task")
                                      .text()));
  TRY(auto waiting, RowTextReader<QueueLine>::over(body));
  for (QueueLine line; waiting.next(line);)
    if (line.task && !tasks.contains(*line.task)) return Cluster::update_tasks(job, tasks, change);
  return update({job, std::nullopt}, change);
}

Result<void> EmbeddedCluster::cancel(const RemoteRef& ref) {
  TRY(Connection * open, daemon());
  // What has ended already answers with an error; that is as good.
  (void)open->send("POST", fmt::format("/v1/jobs/{}/cancel", job_name(ref)), {});
  return {};
}

Result<std::vector<Sighting>> EmbeddedCluster::observe(std::span<const RemoteRef> refs) {
  const std::string jobs = numbers(refs);
  // The queue first: what ends in between is then seen as both, and its end counts.
  TRY(const std::string live_body,
      get(Target("/v1/queue")
              .with("arrays", "tasks")
              .with("state", "all")
              .with("job", jobs)
              .with("format", "tsv")
              .with("fields", "job,array,task,state,reason,partition,started,nodes")
              .text()));
  TRY(auto live, RowTextReader<QueueLine>::over(live_body));
  TRY(const std::string past_body,
      get(Target("/v1/history").with("job", jobs).with("format", "tsv").text()));
  TRY(auto past, RowTextReader<HistoryLine>::over(past_body));
  using TaskName = std::pair<JobId, std::optional<std::uint32_t>>;
  struct Known {
    SeenTask seen;
    std::uint32_t attempt = 0;
  };
  std::map<TaskName, Known> known;
  const auto nodes_of = [](const std::string& list) {
    if (list.find_first_of("[,") == std::string::npos)
      return list.empty() ? std::vector<std::string>{} : std::vector<std::string>{list};
    return expand_hostlist(list).value_or(std::vector<std::string>{});
  };
  for (QueueLine line; live.next(line);) {
    SeenTask& task = known[{line.array.value_or(line.job), line.task}].seen;
    task.task = line.task;
    task.state = line.state;
    task.reason = line.reason;
    task.partition = line.partition;
    task.start = line.started;
    task.nodes = nodes_of(line.nodes);
  }
  const auto take = [&](const HistoryLine& line, std::optional<std::uint32_t> index) {
    Known& one = known[{line.array.value_or(line.job), index}];
    if (line.requeued || line.attempt < one.attempt) return;
    one.attempt = line.attempt;
    SeenTask& task = one.seen;
    task.task = index;
    task.state = line.state;
    task.partition = line.partition;
    task.start = line.started;
    task.end = line.ended;
    task.restarts = static_cast<std::int32_t>(line.attempt) - 1;
    task.exit_code = line.exit_code;
    task.signal = line.exit_signal;
    task.max_rss_kb = line.max_rss_kb > 0 ? std::optional(line.max_rss_kb) : std::nullopt;
    task.cpu_time = line.cpu_time;
    task.nodes = nodes_of(line.nodes);
  };
  for (HistoryLine line; past.next(line);) {
    // Tasks that were cancelled together before they started share a line.
    if (line.array && !line.task) {
      if (const auto shared = parse_job_reference(line.id); shared && shared->tasks) {
        for (const std::uint32_t index : shared->tasks->to_vector()) take(line, index);
        continue;
      }
    }
    take(line, line.task);
  }
  const auto now = Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
  std::vector<Sighting> out;
  for (const RemoteRef& ref : refs) {
    Sighting& sighting = out.emplace_back();
    sighting.ref = ref;
    sighting.as_of = now;
    for (auto at = known.lower_bound({ref.job.job, std::nullopt});
         at != known.end() && at->first.first == ref.job.job; ++at)
      if (!ref.task || at->first.second == ref.task) sighting.tasks.push_back(at->second.seen);
  }
  return out;
}

Result<Description> EmbeddedCluster::describe() {
  TRY(const std::string policy_body, get("/v1/policy"));
  TRY(Policy policy, read_policy(policy_body, "the daemon's policy"));
  TRY(const std::string body, get("/v1/cluster"));
  TRY(const ClusterCard card, from_json<ClusterCard>(body));
  Description out =
      description_of(card, std::make_shared<const Policy>(std::move(policy)), own_user());
  out.capabilities.software = fmt::format("sluice {}", kVersion);
  for (const Qos& qos : out.policy->qos)
    if (qos.flags.enforce_usage_threshold)
      out.unseen.push_back(fmt::format(
          "UsageThreshold of QoS {}: jobs of users with less fairshare wait", qos.name));
  return out;
}

Result<std::vector<PastRun>> EmbeddedCluster::past_runs(const std::string& name) {
  TRY(const std::string body, get(Target("/v1/history")
                                      .with("user", own_user())
                                      .with("state", "COMPLETED")
                                      .with("limit", std::to_string(kMostPastRuns))
                                      .with("format", "tsv")
                                      .with("fields", "name,elapsed,allocated,requeued")
                                      .text()));
  TRY(auto past, RowTextReader<HistoryLine>::over(body));
  std::vector<PastRun> out;
  for (HistoryLine line; past.next(line);) {
    if (line.name != name || line.requeued) continue;
    PastRun run{0, line.elapsed};
    constexpr std::string_view kGpus = "gres/gpu=";
    for (const std::string_view item : split(line.allocated, ','))
      if (item.starts_with(kGpus)) run.gpus = whole_number(item.substr(kGpus.size())).value_or(0);
    out.push_back(run);
  }
  return out;
}

Result<std::vector<WaitingTasks>> EmbeddedCluster::waiting() {
  TRY(const std::string policy_body, get("/v1/policy"));
  TRY(const Policy policy, read_policy(policy_body, "the daemon's policy"));
  TRY(const std::string body, get("/v1/cluster"));
  TRY(const ClusterCard card, from_json<ClusterCard>(body));
  std::vector<WaitingTasks> out = waiting_of(card, policy, own_user());
  for (WaitingTasks& group : out) group.job.submitted = Instant{};
  return out;
}

}  // namespace sluice
