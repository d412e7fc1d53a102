#include "cli/action.h"

#include <fmt/format.h>

#include "cli/connection.h"
#include "text/job_reference.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {

Result<std::string> joined_references(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    // Commas outside brackets separate, as everywhere.
    std::string one;
    int depth = 0;
    const auto take = [&]() -> Result<void> {
      if (one.empty()) return {};
      TRY_VOID(parse_job_reference(one).map([](const auto&) {}));
      out += (out.empty() ? "" : ",") + one;
      one.clear();
      return {};
    };
    for (const char c : word) {
      if (c == '[') ++depth;
      if (c == ']') --depth;
      if (c == ',' && depth == 0)
        TRY_VOID(take());
      else
        one += c;
    }
    TRY_VOID(take());
  }
  if (out.empty()) return bad_input("no job is named", "write a job as 12, a task as 12_3");
  return out;
}

Result<ExitCode> carry_out(const Action& action) {
  TRY(Connection daemon, Connection::open());
  std::string target = "/v1/jobs/" + percent_encoded(action.jobs);
  if (!action.verb.empty()) target += "/" + action.verb;
  TRY(const std::string body, daemon.send(action.method, target, action.body));
  TRY(const ActionReply reply, from_json<ActionReply>(body));
  if (action.json) fmt::print("{}", body);
  ExitCode code = ExitCode::kDone;
  for (const ActionResult& result : reply.results) {
    if (result.error.empty()) {
      if (!action.json && !action.quiet) fmt::print("{}: {}\n", result.id, action.done);
      continue;
    }
    code = result.denied ? ExitCode::kNotAllowed : ExitCode::kWorkFailed;
    if (!action.json) fmt::print(stderr, "sluice: {}: {}\n", result.id, result.error);
  }
  return code;
}

}  // namespace sluice
