// sluice policy explain [FILE] [NAME]...: the limits that apply to a QoS, an account or a user, in
// words.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/check/explain.h"
#include "policyfile/read/policy_reader.h"
#include "targets/choose_target.h"
#include "targets/plan_file.h"
#include "targets/verbs/policy_verb.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> words;
  std::string file;  // Empty: policy.yaml.
  std::string on;
  bool live = false;
  bool json = false;
};

Result<Policy> policy_of(const Options& options) {
  if (options.live) {
    TRY(const auto target, target_to_read(options.on));
    TRY_VOID(introduce(*target, options.json ? Output::kDocument : Output::kText));
    TRY(PolicyInForce now, target->read());
    return std::move(now.policy);
  }
  const std::string file = options.file.empty() ? "policy.yaml" : options.file;
  TRY(const std::string text, read_policy_document(file));
  return read_policy(text, file, read_file);
}

// No QoS, account or user is called so.
bool is_file(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.find('/') != word.npos;
}

// All there are: a name once, also where an account and a QoS share it.
std::vector<std::string> everybody(const Policy& policy) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const Qos& qos : policy.qos) add(qos.name);
  for (const Association& assoc : policy.associations)
    if (assoc.user.empty()) add(assoc.account);
  for (const User& user : policy.users) add(user.name);
  return out;
}

Result<void> explain(Options options) {
  std::vector<std::string>& names = options.words;
  if (!names.empty() && is_file(names.front())) {
    if (options.live || !options.file.empty())
      return bad_input(fmt::format("'{}' is a file, and {} says already which policy is meant",
                                   names.front(), options.live ? "--live" : "--policy"));
    options.file = names.front();
    names.erase(names.begin());
  }
  TRY(const Policy policy, policy_of(options));
  if (names.empty()) names = everybody(policy);
  Value all = Value::list();
  std::string texts;
  for (const std::string& name : names) {
    TRY(const std::string text, explain_policy(policy, name));
    texts += text;
    Value one = Value::map();
    one.add("name", Value::quoted_text(name));
    Value says = Value::list();
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) says.items.push_back(Value::quoted_text(std::string(line)));
    one.add("says", std::move(says));
    all.items.push_back(std::move(one));
  }
  if (options.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.explain/1"));
    value.add("cluster", Value::quoted_text(policy.cluster));
    value.add("explained", std::move(all));
    texts = print_json(value);
  }
  fmt::print("{}", texts);
  return {};
}

}  // namespace

void add_policy_explain(Command& policy, ExitCode& exit_code) {
  Command* verb =
      policy.add_subcommand("explain", "Show which limits apply to a QoS, an account or a user");
  auto options = std::make_shared<Options>();
  verb->add_option("NAME", options->words,
                   "A QoS, an account or a user; without one all of them. A policy file may stand "
                   "before it: FILE.yaml NAME");
  CommandOption* file = verb->add_option("--policy", options->file, "The policy file (policy.yaml)")
                            ->type_name("FILE");
  CommandOption* live =
      verb->add_flag("--live", options->live, "Of the policy in force, instead of a file")
          ->excludes(file);
  verb->add_option("--on", options->on, "Where it is in force: slurm, or embedded (this machine)")
      ->needs(live);
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice policy explain policy.yaml\n"
      "  sluice policy explain policy.yaml interactive\n"
      "  sluice policy explain alice --live\n"
      "  sluice policy explain alice bob --json | jq '.explained[].says'");
  verb->callback([options, &exit_code] {
    const auto done = explain(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
