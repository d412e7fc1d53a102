// Which requests to the page's server are answered. A browser asks on behalf of every page it has
// open, so neither the address nor a cookie alone says that our own page asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http.h"

namespace sluice {

struct WebAccess {
  std::uint32_t own_uid = 0;
  bool for_proxies = false;  // Processes of other users may ask, too; each needs the cookie.
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]"};  // And no other name.
  bool may_write = false;
  // On TCP every user of the machine can connect: a request needs the cookie.
  bool needs_cookie = false;
  std::string cookie_name;
  std::string cookie;
  // What Prometheus sends instead of a cookie, for /metrics alone.
  std::string metrics_token;
};

struct WebRefusal {
  int status = 0;  // 0: answered.
  std::string why;
  std::string hint;
};

// The request that exchanges the token for a cookie needs none.
enum class CookieNeeded : std::uint8_t { kYes, kNo };
WebRefusal refusal_of(const HttpRequest& request, const WebAccess& access, CookieNeeded cookie);

// In a time that does not depend on where they differ.
bool is_same_secret(std::string_view one, std::string_view other);

// The value of a cookie, or "".
std::string_view cookie_of(std::string_view header, std::string_view name);

// 256 bits of the kernel's, in hexadecimal.
std::string random_secret();

}  // namespace sluice
