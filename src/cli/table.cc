#include "cli/table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sluice {
namespace {

// Columns on the screen; bytes that continue a character take none.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

std::string cut(std::string_view text, std::size_t width) {
  if (shown_width(text) <= width) return std::string(text);
  std::string out;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80;
    if (starts && ++taken >= width) break;
    out += text[i];
  }
  return out + "…";
}

std::string wrapped(const Display& display, std::string_view code, std::string_view text) {
  return display.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

Display Display::of_stdout() {
  Display out;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  if (const char* columns = std::getenv("COLUMNS")) {
    out.width = static_cast<std::size_t>(std::max(0, std::atoi(columns)));
  } else if (terminal) {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) out.width = size.ws_col;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  out.colour = terminal && (no_colour == nullptr || *no_colour == '\0') &&
               (term == nullptr || std::string_view(term) != "dumb");
  return out;
}

std::string Table::text(const Display& display) const {
  std::vector<std::size_t> width(columns_.size(), 0);
  std::vector<bool> used(columns_.size(), false);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      width[i] = std::max(width[i], shown_width(row[i]));
      used[i] = used[i] || !row[i].empty();
    }
  std::size_t total = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!used[i] && !rows_.empty()) continue;
    used[i] = true;
    width[i] = std::max(width[i], shown_width(columns_[i].title));
    total += width[i] + (total > 0 ? 2 : 0);
  }
  constexpr std::size_t kLeast = 6;  // Less of a name tells nothing.
  for (std::size_t i = columns_.size(); i-- > 0 && display.width > 0 && total > display.width;) {
    if (!used[i] || !columns_[i].may_shrink || width[i] <= kLeast) continue;
    const std::size_t less = std::min(total - display.width, width[i] - kLeast);
    width[i] -= less;
    total -= less;
  }
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& row, bool title) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!used[i]) continue;
      const std::string cell = cut(i < row.size() ? row[i] : "", width[i]);
      const std::string gap(width[i] - std::min(width[i], shown_width(cell)), ' ');
      if (!line.empty()) line += "  ";
      line += columns_[i].align == Align::kRight ? gap + cell : cell + gap;
    }
    while (line.ends_with(' ')) line.pop_back();
    out += (title ? bold(display, line) : line) + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  add_row(titles, true);
  for (const auto& row : rows_) add_row(row, false);
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
    else
      out += c;
  }
  return out;
}

std::string bold(const Display& display, std::string_view text) {
  return wrapped(display, "1", text);
}
std::string dim(const Display& display, std::string_view text) {
  return wrapped(display, "2", text);
}
std::string red(const Display& display, std::string_view text) {
  return wrapped(display, "31", text);
}
std::string green(const Display& display, std::string_view text) {
  return wrapped(display, "32", text);
}

}  // namespace sluice
