// GPUs are read from Gres and GresUsed: CfgTRES lacks them where the site does not account them.
#include "slurm/live_nodes.h"

#include <algorithm>
#include <map>
#include <string>

#include "slurm/records.h"
#include "slurm/table.h"
#include "text/scan.h"

namespace sluice {
namespace {

// "gpu:a100:2(S:0-1),gpu:1,fpga:1" to the numbers of GPUs by type. Commas inside brackets are no
// separators.
std::map<std::string, std::int32_t> gpus_in(std::string_view text) {
  std::map<std::string, std::int32_t> out;
  std::string item;
  int depth = 0;
  const auto take = [&] {
    const auto parts = split(std::string_view(item).substr(0, item.find('(')), ':');
    if (parts.size() >= 2 && parts.front() == "gpu")
      if (const auto count = whole_number<std::int32_t>(parts.back()); count && *count > 0)
        out[parts.size() > 2 ? std::string(parts[1]) : std::string()] += *count;
    item.clear();
  };
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0)
      take();
    else
      item += c;
  }
  take();
  return out;
}

std::int64_t number(std::string_view text) {
  return std::max<std::int64_t>(0, whole_number<std::int64_t>(text).value_or(0));
}

std::int32_t small(std::int64_t value) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(value, 1'000'000));
}

}  // namespace

bool is_usable_state(std::string_view state) {
  if (state.find('*') != std::string_view::npos) return false;  // Does not respond.
  for (const std::string_view word :
       {"DOWN", "DRAIN", "FAIL", "INVAL", "UNKNOWN", "ERROR", "MAINT", "FUTURE", "REBOOT"}) {
    const std::size_t at = state.find(word);
    // A node that is powered down is started when a job needs it.
    if (at != std::string_view::npos && !(at >= 8 && state.substr(at - 8, 8) == "POWERED_"))
      return false;
  }
  return true;
}

void give_back_maintained(std::string_view text, const Policy& policy, Description& out) {
  for (const Record& record : records_of(text, "NodeName=")) {
    std::string state(record.get("State"));
    const std::size_t at = state.find("MAINT");
    if (at == std::string::npos) continue;
    const std::size_t end = std::min(state.size(), state.find('+', at));
    state.erase(at, end - at);
    const auto node = policy.find_node(record.get("NodeName"));
    if (!node || !is_usable_state(state)) continue;
    for (const KeptNodes& kept : out.kept)
      if (kept.flags.find("MAINT") != std::string::npos &&
          std::find(kept.nodes.begin(), kept.nodes.end(), *node) != kept.nodes.end())
        out.nodes[node->index()].usable = true;
  }
}

void read_nodes(std::string_view text, Policy& policy, Description& out) {
  for (const Record& record : records_of(text, "NodeName=")) {
    Node node;
    NodeRoom room;
    node.name = record.get("NodeName");
    node.cpus = small(number(record.get("CPUTot")));
    node.memory_mb = number(record.get("RealMemory"));
    node.weight = small(number(record.get("Weight")));
    node.sockets = std::max(1, small(number(record.get("Sockets"))));
    node.threads_per_core = std::max(1, small(number(record.get("ThreadsPerCore"))));
    for (const std::string_view feature : split(record.given("ActiveFeatures"), ','))
      if (!feature.empty()) node.features.emplace_back(feature);
    const std::string_view usable_cpus = record.get("CPUEfctv");
    const std::int64_t cpus = usable_cpus.empty() ? node.cpus : number(usable_cpus);
    room.free_cpus = small(std::max<std::int64_t>(0, cpus - number(record.get("CPUAlloc"))));
    room.free_memory_mb = std::max<std::int64_t>(
        0, node.memory_mb - number(record.get("MemSpecLimit")) - number(record.get("AllocMem")));
    auto used = gpus_in(record.given("GresUsed"));
    for (const auto& [type, count] : gpus_in(record.given("Gres"))) {
      for (std::int32_t i = 0; i < count; ++i) {
        if (node.gpus.size() < kMaxGpusPerNode) node.gpus.push_back({type, {}});
        if (i >= used[type]) room.free_gpus.push_back({type, {}});
      }
    }
    room.usable = is_usable_state(record.get("State"));
    policy.nodes.push_back(std::move(node));
    out.nodes.push_back(std::move(room));
  }
}

}  // namespace sluice
