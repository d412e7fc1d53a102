// scontrol: shows, and changes jobs and nodes.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "cli/local_time.h"
#include "cli/own_user.h"
#include "shims/clusters.h"
#include "shims/help.h"
#include "shims/job_answers.h"
#include "shims/records.h"
#include "shims/scontrol_config.h"
#include "shims/scontrol_show.h"
#include "shims/scontrol_update.h"
#include "shims/shim.h"
#include "shims/site.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

constexpr OptionShape kOptions[] = {
    {"all", 'a', kNone},      {"details", 'd', kNone},      {"help", 'h', kNone},
    {"hide", '\0', kNone},    {"oneliner", 'o', kNone},     {"quiet", 'Q', kNone},
    {"uid", 'u', kRequired},  {"verbose", 'v', kNone},      {"version", 'V', kNone},
    {"future", 'F', kNone},   {"local", '\0', kNone},       {"cluster", '\0', kRequired},
    {"usage", '\0', kNone},   {"clusters", 'M', kRequired}, {"federation", '\0', kNone},
    {"sibling", '\0', kNone},
};

// A keyword may be cut down to its first letters, as scontrol allows.
bool is(std::string_view word, std::string_view keyword, std::size_t least) {
  return word.size() >= least && starts_ignoring_case(keyword, word);
}

int show_aliases(ShimCall& call) {
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  std::string out;
  for (const Node& node : policy->nodes) out += (out.empty() ? "" : " ") + node.name;
  call.say(out);
  return 0;
}

// Until the job has its nodes.
int wait_job(ShimCall& call, const std::vector<std::string>& words) {
  const auto reference =
      words.size() == 2 ? parse_job_reference(words[1]) : Result<JobReference>(bad_input(""));
  if (!reference)
    return call.complain("Invalid job_id " + (words.size() > 1 ? words[1] : std::string())), 1;
  while (true) {
    const auto records = fetch_records(
        *call.engine, fmt::format("state=all&fields=job,state&job={}", reference->job.value()));
    if (!records) return call.fail(records.error());
    if (records->empty() || has_ended(records->front().state))
      return call.complain("scontrol: Problem running job " + words[1]), 1;
    if (holds_nodes(records->front().state)) return 0;
    ::sleep(1);
  }
}

int show(ShimCall& call, const ScontrolFlags& flags, const std::vector<std::string>& words) {
  if (words.size() < 2) return call.complain("too few arguments for keyword:show"), 1;
  std::string entity = words[1];
  if (words.size() > 3 && !starts_ignoring_case(entity, "assoc") &&
      !starts_ignoring_case(entity, "cache"))
    return call.complain("too many arguments for keyword:show"), 1;
  std::string wanted = words.size() > 2 ? words[2] : "";
  // "show job=12" is the same as "show job 12".
  if (const std::size_t equals = entity.find('=');
      equals != std::string::npos && !starts_ignoring_case(entity, "assoc")) {
    wanted = entity.substr(equals + 1);
    entity.resize(equals);
  }
  if (is(entity, "jobs", 1) || is(entity, "jobid", 1)) return show_jobs(call, flags, wanted);
  if (is(entity, "nodes", 1)) return show_nodes(call, flags, wanted);
  if (is(entity, "partitions", 1) || is(entity, "partitionname", 1))
    return show_partitions(call, flags, wanted);
  if (is(entity, "config", 3)) return show_config(call);
  if (is(entity, "licenses", 2)) return show_licenses(call, flags, wanted);
  if (is(entity, "assoc_mgr", 2) || is(entity, "cache", 2))
    return show_assoc_mgr(call, flags, {words.begin() + 2, words.end()});
  if (is(entity, "hostnames", 5)) {
    if (wanted.empty()) wanted = variable("SLURM_JOB_NODELIST").value_or("");
    if (wanted.empty()) return call.error("host list is empty"), 0;
    const auto hosts = expand_hostlist(wanted);
    if (!hosts) return call.complain("Invalid hostlist: " + wanted), 1;
    for (const std::string& host : *hosts) call.say(host);
    return 0;
  }
  if (is(entity, "hostlist", 5) || is(entity, "hostlistsorted", 9)) {
    if (words.size() < 3) return call.complain("too few arguments for keyword:show"), 1;
    if (wanted.empty()) return call.say(""), 0;
    auto hosts = expand_hostlist(wanted);
    if (!hosts) return call.complain("Invalid hostlist: " + wanted), 1;
    if (entity.size() > 8) sort_hosts(*hosts);
    call.say(compress_hostlist(*hosts));
    return 0;
  }
  if (is(entity, "reservations", 1) || is(entity, "reservationname", 1))
    return show_reservations(call, flags, wanted);
  if (is(entity, "steps", 1)) return show_steps(call, flags, wanted);
  if (is(entity, "topology", 1)) return call.error("No topology information available"), 0;
  if (is(entity, "daemons", 2)) return call.say("slurmctld slurmd"), 0;
  if (is(entity, "frontend", 2)) return call.say("No nodes in the system"), 0;
  if (is(entity, "aliases", 1)) return show_aliases(call);
  // Nothing of the kind is here, and scontrol says nothing of that.
  if (is(entity, "burstbuffer", 2) || is(entity, "federation", 2) || is(entity, "bbstat", 2) ||
      is(entity, "dwstat", 2))
    return 0;
  call.complain(fmt::format("invalid entity:{} for keyword:{} ", entity, words[0]));
  return 1;
}

