// sluice config doctor: project files whose accounts or slots no longer match the live cluster.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "host/files/files.h"
#include "policyfile/files/project_file.h"
#include "policyfile/read/value.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "pools/verbs/config_show.h"
#include "pools/verbs/pools_verb.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> paths;
  bool fix = false;
  bool json = false;
  std::string engine;
};

// Every .yaml and .yml below the folders; hidden ones are left alone, but for our own.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code problem;
    if (!fs::exists(path, problem)) return bad_input(fmt::format("there is no '{}'", path));
    if (!fs::is_directory(path, problem)) {
      out.push_back(path);
      continue;
    }
    for (auto at = fs::recursive_directory_iterator(
             path, fs::directory_options::skip_permission_denied, problem);
         !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
      const fs::path& entry = at->path();
      if (entry.filename().string().starts_with('.') && entry.filename() != ".sluice.yaml") {
        if (at->is_directory(problem)) at.disable_recursion_pending();
        continue;
      }
      if (at->is_regular_file(problem) &&
          (entry.extension() == ".yaml" || entry.extension() == ".yml"))
        out.push_back(entry.string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

LiveAccounts live_accounts(const std::vector<Pool>& pools) {
  LiveAccounts out;
  for (const Pool& pool : pools) {
    LiveAccount& account = out[pool.account];
    if (pool.left_out == LeftOut::kBlocked) account.left_out = block_text(*pool.block, today());
    if (pool.left_out == LeftOut::kBurst) account.left_out = "a burst account";
    if (pool.left_out != LeftOut::kNo) continue;
    (pool.device == Device::kGpu ? account.gpu_slots : account.cpu_slots) +=
        std::min<std::int64_t>(pool.at_most, 1'000'000);
  }
  return out;
}

Result<ExitCode> doctor(const Options& options) {
  TRY(const std::vector<std::string> files, files_of(options.paths));
  TRY(RoutingSettings settings, load_routing_settings());
  // What the files name is looked at, not what the one of this folder allows.
  settings.accounts.clear();
  TRY(const RoutedCluster on, open_cluster(options.engine));
  TRY(const Description seen, on.cluster->describe());
  const auto pools = find_pools(seen, settings, usual_needs(seen, settings));
  const LiveAccounts live = live_accounts(pools);
  std::size_t drifted = 0;
  std::vector<Value> found;
  for (const std::string& file : files) {
    TRY(const std::string text, read_file(file));
    const auto drift = find_drift(text, file, live);
    if (!drift) {
      fmt::print(stderr, "sluice: {}\n", drift.error().text());
      continue;
    }
    if (drift->empty()) continue;
    ++drifted;
    if (options.fix) TRY_VOID(write_output(file, without_drift(text, *drift)));
    if (!options.json) fmt::print("--- {}\n+++ {}\n", file, file);
    for (const FileDrift& line : *drift) {
      if (options.json) {
        Value one = Value::map();
        one.add("file", Value::quoted_text(file));
        one.add("line", Value::scalar(std::to_string(line.line)));
        one.add("before", Value::quoted_text(line.before));
        if (line.after) one.add("after", Value::quoted_text(*line.after));
        one.add("why", Value::quoted_text(line.why));
        found.push_back(std::move(one));
        continue;
      }
      if (!line.why.empty()) fmt::print("@@ line {}: {}\n", line.line, line.why);
      fmt::print("-{}\n", line.before);
      if (line.after) fmt::print("+{}\n", *line.after);
    }
  }
  if (options.json) {
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.config-doctor.v1"));
    out.add("files", Value::scalar(std::to_string(files.size())));
    out.add("drifted", Value::scalar(std::to_string(drifted)));
    out.add("fixed", Value::scalar(options.fix ? "true" : "false"));
    out.add("lines", Value::list(std::move(found)));
    fmt::print("{}", print_json(out));
  } else if (options.fix) {
    fmt::print("{} of {} files were fixed.\n", drifted, files.size());
  } else {
    fmt::print("{} of {} files differ from the cluster{}\n", drifted, files.size(),
               drifted > 0 ? "; mend them with --fix" : ".");
  }
  return drifted > 0 && !options.fix ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_config(Command& root, ExitCode& exit_code) {
  Command* config = root.add_subcommand("config", "See settings, and look after project files");
  config->require_subcommand(1);
  add_config_show(*config, exit_code);
  Command* verb = config->add_subcommand(
      "doctor", "Find account lists and slot counts that no longer match the live cluster");
  auto options = std::make_shared<Options>();
  verb->add_option("DIR", options->paths, "Folders or YAML files")->required();
  verb->add_flag("--fix", options->fix,
                 "Rewrite just those lines; comments and order stay as they are");
  verb->add_flag("--json", options->json, "As JSON");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "Looks at resources.accounts (name, gpu_slots, cpu_slots) and the totals beside it, and at\n"
      "routing.accounts of .sluice.yaml.\n"
      "Exit code 1: files differ and were not fixed.\n\n"
      "Examples:\n  sluice config doctor ~/projects\n  sluice config doctor ~/projects --fix");
  verb->callback([options, &exit_code] {
    const auto done = doctor(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
