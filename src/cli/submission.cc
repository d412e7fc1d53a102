#include "cli/submission.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "model/job_bounds.h"
#include "text/printable.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

bool is_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// JSON would put other bytes in the place of what is no UTF-8.
std::string field_that_is_no_text(const JobSpec& spec) {
  const Launch& launch = spec.launch;
  const std::pair<const char*, const std::string*> texts[] = {
      {"name", &spec.name},
      {"comment", &spec.comment},
      {"script", &launch.script},
      {"program", &launch.program},
      {"working_directory", &launch.working_directory},
      {"stdin_path", &launch.stdin_path},
      {"stdout_path", &launch.stdout_path},
      {"stderr_path", &launch.stderr_path}};
  for (const auto& [field, text] : texts)
    if (!is_text(*text)) return field;
  for (const std::string& argument : launch.arguments)
    if (!is_text(argument)) return "arguments";
  return {};
}

// A daemon that died is started again within a second; a machine that is busy takes longer.
constexpr int kTries = 20;
constexpr int kMostLosses = 3;
constexpr auto kPause = std::chrono::milliseconds(250);

Result<std::string> new_key() {
  std::uint64_t words[2] = {};
  if (::getrandom(words, sizeof words, 0) != sizeof words)
    return failed("the system gives no random numbers");
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

Result<std::string> send_submission(Connection& daemon, const SubmitRequest& request) {
  for (const JobSpec& spec : request.jobs)
    if (const std::string field = field_that_is_no_text(spec); !field.empty())
      return bad_input(field + ": is not UTF-8 text", "only UTF-8 can be sent as it is");
  // The same table as the daemon's: what it would refuse is not sent.
  for (const JobSpec& spec : request.jobs)
    if (std::string problem = out_of_bounds(spec); !problem.empty())
      return bad_input(std::move(problem), "see docs/reference/bounds.md");
  TRY(const std::string key, new_key());
  const std::string target = "/v1/jobs?key=" + key;
  const std::string body = to_json(request);
  Result<std::string> answer = daemon.send("POST", target, body);
  // How often a daemon was lost with this request in its hands. One that ends every daemon is not
  // sent for ever.
  int lost_with_it = 0;
  for (int i = 0; !answer && answer.error().kind == ErrorKind::kUnreachable; ++i) {
    const Error lost = answer.error();
    if (++lost_with_it > kMostLosses || i == kTries)
      return tl::unexpected<Error>(Error{
          ErrorKind::kUnknown,
          fmt::format("the daemon was lost before it answered{}, so it is not known whether "
                      "the job was taken: {}",
                      lost_with_it > kMostLosses ? fmt::format(" {} times", lost_with_it) : "",
                      lost.what),
          lost.where, "look for it: sluice queue --me"});
    if (i > 0) std::this_thread::sleep_for(kPause * (1 << std::min(lost_with_it, kMostLosses)));
    auto again = Connection::open();
    for (; !again && again.error().kind != ErrorKind::kNotAllowed && i < kTries; ++i) {
      std::this_thread::sleep_for(kPause);
      again = Connection::open();
    }
    if (!again) {
      answer = tl::unexpected<Error>(again.error());
      if (answer.error().kind != ErrorKind::kNotAllowed)
        answer.error().kind = ErrorKind::kUnreachable;
      continue;
    }
    daemon = std::move(*again);
    answer = daemon.send("POST", target, body);
  }
  return answer;
}

}  // namespace sluice
