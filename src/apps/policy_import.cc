// sluice policy import: the live Slurm's policy as a file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/files.h"
#include "apps/live_slurm.h"
#include "apps/policy_embedded.h"
#include "apps/policy_verb.h"
#include "cli/command.h"
#include "policyfile/policy_writer.h"

namespace sluice {
namespace {

struct Options {
  std::string out;
  std::string on;
  bool json = false;
  bool force = false;
  bool commands = false;
};

ExitCode print_commands() {
  const auto config = run_slurm(config_command().argv);
  if (!config) return report(config.error());
  fmt::print("{}\n", shell_quoted(config_command().argv));
  for (const TextCommand& command :
       text_commands(cluster_name(config->output), slurm_version(config->output)))
    fmt::print("{}\n", shell_quoted(command.argv));
  return ExitCode::kDone;
}

ExitCode put(const std::string& out, const std::string& text) {
  if (out.empty()) {
    fmt::print("{}", text);
    return ExitCode::kDone;
  }
  const std::filesystem::path path(out);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (const auto done = write_files(folder, {{path.filename().string(), text}}); !done)
    return report(done.error());
  fmt::print("{}\n", out);
  return ExitCode::kDone;
}

ExitCode import(const Options& options) {
  namespace fs = std::filesystem;
  const auto on_daemon = is_for_daemon(options.on);
  if (!on_daemon) return report(on_daemon.error());
  if (options.commands && !*on_daemon) return print_commands();
  if (!options.out.empty() && !options.force && fs::exists(options.out))
    return report(Error{ErrorKind::kBadInput,
                        fmt::format("'{}' exists", options.out),
                        {},
                        "give another name, or --force to write over it"});
  std::string text;
  if (*on_daemon) {
    EmbeddedPolicy asked;
    asked.json = options.json;
    const auto imported = policy_of_daemon(asked);
    if (!imported) return report(imported.error());
    return put(options.out, *imported);
  }
  const auto live = read_live_policy();
  if (!live) return report(live.error());
  if (options.json) {
    text = write_policy_json(live->policy, live->slurm_only);
  } else {
    text = fmt::format("# Cluster {} as it was when this was written by sluice policy import.\n",
                       live->policy.cluster);
    for (const std::string& note : live->notes) text += fmt::format("# Not here: {}.\n", note);
    text += write_policy(live->policy, live->slurm_only);
  }
  for (const std::string& note : live->notes) fmt::print(stderr, "sluice: {}\n", note);
  return put(options.out, text);
}

}  // namespace

void add_policy_import(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("import", "Write the live cluster's policy as a file");
  auto options = std::make_shared<Options>();
  verb->add_option("--out", options->out, "Write it here instead of printing it")
      ->type_name("FILE");
  verb->add_flag("--force", options->force, "Write over a file that exists");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--commands", options->commands, "Only print the commands that it would ask");
  add_on_option(*verb, options->on);
  verb->footer(
      "Reads accounts, users, QoS, partitions, nodes, weights and preemption with sacctmgr and\n"
      "scontrol; changes nothing. What a policy file has no words for is named on standard error.\n"
      "Examples:\n  sluice policy import > policy.yaml\n"
      "  sluice policy import --out policy.yaml && sluice policy plan policy.yaml");
  verb->callback([options, &exit_code] { exit_code = import(*options); });
}

}  // namespace sluice
