#include "top/table.h"

#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "text/printable.h"

namespace sluice {
namespace {

constexpr std::size_t kGap = 1;
constexpr std::size_t kNarrowest = 5;
// A name that goes on and on must not push everything else out of sight.
constexpr std::size_t kWidest = 60;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::size_t character_width(std::string_view bytes) {
  const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(utf8_character(bytes)));
  return width < 0 ? 0 : static_cast<std::size_t>(width);
}

}  // namespace

void keep_rows(TopTable& table, std::string_view filter) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < filter.size();) {
    const std::size_t end = std::min(filter.find(' ', at), filter.size());
    if (end > at) words.push_back(lower(filter.substr(at, end - at)));
    at = end + 1;
  }
  if (words.empty()) return;
  std::erase_if(table.rows, [&](const TopRow& row) {
    std::string all;
    for (const std::string& cell : row.cells) all += lower(cell) + ' ';
    return !std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return all.find(word) != std::string::npos;
    });
  });
}

void sort_rows(TopTable& table, std::size_t column, SortOrder order) {
  if (column >= table.columns.size()) return;
  const auto less = [&](const TopRow& a, const TopRow& b) {
    if (a.values[column] != kByText && b.values[column] != kByText)
      return a.values[column] < b.values[column];
    return a.cells[column] < b.cells[column];
  };
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TopRow& a, const TopRow& b) {
    return order == SortOrder::kRising ? less(a, b) : less(b, a);
  });
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    width += utf8_length(text) == 0 ? 1 : character_width(text.substr(0, length));
    text.remove_prefix(length);
  }
  return width;
}

std::string fitted(std::string_view text, std::size_t width, bool right) {
  const std::size_t whole = shown_width(text);
  if (whole <= width) {
    const std::string fill(width - whole, ' ');
    return right ? fill + std::string(text) : std::string(text) + fill;
  }
  std::string out;
  std::size_t used = 0;
  while (!text.empty() && width > 0) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    const std::size_t more = utf8_length(text) == 0 ? 1 : character_width(text.substr(0, length));
    if (used + more > width - 1) break;
    out += text.substr(0, length);
    used += more;
    text.remove_prefix(length);
  }
  if (width > 0) out += '+';
  if (used + 1 < width) out.append(width - used - 1, ' ');
  return out;
}

std::vector<std::size_t> column_widths(const TopTable& table, std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = 0;
    for (const TopRow& row : table.rows) widest = std::max(widest, shown_width(row.cells[i]));
    // A column with nothing in it says nothing.
    widths.push_back(widest == 0 && !table.rows.empty()
                         ? 0
                         : std::min(std::max(widest, table.columns[i].title.size()), kWidest));
  }
  const auto sum = [&] {
    std::size_t all = 0;
    for (const std::size_t one : widths) all += one > 0 ? one + kGap : 0;
    return all > 0 ? all - kGap : 0;
  };
  while (sum() > width) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (table.columns[i].may_shrink && widths[i] > 2 * kNarrowest &&
          (widest == nullptr || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) break;
    --*widest;
  }
  for (std::size_t i = widths.size(); i-- > 2 && sum() > width;)
    if (i + 1 != widths.size() && i != table.state_column) widths[i] = 0;
  // What is still too wide is cut at the edge, from the right.
  for (std::size_t i = widths.size(); i-- > 1 && sum() > width;)
    widths[i] -= std::min(widths[i], sum() - width);
  return widths;
}

}  // namespace sluice
