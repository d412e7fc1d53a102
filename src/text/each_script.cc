// bash reads no further than the head: the lines below it are found by their number.
#include "text/each_script.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

constexpr std::string_view kMark = "# The commands of sluice each, a line each.\n";
constexpr std::string_view kHeadEnds = "\nexit\n";

}  // namespace

std::string each_script(std::span<const std::string> commands, std::string_view directives) {
  std::string head = fmt::format("#!/bin/bash\n{}{}", directives, kMark);
  // Itself and "exit".
  const auto before = std::count(head.begin(), head.end(), '\n') + 2;
  head += fmt::format("eval \"$(sed -n \"$((SLURM_ARRAY_TASK_ID + {}))p\" \"$0\")\"{}", before,
                      kHeadEnds);
  for (const std::string& command : commands) head += command + "\n";
  return head;
}

std::optional<std::string> each_command(std::string_view script, std::uint32_t task) {
  const std::size_t mark = script.find(kMark);
  if (mark == std::string_view::npos || task == 0) return std::nullopt;
  std::size_t at = script.find(kHeadEnds, mark);
  if (at == std::string_view::npos) return std::nullopt;
  at += kHeadEnds.size();
  for (std::uint32_t line = 1; at < script.size(); ++line) {
    const std::size_t end = std::min(script.find('\n', at), script.size());
    if (line == task) return std::string(script.substr(at, end - at));
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace sluice
