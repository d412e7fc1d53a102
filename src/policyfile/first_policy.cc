#include "policyfile/first_policy.h"

#include <fmt/format.h>

namespace sluice {

std::string first_policy(const FirstPolicy& o) {
  std::string qos = "normal";
  std::string out = fmt::format(
      "# The sharing policy of cluster {}. `sluice policy check` explains what it means,\n"
      "# `sluice policy plan` what applying it to a live Slurm would do.\n"
      "cluster: {}\n\n"
      "# The machines: every node of a hostlist is alike.\n"
      "nodes:\n  - name: {}\n    cpus: {}\n    memory: {}\n",
      o.cluster, o.cluster, o.nodes, o.cpus, o.memory);
  if (o.gpus != "0") out += fmt::format("    gpus: {}\n", o.gpus);
  out +=
      "\n# The queues in front of them. Jobs that ask for no time get an hour, none more than a "
      "week.\n"
      "partitions:\n  main:\n    nodes: all\n    default: yes\n    default_time: 1h\n"
      "    max_time: 7d\n\n"
      "# Classes of jobs. What can never run is refused at once (DenyOnLimit).\n"
      "qos:\n  normal:\n    Priority: 100\n    Flags: [DenyOnLimit]\n"
      "  short:\n    description: Quick turns; few at a time\n    Priority: 1000\n"
      "    MaxWall: 1h\n    MaxJobsPerUser: 4\n    Flags: [DenyOnLimit]\n";
  qos += ", short";
  if (o.preemptible) {
    out = out.insert(out.find("    Priority: 100\n") + 18, "    Preempt: [scavenger]\n");
    out +=
        "  # May use whatever is idle, and makes room at once for everybody else.\n"
        "  scavenger:\n    Priority: 1\n    GraceTime: 60s\n    UsageFactor: 0.5\n"
        "    Flags: [DenyOnLimit]\n";
    qos += ", scavenger";
  }
  out +=
      "\n# Shares: each account's part of the cluster when all want it, and its people.\n"
      "# Shares decide the order; they keep nothing free.\n"
      "accounts:\n";
  for (const std::string& team : o.teams) {
    const std::size_t equals = team.find('=');
    std::string users = equals == std::string::npos ? "" : team.substr(equals + 1);
    out += fmt::format("  {}:\n    shares: 1\n    qos: [{}]\n    default_qos: normal\n",
                       team.substr(0, equals), qos);
    if (!users.empty()) {
      for (std::size_t at = users.find(','); at != std::string::npos; at = users.find(',', at + 2))
        users.insert(at + 1, " ");
      out += fmt::format("    users: [{}]\n", users);
    }
  }
  out +=
      "\n# The order of waiting jobs: past use counts most, and fades in two weeks.\n"
      "priority:\n  weight_fairshare: 100000\n  weight_qos: 10000\n  weight_age: 1000\n"
      "  half_life: 14d\n";
  if (o.preemptible)
    out +=
        "\n# Preempted jobs return to the queue.\npreemption:\n  type: qos\n  mode: "
        "requeue\n";
  out += "\nenforce: [associations, limits, qos]\n";
  return out;
}

}  // namespace sluice
