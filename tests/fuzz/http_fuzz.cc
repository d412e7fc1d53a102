// Any bytes on the daemon's socket: answers or an end, and never more than one answer that nobody
// read.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "wire/http.h"
#include "wire/loop.h"
#include "wire/socket_for_tests.h"

namespace {

using namespace sluice;

struct Server {
  Server() {
    HttpServerSettings settings;
    settings.socket = place.path();
    settings.longest_body = 1 << 16;
    auto made = HttpServer::listen(loop, settings, [](HttpRequest request, auto reply) {
      CHECK(request.body.size() <= 1 << 16);
      if (request.path == "/stream") {
        reply->begin_stream("text/plain");
        reply->push(request.method);
        return reply->finish();
      }
      reply->send(200, "text/plain", request.path + request.parameter("a"));
    });
    CHECK(made.has_value());
    server = std::move(*made);
  }
  SocketForTests place;
  Loop loop;
  std::unique_ptr<HttpServer> server;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server;
  const int line = SocketForTests::open(server.place.path(), ::connect);
  ::fcntl(line, F_SETFL, O_NONBLOCK);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  char answer[4096];
  for (int i = 0; i < 8; ++i) {
    const std::size_t piece = i == 7 ? rest.size() : std::min(rest.size(), size / 4 + 1);
    const ssize_t sent = ::send(line, rest.data(), piece, MSG_NOSIGNAL);
    if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
    server.loop.run_ready();
    while (::recv(line, answer, sizeof answer, 0) > 0) {
    }
  }
  ::close(line);
  server.loop.run_ready();
  return 0;
}
