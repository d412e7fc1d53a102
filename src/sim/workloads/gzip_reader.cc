// Reads a file, unpacking it where it is gzipped.
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "sim/workloads/swf.h"

namespace sluice {

Result<std::string> read_maybe_gzipped(const std::string& path, std::size_t most) {
  const std::string where = path == "-" ? "standard input" : path;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, "is a folder, a file belongs here", where, {}});
  gzFile raw = path == "-" ? gzdopen(0, "rb") : gzopen(path.c_str(), "rb");
  if (raw == nullptr)
    return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                       std::string("cannot be read: ") + std::strerror(errno),
                                       where, "give the path of a file that exists"});
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(raw, gzclose);
  gzbuffer(raw, 1U << 17);
  std::string text;
  std::size_t used = 0;
  while (true) {
    text.resize(used + (std::size_t{1} << 20));
    const int got = gzread(raw, text.data() + used, 1U << 20);
    if (got < 0) {
      int code = 0;
      return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                         std::string("is damaged: ") + gzerror(raw, &code), where,
                                         "fetch the file again"});
    }
    used += static_cast<std::size_t>(got);
    if (used > most)
      return tl::unexpected<Error>(
          Error{ErrorKind::kBadInput,
                "has more than " + std::to_string(most) + " bytes when it is unpacked", where,
                "simulate a part of it"});
    if (got > 0) continue;
    int code = Z_OK;
    gzerror(raw, &code);
    // gzread() is content with half a file.
    if (code == Z_BUF_ERROR)
      return tl::unexpected<Error>(
          Error{ErrorKind::kBadInput, "is cut off in the middle", where, "fetch the file again"});
    break;
  }
  text.resize(used);
  return text;
}

}  // namespace sluice
