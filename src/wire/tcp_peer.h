// Whose process is at the other end of a TCP connection within this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

struct TcpPeer {
  // Nothing: the kernel's list cannot be read here, or names a user whom this process cannot know.
  std::optional<std::uint32_t> uid;
  // The other end has closed already; whose it was cannot be told any more.
  bool is_gone = false;
};

TcpPeer peer_of_tcp(int socket);

// The line of `table`, as /proc/net/tcp has it, whose own end is `near` and whose other end is
// `far`: both "0100007F:1F90".
TcpPeer peer_in_table(std::string_view table, std::string_view near, std::string_view far);

}  // namespace sluice
