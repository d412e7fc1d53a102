// The server side, with Boost.Beast. One of the few files that include it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>
#include <set>

#include "wire/http.h"
#include "wire/loop_parts.h"

namespace sluice {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;
// The loop's own kind of executor: asio's usual one can be any, and asks at every step which it is.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<Local, Executor>;
using Acceptor = asio::basic_socket_acceptor<Local, Executor>;

// A reader of a stream that is so far behind is cut off: it would fill the daemon's memory.
constexpr std::size_t kMostUnsent = std::size_t{8} << 20;
constexpr std::uint32_t kLongestHeader = 16 << 10;
// A submission with its environment is read at once.
constexpr std::size_t kUsualRequest = 8 << 10;

std::optional<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  return Peer{credentials.uid, credentials.gid, credentials.pid};
}

void split_target(std::string_view target, HttpRequest& out) {
  const std::size_t mark = target.find('?');
  out.path = percent_decoded(target.substr(0, mark));
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (!pair.empty())
      out.query.emplace(percent_decoded(pair.substr(0, equals)),
                        equals == std::string_view::npos
                            ? std::string()
                            : percent_decoded(pair.substr(equals + 1)));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
}

class Session;

}  // namespace

struct HttpServer::Parts : std::enable_shared_from_this<HttpServer::Parts> {
  Parts(Loop& loop, const HttpServerSettings& given, Handler handle)
      : settings(given),
        handler(std::move(handle)),
        acceptor(loop.parts().context),
        sweep(loop.parts().context) {}
  void accept();
  // Closes the connections on which nothing came for too long, and comes back for the next. One
  // timer for all of them: setting one for every request costs more than reading it.
  void sweep_in(std::chrono::milliseconds time);

  HttpServerSettings settings;
  Handler handler;
  Acceptor acceptor;
  asio::steady_timer sweep;
  bool sweeping = false;
  std::set<Session*> sessions;
  std::map<std::uint32_t, std::size_t> connections;  // By uid.
  bool closed = false;
};

namespace {

using Clock = std::chrono::steady_clock;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket socket, Peer peer, std::shared_ptr<HttpServer::Parts> server)
      : socket_(std::move(socket)), peer_(peer), server_(std::move(server)) {
    server_->sessions.insert(this);
    ++server_->connections[peer_.uid];
    buffer_.reserve(kUsualRequest);
  }
  ~Session() {
    server_->sessions.erase(this);
    const auto found = server_->connections.find(peer_.uid);
    if (--found->second == 0) server_->connections.erase(found);
  }

  void read();
  void write(std::string bytes, bool close);
  void refuse(int status, std::string_view why);
  bool is_open() const { return open_; }
  std::size_t unsent() const { return unsent_; }
  // Since when a request is waited for. Who waits for a job, or follows one, may wait long.
  const std::optional<Clock::time_point>& reading_since() const { return reading_since_; }
  void close() {
    open_ = false;
    beast::error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
  }
  // Whatever else comes is no request; but the end of the connection is noticed.
  void follow() {
    keep_alive = false;
    read();
    reading_since_.reset();
  }
  bool keep_alive = true;

 private:
  void write_next();

  Socket socket_;
  Peer peer_;
  std::shared_ptr<HttpServer::Parts> server_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::deque<std::pair<std::string, bool>> out_;  // And whether to close after it.
  std::size_t unsent_ = 0;
  std::optional<Clock::time_point> reading_since_;
  bool writing_ = false;
  bool open_ = true;
};

class Reply final : public HttpReply {
 public:
  explicit Reply(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  ~Reply() override {
    // Whoever forgets to answer has a bug; the other end must not wait for ever.
    if (!answered_) session_->refuse(500, "no answer was given");
  }
  void send(int status, std::string_view content_type, std::string body) override {
    if (answered_) return;
    answered_ = true;
    const auto reason = http::obsolete_reason(static_cast<http::status>(status));
    std::string head =
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", status,
                    std::string_view(reason.data(), reason.size()), content_type, body.size(),
                    session_->keep_alive ? "" : "Connection: close\r\n");
    head += body;
    session_->write(std::move(head), !session_->keep_alive);
    if (session_->keep_alive) session_->read();
  }
  void begin_stream(std::string_view content_type) override {
    if (answered_) return;
    answered_ = true;
    streaming_ = true;
    session_->write(fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nCache-Control: no-store\r\n"
                                "Connection: close\r\n\r\n",
                                content_type),
                    false);
    session_->follow();
  }
  bool push(std::string bytes) override {
    if (!streaming_ || !session_->is_open()) return false;
    if (session_->unsent() > kMostUnsent) {
      session_->close();
      return false;
    }
    session_->write(std::move(bytes), false);
    return true;
  }
  void finish() override {
    if (streaming_) session_->write({}, true);
    streaming_ = false;
  }
  bool is_open() const override { return session_->is_open(); }

 private:
  std::shared_ptr<Session> session_;
  bool answered_ = false;
  bool streaming_ = false;
};

