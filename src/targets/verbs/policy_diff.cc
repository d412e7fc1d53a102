// sluice policy diff A B: by fields, and by what the same workload gets under both.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/plan/differences.h"
#include "policyfile/read/policy_reader.h"
#include "sim/reports/report.h"
#include "sim/simulation.h"
#include "sim/workloads/generated.h"
#include "sim/workloads/swf.h"
#include "sim/workloads/user_mapping.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {
namespace {

struct Options {
  std::string before;
  std::string after;
  std::string swf;
  std::string generated;
  bool json = false;
  bool exit_code = false;
};

Result<Policy> read(const std::string& path) {
  TRY(const std::string text, read_file(path));
  return read_policy(text, path, read_file);
}

std::vector<std::string> differences(const Policy& before, const Policy& after) {
  std::vector<std::string> out;
  for (const Difference& each : policy_differences(before, after)) out.push_back(each.sentence());
  return out;
}

Result<SimulationReport> rehearse(const Policy& policy, Workload workload) {
  map_users(policy, workload);
  std::int64_t cpus = 0;
  for (const Node& node : policy.nodes) cpus += node.cpus;
  TRY(const Simulation simulation, simulate(std::make_shared<const Policy>(policy), workload));
  return make_report(workload, simulation, cpus);
}

Result<Workload> workload_of(const Options& options) {
  if (!options.generated.empty()) {
    TRY(const GeneratorSettings settings, parse_generator(options.generated));
    return generate(settings);
  }
  TRY(const std::string text, read_maybe_gzipped(options.swf));
  return parse_swf(text, options.swf);
}

struct Figure {
  std::string name;
  double before = 0;
  double after = 0;
};

std::vector<Figure> figures(const SimulationReport& a, const SimulationReport& b) {
  std::vector<Figure> out = {
      {"jobs that ran", static_cast<double>(a.ran), static_cast<double>(b.ran)},
      {"refused", static_cast<double>(a.refused), static_cast<double>(b.refused)},
      {"mean wait, s", a.wait.mean, b.wait.mean},
      {"wait of 99%, s", a.wait.p99, b.wait.p99},
      {"longest wait, s", a.wait.most, b.wait.most},
      {"mean slowdown", a.slowdown.mean, b.slowdown.mean},
      {"utilisation, %", 100 * a.utilisation, 100 * b.utilisation},
      {"preemptions", static_cast<double>(a.preemptions), static_cast<double>(b.preemptions)}};
  for (const ShareRow& row : a.accounts)
    for (const ShareRow& other : b.accounts)
      if (row.name == other.name) {
        out.push_back({"share of " + row.name + ", %", 100 * row.share, 100 * other.share});
        out.push_back({"mean wait of " + row.name + ", s", row.mean_wait, other.mean_wait});
      }
  return out;
}

Result<ExitCode> diff(const Options& options) {
  TRY(const Policy before, read(options.before));
  TRY(const Policy after, read(options.after));
  const std::vector<std::string> lines = differences(before, after);
  std::vector<Figure> rows;
  if (!options.swf.empty() || !options.generated.empty()) {
    TRY(const Workload workload, workload_of(options));
    TRY(const SimulationReport a, rehearse(before, workload));
    TRY(const SimulationReport b, rehearse(after, workload));
    rows = figures(a, b);
  }
  if (options.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.diff/1"));
    Value list = Value::list();
    for (const std::string& line : lines) list.items.push_back(Value::quoted_text(line));
    value.add("differences", std::move(list));
    Value table = Value::list();
    for (const Figure& row : rows) {
      Value one = Value::map();
      one.add("figure", Value::quoted_text(row.name));
      one.add("before", Value::quoted_text(fmt::format("{:.2f}", row.before)));
      one.add("after", Value::quoted_text(fmt::format("{:.2f}", row.after)));
      table.items.push_back(std::move(one));
    }
    value.add("consequences", std::move(table));
    fmt::print("{}", print_json(value));
  } else {
    for (const std::string& line : lines) fmt::print("{}\n", line);
    if (lines.empty()) fmt::print("The two files say the same.\n");
    if (!rows.empty())
      fmt::print("\n{:<32} {:>14} {:>14}\n", "the same workload", "before", "after");
    for (const Figure& row : rows)
      fmt::print("{:<32} {:>14.2f} {:>14.2f}\n", row.name, row.before, row.after);
  }
  return options.exit_code && !lines.empty() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_policy_diff(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand(
      "diff", "Compare two policy files, by what they say and by what a workload gets under each");
  auto options = std::make_shared<Options>();
  verb->add_option("A", options->before, "The policy file before")->required();
  verb->add_option("B", options->after, "The policy file after")->required();
  CommandOption* swf =
      verb->add_option("--swf", options->swf, "Run this trace under both")->type_name("TRACE");
  verb->add_option("--generate", options->generated, "Run a made-up workload under both")
      ->type_name("jobs=N,…")
      ->excludes(swf);
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where they differ");
  verb->footer(
      "Examples:\n  sluice policy diff old.yaml new.yaml\n"
      "  sluice policy diff old.yaml new.yaml --generate jobs=5000,cpus=384");
  verb->callback([options, &exit_code] {
    const auto done = diff(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
