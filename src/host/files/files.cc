// Whole files in and out.
#include "host/files/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/files/plain_file.h"

namespace sluice {
namespace {

std::string why() { return std::strerror(errno); }

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") {
    std::string text;
    char piece[65536];
    while (const std::size_t got = std::fread(piece, 1, sizeof piece, stdin))
      text.append(piece, got);
    return text;
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return bad_input(fmt::format("'{}' is a folder, a file belongs here", path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad_input(fmt::format("cannot read '{}': {}", path, why()));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return bad_input(fmt::format("cannot read '{}': {}", path, why()));
  return text;
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
  std::vector<fs::path> written;
  auto give_up = [&](std::string what) -> Result<void> {
    std::error_code ignored;
    for (const fs::path& path : written) fs::remove(path, ignored);
    return failed(std::move(what));
  };
  for (const auto& [name, text] : files) {
    const fs::path path = fs::path(folder) / ("." + name + ".new");
    written.push_back(path);
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) return give_up(fmt::format("cannot write '{}': {}", path.string(), why()));
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
