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
  std::size_t out = 0;
  for (const char c : text) out += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return out;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F;
  });
}

std::string cut(std::string_view text, std::size_t width) {
  if (shown_width(text) <= width) return std::string(text);
  return std::string(first_columns(text, width - 1)) + "…";
}

// Broken at blanks; what follows stands below the first line's beginning.
std::string in_lines(std::string_view text, std::size_t indent, std::size_t width) {
  constexpr std::size_t kLeast = 20;
  const std::size_t room = std::max(kLeast, width > indent ? width - indent : 0);
  std::string out;
  while (shown_width(text) > room) {
    const std::string_view first = first_columns(text, room + 1);
    const std::size_t blank = first.rfind(' ');
    if (blank == std::string_view::npos || blank == 0) break;
    out += std::string(text.substr(0, blank)) + "\n" + std::string(indent, ' ');
    text.remove_prefix(blank + 1);
  }
  return out + std::string(text);
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

Table::Table(std::vector<Column> columns)
    : columns_(std::move(columns)),
      hidden_(columns_.size(), false),
      widths_(columns_.size(), 0),
      runs_(columns_.size()) {}

void Table::widen(std::size_t column, std::size_t width) {
  widths_[column] = std::max(widths_[column], width);
}

void Table::cell(std::string_view given) {
  // Whatever a cell holds, another user may have chosen it.
  std::string safe;
  if (!is_plain(given)) safe = printable(given);
  const std::string_view text = safe.empty() ? given : safe;
  std::vector<Run>& runs = runs_[next_];
  if (runs.empty() ||
      std::string_view(cells_).substr(runs.back().begin, runs.back().size) != text) {
    widen(next_, shown_width(text));
    runs.push_back({rows_, cells_.size(), text.size()});
    cells_ += text;
  }
  if (++next_ < columns_.size()) return;
  next_ = 0;
  ++rows_;
}

void Table::add_alike(std::string_view first) {
  widen(0, shown_width(first));
  runs_[0].push_back({rows_++, cells_.size(), first.size()});
  cells_ += first;
}

void Table::add(const std::vector<std::string>& row) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    cell(i < row.size() ? std::string_view(row[i]) : std::string_view());
}

void Table::add_series(std::string prefix, IndexSet indices) {
  if (const auto last = indices.last())
    widen(0, shown_width(prefix) + fmt::format_int(*last).size());
  series_.push_back({rows_, std::move(prefix), std::move(indices)});
}

void Table::leave_out(const std::vector<std::string>& titles) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (std::find(titles.begin(), titles.end(), columns_[i].title) != titles.end())
      hidden_[i] = true;
}

Table::Layout Table::fit(const Display& display) const {
  Layout out{std::vector<bool>(columns_.size(), false), widths_, {}, 0};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (hidden_[i] || (out.width[i] == 0 && rows_ > 0)) continue;
    out.used[i] = true;
    out.width[i] = std::max(out.width[i], shown_width(columns_[i].title));
    // More of it than this needs no room beside the others: it goes on below.
    constexpr std::size_t kOnOneLine = 36;
    if (columns_[i].narrow == Narrow::kWraps && i + 1 == columns_.size() && display.width > 0)
      out.width[i] = std::min(out.width[i], kOnOneLine);
    out.total += out.width[i] + (out.total > 0 ? 2 : 0);
  }
  if (display.width == 0) return out;
  for (const Narrow rank : {Narrow::kGoesFirst, Narrow::kGoesSecond, Narrow::kGoesLast})
    for (std::size_t i = columns_.size(); i-- > 0 && out.total > display.width;) {
      if (!out.used[i] || columns_[i].narrow != rank) continue;
      out.used[i] = false;
      out.total -= out.width[i] + 2;
      out.gone.insert(out.gone.begin(), columns_[i].title);
    }
  constexpr std::size_t kLeast = 6;  // Less of a name tells nothing.
  const auto shrink = [&](std::size_t i) {
    if (!out.used[i] || !columns_[i].may_shrink || out.width[i] <= kLeast) return;
    const std::size_t less = std::min(out.total - display.width, out.width[i] - kLeast);
    out.width[i] -= less;
    out.total -= less;
  };
  // What goes on below itself keeps its room: in a few columns it cannot be read.
  for (std::size_t i = columns_.size(); i-- > 0 && out.total > display.width;)
    if (columns_[i].narrow != Narrow::kWraps) shrink(i);
  if (out.total > display.width) shrink(columns_.size() - 1);
  return out;
}

