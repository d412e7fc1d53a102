// sluice policy init: a few questions, and a commented policy file that passes check.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/confirm.h"
#include "host/files.h"
#include "policyfile/check.h"
#include "policyfile/first_policy.h"
#include "policyfile/policy_reader.h"
#include "policyfile/policy_writer.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options : FirstPolicy {
  std::string out = "policy.yaml";
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
  const std::string text = first_policy(o);
  // What was typed may be wrong: say so before a file is written.
  const PolicyText read = read_policy_text(text, o.out);
  for (const Finding& finding : check_policy(read))
    if (finding.severity == Severity::kError)
      return tl::unexpected(Error{ErrorKind::kBadInput, finding.what, finding.where, finding.fix});
  if (o.out == "-") {
    fmt::print("{}", o.json ? write_policy_json(read.policy) : text);
    return {};
  }
  TRY_VOID(write_file(o.out, text));
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
