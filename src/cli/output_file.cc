// Writes beside, then renames.
#include "cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace sluice {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path, const std::string& why) {
  return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                     fmt::format("cannot write '{}': {}", path, why),
                                     {},
                                     "give a path in a folder that exists and may be written to"});
}

}  // namespace

OutputFile::~OutputFile() {
  if (path_.empty() || beside_.empty()) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
}

Result<void> OutputFile::open(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return cannot_write(path, "it is a folder");
  const bool in_place = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  if (!in_place) beside_ = fmt::format("{}.{}.new", path, getpid());
  errno = 0;
  file_.open(in_place ? path : beside_, std::ios::binary | std::ios::trunc);
  if (!file_) return cannot_write(path, std::strerror(errno));
  path_ = path;
  return {};
}

Result<void> OutputFile::write(std::string_view bytes) {
  errno = 0;
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file_) return cannot_write(path_, std::strerror(errno));
  return {};
}

Result<void> OutputFile::finish() {
  errno = 0;
  file_.close();
  if (!file_) return cannot_write(path_, std::strerror(errno));
  if (!beside_.empty()) {
    std::error_code problem;
    std::filesystem::rename(beside_, path_, problem);
    if (problem) return cannot_write(path_, problem.message());
  }
  path_.clear();
  return {};
}

Result<void> write_output(const std::string& path, std::string_view text) {
  OutputFile file;
  TRY_VOID(file.open(path));
  TRY_VOID(file.write(text));
  return file.finish();
}

}  // namespace sluice
