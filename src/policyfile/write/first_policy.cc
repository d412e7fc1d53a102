#include "policyfile/write/first_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/default_memory.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

std::string team_name(const std::string& team) { return team.substr(0, team.find('=')); }

bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

struct Pair {
  std::string over;
  std::string under;
};

std::vector<Pair> pairs_of(const std::string& text) {
  std::vector<Pair> out;
  if (text.empty() || text == "none") return out;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t mark = word.find('>');
    if (mark == std::string_view::npos) continue;
    out.push_back({std::string(word.substr(0, mark)), std::string(word.substr(mark + 1))});
  }
  return out;
}

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return "[" + out + "]";
}

// "gpus=2,cpus=32" as limits are written: "cpu=32,gres/gpu=2".
std::string tres_of(const std::string& share) {
  std::string out;
  if (share.empty() || share == "none") return out;
  for (const std::string_view word : split(share, ',')) {
    const std::size_t mark = word.find('=');
    const std::string_view name = word.substr(0, mark);
    out += fmt::format("{}{}={}", out.empty() ? "" : ",",
                       name == "gpus"   ? "gres/gpu"
                       : name == "cpus" ? "cpu"
                                        : "mem",
                       word.substr(mark + 1));
  }
  return out;
}

// The node of the answers, as far as memory is concerned.
Node node_of(const FirstPolicy& o) {
  Node out;
  out.memory_mb = parse_memory_mb(o.memory).value_or(0);
  out.cpus = static_cast<std::int32_t>(whole_number(o.cpus).value_or(1));
  const std::size_t colon = o.gpus.find(':');
  const auto gpus = whole_number(colon == std::string::npos ? o.gpus : o.gpus.substr(colon + 1));
  out.gpus.resize(static_cast<std::size_t>(gpus.value_or(0)));
  return out;
}

std::string memory_part(const FirstPolicy& o) {
  const Node node = node_of(o);
  if (node.memory_mb <= 0) return {};
  std::string out = fmt::format(
      "\n# A job that names no memory gets this much for each of its CPUs. Without it such a "
      "job\n"
      "# takes the whole node, and none starts beside it.\njobs:\n  def_mem_per_cpu: {}M\n",
      memory_per_cpu(node));
  if (!node.gpus.empty())
    out += fmt::format(
        "  # A job with GPUs gets this much for each of them instead.\n  def_mem_per_gpu: {}M\n",
        memory_per_gpu(node));
  return out;
}

std::string qos_part(const FirstPolicy& o, const std::vector<Pair>& pairs) {
  const std::string share = tres_of(o.user_share);
  const std::string limit = share.empty() ? ""
                                          : fmt::format(
                                                "    # The most that one user holds at once.\n"
                                                "    MaxTRESPerUser: {}\n",
                                                share);
  std::string out =
      "\n# Classes of jobs. What can never run is refused at once (DenyOnLimit).\n"
      "qos:\n  normal:\n    Priority: 100\n";
  const std::string over_scavenger = o.preemptible ? "    Preempt: [scavenger]\n" : "";
  out += over_scavenger + limit + "    Flags: [DenyOnLimit]\n";
  for (const std::string& team : o.teams) {
    if (pairs.empty()) break;
    const std::string name = team_name(team);
    std::vector<std::string> under;
    for (const Pair& pair : pairs)
      if (pair.over == name) under.push_back(pair.under);
    if (o.preemptible) under.emplace_back("scavenger");
    out += fmt::format("  # Jobs of {}{}\n  {}:\n    Priority: {}\n", name,
                       under.empty() ? "." : ", which may end the jobs of these classes.", name,
                       under.empty() ? 100 : 500);
    if (!under.empty()) out += fmt::format("    Preempt: {}\n", list(under));
    out += "    GraceTime: 60s\n" + limit + "    Flags: [DenyOnLimit]\n";
  }
  out +=
      "  short:\n    description: Quick turns; few at a time\n    Priority: 1000\n"
      "    MaxWall: 1h\n    MaxJobsPerUser: 4\n" +
      over_scavenger + limit + "    Flags: [DenyOnLimit]\n";
  if (o.preemptible)
    out +=
        "  # May use whatever is idle, and makes room for all other jobs within a minute.\n"
        "  scavenger:\n    Priority: 1\n    GraceTime: 60s\n    UsageFactor: 0.5\n"
        "    Flags: [DenyOnLimit]\n";
  return out;
}

std::string accounts_part(const FirstPolicy& o, const std::vector<Pair>& pairs) {
  std::string out =
      "\n# Shares: each account's part of the cluster when all want it, and its people.\n"
      "# Shares decide the order; they keep nothing free.\n"
      "accounts:\n";
  std::string root_team;
  for (const std::string& team : o.teams) {
    const std::size_t equals = team.find('=');
    const std::string name = team_name(team);
    const std::string own = pairs.empty() ? "normal" : name;
    std::vector<std::string> qos{own, "short"};
    if (o.preemptible) qos.emplace_back("scavenger");
    out += fmt::format("  {}:\n    shares: 1\n    qos: {}\n    default_qos: {}\n", name, list(qos),
                       own);
    std::vector<std::string> users;
    if (equals != std::string::npos)
      for (const std::string_view user : split(std::string_view(team).substr(equals + 1), ','))
        users.emplace_back(user);
    if (!users.empty()) out += fmt::format("    users: {}\n", list(users));
    if (root_team.empty() && std::find(users.begin(), users.end(), "root") != users.end())
      root_team = name;
  }
  if (!root_team.empty())
    out += fmt::format(
        "\n# root is in an account root as well; without this its jobs would be charged there.\n"
        "users:\n  root: {{default_account: {}}}\n",
        root_team);
  return out;
}

}  // namespace