// Only operators suspend jobs; to others slurmctld answers in words of its own. True where it did.
bool refuses_to_suspend(ShimCall& call, std::string typed, const ActionReply& reply) {
  if (own_user() == "root" || reply.results.empty()) return false;
  const std::string& why = reply.results.front().error;
  if (why.empty()) return false;
  std::erase_if(typed, [](char c) { return c == '[' || c == ']'; });
  const bool unknown = why.starts_with("Invalid job id");
  if (!call.quiet)
    call.complain(
        fmt::format("{} for job {}", unknown ? "Unexpected message received" : why, typed));
  return true;
}

// hold, release, requeue, suspend, resume: what the engine refuses is said job by job.
int act(ShimCall& call, const std::vector<std::string>& words, std::string_view verb,
        const std::string& body, bool suspend_words) {
  if (words.size() < 2)
    return call.complain(fmt::format("too few arguments for keyword:{}", words[0])), 1;
  int code = 0;
  const auto refuse = [&](const std::string& error) {
    if (suspend_words && !call.quiet) call.complain("slurm_suspend error: " + error);
    code = 1;
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string list = words[i];
    if (starts_ignoring_case(list, "jobid=")) list.erase(0, 6);
    if (starts_ignoring_case(list, "jobname=")) list.erase(0, 3);
    if (starts_ignoring_case(list, "name=")) {
      const auto records = fetch_records(*call.engine, "");
      if (!records) return call.fail(records.error());
      for (const RecordLine& it : *records)
        if (it.name == list.substr(5))
          static_cast<void>(
              call.engine->send("POST", fmt::format("/v1/jobs/{}/{}", it.job.value(), verb), body));
      continue;
    }
    const std::vector<std::string> jobs = jobs_in(list);
    if (jobs.empty()) {
      if (!call.quiet) call.complain(fmt::format("Invalid job id specified for job {}", list));
      refuse("Invalid job id specified");
      continue;
    }
    std::string last;
    for (const std::string& word : jobs) {
      const auto answer =
          call.engine->send("POST", fmt::format("/v1/jobs/{}/{}", url_escaped(word), verb), body);
      if (!answer) return call.fail(answer.error());
      const auto reply = from_json<ActionReply>(*answer);
      if (!reply) return call.fail(reply.error());
      if ((verb == "suspend" || verb == "resume") && refuses_to_suspend(call, word, *reply)) {
        code = 1;
        continue;
      }
      const JobAnswers answers = complain_of_jobs(call, word, *reply);
      if (answers.refused) code = 1;
      if (!answers.last.empty()) last = answers.last;
    }
    if (!last.empty()) refuse(last);
  }
  return code;
}

int ping(ShimCall& call) {
  const auto card = call.engine->get("/v1/daemon");
  call.say(fmt::format("Slurmctld(primary) at {} is {}", host_name(), card ? "UP" : "DOWN"));
  return card ? 0 : 1;
}