template <class Sink>
void Table::write(const Display& display, Sink sink) const {
  const Layout layout = fit(display);
  const std::vector<std::size_t>& width = layout.width;
  const std::vector<bool>& used = layout.used;
  // Where the last column begins that may go on below itself.
  std::size_t wraps_at = 0;
  if (display.width > 0 && columns_.back().narrow == Narrow::kWraps && used.back())
    wraps_at = layout.total - width.back();
  const auto padded = [&](std::size_t i, std::string_view cell) {
    if (wraps_at > 0 && i + 1 == columns_.size()) return in_lines(cell, wraps_at, display.width);
    const std::string shorter = cut(cell, width[i]);
    const std::string gap(width[i] - std::min(width[i], shown_width(shorter)), ' ');
    return columns_[i].align == Align::kRight ? gap + shorter : shorter + gap;
  };
  std::vector<std::string> cells(columns_.size());
  std::string line;
  const auto join = [&](std::size_t from) {
    line.clear();
    bool more = false;
    for (std::size_t i = from; i < columns_.size(); ++i) {
      if (!used[i]) continue;
      if (more) line += "  ";
      more = true;
      line += cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
  };
  if (titles_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) cells[i] = padded(i, columns_[i].title);
    join(0);
    sink(bold(display, line) + "\n");
  }
  std::vector<std::size_t> next(columns_.size(), 0);
  const auto take_cell = [&](std::size_t i, std::size_t row) {
    if (next[i] == runs_[i].size() || runs_[i][next[i]].row != row) return;
    const Run& run = runs_[i][next[i]++];
    if (used[i]) cells[i] = padded(i, std::string_view(cells_).substr(run.begin, run.size));
  };
  auto series = series_.begin();
  // All but the first cell is made once for the rows that share it.
  std::string rest;
  std::size_t rest_until = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    take_cell(0, row);
    if (row >= rest_until) {
      rest_until = rows_;
      for (std::size_t i = 1; i < columns_.size(); ++i) {
        take_cell(i, row);
        if (next[i] < runs_[i].size()) rest_until = std::min(rest_until, runs_[i][next[i]].row);
      }
      join(1);
      rest = (used[0] && !line.empty() ? "  " : "") + line + "\n";
    }
    if (series == series_.end() || series->row != row) {
      line.clear();
      if (used[0]) line += cells[0];
      // Nothing follows: no blanks at the end.
      if (rest.size() == 1) line.erase(line.find_last_not_of(' ') + 1);
      line += rest;
      sink(line);
      continue;
    }
    for (auto index = series->indices.first(); index; index = series->indices.first(*index + 1)) {
      line.clear();
      if (used[0]) {
        const fmt::format_int digits(*index);
        line += series->prefix;
        line.append(digits.data(), digits.size());
        line.append(width[0] - std::min(width[0], line.size()), ' ');
      }
      line += rest;
      sink(line);
    }
    ++series;
  }
  if (layout.gone.empty() || !titles_) return;
  std::string names;
  for (const std::string& title : layout.gone) names += (names.empty() ? "" : ", ") + title;
  sink(dim(display, fmt::format("Left out to fit {} columns: {}", display.width, names)) + "\n");
}

std::string Table::text(const Display& display) const {
  std::string out;
  write(display, [&](const std::string& line) { out += line; });
  return out;
}

void Table::print(const Display& display, std::FILE* file) const {
  std::string out;
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  write(display, [&](const std::string& line) {
    out += line;
    if (out.size() < kPiece) return;
    std::fwrite(out.data(), 1, out.size(), file);
    out.clear();
  });
  std::fwrite(out.data(), 1, out.size(), file);
}

std::string_view first_columns(std::string_view text, std::size_t width) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80;
    if (starts && taken++ == width) return text.substr(0, i);
  }
  return text;
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
