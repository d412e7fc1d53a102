// Read as YAML for what it means, changed as lines for what it looks like.
#include "policyfile/files/project_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "policyfile/read/value.h"
#include "policyfile/read/yaml.h"

namespace sluice {
namespace {

const Value* child(const Value& map, std::string_view key) {
  for (const Entry& entry : map.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

// "key: 3" in the line to "key: 5"; what follows the number stays.
std::optional<std::string> with_number(const std::string& line, std::string_view key,
                                       std::int64_t number) {
  const std::size_t at = line.find(fmt::format("{}:", key));
  if (at == std::string::npos) return std::nullopt;
  std::size_t start = at + key.size() + 1;
  while (start < line.size() && line[start] == ' ') ++start;
  std::size_t end = start;
  while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
  if (end == start) return std::nullopt;
  return line.substr(0, start) + std::to_string(number) + line.substr(end);
}

std::optional<std::int64_t> number_in(const Value* value) {
  if (value == nullptr || !value->is_scalar() || value->text.empty() || value->text.size() > 9)
    return std::nullopt;
  if (!std::all_of(value->text.begin(), value->text.end(),
                   [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  return std::stoll(value->text);
}

// "[a, b, c]  # why" without b: "[a, c]  # why".
std::optional<std::string> without_name(const std::string& line, std::string_view name) {
  const std::size_t open = line.find('[');
  const std::size_t close = open == std::string::npos ? open : line.find(']', open);
  if (close == std::string::npos) return std::nullopt;
  for (std::size_t begin = open + 1; begin < close;) {
    const std::size_t end = std::min(line.find(',', begin), close);
    std::string_view word = std::string_view(line).substr(begin, end - begin);
    const auto is_around = [](char c) { return c == ' ' || c == '"' || c == '\''; };
    while (!word.empty() && is_around(word.front())) word.remove_prefix(1);
    while (!word.empty() && is_around(word.back())) word.remove_suffix(1);
    if (word == name) {
      if (begin > open + 1) return line.substr(0, begin - 1) + line.substr(end);
      std::size_t rest = end < close ? end + 1 : end;
      while (line[rest] == ' ') ++rest;
      return line.substr(0, begin) + line.substr(rest);
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::size_t indentation(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string::npos ? line.size() : at;
}

class Comparison {
 public:
  Comparison(std::string_view text, const LiveAccounts& live)
      : lines_(lines_of(text)), live_(live) {}

  void slots(const Value& resources, const Value& accounts) {
    std::int64_t gpu = 0;
    std::int64_t cpu = 0;
    for (const Value& item : accounts.items) {
      const Value* name = child(item, "name");
      if (name == nullptr || !name->is_scalar()) continue;
      if (const auto why = unusable(name->text)) {
        remove(item, *why);
        continue;
      }
      const auto found = live_.find(name->text);
      compare(item, "gpu_slots", found->second.gpu_slots, name->text);
      compare(item, "cpu_slots", found->second.cpu_slots, name->text);
      gpu += found->second.gpu_slots;
      cpu += found->second.cpu_slots;
    }
    compare(resources, "total_gpu_slots", gpu, "all accounts");
    compare(resources, "total_cpu_slots", cpu, "all accounts");
    compare(resources, "total_slots", gpu + cpu, "all accounts");
  }

  // An empty list would mean every account: where none is left people have to say.
  void names(const Value& accounts) {
    const auto usable = [&](const Value& item) { return item.is_scalar() && !unusable(item.text); };
    if (std::none_of(accounts.items.begin(), accounts.items.end(), usable)) return;
    for (const Value& item : accounts.items) {
      if (!item.is_scalar() || usable(item) || !has(item.place.line)) continue;
      const std::string& text = line(item.place.line);
      const std::size_t begin = indentation(text);
      if (begin < text.size() && text[begin] == '-')
        remove(item, *unusable(item.text));
      else
        leave_out(item);
    }
  }

  std::vector<FileDrift> found() {
    std::sort(drift_.begin(), drift_.end(),
              [](const FileDrift& a, const FileDrift& b) { return a.line < b.line; });
    return std::move(drift_);
  }

 private:
  std::optional<std::string> unusable(const std::string& name) const {
    const auto found = live_.find(name);
    if (found == live_.end()) return fmt::format("{} is not an account of yours", name);
    if (found->second.left_out.empty()) return std::nullopt;
    return fmt::format("{} is {}", name, found->second.left_out);
  }

  // A name of a list that stands in one line.
  void leave_out(const Value& item) {
    for (FileDrift& known : drift_)
      if (known.line == item.place.line && known.after) {
        if (auto after = without_name(*known.after, item.text)) {
          known.after = std::move(after);
          known.why += "; " + *unusable(item.text);
        }
        return;
      }
    if (auto after = without_name(line(item.place.line), item.text))
      drift_.push_back(
          {item.place.line, line(item.place.line), std::move(after), *unusable(item.text)});
  }

  const std::string& line(int number) const { return lines_[static_cast<std::size_t>(number - 1)]; }
  bool has(int number) const { return number >= 1 && number <= static_cast<int>(lines_.size()); }

  void compare(const Value& map, std::string_view key, std::int64_t live, const std::string& of) {
    const Value* value = child(map, key);
    const auto written = number_in(value);
    if (!written || *written == live || !has(value->place.line)) return;
    auto after = with_number(line(value->place.line), key, live);
    if (!after) return;
    // Two numbers may stand on one line.
    for (FileDrift& known : drift_)
      if (known.line == value->place.line && known.after) {
        known.after = with_number(*known.after, key, live);
        known.why += fmt::format("; {} {} instead of {}", key, live, *written);
        return;
      }
    drift_.push_back({value->place.line, line(value->place.line), std::move(after),
                      fmt::format("{}: {} is {} now, not {}", of, key, live, *written)});
  }

  // All lines of a list's item: from its dash up to the next line that is not indented deeper.
  void remove(const Value& item, std::string why) {
    int first = item.place.line;
    if (!item.entries.empty()) first = std::min(first, item.entries.front().place.line);
    if (!has(first) || line(first).find('-') == std::string::npos) return;
    const std::size_t dash = line(first).find('-');
    if (indentation(line(first)) != dash) return;  // A list in one line: left to people.
    drift_.push_back({first, line(first), std::nullopt, std::move(why)});
    for (int next = first + 1; has(next); ++next) {
      const std::string& text = line(next);
      if (indentation(text) == text.size() || indentation(text) <= dash) break;
      drift_.push_back({next, text, std::nullopt, ""});
    }
  }

  std::vector<std::string> lines_;
  const LiveAccounts& live_;
  std::vector<FileDrift> drift_;
};

}  // namespace

Result<std::vector<FileDrift>> find_drift(std::string_view text, std::string_view file_name,
                                          const LiveAccounts& live) {
  TRY(const Value whole, parse_yaml(text, file_name));
  Comparison comparison(text, live);
  const auto accounts_of = [&](std::string_view section) -> const Value* {
    const Value* map = child(whole, section);
    const Value* accounts = map != nullptr ? child(*map, "accounts") : nullptr;
    return accounts != nullptr && accounts->is_list() ? accounts : nullptr;
  };
  if (const Value* accounts = accounts_of("resources"))
    comparison.slots(*child(whole, "resources"), *accounts);
  if (const Value* accounts = accounts_of("routing")) comparison.names(*accounts);
  return comparison.found();
}

std::string without_drift(std::string_view text, const std::vector<FileDrift>& drift) {
  std::string out;
  int number = 0;
  std::size_t next = 0;
  const bool ends_with_newline = text.ends_with('\n');
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (next < drift.size() && drift[next].line == number) {
      if (drift[next].after) out += *drift[next].after + "\n";
      ++next;
      continue;
    }
    out += line + "\n";
  }
  if (!ends_with_newline && !out.empty()) out.pop_back();
  return out;
}

}  // namespace sluice
