// sluice policy init: a few questions, and a commented policy file that passes check.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "apps/files.h"
#include "apps/policy_verb.h"
#include "cli/command.h"
#include "policyfile/check.h"
#include "policyfile/policy_reader.h"
#include "policyfile/policy_writer.h"

namespace sluice {
namespace {

struct Options {
  std::string out = "policy.yaml";
  std::string cluster;
  std::string nodes;
  std::string cpus;
  std::string memory;
  std::string gpus;
  std::vector<std::string> teams;  // "physics=ann,bob"
  bool preemptible = false;
  bool force = false;
  bool json = false;
};

void ask(std::string& answer, const std::string& question, const std::string& usual,
         bool interactive) {
  if (!answer.empty()) return;
  if (interactive) {
    fmt::print("{} [{}]: ", question, usual);
    std::fflush(stdout);
    answer = line_of_input();
  }
  if (answer.empty()) answer = usual;
}

std::string policy_text(const Options& o) {
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
      "\n# Who shares: each account's part of the cluster when all want it, and its people.\n"
      "# Shares decide who goes first; they keep nothing free.\n"
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
      "\n# Who goes first among those who wait: past use counts most, and fades in two weeks.\n"
      "priority:\n  weight_fairshare: 100000\n  weight_qos: 10000\n  weight_age: 1000\n"
      "  half_life: 14d\n";
  if (o.preemptible)
    out +=
        "\n# Who is preempted comes back to the queue.\npreemption:\n  type: qos\n  mode: "
        "requeue\n";
  out += "\nenforce: [associations, limits, qos]\n";
  return out;
}

Result<void> init(Options o) {
  namespace fs = std::filesystem;
  if (!o.force && o.out != "-" && fs::exists(o.out))
    return bad_input(fmt::format("'{}' exists", o.out),
                     "give another name with --out, or --force to write over it");
  const bool interactive = ::isatty(STDIN_FILENO) != 0 && !o.json;
  ask(o.cluster, "Name of the cluster", "lab", interactive);
  ask(o.nodes, "Nodes, as n[1-4]", "n1", interactive);
  ask(o.cpus, "CPUs of each", "16", interactive);
  ask(o.memory, "Memory of each", "64G", interactive);
  ask(o.gpus, "GPUs of each", "0", interactive);
  if (o.teams.empty()) {
    std::string teams;
    ask(teams, "Teams with their people, as physics=ann,bob biology=cat", "users", interactive);
    for (std::size_t start = 0; start < teams.size();) {
      const std::size_t end = std::min(teams.find(' ', start), teams.size());
      if (end > start) o.teams.push_back(teams.substr(start, end - start));
      start = end + 1;
    }
  }
  if (!o.preemptible) {
    std::string answer;
    ask(answer, "A class of jobs that makes room for all others, yes or no", "no", interactive);
    o.preemptible = answer == "yes" || answer == "y";
  }
  const std::string text = policy_text(o);
  // What was typed may be wrong: say so before a file is written.
  const PolicyText read = read_policy_text(text, o.out);
  for (const Finding& finding : check_policy(read))
    if (finding.severity == Severity::kError)
      return tl::unexpected(Error{ErrorKind::kBadInput, finding.what, finding.where, finding.fix});
  if (o.out == "-") {
    fmt::print("{}", o.json ? write_policy_json(read.policy) : text);
    return {};
  }
  const fs::path path(o.out);
  TRY_VOID(write_files(path.has_parent_path() ? path.parent_path().string() : ".",
                       {{path.filename().string(), text}}));
  if (o.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.init/1"));
    value.add("file", Value::quoted_text(o.out));
    value.add("policy", policy_value(read.policy));
    fmt::print("{}", print_json(value));
    return {};
  }
  fmt::print("{}\nNext, type: sluice policy check {}\n", o.out, o.out);
  return {};
}

}  // namespace

void add_policy_init(Command& policy, ExitCode& exit_code) {
  Command* verb =
      policy.add_subcommand("init", "Ask a few questions and write a commented policy file");
  auto options = std::make_shared<Options>();
  verb->add_option("--out", options->out, "The file to write; - prints it")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_option("--cluster", options->cluster, "Its name")->type_name("NAME");
  verb->add_option("--nodes", options->nodes, "A hostlist, as n[1-4]")->type_name("NODES");
  verb->add_option("--cpus", options->cpus, "CPUs of each node")->type_name("N");
  verb->add_option("--memory", options->memory, "Memory of each node, as 64G")->type_name("SIZE");
  verb->add_option("--gpus", options->gpus, "GPUs of each node")->type_name("N");
  verb->add_option("--team", options->teams, "A team and its people; may be given again")
      ->type_name("NAME=USER,…")
      ->expected(1)
      ->take_all();
  verb->add_flag("--preemptible", options->preemptible,
                 "With a class of jobs that makes room for all others");
  verb->add_flag("--force", options->force, "Write over a file that exists");
  verb->add_flag("--json", options->json, "Ask nothing, and say what was written as JSON");
  verb->footer(
      "Asks only for what is not given, and only on a terminal.\n"
      "Examples:\n  sluice policy init\n"
      "  sluice policy init --nodes 'g[1-2]' --cpus 64 --memory 512G --gpus 8 \\\n"
      "    --team physics=ann,bob --team biology=cat --preemptible");
  verb->callback([options, &exit_code] {
    const auto done = init(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
