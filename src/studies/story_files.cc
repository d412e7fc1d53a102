// Finding and reading story files.
#include "studies/story_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "cli/table.h"
#include "host/files/files.h"
#include "sim/stories/story_parser.h"
#include "text/scan.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> files_below(const std::string& folder) {
  std::error_code problem;
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem))
    if (at->path().extension() == ".story") found.push_back(at->path().string());
  if (problem) return bad_input(fmt::format("cannot read '{}': {}", folder, problem.message()));
  if (found.empty())
    return bad_input(fmt::format("'{}' holds no *.story file", folder),
                     "docs/reference/stories.md says how to write one");
  std::sort(found.begin(), found.end());
  return found;
}

constexpr std::int64_t kLastLine = 1000000000;

struct Place {
  std::string file;
  int line = 0;
};

// As reports name a story. A file that is called like that is meant first.
std::optional<Place> place_of(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || fs::exists(path, ignored)) return std::nullopt;
  const auto line = whole_number(std::string_view(path).substr(colon + 1));
  if (!line) return std::nullopt;
  return Place{path.substr(0, colon), static_cast<int>(std::min<std::int64_t>(*line, kLastLine))};
}

Result<Story> story_at(const Place& place) {
  TRY(std::vector<Story> stories, read_story_file(place.file));
  const auto after = std::find_if(stories.begin(), stories.end(),
                                  [&](const Story& story) { return story.line > place.line; });
  if (after == stories.begin())
    return bad_input(
        fmt::format("no story of {} begins at or before line {}", place.file, place.line),
        fmt::format("the first is {}:{}", place.file, stories.empty() ? 1 : stories.front().line));
  return std::move(*std::prev(after));
}

}  // namespace

Result<std::vector<Story>> read_story_file(const std::string& path) {
  TRY(const std::string text, read_file(path));
  return parse_stories(text, path, read_included);
}

Result<std::vector<Story>> read_stories(const std::vector<std::string>& paths) {
  std::vector<Story> out;
  for (const std::string& path : paths) {
    if (const auto place = place_of(path)) {
      TRY(Story story, story_at(*place));
      out.push_back(std::move(story));
      continue;
    }
    std::vector<std::string> files = {path};
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      TRY(files, files_below(path));
    }
    for (const std::string& file : files) {
      TRY(std::vector<Story> stories, read_story_file(file));
      std::move(stories.begin(), stories.end(), std::back_inserter(out));
    }
  }
  return out;
}

Colour colour_of_output() { return Display::of_stdout().colour ? Colour::kYes : Colour::kNo; }

}  // namespace sluice
