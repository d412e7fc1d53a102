// The tables of a chain's report, whatever they are printed as.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "views/chain_view.h"

namespace sluice {

struct ReportTable {
  using Row = std::vector<std::string>;
  Row head;
  std::vector<Row> rows;
};

// More are counted, not listed.
inline constexpr std::size_t kFailuresShown = 20;

ReportTable rounds_of(const ChainView& view);
ReportTable failures_of(const ChainView& view);
ReportTable counts(std::string head, const std::map<std::string, std::size_t>& table);
ReportTable waste_of(const ChainView& view);
ReportTable sizing_of(const SizingView& sizing);
std::string sizing_line(const SizingView& sizing);
// "23 of 24 tasks completed. 1 failed (not retried)."
std::string summary(const ChainView& view, std::string_view bold_open, std::string_view bold_close);
std::string round_title(const ChainRow& row);
std::string runtime_line(const ChainRow& row);

}  // namespace sluice
