// Connecting, starting a keeper, and the buffered socket.
#include "host/keeper/keeper_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "host/keeper/keeper.h"

namespace sluice {
namespace {

// A keeper answers within milliseconds; it may be clearing away what an earlier one left.
constexpr Duration kHelloWithin = seconds(20);

tl::unexpected<Error> unreachable(const std::string& socket, const std::string& why) {
  return tl::unexpected(Error{ErrorKind::kUnreachable, "the keeper cannot be reached: " + why,
                              socket, "Restart the daemon: it starts a keeper where none runs."});
}

// Runs the keeper as a process without a parent here, and waits until it listens.
Result<void> start_keeper(const Folders& folders, const std::string& program) {
  int said[2];
  if (::pipe2(said, O_CLOEXEC) != 0) return failed("no pipe could be made");
  std::vector<std::string> words{program, "keeper"};
  for (std::string& word : keeper_arguments(folders)) words.push_back(std::move(word));
  words.push_back("--ready-fd=3");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int log = ::open(folders.keeper_log().c_str(),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  const pid_t child = ::fork();
  if (child == 0) {
    // Twice: the keeper must not become a zombie of a daemon that does not wait for it.
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    ::dup2(null, 0);
    ::dup2(log >= 0 ? log : null, 1);
    ::dup2(log >= 0 ? log : null, 2);
    // dup2 onto itself would leave the flag that closes it.
    if (said[1] == 3) {
      ::fcntl(3, F_SETFD, 0);
    } else {
      ::dup2(said[1], 3);
    }
    ::closefrom(4);
    ::execv(program.c_str(), arguments.data());
    const std::string why = fmt::format("{} cannot be run: {}", program, std::strerror(errno));
    if (::write(3, why.data(), why.size()) < 0) ::_exit(126);
    ::_exit(127);
  }
  ::close(said[1]);
  if (null >= 0) ::close(null);
  if (log >= 0) ::close(log);
  if (child < 0) {
    ::close(said[0]);
    return failed(fmt::format("no process could be made: {}", std::strerror(errno)));
  }
  ::waitpid(child, nullptr, 0);
  std::string answer;
  char bytes[512];
  ssize_t count = 0;
  while (answer.find('\n') == std::string::npos &&
         ((count = ::read(said[0], bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR))) {
    if (count > 0) answer.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(said[0]);
  if (answer == "ready\n") return {};
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return failed("the keeper did not start: " + (answer.empty() ? "it printed nothing" : answer),
                "See " + folders.keeper_log());
}

}  // namespace

KeeperClient::KeeperClient(KeeperClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      hello_(std::move(other.hello_)),
      out_(std::move(other.out_)),
      in_(std::move(other.in_)),
      early_(std::move(other.early_)) {}

KeeperClient& KeeperClient::operator=(KeeperClient&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(hello_, other.hello_);
  std::swap(out_, other.out_);
  std::swap(in_, other.in_);
  std::swap(early_, other.early_);
  return *this;
}

KeeperClient::~KeeperClient() {
  if (socket_ >= 0) ::close(socket_);
}

Result<KeeperClient> KeeperClient::connect(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return unreachable(socket, "its path is too long");
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return unreachable(socket, std::strerror(errno));
  KeeperClient client(descriptor);
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return unreachable(socket, std::strerror(errno));
  }
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  auto reports = client.wait(kHelloWithin);
  if (!reports) return tl::unexpected(reports.error());
  if (reports->empty() || !std::holds_alternative<KeeperHello>(reports->front())) {
    return unreachable(socket, "it did not say hello");
  }
  client.hello_ = std::move(std::get<KeeperHello>(reports->front()));
  if (client.hello_.version != kKeeperVersion) {
    return unreachable(socket, fmt::format("it speaks version {}, we speak version {}",
                                           client.hello_.version, kKeeperVersion));
  }
  reports->erase(reports->begin());
  client.early_ = std::move(*reports);
  return client;
}

Result<KeeperClient> KeeperClient::connect_or_start(const Folders& folders,
                                                    const std::string& program) {
  auto client = connect(folders.keeper_socket());
  if (client) return client;
  TRY_VOID(start_keeper(folders, program));
  return connect(folders.keeper_socket());
}

Result<void> KeeperClient::flush() {
  std::size_t sent = 0;
  while (sent < out_.size()) {
    const ssize_t count =
        ::send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) return unreachable("", std::strerror(errno));
    sent += static_cast<std::size_t>(count);
  }
  out_.erase(0, sent);
  return {};
}

Result<void> KeeperClient::flush_within(Duration longest) {
  using Steady = std::chrono::steady_clock;
  const auto until = Steady::now() + longest;
  for (;;) {
    TRY_VOID(flush());
    if (!wants_to_write()) return {};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    if (left.count() <= 0) return unreachable("", "it takes no orders");
    pollfd watched{socket_, POLLOUT, 0};
    if (::poll(&watched, 1, static_cast<int>(left.count())) < 0 && errno != EINTR)
      return unreachable("", std::strerror(errno));
  }
}

Result<std::vector<KeeperReport>> KeeperClient::receive() {
  std::vector<KeeperReport> reports = std::exchange(early_, {});
  char bytes[65536];
  for (;;) {
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) return unreachable("", std::strerror(errno));
    if (count == 0) return unreachable("", "it hung up");
    in_.add(std::string_view(bytes, static_cast<std::size_t>(count)));
    for (;;) {
      TRY(const std::optional<std::string_view> frame, in_.next());
      if (!frame) break;
      TRY(KeeperReport report, read_report(*frame));
      reports.push_back(std::move(report));
    }
    if (static_cast<std::size_t>(count) < sizeof bytes) break;
  }
  return reports;
}

Result<std::vector<KeeperReport>> KeeperClient::wait(Duration longest) {
  using Steady = std::chrono::steady_clock;
  const auto until = Steady::now() + longest;
  if (!early_.empty()) return receive();
  for (;;) {
    TRY_VOID(flush());
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
    pollfd watched{socket_, static_cast<short>(wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = ::poll(&watched, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready < 0 && errno != EINTR) return unreachable("", std::strerror(errno));
    if (ready > 0 && (watched.revents & ~POLLOUT) != 0) {
      auto reports = receive();
      if (!reports || !reports->empty()) return reports;
    }
    if (ready == 0 && left.count() <= 0) return std::vector<KeeperReport>();
  }
}

}  // namespace sluice
