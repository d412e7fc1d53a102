// sluice cancel: ends jobs, or sends them a signal.
#include <fmt/format.h>

#include <memory>

#include "cli/action.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/name_filters.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "text/scan.h"
#include "text/signal.h"
#include "views/row_text.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string user;
  std::string name;
  std::string state;
  std::string signal;
  bool me = false;
  bool batch = false;
  bool quiet = false;
  bool json = false;
};

// The jobs that the filters choose.
Result<std::vector<std::string>> chosen(const Options& options) {
  Target target("/v1/queue?arrays=records");
  std::string query = target.text();
  const auto with = [&](const char* name, const std::string& value) {
    if (!value.empty()) query += fmt::format("&{}={}", name, percent_encoded(value));
  };
  with("user", options.me ? own_user() : options.user);
  with("name", options.name);
  with("state", options.state);
  TRY(Connection daemon, Connection::open());
  TRY(const std::string body, daemon.get(query + "&format=tsv&fields=job,array,task"));
  TRY(auto rows, RowTextReader<QueueLine>::over(body));
  std::vector<std::string> out;
  for (QueueLine line; rows.next(line);)
    out.push_back(line.task ? fmt::format("{}_{}", line.array->value(), *line.task)
                            : std::to_string((line.array ? *line.array : line.job).value()));
  return out;
}

Result<ExitCode> run(const Options& options) {
  Action action;
  const bool filters =
      options.me || !options.user.empty() || !options.name.empty() || !options.state.empty();
  if (options.jobs.empty() && !filters)
    return bad_input("no job is named", "sluice cancel 12, or sluice cancel --me");
  TRY(std::vector<std::string> jobs, meant_by(options.jobs));
  TRY(const bool chains, are_chains(jobs));
  if (chains) {
    if (filters || options.batch || !options.signal.empty())
      return bad_input("a chain is cancelled as a whole", "type: sluice cancel CHAIN");
    return elsewhere().cancel_chains({jobs, options.json});
  }
  if (jobs.empty()) {
    TRY(jobs, chosen(options));
    if (jobs.empty()) {
      TRY_VOID(check_names({options.user, {}, {}, {}, {}}));
      if (options.json)
        fmt::print("{}\n", to_json(ActionReply{}));
      else if (!options.quiet)
        fmt::print("There is nothing to cancel.\n");
      return ExitCode::kDone;
    }
  }
  TRY(action.jobs, joined_references(jobs));
  action.json = options.json;
  action.quiet = options.quiet;
  action.verb = "cancel";
  action.done = "cancelled";
  if (!options.signal.empty()) {
    const auto signal = signal_named(options.signal);
    if (!signal)
      return bad_input(fmt::format("{} is not a signal", sluice::quoted(options.signal)),
                       "USR1, TERM, 9");
    action.verb = "signal";
    action.done = "signalled";
    action.body = to_json(SignalRequest{*signal, options.batch});
  }
  return carry_out(action);
}

}  // namespace

void add_cancel(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("cancel", "End jobs or tasks, or send them a signal");
  auto options = std::make_shared<Options>();
  verb->add_option("IDS", options->jobs, "Jobs as 12, tasks as 12_3 or 12_[1-5]; or chains");
  verb->add_flag("--me", options->me, "All of your own");
  verb->add_option("-u,--user", options->user, "All of this user")->type_name("NAME");
  verb->add_option("-n,--name", options->name, "All of this name")->type_name("NAME");
  verb->add_option("-t,--state", options->state, "Only those in this state: PD, R")
      ->type_name("STATE");
  verb->add_option("-s,--signal", options->signal, "Send a signal to running jobs instead")
      ->type_name("SIGNAL");
  verb->add_flag("-b,--batch", options->batch, "The signal is for the batch shell only");
  verb->add_flag("-Q,--quiet", options->quiet, "Print nothing on success");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice cancel 12\n  sluice cancel 12_[10-20] 13\n  sluice cancel --me -t PD\n"
      "  sluice cancel --signal=USR1 12\nA chain and everything it started: sluice cancel CHAIN, "
      "sluice cancel last");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
