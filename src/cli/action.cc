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

namespace {

// A request's first line has to fit into what the daemon reads of a header.
constexpr std::size_t kLongestList = 4096;
// The daemon takes 1,000 names a request (docs/reference/bounds.md).
constexpr int kMostNames = 500;

std::vector<std::string> in_pieces(const std::string& jobs) {
  std::vector<std::string> out(1);
  int depth = 0;
  int names = 0;
  for (const char c : jobs) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    const bool ends_a_name = c == ',' && depth == 0;
    if (ends_a_name && (++names % kMostNames == 0 || out.back().size() >= kLongestList))
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace

Result<ExitCode> carry_out(const Action& action) {
  TRY(Connection daemon, Connection::open());
  ActionReply reply;
  for (const std::string& jobs : in_pieces(action.jobs)) {
    std::string target = "/v1/jobs/" + percent_encoded(jobs);
    if (!action.verb.empty()) target += "/" + action.verb;
    TRY(const std::string body, daemon.send(action.method, target, action.body));
    TRY(ActionReply piece, from_json<ActionReply>(body));
    reply.results.insert(reply.results.end(), piece.results.begin(), piece.results.end());
  }
  if (action.json) fmt::print("{}\n", to_json(reply));
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
