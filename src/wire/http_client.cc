// Boost.Beast reads the answers, from a plain socket that is waited on: a command asks one question
// and ends, and setting up an event loop for it took longer than asking.
#include "wire/http_client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sluice {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

std::string head_of(std::string_view method, std::string_view target, std::size_t body) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: sluice\r\n", method, target);
  if (body > 0)
    head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body);
  else if (method != "GET")
    head += "Content-Length: 0\r\n";
  return head + "\r\n";
}

// What Beast calls a SyncReadStream.
class PlainSocket {
 public:
  explicit PlainSocket(int descriptor) : descriptor_(descriptor) {}
  PlainSocket(const PlainSocket&) = delete;
  PlainSocket& operator=(const PlainSocket&) = delete;
  ~PlainSocket() { ::close(descriptor_); }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, beast::error_code& error) {
    error = {};
    const asio::mutable_buffer into(*asio::buffer_sequence_begin(buffers));
    ssize_t got = 0;
    do {
      got = ::recv(descriptor_, into.data(), into.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) error.assign(errno, boost::system::system_category());
    if (got == 0 && into.size() > 0) error = asio::error::eof;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    beast::error_code error;
    const std::size_t got = read_some(buffers, error);
    if (error) throw beast::system_error(error);
    return got;
  }
  void send(std::string_view text, beast::error_code& error) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return error.assign(errno, boost::system::system_category());
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

 private:
  int descriptor_;
};

}  // namespace

struct HttpClient::Parts {
  Parts(std::string path, int descriptor) : name(std::move(path)), socket(descriptor) {}

  tl::unexpected<Error> lost(const beast::error_code& error) const {
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable,
              fmt::format("the connection to the daemon broke: {}", error.message()), name,
              "see how it is: sluice daemon status"});
  }

  std::string name;
  PlainSocket socket;
  beast::flat_buffer buffer;
};

HttpClient::HttpClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::connect(const std::string& socket) {
  const auto unreachable = [&](std::string what, std::string hint) {
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable, std::move(what), socket, std::move(hint)});
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path)
    return unreachable("is too long for a socket's name (107 bytes)",
                       "set SLUICE_HOME to a shorter folder");
  socket.copy(address.sun_path, socket.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return unreachable(std::strerror(errno), {});
  auto parts = std::make_unique<Parts>(socket, descriptor);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return unreachable(fmt::format("no daemon answers there: {}", std::strerror(errno)),
                       "start one: sluice daemon start");
  // Before a byte is sent: a script and an environment are for the daemon alone. The kernel says
  // which user listens.
  ucred server{};
  socklen_t size = sizeof server;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &server, &size) != 0)
    return unreachable(std::strerror(errno), {});
  if (server.uid != 0 && server.uid != ::geteuid())
    return tl::unexpected<Error>(Error{
        ErrorKind::kNotAllowed,
        fmt::format("user {} listens there, neither you nor root; nothing was sent", server.uid),
        socket, "set SLUICE_HOME to a folder of your own"});
  return HttpClient(std::move(parts));
}

Result<HttpResponse> HttpClient::request(std::string_view method, std::string_view target,
                                         std::string_view body) {
  beast::error_code error;
  std::string message = head_of(method, target, body.size());
  message += body;
  parts_->socket.send(message, error);
  if (error) return parts_->lost(error);
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  http::read(parts_->socket, parts_->buffer, parser, error);
  if (error) return parts_->lost(error);
  auto response = parser.release();
  const auto type = response[http::field::content_type];
  return HttpResponse{static_cast<int>(response.result_int()),
                      std::string(type.data(), type.size()), std::move(response.body())};
}

Result<HttpResponse> HttpClient::stream(std::string_view target,
                                        const std::function<bool(std::string_view)>& take) {
  beast::error_code error;
  parts_->socket.send(head_of("GET", target, 0), error);
  if (error) return parts_->lost(error);
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  http::read_header(parts_->socket, parts_->buffer, parser, error);
  if (error) return parts_->lost(error);
  HttpResponse response;
  response.status = static_cast<int>(parser.get().result_int());
  const auto type = parser.get()[http::field::content_type];
  response.content_type = std::string(type.data(), type.size());
  std::string piece(64 << 10, '\0');
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    // read_some returns as soon as anything came; read() would wait for a full piece.
    http::read_some(parts_->socket, parts_->buffer, parser, error);
    if (error == http::error::need_buffer) error = {};
    const std::string_view got(piece.data(), piece.size() - parser.get().body().size);
    if (response.status != 200)
      response.body += got;
    else if (!got.empty() && !take(got))
      break;
    if (error == http::error::end_of_stream) break;
    if (error) return parts_->lost(error);
  }
  return response;
}

bool daemon_answers(const std::string& socket) {
  auto client = HttpClient::connect(socket);
  if (!client) return false;
  const auto response = client->request("GET", "/v1/daemon");
  return response.has_value();
}

}  // namespace sluice
