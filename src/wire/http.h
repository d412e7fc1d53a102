// HTTP over a unix socket: what was asked, and how to answer, without the library's types.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "wire/loop.h"

namespace sluice {

// The user at the other end, as the kernel says: SO_PEERCRED, or on TCP its list of connections.
struct Peer {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int32_t pid = 0;
  bool is_known = true;  // False on TCP where the kernel does not tell: then `uid` means nothing.
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // Decoded, without the query: "/v1/jobs/12".
  std::multimap<std::string, std::string> query;
  std::string body;
  Peer peer;
  // By names in lower case, where the server's settings keep them.
  std::map<std::string, std::string, std::less<>> headers;

  // The value of a header, or "".
  std::string_view header(std::string_view lower_case_name) const;

  // The first value of a name in the query, or "".
  std::string parameter(const std::string& name) const;
};

// Answers one request: once, or as a stream that stays open. May be kept and used later from the
// loop; does nothing when the other end has gone.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  // One more line of the answer's head, before send() or begin_stream().
  virtual void add_header(std::string_view name, std::string_view value) = 0;
  virtual void send(int status, std::string_view content_type, std::string body) = 0;
  // After this only push() and finish().
  virtual void begin_stream(std::string_view content_type) = 0;
  // False when the other end has gone or is too slow to be waited for.
  virtual bool push(std::string bytes) = 0;
  // Once, when everything that was pushed has left: for what is long, piece by piece.
  virtual void when_sent(std::function<void()> then) = 0;
  virtual void finish() = 0;
  // What the request costs beyond the time of its handler: its user waits as much longer before the
  // next.
  virtual void costs(std::chrono::microseconds more) = 0;
  // False once the other end has gone.
  virtual bool is_open() const = 0;
};

// What one connection, one user and all together may take. Root and the server's own user are not
// bounded by what is "of one user", except in connections.
struct HttpServerSettings {
  std::string socket;
  bool for_everybody = false;  // 0666 rather than 0600.
  // On 127.0.0.1 instead of the socket; 0: any free port.
  std::optional<std::uint16_t> loopback_port;
  // Whoever is known to be neither root nor the server's own user is sent away before a word is
  // read.
  bool own_user_only = false;
  bool keep_headers = false;
  // A script has at most 4 MB, and JSON may write a byte of it as several.
  std::size_t longest_body = std::size_t{16} << 20;
  std::size_t connections_of_one_user = 1024;
  std::size_t connections = 4096;
  // Bodies that are on their way, and answers that were not read yet.
  std::size_t receiving_of_one_user = std::size_t{32} << 20;
  std::size_t receiving = std::size_t{96} << 20;
  std::size_t unsent_of_one_user = std::size_t{32} << 20;
  std::size_t unsent = std::size_t{256} << 20;
  // A connection on which nothing comes for so long is closed, also in the middle of a request.
  Duration idle = seconds(300);
  // Once its header is there, the rest of a request comes within this time.
  Duration longest_body_time = seconds(30);
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest request, std::shared_ptr<HttpReply> reply)>;

  // Removes a socket without a listener; the caller's lock says that there is none.
  static Result<std::unique_ptr<HttpServer>> listen(Loop& loop, const HttpServerSettings& settings,
                                                    Handler handler);
  ~HttpServer();
  // No new connections; the socket's file is removed.
  void close();
  // Where it listens on 127.0.0.1; 0 on a unix socket.
  std::uint16_t port() const;

  struct Parts;  // Shared with the connections, which may outlive the server.

 private:
  explicit HttpServer(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;
};

// "a%20b" is "a b"; what is wrongly written stays as it is.
std::string percent_decoded(std::string_view text);
std::string percent_encoded(std::string_view text);

}  // namespace sluice
