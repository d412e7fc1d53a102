#include "wire/tcp_peer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

namespace sluice {
namespace {

// What the kernel shows of a user that the namespace of this process does not have.
constexpr std::uint32_t kOverflowUser = 65534;
constexpr std::string_view kEstablished = "01";
constexpr std::uint8_t kEstablishedState = 1;
// The kernel writes its list in pieces: one that changes meanwhile may lack a line.
constexpr int kLooks = 3;

enum class Asked : std::uint8_t { kFound, kNotThere, kCannot };

// The kernel asked for one connection: what that costs does not grow with how many there are.
Asked ask_kernel(const sockaddr_in& near, const sockaddr_in& far, inet_diag_msg& out) {
  struct Question {
    nlmsghdr head;
    inet_diag_req_v2 body;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = AF_INET;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0U;
  inet_diag_sockid& id = question.body.id;
  id.idiag_sport = near.sin_port;
  id.idiag_dport = far.sin_port;
  id.idiag_src[0] = near.sin_addr.s_addr;
  id.idiag_dst[0] = far.sin_addr.s_addr;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  const int line = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (line < 0) return Asked::kCannot;
  alignas(nlmsghdr) char answer[4096];
  ssize_t got = ::send(line, &question, sizeof question, 0);
  if (got == sizeof question) got = ::recv(line, answer, sizeof answer, MSG_DONTWAIT);
  ::close(line);
  nlmsghdr head{};
  if (got < static_cast<ssize_t>(sizeof head)) return Asked::kCannot;
  std::memcpy(&head, answer, sizeof head);
  if (head.nlmsg_type == NLMSG_ERROR) {
    nlmsgerr error{};
    if (got < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof error.error)) return Asked::kCannot;
    std::memcpy(&error.error, answer + NLMSG_HDRLEN, sizeof error.error);
    return error.error == -ENOENT ? Asked::kNotThere : Asked::kCannot;
  }
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      got < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof out))
    return Asked::kCannot;
  std::memcpy(&out, answer + NLMSG_HDRLEN, sizeof out);
  return Asked::kFound;
}

TcpPeer peer_as(std::uint32_t uid) {
  return uid == kOverflowUser ? TcpPeer{} : TcpPeer{uid, false};
}

std::string name_of(const sockaddr_in& end) {
  // As the kernel prints it: the address as the number that it is in memory.
  return fmt::format("{:08X}:{:04X}", end.sin_addr.s_addr, ntohs(end.sin_port));
}

std::optional<std::string> kernel_table() {
  const int file = ::open("/proc/net/tcp", O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  std::string piece(std::size_t{64} << 10, '\0');
  ssize_t got = 0;
  while ((got = ::read(file, piece.data(), piece.size())) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) text.append(piece, 0, static_cast<std::size_t>(got));
  ::close(file);
  if (got < 0) return std::nullopt;
  return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    words.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(words.back().size());
  }
}

}  // namespace

TcpPeer peer_in_table(std::string_view table, std::string_view near, std::string_view far) {
  constexpr std::size_t kLocal = 1;
  constexpr std::size_t kRemote = 2;
  constexpr std::size_t kState = 3;
  constexpr std::size_t kUser = 7;
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(table.size(), line.size() + 1));
    if (line.find(near) == std::string_view::npos) continue;
    const auto words = words_of(line);
    if (words.size() <= kUser || words[kLocal] != near || words[kRemote] != far) continue;
    // A socket that nobody holds any more counts as root's.
    if (words[kState] != kEstablished) return {std::nullopt, true};
    std::uint32_t uid = 0;
    const std::string_view text = words[kUser];
    const auto read = std::from_chars(text.data(), text.data() + text.size(), uid);
    return read.ec == std::errc() ? peer_as(uid) : TcpPeer{};
  }
  return {std::nullopt, true};
}

TcpPeer peer_of_tcp(int socket) {
  sockaddr_in here{};
  sockaddr_in there{};
  socklen_t size = sizeof here;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size) != 0) return {};
  size = sizeof there;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &size) != 0)
    return {std::nullopt, true};
  inet_diag_msg told{};
  const Asked asked = ask_kernel(there, here, told);
  if (asked == Asked::kFound && told.idiag_state == kEstablishedState)
    return peer_as(told.idiag_uid);
  if (asked == Asked::kFound) return {std::nullopt, true};
  // A kernel that cannot be asked finds nothing, not even our own end.
  if (asked == Asked::kNotThere && ask_kernel(here, there, told) == Asked::kFound)
    return {std::nullopt, true};
  TcpPeer found;
  for (int looks = 0; looks < kLooks; ++looks) {
    const auto table = kernel_table();
    if (!table) return {};
    found = peer_in_table(*table, name_of(there), name_of(here));
    if (!found.is_gone) break;
  }
  return found;
}

}  // namespace sluice
