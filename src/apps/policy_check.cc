// sluice policy check FILE: mistakes, impossible limits, and settings that mean something else.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "apps/files.h"
#include "apps/policy_verb.h"
#include "policyfile/check.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  bool json = false;
};

ExitCode check(const Options& options) {
  const auto text = read_file(options.file);
  if (!text) return report(text.error());
  const auto findings = check_policy(read_policy_text(*text, options.file, read_file));
  auto number = [&](Severity severity) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const Finding& finding) { return finding.severity == severity; });
  };
  const auto errors = number(Severity::kError);
  if (options.json) {
    fmt::print("{}", findings_json(options.file, findings));
  } else {
    for (const Finding& finding : findings) fmt::print("{}", finding_text(finding));
    fmt::print("{}: {} errors, {} warnings, {} notes\n", options.file, errors,
               number(Severity::kWarning), number(Severity::kNote));
  }
  return errors == 0 ? ExitCode::kDone : ExitCode::kUsage;
}

}  // namespace

void add_policy_check(CLI::App& policy, ExitCode& exit_code) {
  CLI::App* verb = policy.add_subcommand(
      "check", "Find mistakes, impossible limits and settings that mean something else");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "The policy file; - for standard input")->required();
  verb->add_flag("--json", options->json, "Findings as JSON");
  verb->footer(
      "Exit code 0 without errors (there may be warnings), 2 with errors.\n"
      "Examples:\n  sluice policy check policy.yaml\n"
      "  sluice policy check policy.yaml --json | jq '.findings[].rule'");
  verb->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace sluice
