// sluice policy show FILE: the policy on one screen, or in full as YAML or JSON.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"
#include "policyfile/write/summary.h"
#include "targets/plan_file.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  bool json = false;
  std::string format = "text";
};

ExitCode show(const Options& options) {
  const auto text = read_policy_document(options.file);
  if (!text) return report(text.error());
  const auto policy = read_policy(*text, options.file, read_file);
  if (!policy) return report(policy.error());
  if (options.json || options.format == "json")
    fmt::print("{}", write_policy_json(*policy));
  else if (options.format == "yaml")
    fmt::print("{}", write_policy(*policy));
  else
    fmt::print("{}", policy_summary(*policy));
  return ExitCode::kDone;
}

}  // namespace

void add_policy_show(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("show", "Print a policy file on one screen");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "The policy file; - for standard input")->required();
  auto* json = verb->add_flag("--json", options->json, "Everything, as JSON");
  verb->add_option("--format", options->format, "text, or everything: yaml (a policy file) or json")
      ->one_of({"text", "yaml", "json"})
      ->excludes(json);
  verb->footer(
      "Examples:\n  sluice policy show policy.yaml\n"
      "  sluice policy show policy.yaml --format yaml\n"
      "  sluice policy show policy.yaml --json | jq .qos");
  verb->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace sluice
