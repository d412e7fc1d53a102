// sluice nodes: what the machines have, what is free, what is enforced.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/engine_choice.h"
#include "cli/listing.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "text/memory.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

struct Options {
  ListOptions list;
  std::string drain;
  std::string down;
  std::string up;
  std::string why;
  std::string on;
};

Result<ExitCode> change(const std::string& node, const char* state, const Options& options) {
  TRY(Connection daemon, Connection::open());
  TRY(const auto reply, daemon.post<ActionReply>("PATCH", "/v1/nodes/" + percent_encoded(node),
                                                 NodeRequest{state, options.why}));
  for (const ActionResult& result : reply.results) {
    if (!result.error.empty()) return failed(result.id + ": " + result.error);
    if (!options.list.json) fmt::print("{}: {}\n", result.id, state);
  }
  if (options.list.json) fmt::print("{}\n", to_json(reply));
  return ExitCode::kDone;
}

std::string enforced(const NodeLine& line) {
  std::string out;
  for (const auto& [what, means] : line.enforces)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", what, means);
  return out;
}

Result<void> print_table(const std::vector<NodeLine>& lines, const ListOptions& options) {
  TRY(ListTable table, ListTable::open({{"NODE", Align::kLeft, true},
                                        {"STATE", Align::kLeft, false},
                                        {"JOBS", Align::kRight, false, Narrow::kGoesLast},
                                        {"CPUS FREE", Align::kRight, false},
                                        {"MEMORY FREE", Align::kRight, false},
                                        {"GPUS FREE", Align::kRight, false},
                                        {"GPUS", Align::kLeft, true, Narrow::kGoesSecond},
                                        {"PARTITIONS", Align::kLeft, true, Narrow::kGoesFirst},
                                        {"FEATURES", Align::kLeft, true, Narrow::kGoesFirst},
                                        {"WHY", Align::kLeft, true, Narrow::kWraps}},
                                       options));
  for (const NodeLine& line : lines)
    table.add({line.name, line.state, std::to_string(line.jobs),
               fmt::format("{} of {}", line.cpus_free, line.cpus),
               fmt::format("{} of {}", format_memory_mb(line.memory_free_mb, MemoryStyle::kRounded),
                           format_memory_mb(line.memory_mb, MemoryStyle::kRounded)),
               line.gpus > 0 ? fmt::format("{} of {}", line.gpus_free, line.gpus) : "",
               line.gpu_types, line.partitions, line.features, line.why},
              line);
  table.print();
  return {};
}

Result<ExitCode> show_of_slurm(const Options& options) {
  if (options.list.parsable)
    return bad_input("-P is for this machine's nodes", "on Slurm: --json, or sinfo itself");
  TRY(std::vector<NodeLine> lines, elsewhere().nodes_of_slurm());
  if (options.list.json)
    fmt::print("{}\n", to_json(Lines<NodeLine>{"sluice.nodes/1", std::move(lines)}));
  else
    TRY_VOID(print_table(lines, options.list));
  return ExitCode::kDone;
}

Result<ExitCode> run(const Options& options) {
  if (!options.drain.empty()) return change(options.drain, "drain", options);
  if (!options.down.empty()) return change(options.down, "down", options);
  if (!options.up.empty()) return change(options.up, "up", options);
  TRY(const std::string engine, chosen_engine(options.on));
  if (engine == "slurm") return show_of_slurm(options);
  TRY(Connection daemon, Connection::open());
  TRY(const bool done, print_listing<NodeLine>(daemon, Target("/v1/nodes"), options.list));
  if (done) return ExitCode::kDone;
  TRY(const auto lines, daemon.fetch<Lines<NodeLine>>("/v1/nodes"));
  TRY_VOID(print_table(lines.lines, options.list));
  if (!lines.lines.empty()) fmt::print("Enforced: {}\n", enforced(lines.lines.front()));
  return ExitCode::kDone;
}

}  // namespace

void add_nodes(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("nodes", "See what the machines have and what is free");
  auto options = std::make_shared<Options>();
  verb->add_option("--drain", options->drain, "Start nothing more there; for operators")
      ->type_name("NODE");
  verb->add_option("--down", options->down, "What runs there is lost; for operators")
      ->type_name("NODE");
  verb->add_option("--up", options->up, "Bring it back; for operators")->type_name("NODE");
  verb->add_option("--reason", options->why, "Why")->type_name("TEXT");
  add_list_options(*verb, options->list);
  add_engine_option(*verb, options->on);
  verb->footer("Examples:\n  sluice nodes\n  sluice nodes --drain n1 --reason 'new fan'");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
