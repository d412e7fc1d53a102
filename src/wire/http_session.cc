// A connection: requests one after another, and no more memory than the server's settings allow.
#include "wire/http_session.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <cctype>
#include <utility>

namespace sluice {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// A reader of a stream that is so far behind is cut off: it would fill the daemon's memory.
constexpr std::size_t kMostUnsent = std::size_t{8} << 20;
constexpr std::size_t kLongBody = 64 << 10;
// What a client may still send once it hears a stream: it has nothing to say.
constexpr std::size_t kMostSaidInStream = 64 << 10;
constexpr std::uint32_t kLongestHeader = 16 << 10;
// A submission with its environment is read at once. What is not longer is not counted.
constexpr std::size_t kUsualRequest = 8 << 10;
// What a request costs beyond its handler: the engine's turn, the commit.
constexpr std::chrono::microseconds kLeastCost(50);

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

std::string head_of(int status, std::string_view content_type, std::string_view rest) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(status));
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}\r\n", status,
                     std::string_view(reason.data(), reason.size()), content_type, rest);
}

// The first of each name.
void keep_headers(const http::fields& fields, HttpRequest& out) {
  for (const auto& field : fields) {
    std::string name(field.name_string());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    out.headers.emplace(std::move(name), std::string(field.value()));
  }
}

class Reply final : public HttpReply {
 public:
  explicit Reply(std::shared_ptr<HttpSession> session) : session_(std::move(session)) {}
  ~Reply() override {
    // A daemon that stops, or forgets to answer: the other end sees that the connection is gone,
    // and neither waits for ever nor takes it for an answer.
    if (!answered_) session_->close();
  }
  void add_header(std::string_view name, std::string_view value) override {
    headers_ += fmt::format("{}: {}\r\n", name, value);
  }
  void send(int status, std::string_view content_type, std::string body) override {
    if (answered_) return;
    answered_ = true;
    const bool stays = session_->keeps_alive();
    std::string message = head_of(status, content_type,
                                  fmt::format("Content-Length: {}\r\n{}{}", body.size(),
                                              stays ? "" : "Connection: close\r\n", headers_));
    // What is long is not copied once more.
    if (body.size() > kLongBody) {
      session_->write(std::move(message), false);
      session_->write(std::move(body), !stays);
    } else {
      message += body;
      session_->write(std::move(message), !stays);
    }
    if (stays) session_->read_next();
  }
  void begin_stream(std::string_view content_type) override {
    if (answered_) return;
    answered_ = true;
    streaming_ = true;
    session_->write(
        head_of(200, content_type, "Cache-Control: no-store\r\nConnection: close\r\n" + headers_),
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
    return session_->is_open();
  }
  void when_sent(std::function<void()> then) override { session_->when_sent(std::move(then)); }
  void finish() override {
    if (streaming_) session_->write({}, true);
    streaming_ = false;
  }
  void costs(std::chrono::microseconds more) override { session_->costs(more); }
  bool is_open() const override { return session_->is_open(); }

 private:
  std::shared_ptr<HttpSession> session_;
  std::string headers_;
  bool answered_ = false;
  bool streaming_ = false;
};

}  // namespace

HttpSession::HttpSession(HttpSocket socket, Peer peer, std::shared_ptr<HttpServer::Parts> server)
    : socket_(std::move(socket)),
      peer_(peer),
      server_(std::move(server)),
      share_(server_->users[peer_.uid]) {
  server_->sessions.insert(this);
  ++share_.connections;
  buffer_.reserve(kUsualRequest);
}

HttpSession::~HttpSession() {
  stop_receiving();
  share_.unsent -= unsent_;
  server_->unsent -= unsent_;
  server_->sessions.erase(this);
  // The share itself stays while its user has to wait: a new connection waits as well.
  if (--share_.connections == 0 && share_.free_at <= Clock::now()) server_->users.erase(peer_.uid);
}

void HttpSession::close() {
  open_ = false;
  // What was to come knows the call, which knows this session: nobody would ever let go. It goes at
  // the end of this function, and this session after it.
  const auto self = weak_from_this().lock();
  const auto to_come = std::exchange(then_, {});
  if (turn_) turn_->cancel();
  beast::error_code ignored;
  socket_.shutdown(HttpSocket::shutdown_both, ignored);
}

void HttpSession::set_deadline(Duration from_now) {
  deadline_ = Clock::now() + std::chrono::milliseconds(from_now.count());
  server_->sweep_by(*deadline_);
}

void HttpSession::follow() {
  keep_alive_ = false;
  following_ = true;
  deadline_.reset();
  buffer_.clear();
  // Read only to hear that it hung up.
  socket_.async_read_some(
      asio::buffer(discarded_),
      [self = shared_from_this()](const beast::error_code& error, std::size_t bytes) {
        self->said_in_stream_ += bytes;
        if (error || self->said_in_stream_ > kMostSaidInStream) return self->close();
        self->follow();
      });
}

void HttpSession::when_sent(std::function<void()> then) {
  then_ = std::move(then);
  // Never from within the caller: pieces that leave at once would pile up on the stack.
  if (!writing_)
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (!self->writing_ && self->open_ && self->then_) std::exchange(self->then_, {})();
    });
}

void HttpSession::read_next() {
  if (!open_) return;
  wants_next_ = writing_;
  if (writing_) return set_deadline(server_->settings.idle);
  read();
}

