// Whole files in and out.
#include "host/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/files/plain_file.h"
#include "host/files/read_at_most.h"

namespace sluice {
namespace {

std::string why() { return std::strerror(errno); }

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(file, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

// Under a name that nobody knows before: in a folder where others may write too, a link could lie
// in wait at any name that can be guessed.
Result<std::string> write_beside(const std::filesystem::path& place, std::string_view text) {
  std::string name = (place.parent_path() / ("." + place.filename().string() + ".XXXXXX")).string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return failed(fmt::format("cannot write '{}': {}", place.string(), why()));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  bool written = write_all(file, text) && ::fchmod(file, 0666 & ~mask) == 0;
  int problem = written ? 0 : errno;
  // A file server may say only now that the disk is full.
  if (::close(file) != 0 && written) {
    problem = errno;
    written = false;
  }
  if (written) return name;
  ::unlink(name.c_str());
  return failed(fmt::format("cannot write '{}': {}", place.string(), std::strerror(problem)));
}

Result<std::string> read_up_to(const std::string& path, std::size_t most) {
  const bool is_input = path == "-";
  std::error_code ignored;
  if (!is_input && std::filesystem::is_directory(path, ignored))
    return bad_input(fmt::format("'{}' is a folder, a file belongs here", path));
  const int file = is_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return bad_input(fmt::format("cannot read '{}': {}", path, why()));
  ReadText read = read_at_most(file, most);
  if (!is_input) ::close(file);
  if (read.problem != 0)
    return bad_input(fmt::format("cannot read '{}': {}", path, std::strerror(read.problem)));
  if (read.text.size() > most)
    return bad_input(fmt::format("'{}' has more than {} MiB", path, most >> 20),
                     "name a file, or a part of this one");
  return std::move(read.text);
}

}  // namespace

// A policy of 5,000 users with its accounts has about 2 MB.
Result<std::string> read_file(const std::string& path) {
  return read_up_to(path, std::size_t{64} << 20);
}

// The journal of a million simulated jobs has some hundred megabytes.
Result<std::string> read_long_file(const std::string& path) {
  return read_up_to(path, std::size_t{8} << 30);
}

Result<std::string> read_included(const std::string& path) {
  auto text = read_plain_file(path);
  if (!text)
    text.error() = Error{ErrorKind::kBadInput,
                         fmt::format("cannot read '{}': {}", path, text.error().what),
                         {},
                         text.error().hint};
  return text;
}

Result<void> write_files(const std::string& folder,
                         const std::vector<std::pair<std::string, std::string>>& files) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return failed(fmt::format("cannot make the folder '{}': {}", folder, problem.message()));
  std::vector<fs::path> written;  // One for each file, beside its place.
  auto give_up = [&](std::string what) -> Result<void> {
    std::error_code ignored;
    for (const fs::path& path : written) fs::remove(path, ignored);
    return failed(std::move(what));
  };
  for (const auto& [name, text] : files) {
    const auto path = write_beside(fs::path(folder) / name, text);
    if (!path) return give_up(path.error().what);
    written.emplace_back(*path);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    fs::rename(written[i], fs::path(folder) / files[i].first, problem);
    if (problem)
      return give_up(
          fmt::format("cannot write '{}/{}': {}", folder, files[i].first, problem.message()));
  }
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const std::filesystem::path file(path);
  return write_files(file.has_parent_path() ? file.parent_path().string() : ".",
                     {{file.filename().string(), text}});
}

}  // namespace sluice