int run_words(ShimCall& call, const ScontrolFlags& flags, const std::vector<std::string>& words) {
  const std::string& verb = words.front();
  if (is(verb, "show", 3) || is(verb, "list", 2)) return show(call, flags, words);
  if (is(verb, "hold", 4) || is(verb, "uhold", 2)) return act(call, words, "hold", "", true);
  if (is(verb, "release", 3)) return act(call, words, "release", "", true);
  if (is(verb, "requeuehold", 8))
    return act(call, words, "requeue", to_json(RequeueRequest{true}), false);
  if (is(verb, "requeue", 3))
    return act(call, words, "requeue", to_json(RequeueRequest{false}), false);
  if (is(verb, "suspend", 2)) return act(call, words, "suspend", "", false);
  if (is(verb, "resume", 3)) return act(call, words, "resume", "", false);
  if (words.size() < 2 && (is(verb, "update", 1) || is(verb, "create", 2) || is(verb, "delete", 3)))
    return call.complain(fmt::format("too few arguments for {} keyword", verb)), 1;
  if (is(verb, "update", 1)) return update(call, {words.begin() + 1, words.end()});
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (is(verb, "create", 2) && names_reservation(rest)) return create_reservation(call, rest);
  if (is(verb, "delete", 3) && names_reservation(rest)) return delete_reservation(call, rest);
  if (is(verb, "ping", 3) && words.size() > 1)
    return call.complain("too many arguments for keyword:ping"), 1;
  if (is(verb, "ping", 3)) return ping(call);
  if (is(verb, "wait_job", 4)) return wait_job(call, words);
  if (is(verb, "listpids", 3)) return list_pids(call, words.size() > 1 ? words[1] : "");
  if (is(verb, "pidinfo", 3) && words.size() < 2)
    return call.complain("missing argument for keyword:pidinfo"), 1;
  if (is(verb, "pidinfo", 3)) return pid_info(call, words[1]);
  if (is(verb, "top", 3) && words.size() < 2)
    return call.complain("too few arguments for keyword:top"), 1;
  // As where SchedulerParameters has no enable_user_top.
  if (is(verb, "top", 3) && own_user() != "root")
    return call.complain("Access/permission denied for job " + words[1]), 1;
  // No job is between its end and that of its nodes for long enough to be shown.
  if (is(verb, "completing", 2) || is(verb, "exit", 1) || is(verb, "quit", 4)) return 0;
  if (is(verb, "version", 4)) return call.say(kShimVersion), 0;
  if (is(verb, "help", 2)) return call.say(shim_help("scontrol")), 0;
  if (is(verb, "reconfigure", 4)) {
    const auto done = call.engine->send("POST", "/v1/daemon/reload", "");
    return done ? 0 : call.fail(done.error());
  }
  if (is(verb, "write", 5) || is(verb, "setdebug", 8) || is(verb, "reboot", 3) ||
      is(verb, "create", 2) || is(verb, "delete", 3) || is(verb, "takeover", 8) ||
      is(verb, "shutdown", 8) || is(verb, "notify", 3) || is(verb, "top", 3) ||
      is(verb, "token", 5)) {
    call.complain(fmt::format("scontrol {} is not done here", verb));
    return 1;
  }
  call.complain("invalid keyword: " + verb);
  return 1;
}

}  // namespace

int run_scontrol(ShimCall& call) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  ScontrolFlags flags;
  std::optional<std::string> clusters;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    if (name == "help") return call.say(shim_help("scontrol")), 0;
    if (name == "usage") return call.say(shim_usage("scontrol")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "details") ++flags.detail;
    if (name == "oneliner") flags.one_line = true;
    if (name == "quiet") flags.quiet = call.quiet = true;
    if (name == "cluster" || name == "clusters") clusters = option.value;
  }
  if (!pick_cluster_typed(call, clusters)) return 1;
  if (given->operands.empty())
    return call.complain("scontrol: the dialogue is not done here; type a command"), 1;
  return run_words(call, flags, given->operands);
}

}  // namespace sluice
