// A unix socket's place for one test, in a folder that is gone when the test is over.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"

namespace sluice {

class SocketForTests {
 public:
  SocketForTests() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  SocketForTests(const SocketForTests&) = delete;
  SocketForTests& operator=(const SocketForTests&) = delete;
  ~SocketForTests() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/api.sock"; }

  // A socket to which `attach` (bind or connect) gave this place.
  template <class Attach>
  static int open(const std::string& path, Attach attach) {
    const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    CHECK(attach(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return made;
  }

 private:
  std::string folder_;
};

}  // namespace sluice
