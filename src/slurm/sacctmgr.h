// Tables as `sacctmgr --noheader --parsable2 show` prints them: columns with '|' between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slurm/version.h"

namespace sluice {

// A column of a table, and the release that it came with.
struct SacctmgrColumn {
  std::string_view name;
  SlurmVersion since = kOldestSlurm;
};
using SacctmgrColumns = std::vector<SacctmgrColumn>;

// Those that a release prints; all of them where the release is not known. sacctmgr prints nothing
// at all where one column is newer than it is.
SacctmgrColumns columns_in(SacctmgrColumns columns, std::optional<SlurmVersion> version);

// `sacctmgr … show NOUN MORE… format=…`.
std::vector<std::string> show_command(std::string_view noun, const SacctmgrColumns& columns,
                                      const std::vector<std::string>& more = {});

class SacctmgrLine {
 public:
  SacctmgrLine(const SacctmgrColumns& columns, std::string_view line);
  // Empty where the column was not asked for.
  const std::string& get(std::string_view column) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> values_;
};

// The last column may contain the separator; a line that is too short ends with empty columns.
std::vector<SacctmgrLine> read_sacctmgr(std::string_view text, const SacctmgrColumns& columns);

}  // namespace sluice
