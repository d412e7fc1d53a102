// The server: which users may connect, and how many.
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <cstring>

#include "wire/http_session.h"
#include "wire/tcp_peer.h"

namespace sluice {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Local = asio::local::stream_protocol;
using Tcp = asio::ip::tcp;
using Any = asio::generic::stream_protocol;

// Connections that only root and the server's own user can have: who looks after the machine gets
// in when everything is taken.
constexpr std::size_t kReserved = 16;
// Without descriptors accepting fails at once, over and over: so long is waited for one.
constexpr std::chrono::milliseconds kPause(100);

// The user of a TCP connection that the kernel does not tell of: not root, not this process's own.
constexpr std::uint32_t kNobody = 65534;

// Nothing: the other end is gone, and whose it was is not known.
std::optional<Peer> peer_of(int socket) {
  int domain = 0;
  socklen_t length = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) return std::nullopt;
  if (domain != AF_UNIX) {
    const TcpPeer peer = peer_of_tcp(socket);
    if (peer.is_gone) return std::nullopt;
    return Peer{peer.uid.value_or(kNobody), kNobody, 0, peer.uid.has_value()};
  }
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  return Peer{credentials.uid, credentials.gid, credentials.pid, true};
}

// sun_path holds 108 bytes with its end.
constexpr std::size_t kLongestName = 107;

void bind_socket(HttpAcceptor& acceptor, const HttpServerSettings& settings,
                 beast::error_code& error) {
  ::unlink(settings.socket.c_str());
  acceptor.open(Any(Local()), error);
  if (error) return;
  ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  const mode_t before = ::umask(settings.for_everybody ? 0111 : 0177);
  acceptor.bind(Any::endpoint(Local::endpoint(settings.socket)), error);
  ::umask(before);
}

void bind_loopback(HttpAcceptor& acceptor, std::uint16_t port, beast::error_code& error) {
  acceptor.open(Any(Tcp::v4()), error);
  if (error) return;
  ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  const Tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  acceptor.bind(Any::endpoint(here), error);
}

}  // namespace

HttpServer::Parts::Parts(Loop& loop, const HttpServerSettings& given, Handler handle)
    : settings(given),
      handler(std::move(handle)),
      context(loop.parts().context),
      acceptor(loop.parts().context),
      pause(loop.parts().context),
      sweep(loop.parts().context),
      own_uid(::geteuid()) {}

void HttpServer::Parts::accept() {
  acceptor.async_accept(
      [self = shared_from_this()](const beast::error_code& error, HttpSocket socket) {
        if (self->closed) return;
        if (!error) {
          self->take(std::move(socket));
          return self->accept();
        }
        self->pause.expires_after(kPause);
        self->pause.async_wait([self](const beast::error_code& stopped) {
          if (!stopped && !self->closed) self->accept();
        });
      });
}

void HttpServer::Parts::take(HttpSocket socket) {
  const auto peer = peer_of(socket.native_handle());
  if (!peer) return;
  const std::size_t others = sessions.size();
  const auto session = std::make_shared<HttpSession>(std::move(socket), *peer, shared_from_this());
  const bool trusted = is_trusted(peer->uid);
  if (settings.own_user_only && peer->is_known && !trusted)
    return session->refuse(403, "this is another user's");
  if (peer->uid != 0 && users[peer->uid].connections > settings.connections_of_one_user)
    return session->refuse(503, "too many connections of one user");
  if (others >= settings.connections + (trusted ? kReserved : 0))
    return session->refuse(503, "too many connections");
  session->read_next();
}

void HttpServer::Parts::sweep_by(Clock::time_point when) {
  if (sweep_at && *sweep_at <= when) return;
  sweep_at = when;
  sweep.expires_at(when);
  sweep.async_wait([self = shared_from_this()](const beast::error_code& error) {
    if (error || self->closed) return;
    self->sweep_at.reset();
    const auto now = Clock::now();
    std::optional<Clock::time_point> first;
    for (HttpSession* session : self->sessions) {
      const auto& deadline = session->deadline();
      if (!deadline || !session->is_open()) continue;
      if (*deadline <= now)
        session->close();
      else
        first = std::min(first.value_or(*deadline), *deadline);
    }
    if (first) self->sweep_by(*first);
  });
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop,
                                                       const HttpServerSettings& settings,
                                                       Handler handler) {
  auto parts = std::make_shared<Parts>(loop, settings, std::move(handler));
  const auto cannot = [&](const std::string& what) {
    const std::string where = settings.loopback_port
                                  ? fmt::format("127.0.0.1:{}", *settings.loopback_port)
                                  : settings.socket;
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, what, where, {}});
  };
  beast::error_code error;
  if (settings.loopback_port)
    bind_loopback(parts->acceptor, *settings.loopback_port, error);
  else if (settings.socket.size() > kLongestName)
    return cannot("is too long for a socket's name (107 bytes); set SLUICE_HOME to a shorter one");
  else
    bind_socket(parts->acceptor, settings, error);
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
  parts_->pause.cancel();
  if (!parts_->settings.loopback_port) ::unlink(parts_->settings.socket.c_str());
}

std::uint16_t HttpServer::port() const {
  if (!parts_->settings.loopback_port) return 0;
  beast::error_code error;
  const auto here = parts_->acceptor.local_endpoint(error);
  sockaddr_in address{};
  if (error || here.size() < sizeof address) return 0;
  std::memcpy(&address, here.data(), sizeof address);
  return ntohs(address.sin_port);
}

}  // namespace sluice