Result<void> check_count(const std::string& text) {
  const auto number = whole_number(text);
  if (number && *number > 0) return {};
  return bad_input(fmt::format("{} is not a number of CPUs", sluice::quoted(text)),
                   "write it as 16");
}

Result<void> check_memory(const std::string& text) {
  const auto memory = parse_memory_mb(text);
  if (memory && *memory > 0) return {};
  return bad_input(fmt::format("{} is not a size", sluice::quoted(text)), "write it as 64G");
}

Result<void> check_gpus(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view count = colon == std::string::npos
                                     ? std::string_view(text)
                                     : std::string_view(text).substr(colon + 1);
  const auto number = whole_number(count);
  if (number && *number >= 0 &&
      (colon == std::string::npos || is_name(std::string_view(text).substr(0, colon))))
    return {};
  return bad_input(fmt::format("{} is not a number of GPUs", sluice::quoted(text)),
                   "write it as 4 or a100:4, or 0 where there are none");
}

Result<void> check_teams(const std::vector<std::string>& teams) {
  for (const std::string& team : teams) {
    const std::size_t equals = team.find('=');
    bool fine = is_name(team_name(team));
    if (equals != std::string::npos)
      for (const std::string_view user : split(std::string_view(team).substr(equals + 1), ','))
        fine = fine && is_name(user);
    if (!fine)
      return bad_input(fmt::format("{} is not a team with its users", sluice::quoted(team)),
                       "write it as physics=ann,bob");
  }
  return {};
}

Result<void> check_user_share(const std::string& text) {
  if (text.empty() || text == "none") return {};
  for (const std::string_view word : split(text, ',')) {
    const std::size_t mark = word.find('=');
    const std::string_view name = word.substr(0, mark);
    const std::string_view amount =
        mark == std::string_view::npos ? std::string_view() : word.substr(mark + 1);
    const auto number = whole_number(amount);
    const bool counts = (name == "gpus" || name == "cpus") && number && *number > 0;
    if (!counts && !(name == "memory" && parse_memory_mb(amount)))
      return bad_input(fmt::format("{} is not a limit", sluice::quoted(word)),
                       "write it as gpus=2,cpus=32,memory=64G, or none");
  }
  return {};
}

Result<void> check_preempts(const std::string& text, const std::vector<std::string>& teams) {
  if (text.empty() || text == "none") return {};
  const auto is_team = [&](const std::string& name) {
    return std::any_of(teams.begin(), teams.end(),
                       [&](const std::string& team) { return team_name(team) == name; });
  };
  const std::vector<Pair> pairs = pairs_of(text);
  bool fine = pairs.size() == split(text, ',').size();
  for (const Pair& pair : pairs)
    fine = fine && is_team(pair.over) && is_team(pair.under) && pair.over != pair.under;
  if (fine) return {};
  return bad_input(
      fmt::format("{} does not say which team may end jobs of which", sluice::quoted(text)),
      "write it as physics>biology, with teams that are named, or none");
}

std::string first_policy(const FirstPolicy& o) {
  const std::vector<Pair> pairs = pairs_of(o.preempts);
  std::string out = fmt::format(
      "# The sharing policy of cluster {}. `sluice policy check` explains what it means,\n"
      "# `sluice policy plan` what applying it to a live Slurm would do.\n"
      "cluster: {}\n\n"
      "# The machines: every node of a hostlist is alike.\n"
      "nodes:\n  - name: {}\n    cpus: {}\n    memory: {}\n",
      o.cluster, o.cluster, o.nodes, o.cpus, o.memory);
  if (!o.gpus.empty() && o.gpus != "0") {
    const std::size_t colon = o.gpus.find(':');
    out += colon == std::string::npos
               ? fmt::format("    gpus: {}\n", o.gpus)
               : fmt::format("    gpus: {{{}: {}}}\n", o.gpus.substr(0, colon),
                             o.gpus.substr(colon + 1));
  }
  out +=
      "\n# The queues in front of them. Jobs that ask for no time get an hour, none more than a "
      "week.\n"
      "partitions:\n  main:\n    nodes: all\n    default: yes\n    default_time: 1h\n"
      "    max_time: 7d\n";
  out += memory_part(o);
  out += qos_part(o, pairs);
  out += accounts_part(o, pairs);
  out +=
      "\n# The order of waiting jobs: past use counts most, and fades in two weeks.\n"
      "priority:\n  weight_fairshare: 100000\n  weight_qos: 10000\n  weight_age: 1000\n"
      "  half_life: 14d\n";
  if (o.preemptible || !pairs.empty())
    out +=
        "\n# Preempted jobs return to the queue.\npreemption:\n  type: qos\n  mode: "
        "requeue\n";
  out += "\nenforce: [associations, limits, qos]\n";
  return out;
}

}  // namespace sluice
