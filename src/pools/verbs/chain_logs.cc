// sluice logs of a chain: where the output of each task went, and what it was.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "chains/chain_folders.h"
#include "chains/task_output.h"
#include "cli/command.h"
#include "cli/elsewhere.h"
#include "cli/log_text.h"
#include "host/files/files.h"
#include "pools/chain_context.h"
#include "pools/chain_look.h"
#include "pools/verbs/chain_verb.h"
#include "text/array_spec.h"
#include "text/last_lines.h"

namespace sluice {
namespace {

// The output itself is read where it is asked for.
class ChainLogPrinter {
 public:
  explicit ChainLogPrinter(const ChainLogs& asked) : asked_(asked) {}

  void captured(std::uint32_t task, const std::string& job) {
    const auto said = asked_.paths ? Result<std::string>(std::string()) : captured_output(job);
    if (asked_.json) {
      LogText log;
      log.job = job;
      (said ? log.text : log.problem) = said ? wanted_of(*said) : said.error().what;
      add(task, std::move(log));
    } else if (!asked_.paths) {
      fmt::print("==> task {}: job {} <==\n", task, job);
      fmt::print("{}", said ? wanted_of(*said) : "(" + said.error().what + ")\n");
    }
  }

  void file(std::uint32_t task, const std::string& path) {
    if (asked_.json) {
      const auto text = asked_.paths ? Result<std::string>(std::string()) : read_long_file(path);
      LogText log;
      log.file = path;
      (text ? log.text : log.problem) = text ? wanted_of(*text) : text.error().what;
      add(task, std::move(log));
      return;
    }
    if (asked_.paths) {
      fmt::print("{}\n", path);
      return;
    }
    fmt::print("==> task {}: {} <==\n", task, path);
    std::fflush(stdout);
    if (asked_.tail) {
      const auto text = read_long_file(path);
      fmt::print("{}", text ? wanted_of(*text) : "(not there)\n");
      return;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) fmt::print("(not there)\n");
    char piece[65536];
    while (file.read(piece, sizeof piece), file.gcount() > 0)
      std::fwrite(piece, 1, static_cast<std::size_t>(file.gcount()), stdout);
  }

  void finish() {
    if (asked_.json) fmt::print("{}\n", logs_json(logs_));
  }

 private:
  std::string wanted_of(const std::string& text) const {
    return asked_.tail ? std::string(last_lines(text, *asked_.tail)) : text;
  }
  void add(std::uint32_t task, LogText log) {
    log.task = task;
    log.with_text = !asked_.paths;
    logs_.push_back(std::move(log));
  }
  const ChainLogs& asked_;
  std::vector<LogText> logs_;
};

}  // namespace

Result<ExitCode> chain_logs(const ChainLogs& options) {
  TRY(const std::string id, find_chain(options.chain));
  TRY(auto open, OpenChain::open(chain_ports(), id, kChainPatience));
  const Chain& chain = open->chain();
  std::optional<IndexSet> named;
  if (!options.tasks.empty()) {
    TRY(const ArraySpec spec, parse_array_spec(options.tasks));
    named = spec.indices;
  }
  std::map<std::uint32_t, std::string> nodes;
  TRY_VOID(open->ledger().each_run([&](const TaskRun& run) { nodes[run.index] = run.node; }));
  ChainLogPrinter printer(options);
  for (const Task& task : chain.tasks) {
    if (named && !named->contains(task.index)) continue;
    if (!named && options.failed && task.state != TaskState::kGivenUp) continue;
    if (task.batch == 0) continue;
    if (chain.spec.launch.capture) {
      printer.captured(task.index, job_name(chain, chain.batch(task.batch), task.index));
      continue;
    }
    const OutputPaths paths =
        output_paths(chain, chain.batch(task.batch), task.index, nodes[task.index]);
    printer.file(task.index, paths.output);
    if (paths.error != paths.output) printer.file(task.index, paths.error);
  }
  printer.finish();
  return ExitCode::kDone;
}

void add_chain_logs(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("logs", "What tasks wrote");
  auto options = std::make_shared<ChainLogs>();
  verb->add_option("CHAIN", options->chain, "Its id, the beginning of it, or last")->required();
  verb->add_flag("--failed", options->failed, "Of tasks that were given up");
  verb->add_option("--tail", options->tail, "Only the last LINES lines of each")
      ->type_name("LINES");
  verb->add_option("--tasks", options->tasks, "Of these, as in --array");
  verb->add_flag("--paths", options->paths, "Only the names of the files");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer("Examples:\n  sluice logs last --failed\n  sluice logs last --tasks=7");
  verb->callback([options, &exit_code] {
    const auto done = chain_logs(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
