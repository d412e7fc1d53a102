// sluice policy init: a few questions, and a commented policy file that passes check.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "cli/command.h"
#include "cli/confirm.h"
#include "host/files/files.h"
#include "host/machine/survey.h"
#include "policyfile/check/check.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/first_policy.h"
#include "policyfile/write/policy_writer.h"
#include "system/users.h"
#include "targets/verbs/policy_verb.h"
#include "text/quoting.h"

namespace sluice {
namespace {

struct Options : FirstPolicy {
  std::string out = "policy.yaml";
  bool force = false;
  bool json = false;
};

using Check = std::function<Result<void>(const std::string&)>;

// Asks again until the answer can be understood; what was given as an option is checked alike.
Result<void> ask(std::string& answer, const std::string& question, const std::string& usual,
                 bool interactive, const Check& check) {
  while (answer.empty()) {
    if (interactive) {
      fmt::print("{} [{}]: ", question, usual);
      std::fflush(stdout);
      answer = line_of_input();
    }
    if (answer.empty()) answer = usual;
    const auto fine = check(answer);
    if (fine || !interactive || answer == usual) return fine;
    fmt::print("  {}\n", fine.error().text());
    answer.clear();
  }
  return check(answer);
}

Result<void> check_yes_or_no(const std::string& text) {
  if (text == "yes" || text == "no" || text == "y" || text == "n") return {};
  return bad_input(fmt::format("'{}' is neither yes nor no", text), "type yes or no");
}

// A name as the file takes it: whatever a reader of policies finds wrong with one that has it.
Result<void> check_in_file(const FirstPolicy& trial) {
  const PolicyText read = read_policy_text(first_policy(trial), "");
  // YAML takes some for something else: a comment, an alias.
  if (read.policy.cluster != trial.cluster)
    return bad_input(fmt::format("'{}' is not a name", trial.cluster),
                     "use letters, digits and _ . - + @");
  if (read.policy.nodes.empty())
    return bad_input(fmt::format("'{}' names no nodes", trial.nodes), "write them as n[1-4]");
  for (const Finding& finding : check_policy(read))
    if (finding.severity == Severity::kError) return bad_input(finding.what, finding.fix);
  return {};
}

FirstPolicy smallest() {
  return {"cluster", "n1", "1", "1000M", "0", {"users"}, "none", "none", false};
}

Result<void> check_cluster(const std::string& text) {
  FirstPolicy trial = smallest();
  trial.cluster = text;
  return check_in_file(trial);
}

Result<void> check_nodes(const std::string& text) {
  FirstPolicy trial = smallest();
  trial.nodes = text;
  return check_in_file(trial);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (end > start) out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

// People have the numbers that useradd gives, and a shell.
std::string people_of_this_machine() {
  constexpr uid_t kFirst = 1000;
  constexpr uid_t kLast = 60000;
  constexpr int kMost = 50;
  std::string out;
  int count = 0;
  for (const SystemUser& user : system_users().all_users()) {
    if (count == kMost) break;
    const bool is_person = user.uid >= kFirst && user.uid < kLast &&
                           !user.shell.ends_with("nologin") && !user.shell.ends_with("false");
    if (!is_person && user.uid != ::geteuid()) continue;
    if (!check_teams({fmt::format("users={}", user.name)})) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ",", user.name);
    ++count;
  }
  return out;
}

std::string gpus_of(const Node& node) {
  if (node.gpus.empty()) return "0";
  const std::string& type = node.gpus.front().type;
  const bool alike = std::all_of(node.gpus.begin(), node.gpus.end(),
                                 [&](const Gpu& gpu) { return gpu.type == type; });
  return alike && !type.empty() ? fmt::format("{}:{}", type, node.gpus.size())
                                : std::to_string(node.gpus.size());
}

Result<void> ask_all(Options& o, bool interactive) {
  const Node here = survey_machine().node;
  if (interactive)
    fmt::print("The usual answers, in brackets, describe this machine; press Enter to take one.\n");
  TRY_VOID(ask(o.cluster, "Name of the cluster", here.name, interactive, check_cluster));
  TRY_VOID(ask(o.nodes, "Nodes, as n[1-4]", here.name, interactive, check_nodes));
  TRY_VOID(ask(o.cpus, "CPUs of each", std::to_string(here.cpus), interactive, check_count));
  TRY_VOID(ask(o.memory, "Memory of each", fmt::format("{}M", here.memory_mb), interactive,
               check_memory));
  TRY_VOID(ask(o.gpus, "GPUs of each, as 4 or a100:4", gpus_of(here), interactive, check_gpus));
  if (o.teams.empty()) {
    std::string teams;
    const std::string people = people_of_this_machine();
    TRY_VOID(ask(teams, "Teams with their users, as physics=ann,bob biology=cat",
                 people.empty() ? "users" : "users=" + people, interactive,
                 [](const std::string& text) { return check_teams(words_of(text)); }));
    o.teams = words_of(teams);
  } else {
    TRY_VOID(check_teams(o.teams));
  }
  TRY_VOID(ask(o.user_share, "The most that one user may hold at once, as gpus=2,cpus=32", "none",
               interactive, check_user_share));
  if (o.teams.size() > 1 || !o.preempts.empty())
    TRY_VOID(ask(o.preempts, "Teams whose jobs may end those of others, as physics>biology", "none",
                 interactive,
                 [&](const std::string& text) { return check_preempts(text, o.teams); }));
  if (!o.preemptible) {
    std::string answer;
    TRY_VOID(ask(answer, "A class of jobs that makes room for all others, yes or no", "no",
                 interactive, check_yes_or_no));
    o.preemptible = answer == "yes" || answer == "y";
  }
  return {};
}

Result<void> init(Options o) {
  namespace fs = std::filesystem;
  if (!o.force && o.out != "-" && fs::exists(o.out))
    return bad_input(fmt::format("'{}' exists", o.out),
                     "give another name with --out, or --force to write over it");
  TRY_VOID(ask_all(o, ::isatty(STDIN_FILENO) != 0 && !o.json));
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
  const std::string file = shell_argument(o.out);
  fmt::print("{}\nNext, type: sluice policy check {}\n", o.out, file);
  fmt::print("Then, to use it on this machine: sluice policy apply {} --on embedded\n", file);
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
  verb->add_option("--gpus", options->gpus, "GPUs of each node, as 4 or a100:4")->type_name("N");
  verb->add_option("--team", options->teams, "A team and its people; may be given again")
      ->type_name("NAME=USER,…")
      ->expected(1)
      ->take_all();
  verb->add_option("--user-share", options->user_share,
                   "The most that one user may hold at once, as gpus=2,cpus=32,memory=64G")
      ->type_name("LIMITS");
  verb->add_option("--preempts", options->preempts,
                   "Teams whose jobs may end those of others, as physics>biology")
      ->type_name("TEAM>TEAM,…");
  verb->add_flag("--preemptible", options->preemptible,
                 "With a class of jobs that makes room for all others");
  verb->add_flag("--force", options->force, "Write over a file that exists");
  verb->add_flag("--json", options->json, "Ask nothing; print what was written as JSON");
  verb->footer(
      "Asks only for what is not given, and only on a terminal; else, and where Enter is pressed,\n"
      "it takes what this machine has: its CPUs, memory, GPUs and users.\n\n"
      "Examples:\n  sluice policy init\n"
      "  sluice policy init --nodes 'g[1-2]' --cpus 64 --memory 512G --gpus 8 \\\n"
      "    --team physics=ann,bob --team biology=cat --preemptible");
  verb->callback([options, &exit_code] {
    const auto done = init(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
