// sluice reasons: what Slurm's reasons for waiting mean, and what helps.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "text/spelling.h"
#include "views/json.h"
#include "views/reason_words.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> names;
  bool json = false;
  std::string format = "text";
};

void print_json(const std::vector<std::string>& names) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.reasons/1");
  writer.key("reasons");
  writer.begin_array();
  for (const std::string& name : names) {
    const auto found = explain_reason(name);
    writer.begin_object();
    writer.key("reason");
    writer.text(name);
    writer.key("words");
    writer.text(found->words);
    writer.key("action");
    writer.text(found->action);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  fmt::print("{}\n", out);
}

Result<ExitCode> run(Options options) {
  for (const std::string& name : options.names)
    if (!explain_reason(name)) {
      const std::vector<std::string> known = reason_names();
      const auto near = nearest_word(name, known);
      return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                         fmt::format("'{}' is not a reason of Slurm 22.05", name),
                                         {},
                                         near ? fmt::format("did you mean '{}'?", *near)
                                              : "for all of them, type: sluice reasons"});
    }
  if (options.names.empty()) options.names = reason_names();
  if (options.json || options.format == "json") {
    print_json(options.names);
    return ExitCode::kDone;
  }
  if (options.format == "md") {
    fmt::print("| reason | the job waits, or ended, because | what to do |\n|---|---|---|\n");
    for (const std::string& name : options.names) {
      const auto found = explain_reason(name);
      fmt::print("| `{}` | {} | {} |\n", name, found->words, found->action);
    }
    return ExitCode::kDone;
  }
  for (const std::string& name : options.names) {
    const auto found = explain_reason(name);
    fmt::print("{}\n    {}.\n    What to do: {}.\n", bold(Display::of_stdout(), name), found->words,
               found->action);
  }
  return ExitCode::kDone;
}

}  // namespace

void add_reasons(Command& root, ExitCode& exit_code) {
  Command* verb =
      root.add_subcommand("reasons", "See what a reason for waiting means, and what helps");
  auto options = std::make_shared<Options>();
  verb->add_option("REASON", options->names, "As the queue shows it; none: all of them");
  auto* json = verb->add_flag("--json", options->json, "As JSON");
  verb->add_option("--format", options->format, "text, md (a table for a page) or json")
      ->one_of({"text", "md", "json"})
      ->excludes(json);
  verb->footer("Examples:\n  sluice reasons QOSGrpGRES\n  sluice reasons --json");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
