#include "cli/connection.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/check.h"
#include "base/error_codes.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

constexpr int kTries = 10;
constexpr auto kPause = std::chrono::milliseconds(100);
constexpr auto kQuickRestart = std::chrono::seconds(1);
// An upgrade of the machine takes less; a daemon that is not started again is not waited for.
constexpr auto kLongestAbsence = std::chrono::hours(1);

Connector& connector() {
  static Connector chosen = nullptr;
  return chosen;
}

Error error_of(const HttpResponse& response) {
  const auto reply = from_json<ErrorReply>(response.body);
  if (!reply)
    return Error{
        ErrorKind::kFailed, fmt::format("the daemon answered {}", response.status), {}, {}};
  Error error{kind_of_exit_code(reply->error.code), reply->error.what, reply->error.where,
              reply->error.hint};
  for (const FindingLine& finding : reply->error.findings) {
    error.what += fmt::format("\n{}: {}: {} [{}]", finding.where, finding.severity, finding.what,
                              finding.rule);
    if (!finding.fix.empty()) error.what += "\n  " + finding.fix;
  }
  return error;
}

}  // namespace

void use_connector(Connector chosen) { connector() = chosen; }

Result<Connection> Connection::open(StartDaemon start) {
  CHECK(connector() != nullptr);
  TRY(HttpClient client, connector()(start));
  return Connection(std::move(client), start);
}

Result<std::string> Connection::get(std::string_view target) {
  auto response = client_.request("GET", target, {});
  // While a command waits the daemon may be stopped on purpose: it must not start it again.
  const bool waits = patient_ || target.find("wait=") != std::string_view::npos;
  while (!response && waits && response.error().kind == ErrorKind::kUnreachable) {
    TRY_VOID(wait_until_back(response.error()));
    response = client_.request("GET", target, {});
  }
  const bool may_ask_again = start_ == StartDaemon::kIfAbsent && !waits;
  for (int i = 0; !response && may_ask_again && i < kTries; ++i) {
    // The kernel takes connections for a process that it is about to end.
    if (i > 0) std::this_thread::sleep_for(kPause);
    TRY(client_, connector()(start_));
    response = client_.request("GET", target, {});
  }
  if (!response) return tl::unexpected<Error>(response.error());
  if (response->status != 200) return tl::unexpected<Error>(error_of(*response));
  return std::move(response->body);
}

Result<void> Connection::wait_until_back(const Error& lost) {
  const auto began = std::chrono::steady_clock::now();
  bool said = false;
  while (true) {
    auto client = connector()(StartDaemon::kNever);
    if (client) {
      client_ = std::move(*client);
      if (said) fmt::print(stderr, "sluice: the daemon is back\n");
      return {};
    }
    const auto waited = std::chrono::steady_clock::now() - began;
    if (client.error().kind != ErrorKind::kUnreachable || waited > kLongestAbsence) break;
    // One that is restarted at once need not be mentioned.
    if (!said && waited > kQuickRestart) {
      fmt::print(stderr,
                 "sluice: the daemon has stopped; jobs run on, and this command waits until it is "
                 "started again\n");
      said = true;
    }
    std::this_thread::sleep_for(kPause);
  }
  return tl::unexpected<Error>(
      Error{lost.kind, lost.what, lost.where, "start it again: sluice daemon start"});
}

Result<std::string> Connection::send(std::string_view method, std::string_view target,
                                     std::string_view body) {
  TRY(HttpResponse response, client_.request(method, target, body));
  if (response.status != 200) return tl::unexpected<Error>(error_of(response));
  return std::move(response.body);
}

Result<void> Connection::stream(std::string_view target,
                                const std::function<bool(std::string_view)>& take) {
  TRY(const HttpResponse response, client_.stream(target, take));
  if (response.status != 200) return tl::unexpected<Error>(error_of(response));
  return {};
}

}  // namespace sluice
