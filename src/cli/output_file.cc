// Writes beside, then renames.
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kAtOnce = std::size_t{64} << 10;

tl::unexpected<Error> cannot_write(const std::string& path, const std::string& why) {
  return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                     fmt::format("cannot write '{}': {}", path, why),
                                     {},
                                     "give a path in a folder that exists and may be written to"});
}

}  // namespace

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

Result<void> OutputFile::open(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") {
    file_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (file_ < 0) return cannot_write("standard output", std::strerror(errno));
    path_ = "standard output";
    return {};
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return cannot_write(path, "it is a folder");
  const bool in_place = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  if (in_place) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    // Under a name that nobody knows before: in a folder where others may write too, a link could
    // lie in wait at any name that can be guessed.
    std::string name = path + ".XXXXXX";
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ >= 0) {
      beside_ = std::move(name);
      const mode_t mask = ::umask(0);
      ::umask(mask);
      ::fchmod(file_, 0666 & ~mask);
    }
  }
  if (file_ < 0) return cannot_write(path, std::strerror(errno));
  path_ = path;
  return {};
}

bool OutputFile::flush() {
  std::string_view left = unwritten_;
  while (!left.empty()) {
    const ssize_t done = ::write(file_, left.data(), left.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    left.remove_prefix(static_cast<std::size_t>(done));
  }
  unwritten_.clear();
  return true;
}

Result<void> OutputFile::write(std::string_view bytes) {
  unwritten_ += bytes;
  if (unwritten_.size() >= kAtOnce && !flush()) return cannot_write(path_, std::strerror(errno));
  return {};
}

Result<void> OutputFile::finish() {
  if (!flush()) return cannot_write(path_, std::strerror(errno));
  // A file server may say only now that the disk is full.
  if (::close(std::exchange(file_, -1)) != 0) return cannot_write(path_, std::strerror(errno));
  if (!beside_.empty()) {
    if (::rename(beside_.c_str(), path_.c_str()) != 0)
      return cannot_write(path_, std::strerror(errno));
    beside_.clear();
  }
  return {};
}

Result<void> write_output(const std::string& path, std::string_view text) {
  OutputFile file;
  TRY_VOID(file.open(path));
  TRY_VOID(file.write(text));
  return file.finish();
}

}  // namespace sluice
