#include "views/step_share.h"

#include <fmt/format.h>

#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {

std::string format_step_shares(const std::vector<StepShare>& shares) {
  std::string out;
  for (const StepShare& share : shares) {
    out +=
        fmt::format("{}{} {} {}", out.empty() ? "" : ";", share.node, share.cpus, share.memory_mb);
    if (!share.gpus.empty()) out += fmt::format(" {}", fmt::join(share.gpus, ","));
  }
  return out;
}

std::vector<StepShare> parse_step_shares(std::string_view text) {
  std::vector<StepShare> out;
  for (const std::string_view each : split(text, ';')) {
    const auto words = split(each, ' ');
    if (words.size() != 3 && words.size() != 4) continue;
    StepShare share{std::string(words[0]),
                    whole_number(words[1]).value_or(0),
                    whole_number(words[2]).value_or(0),
                    {}};
    if (words.size() == 4)
      for (const std::string_view gpu : split(words[3], ','))
        if (const auto number = whole_number(gpu)) share.gpus.push_back(*number);
    out.push_back(std::move(share));
  }
  return out;
}

std::string nodes_of_step(std::string_view shares) {
  std::vector<std::string> names;
  for (const StepShare& share : parse_step_shares(shares)) names.push_back(share.node);
  return compress_hostlist(names);
}

}  // namespace sluice
