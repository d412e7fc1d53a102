#include "cli/submission.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "wire/api_fields.h"

namespace sluice {
namespace {

// A daemon that died is started again within a second; a machine that is busy takes longer.
constexpr int kTries = 20;
constexpr auto kPause = std::chrono::milliseconds(250);

Result<std::string> new_key() {
  std::uint64_t words[2] = {};
  if (::getrandom(words, sizeof words, 0) != sizeof words)
    return failed("the system gives no random numbers");
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

Result<std::string> send_submission(Connection& daemon, const SubmitRequest& request) {
  TRY(const std::string key, new_key());
  const std::string target = "/v1/jobs?key=" + key;
  const std::string body = to_json(request);
  Result<std::string> answer = daemon.send("POST", target, body);
  Error lost;
  for (int i = 0; !answer && answer.error().kind == ErrorKind::kUnreachable; ++i) {
    lost = answer.error();
    if (i == kTries)
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnknown,
                "the daemon was lost before it answered, so it is not known whether the job was "
                "taken: " +
                    lost.what,
                lost.where, "look for it: sluice queue --me"});
    if (i > 0) std::this_thread::sleep_for(kPause);
    auto again = Connection::open();
    if (!again) {
      answer = tl::unexpected<Error>(again.error());
      answer.error().kind = ErrorKind::kUnreachable;
      continue;
    }
    daemon = std::move(*again);
    answer = daemon.send("POST", target, body);
  }
  return answer;
}

}  // namespace sluice
