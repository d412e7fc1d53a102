// How verbs reach the daemon: main() says how to find one, or to start it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/cli.h"
#include "views/json_fields.h"
#include "wire/http_client.h"

namespace sluice {

enum class StartDaemon : std::uint8_t { kIfAbsent, kNever };

using Connector = Result<HttpClient> (*)(StartDaemon start);
void use_connector(Connector connector);

// One connection to the daemon. An answer other than 200 is an Error with what it says.
class Connection {
 public:
  static Result<Connection> open(StartDaemon start = StartDaemon::kIfAbsent);

  // A question changes nothing: one that a dying daemon did not answer is asked of the next. A
  // command that waits goes on waiting through the daemon's restart, and starts none.
  Result<std::string> get(std::string_view target);
  // From now on the command waits: no question starts a daemon that was stopped.
  void wait_through_restarts() {
    start_ = StartDaemon::kNever;
    patient_ = true;
  }
  // Until a daemon answers again; kUnreachable where none does for long.
  Result<void> wait_until_back(const Error& lost);
  Result<std::string> send(std::string_view method, std::string_view target, std::string_view body);
  Result<void> stream(std::string_view target, const std::function<bool(std::string_view)>& take);

  template <class T>
  Result<T> fetch(std::string_view target) {
    TRY(const std::string body, get(target));
    return from_json<T>(body);
  }
  template <class T, class Body>
  Result<T> post(std::string_view method, std::string_view target, const Body& request) {
    TRY(const std::string body, send(method, target, to_json(request)));
    return from_json<T>(body);
  }

 private:
  Connection(HttpClient client, StartDaemon start) : client_(std::move(client)), start_(start) {}
  HttpClient client_;
  StartDaemon start_;
  bool patient_ = false;
};

}  // namespace sluice