void Session::read() {
  parser_.emplace();
  parser_->body_limit(server_->settings.longest_body);
  parser_->header_limit(kLongestHeader);
  reading_since_ = Clock::now();
  if (!server_->sweeping) server_->sweep_in(server_->settings.idle);
  http::async_read(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const beast::error_code& error, std::size_t) {
        if (error == http::error::body_limit)
          return self->refuse(413, fmt::format("a request may have {} bytes",
                                               self->server_->settings.longest_body));
        if (error == http::error::header_limit) return self->refuse(431, "the header is too long");
        if (error) {
          // A parser's complaint deserves an answer; a connection that ended does not.
          const bool complaint =
              error.category() == http::make_error_code(http::error::bad_method).category() &&
              error != http::error::end_of_stream && error != http::error::partial_message;
          return complaint ? self->refuse(400, error.message()) : self->close();
        }
        auto message = self->parser_->release();
        HttpRequest request;
        request.method = std::string(message.method_string());
        split_target(std::string_view(message.target().data(), message.target().size()), request);
        request.body = std::move(message.body());
        request.peer = self->peer_;
        self->keep_alive = message.keep_alive();
        self->reading_since_.reset();
        self->server_->handler(std::move(request), std::make_shared<Reply>(self));
      });
}

void Session::refuse(int status, std::string_view why) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(status));
  const std::string body = fmt::format("{{\"error\":{{\"what\":\"{}\"}}}}", why);
  write(fmt::format("HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
                    "Connection: close\r\n\r\n{}",
                    status, std::string_view(reason.data(), reason.size()), body.size(), body),
        true);
}

void Session::write(std::string bytes, bool close_after) {
  if (!open_) return;
  // Most answers fit into the socket's buffer: one system call and no detour through the loop.
  if (!writing_ && out_.empty() && !bytes.empty()) {
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(bytes.size())) {
      if (close_after) close();
      return;
    }
    if (sent > 0) bytes.erase(0, static_cast<std::size_t>(sent));
  }
  unsent_ += bytes.size();
  out_.emplace_back(std::move(bytes), close_after);
  if (!writing_) write_next();
}

void Session::write_next() {
  if (out_.empty()) return;
  writing_ = true;
  asio::async_write(socket_, asio::buffer(out_.front().first),
                    [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                      self->writing_ = false;
                      self->unsent_ -= self->out_.front().first.size();
                      const bool last = self->out_.front().second;
                      self->out_.pop_front();
                      if (error || last) return self->close();
                      self->write_next();
                    });
}

}  // namespace

void HttpServer::Parts::accept() {
  acceptor.async_accept([self = shared_from_this()](const beast::error_code& error, Socket socket) {
    if (self->closed) return;
    if (!error) {
      const auto peer = peer_of(socket.native_handle());
      if (peer) {
        const auto session = std::make_shared<Session>(std::move(socket), *peer, self);
        if (self->connections[peer->uid] > self->settings.connections_of_one_user && peer->uid != 0)
          session->refuse(503, "too many connections of one user");
        else
          session->read();
      }
    }
    self->accept();
  });
}

void HttpServer::Parts::sweep_in(std::chrono::milliseconds time) {
  sweeping = true;
  sweep.expires_after(time);
  sweep.async_wait([self = shared_from_this()](const beast::error_code& error) {
    self->sweeping = false;
    if (error || self->closed) return;
    const auto now = Clock::now();
    std::optional<Clock::time_point> first;
    for (Session* session : self->sessions) {
      const auto& since = session->reading_since();
      if (!since) continue;
      if (now - *since >= self->settings.idle)
        session->close();
      else
        first = std::min(first.value_or(*since), *since);
    }
    if (first)
      self->sweep_in(
          std::chrono::ceil<std::chrono::milliseconds>(*first + self->settings.idle - now));
  });
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop,
                                                       const HttpServerSettings& settings,
                                                       Handler handler) {
  auto parts = std::make_shared<Parts>(loop, settings, std::move(handler));
  const auto cannot = [&](const std::string& what) {
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, what, settings.socket, {}});
  };
  // sun_path holds 108 bytes with its end.
  if (settings.socket.size() > 107)
    return cannot("is too long for a socket's name (107 bytes); set SLUICE_HOME to a shorter one");
  ::unlink(settings.socket.c_str());
  beast::error_code error;
  parts->acceptor.open(Local(), error);
  if (error) return cannot(error.message());
  ::fcntl(parts->acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  const mode_t before = ::umask(settings.for_everybody ? 0111 : 0177);
  parts->acceptor.bind(Local::endpoint(settings.socket), error);
  ::umask(before);
  if (error) return cannot("cannot be listened on: " + error.message());
  parts->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot("cannot be listened on: " + error.message());
  parts->accept();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() { close(); }

void HttpServer::close() {
  if (parts_->closed) return;
  parts_->closed = true;
  beast::error_code ignored;
  parts_->acceptor.close(ignored);
  parts_->sweep.cancel();
  ::unlink(parts_->settings.socket.c_str());
}

}  // namespace sluice
