// Tables that fit the terminal: columns as wide as what stands in them, the last ones cut first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// How a terminal shows it, or a pipe takes it.
struct Display {
  std::size_t width = 0;  // 0: as wide as it gets.
  bool colour = false;

  // Of standard output: COLUMNS, else the terminal's own width; colour on a terminal without
  // NO_COLOR.
  static Display of_stdout();
};

enum class Align : std::uint8_t { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  bool may_shrink = false;  // Cut, with a mark, where the line is too long.
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // Columns that are empty in every row are left out.
  std::string text(const Display& display) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// What other people chose (names, comments) without bytes that a terminal would obey.
std::string printable(std::string_view text);

// "\x1b[1m" and the like, or nothing.
std::string bold(const Display& display, std::string_view text);
std::string dim(const Display& display, std::string_view text);
std::string red(const Display& display, std::string_view text);
std::string green(const Display& display, std::string_view text);

}  // namespace sluice
