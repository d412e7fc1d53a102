#include "text/replacement.h"

#include <fmt/format.h>

#include <optional>

#include "text/quoting.h"
#include "text/scan.h"

namespace sluice {
namespace {

std::string without_extension(const std::string& item) {
  const std::size_t dot = item.rfind('.');
  const std::size_t slash = item.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return dot == std::string::npos || dot < name ? item : item.substr(0, dot);
}

std::string base_name(const std::string& item) { return item.substr(item.rfind('/') + 1); }

std::string folder_of(const std::string& item) {
  const std::size_t slash = item.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : item.substr(0, slash);
}

struct Replacement {
  std::optional<std::size_t> position;  // {2}: the second source; nothing: all of them.
  std::string how;                      // "", ".", "/", "//", "/.", "#"
};

// What stands between the braces; nothing where that is no replacement.
std::optional<Replacement> parsed(std::string_view inside) {
  Replacement out;
  std::size_t digits = 0;
  while (digits < inside.size() && inside[digits] >= '0' && inside[digits] <= '9') ++digits;
  if (digits > 0) {
    const auto number = whole_number(inside.substr(0, digits));
    if (!number || *number < 1 || *number > 100) return std::nullopt;
    out.position = static_cast<std::size_t>(*number);
  }
  out.how = inside.substr(digits);
  for (const std::string_view known : {"", ".", "/", "//", "/."})
    if (out.how == known) return out;
  if (out.how == "#" && !out.position) return out;
  return std::nullopt;
}

std::string changed(const std::string& item, const std::string& how) {
  if (how == ".") return without_extension(item);
  if (how == "/") return base_name(item);
  if (how == "//") return folder_of(item);
  if (how == "/.") return without_extension(base_name(item));
  return item;
}

// Calls text(piece) and replace(Replacement) in the order of the command.
template <class Text, class Replace>
Result<void> walk(std::string_view command, Text text, Replace replace) {
  while (!command.empty()) {
    const std::size_t open = command.find('{');
    const std::size_t close = open == std::string_view::npos ? open : command.find('}', open);
    if (close == std::string_view::npos) break;
    const auto found = parsed(command.substr(open + 1, close - open - 1));
    text(command.substr(0, found ? open : open + 1));
    if (found) TRY_VOID(replace(*found));
    command.remove_prefix(found ? close + 1 : open + 1);
  }
  text(command);
  return {};
}

}  // namespace

bool has_replacement(std::string_view command) {
  bool found = false;
  static_cast<void>(walk(
      command, [](std::string_view) {},
      [&](const Replacement& one) -> Result<void> {
        found = found || one.how != "#";
        return {};
      }));
  return found;
}

std::string one_line_word(std::string_view text) {
  if (text.find_first_of("\n\r") == std::string_view::npos) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos)
      return std::string(text);
    return shell_word(text);
  }
  std::string out = "$'";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\'' || c == '\\')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out + "'";
}

Result<std::string> filled_in(std::string_view command, std::span<const std::string> items,
                              std::size_t number) {
  std::string out;
  TRY_VOID(walk(
      command, [&](std::string_view piece) { out += piece; },
      [&](const Replacement& one) -> Result<void> {
        if (one.how == "#") {
          out += std::to_string(number);
          return {};
        }
        if (one.position && *one.position > items.size())
          return bad_input(fmt::format("the command has {{{}}}, but there {} {} list{}",
                                       *one.position, items.size() == 1 ? "is" : "are",
                                       items.size(), items.size() == 1 ? "" : "s"),
                           "add another list: ::: a b ::: 1 2");
        bool more = false;
        for (std::size_t i = 0; i < items.size(); ++i) {
          if (one.position && *one.position != i + 1) continue;
          if (more) out += ' ';
          more = true;
          out += one_line_word(changed(items[i], one.how));
        }
        return {};
      }));
  return out;
}

std::vector<std::vector<std::string>> combined(
    const std::vector<std::vector<std::string>>& sources) {
  std::vector<std::vector<std::string>> out{{}};
  for (const std::vector<std::string>& source : sources) {
    std::vector<std::vector<std::string>> next;
    next.reserve(out.size() * source.size());
    for (const std::vector<std::string>& line : out)
      for (const std::string& item : source) {
        next.push_back(line);
        next.back().push_back(item);
      }
    out = std::move(next);
  }
  if (sources.empty()) out.clear();
  return out;
}

}  // namespace sluice
