// sluice policy conf FILE: the policy as slurm.conf lines and sacctmgr commands.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/plan/account_commands.h"
#include "policyfile/plan/slurm_conf.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/read/value.h"
#include "targets/plan_file.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  std::string out;
  bool json = false;
};

ExitCode conf(const Options& options) {
  const auto text = read_policy_document(options.file);
  if (!text) return report(text.error());
  const auto policy = read_policy(*text, options.file, read_included);
  if (!policy) return report(policy.error());
  const std::string conf_text = slurm_conf(*policy);
  std::string commands;
  for (const Argv& argv : account_commands(*policy)) commands += shell_quoted(argv) + "\n";
  if (options.out.empty() && options.json) {
    Value lines = Value::list();
    for (const Argv& argv : account_commands(*policy))
      lines.items.push_back(Value::quoted_text(shell_quoted(argv)));
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.conf/1"));
    value.add("slurm_conf", Value::quoted_text(conf_text));
    value.add("accounts", std::move(lines));
    fmt::print("{}", print_json(value));
    return ExitCode::kDone;
  }
  if (options.out.empty()) {
    fmt::print("{}\n# sacctmgr\n", conf_text);
    std::size_t start = 0;
    while (start < commands.size()) {
      const std::size_t end = commands.find('\n', start);
      fmt::print("#   {}\n", commands.substr(start, end - start));
      start = end + 1;
    }
    return ExitCode::kDone;
  }
  const auto written =
      write_files(options.out, {{"slurm.conf", conf_text}, {"accounts", commands}});
  if (!written) return report(written.error());
  if (options.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.files/1"));
    value.add("files", Value::list({Value::quoted_text(options.out + "/slurm.conf"),
                                    Value::quoted_text(options.out + "/accounts")}));
    fmt::print("{}", print_json(value));
    return ExitCode::kDone;
  }
  fmt::print("{0}/slurm.conf\n{0}/accounts\n", options.out);
  return ExitCode::kDone;
}

}  // namespace

void add_policy_conf(Command& policy, ExitCode& exit_code) {
  Command* verb =
      policy.add_subcommand("conf", "Print the slurm.conf lines and sacctmgr commands of a policy");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "The policy file; - for standard input")->required();
  verb->add_option("--out", options->out, "Write DIR/slurm.conf and DIR/accounts instead")
      ->type_name("DIR");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice policy conf policy.yaml\n"
      "  sluice policy conf policy.yaml --out lab && sh -e lab/accounts");
  verb->callback([options, &exit_code] { exit_code = conf(*options); });
}

}  // namespace sluice
