// Finding and reading story files.
#include "apps/story_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/files.h"
#include "cli/table.h"
#include "sim/story_parser.h"

namespace sluice {

Result<std::vector<std::string>> find_story_files(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
      out.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator at(path, problem), end; !problem && at != end;
         at.increment(problem))
      if (at->path().extension() == ".story") found.push_back(at->path().string());
    if (problem) return bad_input(fmt::format("cannot read '{}': {}", path, problem.message()));
    if (found.empty())
      return bad_input(fmt::format("'{}' holds no *.story file", path),
                       "docs/reference/stories.md says how to write one");
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

Result<std::vector<Story>> read_story_file(const std::string& path) {
  TRY(const std::string text, read_file(path));
  return parse_stories(text, path, [](const std::string& other) { return read_file(other); });
}

Colour colour_of_output() { return Display::of_stdout().colour ? Colour::kYes : Colour::kNo; }

}  // namespace sluice
