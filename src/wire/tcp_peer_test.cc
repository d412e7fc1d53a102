#include "wire/tcp_peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   102        0 1\n"
    "   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000   102        0 2\n"
    "   2: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3\n"
    "   3: 0100007F:C002 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 0\n"
    "   4: 0100007F:C003 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 65534        0 "
    "4\n";

TEST(TcpPeer, IsTheUserOfTheOtherEnd) {
  const auto found = peer_in_table(kTable, "0100007F:C001", "0100007F:1F90");
  EXPECT_EQ(found.uid, 1000U);
  EXPECT_FALSE(found.is_gone);
}

TEST(TcpPeer, OneThatHasClosedIsNobodysAndNotRoots) {
  for (const char* end : {"0100007F:C002", "0100007F:C009"}) {
    const auto found = peer_in_table(kTable, end, "0100007F:1F90");
    EXPECT_FALSE(found.uid) << end;
    EXPECT_TRUE(found.is_gone) << end;
  }
}

TEST(TcpPeer, AUserWhomThisProcessCannotKnowIsNotGuessed) {
  const auto found = peer_in_table(kTable, "0100007F:C003", "0100007F:1F90");
  EXPECT_FALSE(found.uid);
  EXPECT_FALSE(found.is_gone);
}

// A connection of another user's process to a listener of ours.
TEST(TcpPeer, TheKernelsListIsReadAsItIs) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&place), &size), 0);
  const uid_t other = ::geteuid() == 0 ? 12345 : ::geteuid();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::setuid(other) != 0) ::_exit(1);
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    char byte = 0;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) ::_exit(1);
    // Until the test has looked.
    ::_exit(::recv(socket, &byte, 1, 0) == 1 ? 0 : 1);
  }
  const int taken = ::accept(listener, nullptr, nullptr);
  ASSERT_GE(taken, 0);
  const TcpPeer found = peer_of_tcp(taken);
  EXPECT_FALSE(found.is_gone);
  EXPECT_EQ(found.uid, other);
  EXPECT_EQ(::send(taken, "x", 1, 0), 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(peer_of_tcp(taken).is_gone);
  ::close(taken);
  ::close(listener);
}

}  // namespace
}  // namespace sluice
