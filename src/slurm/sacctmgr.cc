#include "slurm/sacctmgr.h"

#include <fmt/format.h>

#include "text/scan.h"

namespace sluice {

SacctmgrColumns columns_in(SacctmgrColumns columns, std::optional<SlurmVersion> version) {
  if (version)
    std::erase_if(columns, [&](const SacctmgrColumn& each) { return *version < each.since; });
  return columns;
}

std::vector<std::string> show_command(std::string_view noun, const SacctmgrColumns& columns,
                                      const std::vector<std::string>& more) {
  std::vector<std::string> argv = {"sacctmgr", "--noheader", "--parsable2", "show",
                                   std::string(noun)};
  argv.insert(argv.end(), more.begin(), more.end());
  std::string format = "format=";
  for (const SacctmgrColumn& column : columns) {
    if (&column != &columns.front()) format += ',';
    format += column.name;
  }
  argv.push_back(std::move(format));
  return argv;
}

SacctmgrLine::SacctmgrLine(const SacctmgrColumns& columns, std::string_view line) {
  for (const SacctmgrColumn& column : columns) {
    const bool is_last = &column == &columns.back();
    const std::size_t bar = is_last ? std::string_view::npos : line.find('|');
    values_.emplace_back(column.name, line.substr(0, bar));
    line.remove_prefix(bar == std::string_view::npos ? line.size() : bar + 1);
  }
}

const std::string& SacctmgrLine::get(std::string_view column) const {
  static const std::string kNothing;
  for (const auto& [name, value] : values_)
    if (name == column) return value;
  return kNothing;
}

std::vector<SacctmgrLine> read_sacctmgr(std::string_view text, const SacctmgrColumns& columns) {
  std::vector<SacctmgrLine> out;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) out.emplace_back(columns, line);
  return out;
}

}  // namespace sluice
