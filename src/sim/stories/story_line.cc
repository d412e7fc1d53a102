// Cutting lines into words; quotes and brackets hold together what blanks and commas would part.
#include "sim/stories/story_line.h"

#include <fmt/format.h>

#include "text/duration.h"
#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

std::string_view without_comment(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '#' && !quoted && (i == 0 || is_blank(text[i - 1]))) return text.substr(0, i);
  }
  return text;
}

std::size_t find_arrow(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with("=>") && (i == 0 || is_blank(text[i - 1]))) return i;
  }
  return std::string_view::npos;
}

}  // namespace

StoryLine read_story_line(std::string_view text, Place place) {
  StoryLine line;
  line.place = std::move(place);
  line.indented = !text.empty() && is_blank(text[0]);
  const std::string_view plain = without_blanks_around(without_comment(text));
  line.text = plain;
  const std::size_t arrow = find_arrow(plain);
  line.has_arrow = arrow != std::string_view::npos;
  line.words = story_words(plain.substr(0, arrow));
  if (line.has_arrow) line.after_arrow = without_blanks_around(plain.substr(arrow + 2));
  if (!line.words.empty()) {
    const std::string_view rest = plain.substr(0, arrow).substr(line.words.front().size());
    // Columns are for the eye of the author.
    for (const std::string& word : story_words(rest)) {
      if (!line.action.empty()) line.action += ' ';
      line.action += word;
    }
  }
  return line;
}

tl::unexpected<Error> story_error(const Place& place, std::string_view token, std::string what,
                                  std::string hint) {
  std::string where = place.text();
  if (!token.empty()) where += fmt::format(": {}", token);
  return tl::unexpected(
      Error{ErrorKind::kBadInput, std::move(what), std::move(where), std::move(hint)});
}

std::vector<std::string> story_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (is_blank(c) && !quoted) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> story_parts(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  bool quoted = false;
  int depth = 0;
  auto close = [&] {
    const std::string_view plain = without_blanks_around(part);
    if (!plain.empty()) parts.emplace_back(plain);
    part.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    const bool at_end = i + 1 == text.size() || is_blank(text[i + 1]);
    if (c == ',' && !quoted && depth <= 0 && at_end)
      close();
    else
      part += c;
  }
  close();
  return parts;
}

KeyValue split_key_value(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {std::string(word), std::nullopt};
  std::string_view value = word.substr(equals + 1);
  if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
    value = value.substr(1, value.size() - 2);
  return {std::string(word.substr(0, equals)), std::string(value)};
}

Result<Duration> parse_story_time(std::string_view text) {
  constexpr const char* kHint =
      "write 0:30 for thirty seconds, 10:00 for ten minutes, 1:00:00, "
      "1-00:00:00, or 30s, 10m, 1h";
  if (whole_number(text)) return bad_input(fmt::format("{} of what?", quoted(text)), kHint);
  auto limit = parse_friendly_duration(text);
  if (!limit) return bad_input(fmt::format("{} is not a time", quoted(text)), kHint);
  if (limit->unlimited()) return bad_input(fmt::format("{} is not a time", quoted(text)), kHint);
  return *limit->duration;
}

std::string format_story_time(Duration time) {
  if (time < Duration(0)) return "-" + format_story_time(-time);
  const std::int64_t all = to_seconds(time);
  std::string out;
  const std::int64_t days = all / 86'400;
  const std::int64_t hours = all / 3'600 % 24;
  const std::int64_t mins = all / 60 % 60;
  if (days > 0)
    out = fmt::format("{}-{:02}:{:02}:{:02}", days, hours, mins, all % 60);
  else if (hours > 0)
    out = fmt::format("{}:{:02}:{:02}", hours, mins, all % 60);
  else
    out = fmt::format("{}:{:02}", mins, all % 60);
  return out;
}

std::string allowed_of(std::string_view word, std::span<const std::string_view> allowed) {
  return allowed_words(word, std::vector<std::string>(allowed.begin(), allowed.end()));
}

}  // namespace sluice
