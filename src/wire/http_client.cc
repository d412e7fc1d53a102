// With Boost.Beast, waiting for each step. One of the few files that include it.
#include "wire/http_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace sluice {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;

tl::unexpected<Error> lost(const std::string& socket, const beast::error_code& error) {
  return tl::unexpected<Error>(
      Error{ErrorKind::kUnreachable,
            fmt::format("the connection to the daemon broke: {}", error.message()), socket,
            "see how it is: sluice daemon status"});
}

std::string head_of(std::string_view method, std::string_view target, std::size_t body) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: sluice\r\n", method, target);
  if (body > 0)
    head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body);
  else if (method != "GET")
    head += "Content-Length: 0\r\n";
  return head + "\r\n";
}

}  // namespace

struct HttpClient::Parts {
  explicit Parts(std::string path) : name(std::move(path)), socket(context) {}
  std::string name;
  asio::io_context context{1};
  Local::socket socket;
  beast::flat_buffer buffer;
};

HttpClient::HttpClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::connect(const std::string& socket) {
  auto parts = std::make_unique<Parts>(socket);
  beast::error_code error;
  if (socket.size() > 107)
    return tl::unexpected<Error>(Error{ErrorKind::kUnreachable,
                                       "is too long for a socket's name (107 bytes)", socket,
                                       "set SLUICE_HOME to a shorter folder"});
  parts->socket.connect(Local::endpoint(socket), error);
  if (error)
    return tl::unexpected<Error>(Error{ErrorKind::kUnreachable,
                                       fmt::format("no daemon answers there: {}", error.message()),
                                       socket, "start one: sluice daemon start"});
  return HttpClient(std::move(parts));
}

Result<HttpResponse> HttpClient::request(std::string_view method, std::string_view target,
                                         std::string_view body) {
  beast::error_code error;
  std::string message = head_of(method, target, body.size());
  message += body;
  asio::write(parts_->socket, asio::buffer(message), error);
  if (error) return lost(parts_->name, error);
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  http::read(parts_->socket, parts_->buffer, parser, error);
  if (error) return lost(parts_->name, error);
  auto response = parser.release();
  const auto type = response[http::field::content_type];
  return HttpResponse{response.result_int() > 0 ? static_cast<int>(response.result_int()) : 0,
                      std::string(type.data(), type.size()), std::move(response.body())};
}

Result<HttpResponse> HttpClient::stream(std::string_view target,
                                        const std::function<bool(std::string_view)>& take) {
  beast::error_code error;
  const std::string message = head_of("GET", target, 0);
  asio::write(parts_->socket, asio::buffer(message), error);
  if (error) return lost(parts_->name, error);
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(boost::none);
  http::read_header(parts_->socket, parts_->buffer, parser, error);
  if (error) return lost(parts_->name, error);
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
    if (error) return lost(parts_->name, error);
  }
  return response;
}

}  // namespace sluice
