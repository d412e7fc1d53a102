// Who gets an answer, without a socket.
#include "web/guard.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

HttpRequest request(std::string method, std::map<std::string, std::string, std::less<>> headers) {
  HttpRequest out;
  out.method = std::move(method);
  out.path = "/";
  out.peer.uid = 1000;
  out.headers = std::move(headers);
  return out;
}

WebAccess access() {
  WebAccess out;
  out.own_uid = 1000;
  return out;
}

int status(const HttpRequest& asked, const WebAccess& given) {
  return refusal_of(asked, given, CookieNeeded::kYes).status;
}

TEST(WebGuard, AnswersItsOwnUserUnderItsOwnNames) {
  for (const char* host : {"localhost", "localhost:8080", "127.0.0.1:1", "[::1]", "[::1]:80"})
    EXPECT_EQ(status(request("GET", {{"host", host}}), access()), 0) << host;
}

TEST(WebGuard, RefusesNamesThatOnlyBeginOrEndLikeItsOwn) {
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "evil-localhost", "[::1]x",
        "[::1].evil.example", "LOCALHOST@evil", "127.0.0.1.nip.io", "[::1", ":80"})
    EXPECT_EQ(status(request("GET", {{"host", host}}), access()), 403) << host;
}

TEST(WebGuard, RefusesOtherUsersButRoot) {
  HttpRequest asked = request("GET", {{"host", "localhost"}});
  asked.peer.uid = 1001;
  EXPECT_EQ(status(asked, access()), 403);
  asked.peer.uid = 0;
  EXPECT_EQ(status(asked, access()), 0);
}

TEST(WebGuard, RefusesOtherOrigins) {
  for (const char* origin : {"null", "http://evil.example", "https://localhost:8080",
                             "http://localhost:8081", "http://localhost:8080.evil.example"})
    EXPECT_EQ(status(request("GET", {{"host", "localhost:8080"}, {"origin", origin}}), access()),
              403)
        << origin;
  EXPECT_EQ(
      status(request("GET", {{"host", "localhost:8080"}, {"origin", "http://localhost:8080"}}),
             access()),
      0);
}

TEST(WebGuard, ChangesNeedPermissionAndTheirOrigin) {
  WebAccess given = access();
  const HttpRequest own = request("POST", {{"host", "localhost"}, {"origin", "http://localhost"}});
  EXPECT_EQ(status(own, given), 403);
  given.may_write = true;
  EXPECT_EQ(status(own, given), 0);
  EXPECT_EQ(status(request("POST", {{"host", "localhost"}}), given), 403);
}

TEST(WebGuard, OnTcpTheCookieCounts) {
  WebAccess given = access();
  given.needs_cookie = true;
  given.cookie_name = "sluice_1";
  given.cookie = "secret";
  for (const char* cookie : {"", "sluice_1=", "sluice_1=Secret", "sluice_11=secret",
                             "xsluice_1=secret", "a=sluice_1=secret", "sluice_1=secret2"})
    EXPECT_EQ(status(request("GET", {{"host", "localhost"}, {"cookie", cookie}}), given), 401)
        << cookie;
  EXPECT_EQ(
      status(request("GET", {{"host", "localhost"}, {"cookie", "a=b; sluice_1=secret"}}), given),
      0);
  // Without a secret nothing is equal to it.
  given.cookie.clear();
  EXPECT_EQ(status(request("GET", {{"host", "localhost"}, {"cookie", "sluice_1="}}), given), 401);
}

// Every method, host, origin and cookie with every other: the cells that pass can be counted.
TEST(WebGuard, OfAllCombinationsOnlyThoseOfItsOwnPagePass) {
  const std::vector<std::string> methods = {"GET",   "HEAD",    "POST",  "PUT",
                                            "PATCH", "OPTIONS", "TRACE", "DELETE"};
  const std::vector<std::string> hosts = {
      "localhost:80",    "127.0.0.1:80",      "[::1]:80",           "",
      "evil.example",    "localhost.evil",    "127.0.0.1.nip.io",   "0.0.0.0:80",
      "[::ffff:7f00:1]", "localhost@evil:80", "xn--localhost-x:80", "2130706433:80"};
  const std::vector<std::string> origins = {"",     "http://HOST",         "https://HOST",
                                            "null", "http://evil.example", "http://HOST.evil"};
  const std::vector<std::string> cookies = {"", "c=secret", "c=Secret", "d=secret"};
  int passed = 0;
  for (const bool may_write : {false, true})
    for (const auto& method : methods)
      for (std::size_t host = 0; host < hosts.size(); ++host)
        for (std::size_t origin = 0; origin < origins.size(); ++origin)
          for (std::size_t cookie = 0; cookie < cookies.size(); ++cookie) {
            WebAccess given = access();
            given.may_write = may_write;
            given.needs_cookie = true;
            given.cookie_name = "c";
            given.cookie = "secret";
            std::string from = origins[origin];
            if (const std::size_t at = from.find("HOST"); at != std::string::npos)
              from.replace(at, 4, hosts[host]);
            HttpRequest asked =
                request(method, {{"host", hosts[host]}, {"cookie", cookies[cookie]}});
            if (!from.empty()) asked.headers["origin"] = from;
            // Anybody can connect to a port of this machine.
            asked.peer.is_known = false;
            const bool is_own = host < 3 && cookie == 1 && origin <= 1;
            const bool may = method == "GET" ? is_own : is_own && may_write && origin == 1;
            EXPECT_EQ(status(asked, given) == 0, may)
                << method << " " << hosts[host] << " " << from << " " << cookies[cookie];
            passed += status(asked, given) == 0 ? 1 : 0;
          }
  // GET with its own origin or none, with and without --write; and the others with --write.
  EXPECT_EQ(passed, 2 * 3 * 2 + 7 * 3);
}

TEST(WebGuard, SecretsDiffer) { EXPECT_NE(random_secret(), random_secret()); }

}  // namespace
}  // namespace sluice
