#include "web/guard.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace sluice {
namespace {

// "localhost:8080" without its port; "[::1]:8080" keeps its brackets.
std::string_view name_of(std::string_view host) {
  const std::size_t bracket = host.find(']');
  if (host.starts_with('[') && bracket != std::string_view::npos)
    return bracket + 1 == host.size() || host[bracket + 1] == ':' ? host.substr(0, bracket + 1)
                                                                  : host;
  return host.substr(0, host.find(':'));
}

bool is_page_load(const HttpRequest& request) {
  return request.method == "GET" && request.header("sec-fetch-mode") == "navigate" &&
         request.header("sec-fetch-dest") == "document";
}

}  // namespace

WebRefusal refusal_of(const HttpRequest& request, const WebAccess& access, CookieNeeded cookie) {
  if (request.peer.is_known && request.peer.uid != access.own_uid && request.peer.uid != 0 &&
      !access.for_proxies)
    return {403, "this page is another user's", "start your own: sluice web"};
  // A name that an attacker's server resolves to this machine (DNS rebinding) is another name.
  const std::string_view host = request.header("host");
  if (std::find(access.hosts.begin(), access.hosts.end(), name_of(host)) == access.hosts.end())
    return {403, fmt::format("no page for the host '{}' here", host.substr(0, 100)),
            "open it as http://localhost:PORT/, or name the host: sluice web --host NAME"};
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && origin != fmt::format("http://{}", host))
    return {403, "another page may not ask", ""};
  const std::string_view site = request.header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none" && !is_page_load(request))
    return {403, "another page may not ask", ""};
  if (request.method != "GET") {
    if (!access.may_write)
      return {403, "this page only shows",
              "to let it change jobs, start it with: sluice web --write"};
    if (origin.empty()) return {403, "a change must say which page asks (Origin)", ""};
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.header("authorization");
  if (request.path == "/metrics" && authorization.starts_with(kBearer) &&
      is_same_secret(authorization.substr(kBearer.size()), access.metrics_token))
    return {};
  if (access.needs_cookie && cookie == CookieNeeded::kYes &&
      !is_same_secret(cookie_of(request.header("cookie"), access.cookie_name), access.cookie))
    return {401, "not logged in", "open the address that 'sluice web --tcp' printed"};
  return {};
}

bool is_same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size() || one.empty()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    different |= static_cast<unsigned>(one[i] ^ other[i]);
  return different == 0;
}

std::string_view cookie_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view pair = header.substr(0, end);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    header = end == std::string_view::npos ? std::string_view() : header.substr(end + 1);
  }
  return {};
}

std::string random_secret() {
  std::array<unsigned char, 32> bytes{};
  CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

}  // namespace sluice
