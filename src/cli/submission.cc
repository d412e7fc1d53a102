#include "cli/submission.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "model/job_bounds.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

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
