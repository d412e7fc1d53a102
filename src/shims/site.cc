#include "shims/site.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "text/hostlist.h"
#include "views/node_view.h"
#include "wire/api_fields.h"

namespace sluice {

Result<Site> fetch_site(EngineDoor& engine) {
  Site site;
  TRY(site.policy, engine.policy());
  TRY(auto lines, engine.fetch<Lines<NodeLine>>("/v1/nodes"));
  for (const Node& node : site.policy.nodes) {
    NodeLine own;
    own.name = node.name;
    own.state = "down";
    for (const NodeLine& line : lines.lines)
      if (line.name == node.name) own = line;
    site.nodes.push_back(std::move(own));
  }
  return site;
}

std::string gres_of(const Node& node) {
  std::string out;
  for (const auto& [type, count] : gpus_by_type(node))
    out += fmt::format("{}gpu:{}{}", out.empty() ? "" : ",", type.empty() ? "" : type + ":", count);
  return out;
}

std::string gres_used(const Node& node, const NodeLine& line) {
  const std::string type =
      node.gpus.empty() || node.gpus.front().type.empty() ? "" : node.gpus.front().type + ":";
  const std::int64_t used = line.gpus - line.gpus_free;
  if (node.gpus.empty() || used == 0)
    return type.empty() ? "gpu:0" : fmt::format("gpu:{}0(IDX:N/A)", type);
  return fmt::format("gpu:{}{}(IDX:{})", type, used,
                     used == 1 ? "0" : fmt::format("0-{}", used - 1));
}

std::string partition_nodes(const Policy& policy, const Partition& partition) {
  std::vector<std::string> names;
  for (const NodeId id : partition.nodes) names.push_back(policy.nodes[id.index()].name);
  return compress_hostlist(names);
}

PreemptMode preempt_mode_of(const Policy& policy, const Partition& partition) {
  return partition.preempt_mode.value_or(policy.preemption.mode);
}

namespace {

void add_places(const Policy& policy, std::size_t at, int depth, std::vector<TreePlace>& out) {
  out.push_back({at, depth});
  std::vector<std::size_t> below;
  for (std::size_t i = 0; i < policy.associations.size(); ++i)
    if (policy.associations[i].parent && policy.associations[i].parent->index() == at)
      below.push_back(i);
  std::stable_sort(below.begin(), below.end(), [&](std::size_t a, std::size_t b) {
    const Association& x = policy.associations[a];
    const Association& y = policy.associations[b];
    if (x.user.empty() != y.user.empty()) return !x.user.empty();
    return x.user.empty() ? x.account < y.account : x.user < y.user;
  });
  for (const std::size_t i : below) add_places(policy, i, depth + 1, out);
}

}  // namespace

std::vector<TreePlace> tree_places(const Policy& policy, std::size_t top) {
  std::vector<TreePlace> out;
  if (top < policy.associations.size()) add_places(policy, top, 0, out);
  return out;
}

std::vector<std::size_t> tree_order(const Policy& policy) {
  std::vector<std::size_t> out;
  for (const TreePlace& each : tree_places(policy)) out.push_back(each.place);
  return out;
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::string all = name;
  return all.substr(0, all.find('.'));
}

double host_load() {
  double load = 0;
  ::getloadavg(&load, 1);
  return load;
}

std::int64_t host_free_mb() {
  struct sysinfo facts {};
  if (::sysinfo(&facts) != 0) return 0;
  return static_cast<std::int64_t>(facts.freeram * facts.mem_unit >> 20U);
}

}  // namespace sluice
