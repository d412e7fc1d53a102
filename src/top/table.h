// What sluice top shows, as tables of text: nothing here knows a terminal.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

enum class Tone : std::uint8_t { kPlain, kRun, kWait, kGood, kBad, kDim };

struct TopColumn {
  std::string title;
  bool right = false;       // Numbers.
  bool may_shrink = false;  // Cut where the line is too long.
};

// A value to sort by, where the text is not one.
inline constexpr double kByText = std::numeric_limits<double>::infinity();

// What Enter on a row shows.
enum class RowOpens : std::uint8_t { kNothing, kJob, kTasks, kChain };

struct TopRow {
  std::vector<std::string> cells;
  std::vector<double> values;  // As many as cells; kByText: the text counts.
  std::string key;             // What is opened; no other row of the table has it.
  RowOpens opens = RowOpens::kNothing;
  std::string cancels;       // What `c` ends; "": nothing that can be cancelled.
  Tone tone = Tone::kPlain;  // Of the state.
};

struct TopTable {
  std::vector<TopColumn> columns;
  std::size_t state_column = 0;  // The one with the colour.
  std::vector<TopRow> rows;
  std::string totals;
  std::string empty;  // What is said where there is no row.
};

// Keeps the rows in which every word of the filter stands, in any case.
void keep_rows(TopTable& table, std::string_view filter);
enum class SortOrder : std::uint8_t { kRising, kFalling };
void sort_rows(TopTable& table, std::size_t column, SortOrder order);

// Columns of a terminal that a text takes.
std::size_t shown_width(std::string_view text);
// Cut or filled to exactly so many columns.
std::string fitted(std::string_view text, std::size_t width, bool right = false);

// How wide each column is drawn in a line of `width`; 0: it is left out. The last columns go first,
// but for the very last, which says where or why.
std::vector<std::size_t> column_widths(const TopTable& table, std::size_t width);

}  // namespace sluice
