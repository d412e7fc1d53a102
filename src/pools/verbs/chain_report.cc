// sluice report: rounds, failures, what was asked for and what was used, in every form.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "chains/task_output.h"
#include "cli/command.h"
#include "cli/local_time.h"
#include "ledger/record.h"
#include "policyfile/read/value.h"
#include "pools/chain_context.h"
#include "pools/chain_look.h"
#include "pools/verbs/chain_verb.h"
#include "text/printable.h"

namespace sluice {
namespace {

struct ReportOptions {
  std::vector<std::string> chains;
  bool all = false;
  std::string since;
  bool detailed = false;
  std::string format = "md";
  std::string database;
  bool json = false;
};

// The chains into one database that can be queried.
ExitCode write_database(const ReportOptions& options, const std::vector<std::string>& ids,
                        std::optional<Instant> since) {
  const std::string& file = options.database;
  ExitCode exit_code = ExitCode::kDone;
  std::size_t written = 0;
  for (const std::string& id : ids) {
    const auto done = [&]() -> Result<void> {
      TRY(const auto open, OpenChain::open(chain_ports(), id, kChainPatience));
      TRY(const auto runs, open->ledger().runs());
      if (since && open->chain().created < *since) return {};
      TRY_VOID(write_record(file, open->chain(), runs));
      ++written;
      return {};
    }();
    if (!done) exit_code = report(done.error());
  }
  if (options.json) {
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.written/1"));
    out.add("file", Value::quoted_text(file));
    out.add("chains", Value::scalar(std::to_string(written)));
    fmt::print("{}", print_json(out));
  } else {
    fmt::print("{}: {} chain{} written\n", file, written, written == 1 ? "" : "s");
  }
  return exit_code;
}

// A file may be huge, and its end says why.
constexpr std::streamoff kMostTail = 4096;
constexpr std::size_t kLinesShown = 12;

std::string last_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  if (size < 0) return "";  // No file that has an end: a pipe, a terminal.
  file.seekg(std::max<std::streamoff>(0, size - kMostTail));
  std::string text(static_cast<std::size_t>(std::min(size, kMostTail)), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (text.ends_with('\n')) text.pop_back();
  std::size_t at = text.size();
  for (std::size_t i = 0; i < kLinesShown && at != std::string::npos && at > 0; ++i)
    at = text.rfind('\n', at - 1);
  if (at != std::string::npos && at > 0) text = text.substr(at + 1);
  return printable_lines(text);
}

// Of each task that was given up: its stderr, where that is a file of its own, else its output.
void add_last_lines(ChainView& view) {
  const auto open = OpenChain::open(chain_ports(), view.id, kChainPatience);
  if (!open) return;
  const Chain& chain = (*open)->chain();
  for (GivenUpRow& row : view.given_up) {
    const Task* task = chain.find_task(row.task);
    if (task == nullptr || task->batch == 0) continue;
    const OutputPaths paths = output_paths(chain, chain.batch(task->batch), row.task, row.node);
    row.last_lines = last_lines(paths.error);
    if (row.last_lines.empty()) row.last_lines = last_lines(paths.output);
  }
}

ExitCode show_report(const ReportOptions& options) {
  std::vector<std::string> ids;
  if (options.all) ids = chain_ids();
  for (const std::string& given : options.chains) {
    const auto id = find_chain(given);
    if (!id) return report(id.error());
    ids.push_back(*id);
  }
  if (ids.empty() && !options.all) {
    const auto id = find_chain("last");
    if (!id) return report(id.error());
    ids.push_back(*id);
  }
  std::optional<Instant> since;
  if (!options.since.empty()) {
    const auto read = time_or_age_of("--since", options.since, now_on_clock());
    if (!read) return report(read.error());
    since = *read;
  }
  if (!options.database.empty()) return write_database(options, ids, since);
  std::vector<ChainView> views;
  ExitCode exit_code = ExitCode::kDone;
  for (const std::string& id : ids) {
    auto view = looked_at(id, true);
    if (!view) {
      // One that cannot be read hides no other.
      exit_code = report(view.error());
      continue;
    }
    if (!since || view->created >= *since) views.push_back(std::move(*view));
  }
  if (options.format == "html" || options.format == "text")
    for (ChainView& view : views) add_last_lines(view);
  const ReportDetail detail = options.detailed ? ReportDetail::kDetailed : ReportDetail::kShort;
  if (options.format == "json") {
    fmt::print("{}", chain_json(views));
  } else if (options.format == "html") {
    fmt::print("{}", chain_html(views, detail));
  } else {
    const auto print = options.format == "text" ? &chain_text : &chain_markdown;
    for (std::size_t i = 0; i < views.size(); ++i)
      fmt::print("{}{}", i > 0 ? "\n" : "", printable_lines(print(views[i], detail)));
  }
  return exit_code;
}

}  // namespace

void add_chain_report(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("report", "Rounds, failures, and what was asked and used");
  auto options = std::make_shared<ReportOptions>();
  verb->add_option("CHAIN", options->chains, "Ids, prefixes of ids, or last (the default)");
  verb->add_flag("--all", options->all, "Every chain");
  verb->add_option("--since", options->since, "Submitted since: 7d (ago), 2026-11-15");
  verb->add_flag("--detailed", options->detailed, "States, run times and nodes of every round");
  verb->add_option("--format", options->format, "md, text, html or json")
      ->one_of({"md", "text", "html", "json"});
  verb->add_flag("--json", options->json, "As --format json");
  verb->add_option("--db", options->database,
                   "Write them into this SQLite file instead (docs/reference/ladder-file.md)");
  verb->footer(
      "Examples:\n  sluice report last --detailed\n"
      "  sluice report last --format html > report.html\n"
      "  sluice report --all --since 7d --format json");
  verb->callback([options, &exit_code] {
    if (options->json) options->format = "json";
    options->json = options->format == "json";
    exit_code = show_report(*options);
  });
}

}  // namespace sluice
