#include "daemon/step_room.h"

#include <algorithm>
#include <utility>

#include "text/scan.h"
#include "views/step_share.h"

namespace sluice {
namespace {

constexpr std::string_view kNoGpus = "Invalid generic resource (gres) specification";

}  // namespace

StepRoom::StepRoom(const Policy& policy, const Run& run, const std::vector<StepLine>& running) {
  for (const NodeShare& share : run.allocation.shares()) {
    NodeRoom node{
        nodes_.size(), policy.nodes[share.node.index()].name, share.cpus, share.memory_mb, {}};
    for (std::int64_t gpu = 0; gpu < 64; ++gpu)
      if ((share.gpus >> gpu & 1U) != 0) node.gpus.push_back(gpu);
    all_.push_back(node);
    nodes_.push_back(std::move(node));
  }
  for (const StepLine& each : running) {
    if (each.ended || each.overlaps) continue;
    for (const StepShare& held : parse_step_shares(each.shares))
      for (NodeRoom& node : nodes_)
        if (node.name == held.node) {
          node.cpus -= held.cpus;
          node.memory_mb -= held.memory_mb;
          std::erase_if(node.gpus, [&](std::int64_t gpu) {
            return std::find(held.gpus.begin(), held.gpus.end(), gpu) != held.gpus.end();
          });
        }
  }
}

StepReply StepRoom::place(StepLine& step, const StepAsk& ask) const {
  StepReply reply;
  const auto names = split(ask.nodelist, ',');
  const auto chosen = [&](const std::vector<NodeRoom>& nodes) {
    std::vector<NodeRoom> out;
    for (const NodeRoom& node : nodes)
      if (ask.nodelist.empty() || std::find(names.begin(), names.end(), node.name) != names.end())
        out.push_back(node);
    return out;
  };
  // What would be there without other steps, and what is there now.
  std::vector<NodeRoom> empty = chosen(all_);
  std::vector<NodeRoom> now = chosen(nodes_);
  if (empty.empty() || (!ask.nodelist.empty() && empty.size() < names.size())) {
    reply.refusal = "Requested node configuration is not available";
    return reply;
  }
  const auto count =
      std::min(empty.size(), static_cast<std::size_t>(std::max<std::int64_t>(1, ask.nodes)));
  std::string shares;
  if (reply.refusal = fit(std::move(empty), count, step.cpus, ask, shares); !reply.refusal.empty())
    return reply;
  if (!step.overlaps) reply.busy = !fit(std::move(now), count, step.cpus, ask, shares).empty();
  if (reply.busy) return reply;
  step.shares = shares;
  reply.shares = shares;
  step.cpus = 0;
  for (const StepShare& share : parse_step_shares(shares)) step.cpus += share.cpus;
  return reply;
}

std::string StepRoom::fit(std::vector<NodeRoom> nodes, std::size_t count, std::int64_t cpus,
                          const StepAsk& ask, std::string& shares) const {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const NodeRoom& a, const NodeRoom& b) { return a.cpus > b.cpus; });
  nodes.resize(count);
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeRoom& a, const NodeRoom& b) { return a.place < b.place; });
  std::vector<StepShare> out;
  std::int64_t left = cpus;
  std::int64_t gpus_left = ask.gpus.value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    NodeRoom& node = nodes[i];
    const NodeRoom& whole = all_[node.place];
    // One is kept for each of the nodes behind it.
    const auto behind = static_cast<std::int64_t>(count - 1 - i);
    const std::int64_t taken =
        ask.whole ? whole.cpus : std::max<std::int64_t>(1, std::min(node.cpus, left - behind));
    left -= taken;
    const std::int64_t memory =
        ask.memory_mb.value_or(0) * (ask.memory_per_cpu ? taken : std::int64_t{1});
    if (taken > node.cpus) return "More processors requested than permitted";
    if (memory > node.memory_mb) return "Memory required by task is not available";
    const auto free_gpus = static_cast<std::int64_t>(node.gpus.size());
    // A step that says nothing of GPUs has those of its job, and keeps them from others.
    std::int64_t gpus = static_cast<std::int64_t>(whole.gpus.size());
    if (ask.gpus_per_node) gpus = *ask.gpus_per_node;
    if (ask.gpus) gpus = std::min(free_gpus, gpus_left);
    if (gpus > free_gpus) return std::string(kNoGpus);
    gpus_left -= gpus;
    node.gpus.resize(static_cast<std::size_t>(gpus));
    out.push_back({node.name, taken, memory, std::move(node.gpus)});
  }
  if (!ask.overcommit && left > 0) return "More processors requested than permitted";
  if (ask.gpus && gpus_left > 0) return std::string(kNoGpus);
  shares = format_step_shares(out);
  return {};
}

}  // namespace sluice
