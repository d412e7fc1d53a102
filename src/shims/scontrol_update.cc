#include "shims/scontrol_update.h"

#include <fmt/format.h>

#include "shims/records.h"
#include "shims/scontrol_show.h"
#include "shims/scontrol_update_job.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

int update_node(ShimCall& call, const std::vector<UpdateWord>& pairs) {
  std::string names;
  NodeRequest request;
  for (const UpdateWord& it : pairs) {
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
  std::vector<UpdateWord> pairs;
  std::string entity;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    UpdateWord pair{to_lower(std::string_view(word).substr(0, equals)),
                    equals == std::string::npos ? "" : word.substr(equals + 1), word};
    // "+=" and "-=" are said to the field in front.
    while (!pair.name.empty() && (pair.name.back() == '+' || pair.name.back() == '-')) {
      pair.sign = pair.name.back();
      pair.name.pop_back();
    }
    if (entity.empty() && names_jobs(pair)) entity = "job";
    if (entity.empty() && pair.name.starts_with("nodename")) entity = "node";
    if (entity.empty() &&
        (pair.name.starts_with("partition") || pair.name.starts_with("reservation")))
      entity = pair.name.starts_with("reservation") ? "reservation" : pair.name;
    pairs.push_back(std::move(pair));
  }
  if (entity == "job") return update_jobs(call, pairs);
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