void HttpSession::read() {
  parser_.emplace();
  parser_->body_limit(server_->settings.longest_body);
  parser_->header_limit(kLongestHeader);
  set_deadline(server_->settings.idle);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                            if (!self->failed(error)) self->has_header();
                          });
}

// Whether the request came to nothing; then it has its answer.
bool HttpSession::failed(const beast::error_code& error) {
  if (!error) return false;
  if (error == http::error::body_limit) {
    refuse(413, fmt::format("a request may have {} bytes", server_->settings.longest_body));
  } else if (error == http::error::header_limit) {
    refuse(431, "the header is too long");
  } else {
    // A parser's complaint deserves an answer; a connection that ended does not.
    const bool complaint =
        error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message;
    complaint ? refuse(400, error.message()) : close();
  }
  return true;
}

void HttpSession::has_header() {
  if (parser_->is_done()) return ready();
  // What has no length could go on for ever.
  if (parser_->chunked()) return refuse(411, "a request says how long it is: Content-Length");
  const auto length = static_cast<std::size_t>(parser_->content_length().value_or(0));
  if (length > kUsualRequest) {
    const HttpServerSettings& most = server_->settings;
    if (share_.receiving + length > most.receiving_of_one_user ||
        server_->receiving + length > most.receiving)
      return refuse(503, "too much is being received already; try again");
    receiving_ = length;
    share_.receiving += length;
    server_->receiving += length;
  }
  // Mostly it has come together with the header.
  beast::error_code error;
  std::size_t taken = 1;
  while (!parser_->is_done() && buffer_.size() > 0 && taken > 0 && !error) {
    taken = parser_->put(buffer_.data(), error);
    buffer_.consume(taken);
  }
  if (error && error != http::error::need_more) {
    failed(error);
    return;
  }
  if (parser_->is_done()) return ready();
  set_deadline(server_->settings.longest_body_time);
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const beast::error_code& problem, std::size_t) {
                     if (!self->failed(problem)) self->ready();
                   });
}

void HttpSession::stop_receiving() {
  share_.receiving -= receiving_;
  server_->receiving -= receiving_;
  receiving_ = 0;
}

// In turn: a user who asks for much waits, the others do not.
void HttpSession::ready() {
  deadline_.reset();
  if (server_->is_trusted(peer_.uid) || share_.free_at <= Clock::now()) return handle();
  if (!turn_) turn_ = std::make_unique<asio::steady_timer>(server_->context);
  turn_->expires_at(share_.free_at);
  turn_->async_wait([self = shared_from_this()](const beast::error_code& error) {
    if (!error && self->open_) self->ready();
  });
}

void HttpSession::handle() {
  const Clock::time_point began = Clock::now();
  auto message = parser_->release();
  HttpRequest request;
  request.method = std::string(message.method_string());
  split_target(std::string_view(message.target().data(), message.target().size()), request);
  if (server_->settings.keep_headers) keep_headers(message, request);
  request.body = std::move(message.body());
  request.peer = peer_;
  keep_alive_ = message.keep_alive();
  parser_.reset();
  stop_receiving();
  const auto self = shared_from_this();
  server_->handler(std::move(request), std::make_shared<Reply>(self));
  const Clock::time_point now = Clock::now();
  share_.free_at =
      now + std::max<Clock::duration>(now - began, kLeastCost) + std::exchange(extra_cost_, {});
}

void HttpSession::refuse(int status, std::string_view why) {
  const std::string body =
      fmt::format("{{\"error\":{{\"what\":\"{}\",\"code\":{}}}}}", why, status == 503 ? 75 : 2);
  write(head_of(status, "application/json",
                fmt::format("Content-Length: {}\r\nConnection: close\r\n", body.size())) +
            body,
        true);
}

void HttpSession::write(std::string bytes, bool close_after) {
  if (!open_) return;
  // Most answers fit into the socket's buffer: one system call and no detour through the loop.
  if (!writing_ && out_.empty() && !bytes.empty()) {
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(bytes.size())) {
      if (close_after) close();
      return;
    }
    if (sent > 0 && bytes.size() <= kLongBody)
      bytes.erase(0, static_cast<std::size_t>(sent));
    else if (sent > 0)
      sent_ = static_cast<std::size_t>(sent);
  }
  const HttpServerSettings& most = server_->settings;
  const bool too_much =
      !server_->is_trusted(peer_.uid) && share_.unsent + bytes.size() > most.unsent_of_one_user;
  if (too_much || server_->unsent + bytes.size() > most.unsent + kMostUnsent) return close();
  unsent_ += bytes.size();
  share_.unsent += bytes.size();
  server_->unsent += bytes.size();
  out_.emplace_back(std::move(bytes), close_after);
  if (!writing_) write_next();
}

void HttpSession::write_next() {
  if (out_.empty()) {
    if (wants_next_) read_next();
    if (then_ && open_) std::exchange(then_, {})();
    return;
  }
  writing_ = true;
  // Of the first, part may have left already.
  asio::async_write(socket_, asio::buffer(out_.front().first) + std::exchange(sent_, 0),
                    [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                      self->writing_ = false;
                      const std::size_t gone = self->out_.front().first.size();
                      self->unsent_ -= gone;
                      self->share_.unsent -= gone;
                      self->server_->unsent -= gone;
                      const bool last = self->out_.front().second;
                      self->out_.pop_front();
                      if (error || last) return self->close();
                      self->write_next();
                    });
}

}  // namespace sluice
