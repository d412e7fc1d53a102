// Tables of sacctmgr and sshare: columns with widths, or cells apart by a delimiter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shims/shim.h"

namespace sluice {

struct TableColumn {
  std::string title;
  int width = 10;  // Below zero: aligned to the left.
};

struct TableStyle {
  bool parsable = false;
  bool trailing = false;  // A delimiter behind the last cell too.
  bool header = true;
  std::string delimiter = "|";
};

void print_table(ShimCall& call, const TableStyle& style, const std::vector<TableColumn>& columns,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace sluice
