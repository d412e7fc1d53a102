// The client side: one request after another on one connection, each waited for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::string body;
};

class HttpClient {
 public:
  // ErrorKind::kUnreachable where no process listens, kNotAllowed where one does that is neither
  // root nor this process's own user.
  static Result<HttpClient> connect(const std::string& socket);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  Result<HttpResponse> request(std::string_view method, std::string_view target,
                               std::string_view body = {});
  // Hands on what comes until the other end finishes or `take` says false. An answer other than
  // 200 comes back whole, and nothing was taken.
  Result<HttpResponse> stream(std::string_view target,
                              const std::function<bool(std::string_view)>& take);

 private:
  struct Parts;
  explicit HttpClient(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Whether a daemon serves at this socket. One that is on its way out may still take connections,
// but answers none.
bool daemon_answers(const std::string& socket);

}  // namespace sluice
