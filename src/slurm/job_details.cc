// Key=Value words; a job of several nodes has several runs of Nodes=, CPU_IDs=, Mem= and GRES=.
#include "slurm/job_details.h"

#include <fmt/format.h>

#include <charconv>

#include "text/array_spec.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<void> parse_line(std::string_view line,
                        std::map<std::uint32_t, std::vector<HeldOnNode>>& out) {
  std::uint32_t job = 0;
  std::vector<std::string> nodes;
  HeldOnNode held;
  auto take = [&] {
    for (const std::string& node : nodes) {
      held.node = node;
      out[job].push_back(held);
    }
    nodes.clear();
    held = {};
  };
  while (!line.empty()) {
    const std::size_t end = line.find(' ');
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (key == "JobId") {
      job = static_cast<std::uint32_t>(number(value));
    } else if (key == "Nodes") {
      take();
      TRY(nodes, expand_hostlist(value));
    } else if (key == "CPU_IDs" && !nodes.empty()) {
      TRY(const ArraySpec cpus, parse_array_spec(value));
      held.cpus = static_cast<std::int32_t>(cpus.indices.size());
    } else if (key == "Mem" && !nodes.empty()) {
      held.memory_mb = number(value);
    } else if (key == "GRES" && !nodes.empty()) {
      held.gpus = gres_indices(value);
    } else if (key == "MinCPUsNode") {
      break;  // What follows is text that people choose.
    }
  }
  take();
  return {};
}

}  // namespace

IndexSet gres_indices(std::string_view gres) {
  IndexSet out;
  constexpr std::string_view kMark = "(IDX:";
  for (std::size_t at = gres.find(kMark); at != std::string_view::npos; at = gres.find(kMark)) {
    gres.remove_prefix(at + kMark.size());
    const auto spec = parse_array_spec(gres.substr(0, gres.find(')')));
    if (!spec) continue;  // "N/A": none.
    for (const std::uint32_t index : spec->indices.to_vector()) out.insert(index);
  }
  return out;
}

Result<std::map<std::uint32_t, std::vector<HeldOnNode>>> parse_job_details(std::string_view text) {
  std::map<std::uint32_t, std::vector<HeldOnNode>> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    TRY_VOID(parse_line(text.substr(0, end), out));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace sluice
