// One connection of the server, and what the server's connections share. For the two files that
// know Boost.Beast's server side.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "wire/http.h"
#include "wire/loop_parts.h"

namespace sluice {

// The loop's own kind of executor: asio's usual one can be any, and asks at every step which it is.
using HttpExecutor = boost::asio::io_context::executor_type;
// Unix sockets and TCP alike.
using HttpSocket =
    boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, HttpExecutor>;
using HttpAcceptor =
    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol, HttpExecutor>;

class HttpSession;

struct HttpServer::Parts : std::enable_shared_from_this<HttpServer::Parts> {
  using Clock = std::chrono::steady_clock;
  // What one user takes of the server.
  struct Share {
    std::size_t connections = 0;
    std::size_t receiving = 0;
    std::size_t unsent = 0;
    // A user's requests take at most every other moment of the loop: the next begins no earlier.
    Clock::time_point free_at;
  };

  Parts(Loop& loop, const HttpServerSettings& given, Handler handle);
  void accept();
  void take(HttpSocket socket);
  // Closes the connections whose time is over, and comes back for the next. One timer for all of
  // them: setting one for every request costs more than reading it.
  void sweep_by(Clock::time_point when);
  bool is_trusted(std::uint32_t uid) const { return uid == 0 || uid == own_uid; }

  HttpServerSettings settings;
  Handler handler;
  boost::asio::io_context& context;
  HttpAcceptor acceptor;
  boost::asio::steady_timer pause;  // Of accepting, while there are no descriptors.
  boost::asio::steady_timer sweep;
  std::optional<Clock::time_point> sweep_at;
  std::uint32_t own_uid = 0;
  std::set<HttpSession*> sessions;
  std::map<std::uint32_t, Share> users;  // By uid.
  std::size_t receiving = 0;
  std::size_t unsent = 0;
  bool closed = false;
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Clock = HttpServer::Parts::Clock;
  HttpSession(HttpSocket socket, Peer peer, std::shared_ptr<HttpServer::Parts> server);
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  ~HttpSession();

  // The next request, once every answer has left: a client that does not read is not read from.
  void read_next();
  void write(std::string bytes, bool close_after);
  void refuse(int status, std::string_view why);
  bool is_open() const { return open_; }
  std::size_t unsent() const { return unsent_; }
  bool keeps_alive() const { return keep_alive_; }
  // When it is closed unless something comes or goes. Who waits for a job, or follows one, may wait
  // long.
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }
  void close();
  // Whatever else comes is no request and thrown away; but the end of the connection is noticed.
  void follow();
  void when_sent(std::function<void()> then);
  void costs(std::chrono::microseconds more) { extra_cost_ += more; }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  void read();
  void set_deadline(Duration from_now);
  void has_header();
  bool failed(const boost::beast::error_code& error);
  void ready();
  void handle();
  void write_next();
  void stop_receiving();

  HttpSocket socket_;
  Peer peer_;
  std::shared_ptr<HttpServer::Parts> server_;
  HttpServer::Parts::Share& share_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::unique_ptr<boost::asio::steady_timer> turn_;  // Waits for the user's share of time.
  std::deque<std::pair<std::string, bool>> out_;     // And whether to close after it.
  std::function<void()> then_;
  std::size_t sent_ = 0;  // Of the first of them.
  std::size_t unsent_ = 0;
  std::size_t receiving_ = 0;
  std::optional<Clock::time_point> deadline_;
  std::chrono::microseconds extra_cost_{0};
  char discarded_[256];
  std::size_t said_in_stream_ = 0;
  bool keep_alive_ = true;
  bool wants_next_ = false;
  bool following_ = false;
  bool writing_ = false;
  bool open_ = true;
};

}  // namespace sluice
