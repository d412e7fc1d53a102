#include "shims/scontrol_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/local_time.h"
#include "shims/records.h"
#include "shims/scontrol_show.h"
#include "shims/words.h"
#include "text/begin_time.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Pair {
  std::string name;  // In lower case.
  std::string value;
  std::string word;
  char sign = '=';  // Of "+=" and "-=" the first.
};

// The job as it is, for what is said relative to that.
std::optional<RecordLine> record_of(ShimCall& call, const std::string& job) {
  const auto records = fetch_records(*call.engine, "state=all&job=" + url_escaped(job));
  if (!records || records->empty()) return std::nullopt;
  return records->front();
}

// "TimeLimit+=30": the limit of now and so much more, or less.
bool add_to_limit(Duration now, char sign, Duration& limit, std::string& problem) {
  if (sign == '-' && limit > now) {
    problem =
        fmt::format("scontrol: error: TimeLimit decrement larger than current time limit ({} > {})",
                    limit / minutes(1), now / minutes(1));
    return false;
  }
  limit = sign == '+' ? now + limit : now - limit;
  return true;
}

// False where the field is none, or its value is wrong; then `problem` says so.
bool set_field(ShimCall& call, const std::string& job, JobChange& change, const Pair& it,
               std::string& problem) {
  const auto wrong = [&](std::string what) {
    problem = std::move(what);
    return false;
  };
  const auto starts = [&](std::string_view full, std::size_t least) {
    return it.name.size() >= least && full.starts_with(it.name);
  };
  const auto number = signed_number(it.value);
  if (starts("account", 3)) {
    change.account = it.value;
  } else if (starts("qos", 3)) {
    change.qos = it.value;
  } else if (starts("partition", 3)) {
    std::vector<std::string> list;
    for (const std::string_view word : split(it.value, ',')) list.emplace_back(word);
    change.partitions = std::move(list);
  } else if (starts("timelimit", 5)) {
    const auto limit = parse_job_time_limit(it.value);
    if (!limit) return wrong("scontrol: error: Invalid TimeLimit value");
    change.time_limit = limit->duration.value_or(kLongestDuration);
    if (it.sign != '=') {
      const auto record = record_of(call, job);
      if (!record || !record->limit) return wrong("scontrol: error: Invalid TimeLimit value");
      if (!add_to_limit(*record->limit, it.sign, *change.time_limit, problem)) return false;
    }
  } else if (it.name == "minmemorynode" || it.name == "minmemorycpu") {
    const auto mb = parse_memory_mb(it.value);
    if (!mb) return wrong("Invalid memory value");
    change.memory =
        MemoryRequest{it.name == "minmemorycpu" ? MemoryPer::kCpu : MemoryPer::kNode, *mb};
  } else if (starts("numnodes", 4)) {
    const std::size_t dash = it.value.find('-');
    const auto least = whole_number(it.value.substr(0, dash));
    if (!least) return wrong("Invalid node count");
    change.min_nodes = static_cast<std::int32_t>(*least);
    if (dash != std::string::npos)
      if (const auto most = whole_number(it.value.substr(dash + 1)))
        change.max_nodes = static_cast<std::int32_t>(*most);
  } else if (starts("numtasks", 4) || starts("reqprocs", 8)) {
    if (!number || *number < 1) return wrong("Invalid task count");
    change.tasks = static_cast<std::int32_t>(*number);
  } else if (it.name == "cpuspertask" || it.name == "cpus/task") {
    if (!number || *number < 1) return wrong("Invalid CPU count");
    change.cpus_per_task = static_cast<std::int32_t>(*number);
  } else if (starts("numcpus", 4) || starts("mincpusnode", 7)) {
    // Dealt out in the CPUs of a task, which may be in front of it.
    if (!number || *number < 1) return wrong("Invalid CPU count");
    std::int64_t each = change.cpus_per_task.value_or(0);
    if (each == 0)
      if (const auto record = record_of(call, job)) each = record->cpus_per_task.value_or(1);
    if (each < 1 || *number % each != 0) return wrong("");
    if (starts("numcpus", 4) && *number != each * change.tasks.value_or(1))
      change.tasks = static_cast<std::int32_t>(*number / each);
  } else if (it.name == "gres" || it.name == "trespernode") {
    auto gpus = parse_gres(it.value);
    if (!gpus) return wrong("Invalid generic resource (gres) specification");
    change.gpus = std::move(*gpus);
  } else if (starts("nice", 2)) {
    if (!it.value.empty() && !number) return wrong("Invalid nice value");
    change.nice = number.value_or(100);
  } else if (starts("priority", 4)) {
    if (!number) return wrong("Invalid Priority value");
    change.priority = *number;
  } else if (starts("starttime", 7) || it.name == "eligibletime") {
    const Instant now = now_here();
    const auto time = parse_begin_time(it.value, now, local_offset(now));
    if (!time) return wrong("Invalid StartTime value");
    change.begin = *time;
  } else if (starts("dependency", 3)) {
    auto terms = parse_dependencies(it.value);
    if (!terms) return wrong("Job dependency problem");
    change.dependencies = std::move(*terms);
  } else if (it.name == "name" || it.name == "jobname") {
    change.name = it.value;
  } else if (starts("comment", 3)) {
    change.comment = it.value;
  } else if (starts("reservationname", 11)) {
    change.reservation = it.value;
  } else if (starts("arraytaskthrottle", 10)) {
    if (!number || *number < 0) return wrong("Invalid ArrayTaskThrottle value");
    change.throttle = static_cast<std::uint32_t>(*number);
  } else {
    return wrong("");
  }
  return true;
}

