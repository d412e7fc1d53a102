#include "shims/scontrol_update_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "shims/job_answers.h"
#include "shims/records.h"
#include "shims/scontrol_job_fields.h"
#include "shims/scontrol_update.h"
#include "shims/words.h"
#include "text/job_reference.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

int update_job(ShimCall& call, const std::string& job, const std::vector<UpdateWord>& words) {
  const auto change = read_change(call, job, words);
  if (!change) return 1;
  if (!parse_job_reference(job)) return call.complain("Invalid job id specified for job " + job), 1;
  const auto answer = call.engine->send("PATCH", "/v1/jobs/" + url_escaped(job), to_json(*change));
  if (!answer) return call.fail(answer.error());
  const auto reply = from_json<ActionReply>(*answer);
  if (!reply) return call.fail(reply.error());
  return complain_of_jobs(call, job, *reply).refused ? 1 : 0;
}

// Every job of the name, or of one user those.
int update_named(ShimCall& call, const std::string& name, const std::string& user,
                 std::vector<UpdateWord> words) {
  std::erase_if(words, [](const UpdateWord& word) { return word.name == "jobname"; });
  const auto records = fetch_records(*call.engine, "");
  if (!records) return call.fail(records.error());
  int code = 0;
  bool any = false;
  for (const RecordLine& record : *records) {
    if (record.name != name || (!user.empty() && record.user != user)) continue;
    any = true;
    code = std::max(code, update_job(call, record_id(record), words));
  }
  if (any) return code;
  call.error(fmt::format("No jobs with name '{}'", name));
  return 1;
}

}  // namespace

bool names_jobs(const UpdateWord& word) {
  return word.name == "job" || word.name == "jobid" || word.name == "jobname";
}

int update_jobs(ShimCall& call, const std::vector<UpdateWord>& words) {
  std::optional<std::string> jobs;
  std::string name;
  std::string user;
  for (const UpdateWord& word : words) {
    if (word.name == "jobid" || word.name == "job") jobs = word.value;
    if (word.name == "jobname") name = word.value;
    if (!word.name.starts_with("use") || !std::string_view("userid").starts_with(word.name))
      continue;
    const auto known = user_name(word.value);
    if (word.value.empty() || !known)
      return call.complain(fmt::format("Invalid UserID: {}\nRequest aborted", word.value)), 1;
    user = *known;
  }
  if (!jobs) return update_named(call, name, user, words);
  // A user picks jobs, and changes nothing.
  const auto picks = [](const UpdateWord& word) {
    return names_jobs(word) ||
           (word.name.starts_with("use") && std::string_view("userid").starts_with(word.name));
  };
  if (std::all_of(words.begin(), words.end(), picks))
    return call.complain("No changes specified"), 1;
  // A list is so many updates, one after the other.
  const auto list = jobs_in(*jobs);
  if (list.size() < 2) return update_job(call, *jobs, words);
  int code = 0;
  for (const std::string& job : list) code = std::max(code, update_job(call, job, words));
  return code;
}

}  // namespace sluice
