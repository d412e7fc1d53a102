// sluice chain remove: forgets chains that have ended, after asking.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "chains/chain_folders.h"
#include "chains/open_chain.h"
#include "chains/task_output.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/confirm.h"
#include "policyfile/read/value.h"
#include "pools/chain_context.h"
#include "pools/counters.h"
#include "pools/verbs/chain_verb.h"
#include "text/duration.h"
#include "views/metrics_text.h"

namespace sluice {
namespace {

constexpr Duration kPatience = seconds(5);

struct RemoveOptions {
  std::vector<std::string> chains;
  std::string older;
  bool outputs = false;
  bool yes = false;
  bool json = false;
};

ExitCode said(const RemoveOptions& options, const std::vector<std::string>& removed,
              const std::string& otherwise) {
  if (options.json) {
    Value ids = Value::list();
    for (const std::string& id : removed) ids.items.push_back(Value::quoted_text(id));
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.removed/1"));
    out.add("removed", std::move(ids));
    fmt::print("{}", print_json(out));
    return ExitCode::kDone;
  }
  for (const std::string& id : removed) fmt::print("{} is removed\n", id);
  if (removed.empty()) fmt::print("{}\n", otherwise);
  return ExitCode::kDone;
}

// What was asked for by name, and what ended so long ago.
Result<std::vector<std::string>> chosen(const RemoveOptions& options) {
  std::vector<std::string> out;
  for (const std::string& given : options.chains) {
    TRY(std::string id, find_chain(given));
    out.push_back(std::move(id));
  }
  if (options.older.empty()) return out;
  const auto age = parse_friendly_duration(options.older);
  if (!age || !age->duration)
    return bad_input(fmt::format("--older: '{}' is not a time", options.older), "write 30d or 12h");
  for (const std::string& id : chain_ids()) {
    const auto open = OpenChain::open(chain_ports(), id, Duration(0));
    if (!open) continue;  // In use, or not readable: nothing to remove without being asked.
    const Chain& chain = (*open)->chain();
    if (chain.state == ChainState::kEnded && now_on_clock() - chain.created > *age->duration)
      out.push_back(id);
  }
  return out;
}

void remove_outputs(const Chain& chain) {
  std::error_code ignored;
  for (const Task& task : chain.tasks)
    for (const Batch& batch : chain.batches) {
      if (!batch.job || !batch.tasks.contains(task.index)) continue;
      const OutputPaths paths = output_paths(chain, batch, task.index, {});
      for (const std::string* path : {&paths.output, &paths.error})
        if (std::filesystem::is_regular_file(*path, ignored))
          std::filesystem::remove(*path, ignored);
    }
}

Result<void> remove_one(const std::string& id, const RemoveOptions& options) {
  const std::string folder = chain_folder(id);
  RetriesByCause retries;
  {
    TRY(auto open, OpenChain::open(chain_ports(), id, kPatience));
    if (open->chain().state != ChainState::kEnded)
      return bad_input(fmt::format("{} has not ended", id),
                       fmt::format("end it first: sluice cancel {}", id));
    if (options.outputs) remove_outputs(open->chain());
    if (const auto view = open->view()) retries = retries_of(*view);
  }
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  if (problem) return failed(fmt::format("cannot remove {}: {}", folder, problem.message()));
  for (const auto& [cause, count] : retries)
    if (count > 0) count_up(CountOf::kRetry, cause, count);
  return {};
}

Result<ExitCode> remove(const RemoveOptions& options) {
  if (options.chains.empty() && options.older.empty())
    return bad_input("which chains?", "name them, or write --older 30d");
  TRY(const std::vector<std::string> ids, chosen(options));
  if (ids.empty()) return said(options, {}, "No chain is that old and has ended.");
  if (!options.yes) {
    if (options.json) return bad_input("with --json nothing is asked", "add --yes");
    for (const std::string& id : ids) fmt::print("{}\n", id);
    TRY(const bool yes,
        ask_first(fmt::format("Remove {}{}?", ids.size() == 1 ? "this chain" : "these chains",
                              options.outputs ? " and the output files of the tasks" : "")));
    if (!yes) return said(options, {}, "Nothing was removed.");
  }
  std::vector<std::string> removed;
  for (const std::string& id : ids) {
    const auto one = remove_one(id, options);
    if (!one) {
      // Those before it are gone.
      if (!removed.empty()) said(options, removed, {});
      return tl::unexpected<Error>(one.error());
    }
    removed.push_back(id);
  }
  return said(options, removed, {});
}

}  // namespace

void add_chain_remove(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("remove", "Forget chains that have ended; asks first");
  auto options = std::make_shared<RemoveOptions>();
  verb->add_option("CHAIN", options->chains, "Ids, beginnings of them, or last");
  verb->add_option("--older", options->older, "All that ended and began longer ago: 30d, 12h");
  verb->add_flag("--outputs", options->outputs, "The output files of the tasks too");
  verb->add_flag("--yes", options->yes, "Do not ask");
  verb->add_flag("--json", options->json, "As JSON; needs --yes");
  verb->footer("Examples:\n  sluice chain remove last\n  sluice chain remove --older 30d --yes");
  verb->callback([options, &exit_code] {
    const auto done = remove(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