int update_job(ShimCall& call, const std::vector<Pair>& pairs) {
  JobChange change;
  std::string jobs;
  for (const Pair& it : pairs)
    if (it.name == "jobid" || it.name == "job") jobs = it.value;
  // A list is so many updates, one after the other.
  if (const auto list = jobs_in(jobs); list.size() > 1) {
    int code = 0;
    for (const std::string& job : list) {
      std::vector<Pair> own = pairs;
      for (Pair& it : own)
        if (it.name == "jobid" || it.name == "job") it.value = job;
      code = std::max(code, update_job(call, own));
    }
    return code;
  }
  for (const Pair& it : pairs) {
    if (it.name == "jobid" || it.name == "job") continue;
    std::string problem;
    if (set_field(call, jobs, change, it, problem)) continue;
    if (problem.empty()) {
      call.complain("Update of this parameter is not supported: " + it.word);
      call.complain("Request aborted");
    } else if (problem.starts_with("scontrol: error: ")) {
      call.complain(problem);
    } else {
      call.complain(problem + ": " + it.value);
    }
    return 1;
  }
  if (!parse_job_reference(jobs))
    return call.complain("Invalid job id specified for job " + jobs), 1;
  const auto answer = call.engine->send("PATCH", "/v1/jobs/" + url_escaped(jobs), to_json(change));
  if (!answer) return call.fail(answer.error());
  const auto reply = from_json<ActionReply>(*answer);
  if (!reply) return call.fail(reply.error());
  int code = 0;
  for (const ActionResult& result : reply->results)
    if (!result.error.empty()) {
      call.complain(fmt::format("{} for job {}", result.error, result.id));
      code = 1;
    }
  return code;
}

int update_node(ShimCall& call, const std::vector<Pair>& pairs) {
  std::string names;
  NodeRequest request;
  for (const Pair& it : pairs) {
    if (it.name.starts_with("nodename")) {
      names = it.value;
    } else if (it.name.starts_with("state")) {
      const std::string state = to_lower(it.value);
      if (state == "down" || state == "fail")
        request.state = "down";
      else if (state == "drain")
        request.state = "drain";
      else if (state == "resume" || state == "idle" || state == "undrain")
        request.state = "up";
      else
        return call.complain("Invalid input: " + it.word + "\nRequest aborted"), 1;
    } else if (it.name.starts_with("reason")) {
      request.why = it.value;
    } else {
      call.complain("Invalid input: " + it.word);
      call.complain("Request aborted");
      return 1;
    }
  }
  if ((request.state == "down" || request.state == "drain") && request.why.empty())
    return call.complain(
               "You must specify a reason when DOWNING or DRAINING a node\nRequest denied"),
           1;
  if (request.state.empty()) return call.complain("No changes specified"), 1;
  const auto hosts = expand_hostlist(names);
  if (!hosts) return call.complain("slurm_update error: Invalid node name specified"), 1;
  int code = 0;
  for (const std::string& host : *hosts) {
    const auto answer =
        call.engine->send("PATCH", "/v1/nodes/" + url_escaped(host), to_json(request));
    const auto reply =
        answer ? from_json<ActionReply>(*answer) : Result<ActionReply>(ActionReply{});
    std::string problem;
    if (!answer)
      problem =
          answer.error().kind == ErrorKind::kNotAllowed ? "Invalid user id" : answer.error().what;
    else if (reply && !reply->results.empty())
      problem = reply->results.front().error;
    if (problem.empty()) continue;
    call.complain("slurm_update error: " + problem);
    code = 1;
  }
  return code;
}

}  // namespace

std::vector<std::string> jobs_in(const std::string& list) {
  std::vector<std::string> out;
  std::string word;
  int depth = 0;
  for (const char c : list + ",") {
    depth += (c == '[') - (c == ']');
    if (c != ',' || depth != 0) {
      word += c;
      continue;
    }
    if (!word.empty() && !parse_job_reference(word)) return {};
    if (!word.empty()) out.push_back(word);
    word.clear();
  }
  return out;
}

int update(ShimCall& call, std::vector<std::string> words) {
  // "update job 12 …" is "update job=12 …".
  if (words.size() > 1 && (to_lower(words[0]) == "job" || to_lower(words[0]) == "jobid")) {
    words[1] = "jobid=" + words[1];
    words.erase(words.begin());
  }
  std::vector<Pair> pairs;
  std::string entity;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    Pair pair{to_lower(std::string_view(word).substr(0, equals)),
              equals == std::string::npos ? "" : word.substr(equals + 1), word};
    // "+=" and "-=" are said to the field in front.
    while (!pair.name.empty() && (pair.name.back() == '+' || pair.name.back() == '-')) {
      pair.sign = pair.name.back();
      pair.name.pop_back();
    }
    if (entity.empty() && (pair.name == "jobid" || pair.name == "job")) entity = "job";
    if (entity.empty() && pair.name.starts_with("nodename")) entity = "node";
    if (entity.empty() &&
        (pair.name.starts_with("partition") || pair.name.starts_with("reservation")))
      entity = pair.name.starts_with("reservation") ? "reservation" : pair.name;
    pairs.push_back(std::move(pair));
  }
  if (entity == "job") return update_job(call, pairs);
  if (entity == "node") return update_node(call, pairs);
  if (entity == "reservation") return update_reservation(call, words);
  if (!entity.empty()) {
    call.complain(fmt::format(
        "scontrol update {} is not done here; change the policy: sluice policy apply", entity));
    return 1;
  }
  call.complain("No valid entity in update command");
  call.complain(
      "Input line must include \"NodeName\", \"PartitionName\", \"Reservation\", \"JobId\", or "
      "\"SlurmctldDebug\"");
  return 1;
}

}  // namespace sluice
