// What a browser, or any process on the machine, may put into a request to the page, and the
// kernel's list of connections: nobody comes in by it who does not have the cookie.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "web/guard.h"
#include "wire/tcp_peer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)peer_in_table(text, "0100007F:1F90", "0100007F:C350");

  // Lines: the method, the path, and then header by header.
  HttpRequest request;
  std::string_view rest = text;
  const auto line = [&rest] {
    const std::string_view first = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), first.size() + 1));
    return std::string(first);
  };
  request.method = line();
  request.path = line();
  for (const char* name :
       {"host", "origin", "cookie", "content-type", "authorization", "referer", "sec-fetch-site"})
    if (!rest.empty()) request.headers[name] = line();
  WebAccess access;
  access.needs_cookie = true;
  access.cookie_name = "sluice-1";
  access.cookie = "5f0c6d1e2a7b49388d01";
  access.metrics_token = "a8e17f09b3c2";
  access.may_write = true;
  const WebRefusal refusal = refusal_of(request, access, CookieNeeded::kYes);
  const bool knows_a_secret = text.find(access.cookie) != std::string_view::npos ||
                              text.find(access.metrics_token) != std::string_view::npos;
  CHECK(refusal.status != 0 || knows_a_secret);
  if (refusal.status != 0) CHECK(!refusal.why.empty());
  return 0;
}
