#include "text/multi_prog.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

// The tasks of "0,4-7", in its order; "*" is all of them, of which those without a line get it.
Result<std::vector<std::uint32_t>> read_tasks(std::string_view list, std::uint32_t tasks) {
  std::vector<std::uint32_t> out;
  if (list == "*") {
    for (std::uint32_t i = 0; i < tasks; ++i) out.push_back(i);
    return out;
  }
  for (const std::string_view range : split(list, ',')) {
    const std::size_t dash = range.find('-');
    const auto low = whole_number(range.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : whole_number(range.substr(dash + 1));
    if (!low || !high)
      return bad_input(fmt::format("Invalid task range specification ({})", range));
    if (*high < *low) return bad_input(fmt::format("Invalid task range, {}", range));
    if (*high >= tasks) return bad_input(fmt::format("Invalid task id, {} >= ntasks", *high));
    for (std::int64_t i = *low; i <= *high; ++i) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

void add_arguments(std::string_view text, std::uint32_t task, std::size_t place,
                   std::vector<std::string>& out) {
  std::optional<std::string> word;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quoted && kBlank.find(c) != std::string_view::npos) {
      if (word) out.push_back(*std::move(word));
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == '\'') {
      quoted = !quoted;
    } else if (quoted) {
      *word += c;
    } else if (c == '\\') {
      if (i + 1 < text.size()) *word += text[++i];
    } else if (c == '%') {
      const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
      if (kind == 't') *word += std::to_string(task);
      if (kind == 'o') *word += std::to_string(place);
      if (kind == 't' || kind == 'o') ++i;
    } else {
      *word += c;
    }
  }
  if (word) out.push_back(*std::move(word));
}

// Lines, those that end with a backslash together with the next; and their numbers.
std::vector<std::pair<std::size_t, std::string>> read_lines(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string>> out;
  std::size_t number = 0;
  bool goes_on = false;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (goes_on)
      out.back().second += line;
    else
      out.emplace_back(number, line);
    goes_on = line.ends_with('\\');
    if (goes_on) out.back().second.pop_back();
  }
  return out;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> parse_multi_prog(std::string_view text,
                                                               std::string_view name,
                                                               std::uint32_t tasks) {
  std::vector<std::vector<std::string>> out(tasks);
  bool others = false;  // A line for all others was there: it is the last.
  for (const auto& [number, whole] : read_lines(text)) {
    std::string_view line = whole;
    const std::string_view list = next_word(line);
    if (list.empty() || list.starts_with('#')) continue;
    const std::string wrong = fmt::format("Line {} of configuration file {} invalid", number, name);
    const std::string_view program = next_word(line);
    if (program.empty()) return bad_input(wrong);
    const auto listed = read_tasks(list, tasks);
    if (!listed) return bad_input(listed.error().what + "\n" + wrong);
    if (others) return bad_input("Task range specification with asterisk must be last");
    others = list == "*";
    for (std::size_t place = 0; place < listed->size(); ++place) {
      const std::uint32_t task = (*listed)[place];
      if (!out[task].empty() && others) continue;
      if (!out[task].empty())
        return bad_input(fmt::format("Duplicate record for task {}\n{}", task, wrong));
      out[task].emplace_back(program);
      add_arguments(line, task, place, out[task]);
    }
  }
  for (std::size_t task = 0; task < out.size(); ++task)
    if (out[task].empty())
      return bad_input(
          fmt::format("Configuration file {} invalid, no record for task id {}", name, task));
  return out;
}

}  // namespace sluice
