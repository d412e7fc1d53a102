#include "host/files/read_at_most.h"

#include <unistd.h>

#include <cerrno>

namespace sluice {

ReadText read_at_most(int file, std::size_t most) {
  ReadText out;
  std::string piece(std::size_t{64} << 10, '\0');
  while (out.text.size() <= most) {
    const ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) out.problem = errno;
    if (got <= 0) break;
    out.text.append(piece, 0, static_cast<std::size_t>(got));
  }
  return out;
}

}  // namespace sluice
