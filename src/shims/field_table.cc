#include "shims/field_table.h"

#include <cstdlib>

#include "shims/words.h"

namespace sluice {
namespace {

void print_row(ShimCall& call, const TableStyle& style, const std::vector<TableColumn>& columns,
               const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& cell = cells[i];
    if (!style.parsable) {
      // A number in this notation is never cut.
      const bool is_whole = cell.find('.') == 1 && cell.find('e') != std::string::npos;
      if (is_whole)
        call.out += cell;
      else
        append_marked_cell(call.out, cell, columns[i].width);
      call.out += ' ';
      continue;
    }
    call.out += cell;
    if (i + 1 < columns.size() || style.trailing) call.out += style.delimiter;
  }
  call.out += '\n';
}

}  // namespace

void print_table(ShimCall& call, const TableStyle& style, const std::vector<TableColumn>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  if (style.header) {
    std::vector<std::string> titles;
    std::vector<std::string> dashes;
    for (const TableColumn& column : columns) {
      const auto width = static_cast<std::size_t>(std::abs(column.width));
      titles.push_back(style.parsable ? column.title : column.title.substr(0, width));
      dashes.emplace_back(width, '-');
    }
    print_row(call, style, columns, titles);
    if (!style.parsable) print_row(call, style, columns, dashes);
  }
  for (const auto& row : rows) print_row(call, style, columns, row);
}

}  // namespace sluice
