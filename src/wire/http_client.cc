// A plain socket, waited on. A command asks one question and ends: setting up an event loop and
// Beast's tables for it took longer than asking. It reads what our server says: a length, or
// everything up to the end of the connection.
#include "wire/http_client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kLongestHead = 16 << 10;
constexpr std::size_t kUsualAnswer = 1 << 10;
constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kMostReserved = 16 << 20;

std::string head_of(std::string_view method, std::string_view target, std::size_t body) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: sluice\r\n", method, target);
  if (body > 0)
    head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body);
  else if (method != "GET")
    head += "Content-Length: 0\r\n";
  return head + "\r\n";
}

bool same_word(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return small(x) == small(y); });
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Head {
  int status = 0;
  std::string content_type;
  std::optional<std::size_t> length;  // Else up to the end of the connection.
};

// "HTTP/1.1 200 OK", then "Name: value" lines; without the empty line at the end.
std::optional<Head> read_head(std::string_view text) {
  Head head;
  if (!text.starts_with("HTTP/1.") || text.size() < 12) return std::nullopt;
  const auto status = number_in<int>(text.substr(9, 3));
  if (!status) return std::nullopt;
  head.status = *status;
  std::size_t at = text.find("\r\n");
  while (at != std::string_view::npos) {
    const std::size_t end = text.find("\r\n", at + 2);
    const std::string_view line = text.substr(at + 2, end - (at + 2));
    at = end;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (same_word(line.substr(0, colon), "Content-Type")) head.content_type = value;
    if (!same_word(line.substr(0, colon), "Content-Length")) continue;
    head.length = number_in<std::size_t>(value);
    if (!head.length) return std::nullopt;
  }
  return head;
}

}  // namespace

struct HttpClient::Parts {
  Parts(std::string path, int descriptor) : name(std::move(path)), socket(descriptor) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() { ::close(socket); }

  tl::unexpected<Error> lost(std::string_view why) const {
    return tl::unexpected<Error>(Error{ErrorKind::kUnreachable,
                                       fmt::format("the connection to the daemon broke: {}", why),
                                       name, "see how it is: sluice daemon status"});
  }
  Result<void> send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return lost(std::strerror(errno));
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }
  // Appends what has come to `unread`, at most so much; false at the end of the connection.
  Result<bool> receive(std::size_t most) {
    const std::size_t before = unread.size();
    unread.resize(before + most);
    ssize_t got = 0;
    do {
      got = ::recv(socket, unread.data() + before, most, 0);
    } while (got < 0 && errno == EINTR);
    const int error = errno;
    unread.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return lost(std::strerror(error));
    return got > 0;
  }
  // Leaves in `unread` what came behind the head.
  Result<Head> receive_head() {
    std::size_t end = unread.find("\r\n\r\n");
    while (end == std::string::npos) {
      TRY(const bool more, receive(kUsualAnswer));
      if (!more) return lost("it was closed before the answer came");
      end = unread.find("\r\n\r\n");
      if (end == std::string::npos && unread.size() > kLongestHead) break;
    }
    const auto head = read_head(std::string_view(unread).substr(0, end));
    if (end == std::string::npos || !head) return lost("what came is no answer");
    unread.erase(0, end + 4);
    return *head;
  }

  std::string name;
  int socket;
  std::string unread;
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
  return HttpClient(std::move(parts));
}

Result<HttpResponse> HttpClient::request(std::string_view method, std::string_view target,
                                         std::string_view body) {
  std::string message = head_of(method, target, body.size());
  message += body;
  TRY_VOID(parts_->send(message));
  TRY(Head head, parts_->receive_head());
  std::string& unread = parts_->unread;
  if (head.length) unread.reserve(std::min(*head.length, kMostReserved));
  while (!head.length || unread.size() < *head.length) {
    TRY(const bool more,
        parts_->receive(head.length ? std::min(*head.length - unread.size(), kPiece) : kPiece));
    if (more) continue;
    if (head.length) return parts_->lost("it was closed in the middle of the answer");
    head.length = unread.size();
  }
  HttpResponse response{head.status, std::move(head.content_type), std::exchange(unread, {})};
  // One answer to one question: nothing lies behind it.
  response.body.resize(*head.length);
  return response;
}

Result<HttpResponse> HttpClient::stream(std::string_view target,
                                        const std::function<bool(std::string_view)>& take) {
  TRY_VOID(parts_->send(head_of("GET", target, 0)));
  TRY(Head head, parts_->receive_head());
  HttpResponse response{head.status, std::move(head.content_type), {}};
  std::size_t taken = 0;
  while (true) {
    const std::string got = std::exchange(parts_->unread, {});
    taken += got.size();
    if (response.status != 200)
      response.body += got;
    else if (!got.empty() && !take(got))
      return response;
    if (head.length && taken >= *head.length) return response;
    TRY(const bool more, parts_->receive(kPiece));
    if (more) continue;
    if (head.length) return parts_->lost("it was closed in the middle of the answer");
    return response;
  }
}

}  // namespace sluice
