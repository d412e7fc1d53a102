// Tables that fit the terminal: columns as wide as what stands in them, the last ones cut first.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "model/index_set.h"
#include "text/printable.h"

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

// What becomes of a column where the line is too long.
enum class Narrow : std::uint8_t {
  kStays,
  kGoesFirst,   // Is left out, and named below the table.
  kGoesSecond,  // The same, after those.
  kGoesLast,
  kWraps,  // Is never cut: goes on in lines of its own. The last column.
};

struct Column {
  std::string title;
  Align align = Align::kLeft;
  bool may_shrink = false;  // Cut, with a mark, where the line is too long.
  Narrow narrow = Narrow::kStays;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);
  void add(const std::vector<std::string>& row);
  // A row cell by cell: as many as there are columns.
  void cell(std::string_view text);
  // A row that differs from the one above it in its first cell alone.
  void add_alike(std::string_view first);
  // Rows that differ in their first cell alone, which is the prefix and an index; the other cells
  // are those of one row, added right after this.
  void add_series(std::string prefix, IndexSet indices);
  bool empty() const { return rows_ == 0 && next_ == 0; }
  // Without the columns of these titles.
  void leave_out(const std::vector<std::string>& titles);
  void without_titles() { titles_ = false; }
  // Columns that are empty in every row are left out.
  std::string text(const Display& display) const;
  // The same, written as it is made.
  void print(const Display& display, std::FILE* file) const;

 private:
  struct Series {
    std::size_t row = 0;
    std::string prefix;
    IndexSet indices;
  };
  void widen(std::size_t column, std::size_t width);
  // Which columns are shown, how wide, and which had to go.
  struct Layout {
    std::vector<bool> used;
    std::vector<std::size_t> width;
    std::vector<std::string> gone;
    std::size_t total = 0;
  };
  Layout fit(const Display& display) const;
  template <class Sink>
  void write(const Display& display, Sink sink) const;

  // A hundred thousand rows: a cell that says what the one above it says is not kept again.
  struct Run {
    std::size_t row = 0;  // The first that has this cell.
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  std::vector<Column> columns_;
  std::vector<bool> hidden_;
  std::vector<std::size_t> widths_;
  std::string cells_;
  std::vector<std::vector<Run>> runs_;  // By column.
  std::size_t rows_ = 0;
  std::size_t next_ = 0;  // The column that the next cell belongs to.
  std::vector<Series> series_;
  bool titles_ = true;
};

// As much of it as so many columns of the screen hold.
std::string_view first_columns(std::string_view text, std::size_t width);

// "\x1b[1m" and the like, or nothing.
std::string bold(const Display& display, std::string_view text);
std::string dim(const Display& display, std::string_view text);
std::string red(const Display& display, std::string_view text);
std::string green(const Display& display, std::string_view text);

}  // namespace sluice
