// sluice why: the gates on a waiting job's way, and what would help.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/engine_choice.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "text/duration.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

struct Options {
  std::string job;
  bool json = false;
  std::string on;
};

// One document, however many wait; `why --on slurm` says the same.
struct AllThatWait {
  std::string schema = "sluice.why.v1";
  std::vector<WhyCard> waiting;
};
template <class Fields>
void json_fields(Fields& f, Like<AllThatWait> auto& it) {
  f("schema", it.schema);
  f("waiting", it.waiting);
}

void print_gates(const WhyCard& card, const Display& display, std::string& out) {
  Table table({{"", Align::kLeft, false},
               {"GATE", Align::kLeft, false},
               {"OF", Align::kLeft, true},
               {"LIMIT", Align::kRight, false},
               {"USED", Align::kRight, false},
               {"ASKED", Align::kRight, false}});
  for (const GateLine& gate : card.gates)
    table.add({gate.passed    ? "  open"
               : gate.binding ? "  SHUT"
                              : "  shut",
               gate.name, gate.holder, gate.limit, gate.used, gate.asked});
  out += "\n" + table.text(display);
}

std::string text_of(const WhyCard& card) {
  const Display display = Display::of_stdout();
  const Instant now = now_here();
  std::string out =
      fmt::format("{} {} of {}: {}\n", card.id, printable(card.name), printable(card.user),
                  card.state == JobState::kPending ? bold(display, card.reason)
                                                   : std::string(slurm_name(card.state)));
  out += fmt::format("  It {}.\n", printable(card.sentence));
  if (!card.arithmetic.empty()) out += fmt::format("  {}\n", printable(card.arithmetic));
  for (const HolderLine& holder : card.holders)
    out += fmt::format("    {} holds {}: {} {}\n", printable(holder.user), holder.amount_text,
                       holder.jobs.find(',') == std::string::npos ? "job" : "jobs", holder.jobs);
  if (card.may_end)
    out += fmt::format("  The first of these ends by its limit at {}.\n",
                       local_time(*card.may_end, now));
  if (card.expected)
    out += fmt::format("  Expected to start at {}{}.\n", local_time(*card.expected, now),
                       card.planned.empty() ? "" : " on " + card.planned);
  if (card.state == JobState::kPending && !card.gates.empty()) print_gates(card, display, out);
  if (!card.help.empty()) out += "\nWhat would help:\n";
  for (const HelpLine& help : card.help)
    out += help.command.empty()
               ? fmt::format("  {}\n", printable(help.what))
               : fmt::format("  {:<34} {}\n", printable(help.what) + ":", printable(help.command));
  return out;
}

Result<void> why_here(const WhyQuestion& options) {
  TRY(Connection daemon, Connection::open());
  std::vector<std::string> jobs = options.jobs;
  if (jobs.empty()) {
    // Without a job: all of one's own that wait.
    TRY(const auto lines, daemon.fetch<Lines<QueueLine>>("/v1/queue?arrays=records&state=PD&user=" +
                                                         percent_encoded(own_user())));
    for (const QueueLine& line : lines.lines)
      jobs.push_back(
          std::to_string(line.array && !line.task ? line.array->value() : line.job.value()));
    if (jobs.empty() && !options.json) fmt::print("None of your jobs waits.\n");
  }
  AllThatWait all;
  for (const std::string& job : jobs) {
    TRY(const std::string body, daemon.get("/v1/jobs/" + percent_encoded(job) + "/why"));
    if (options.json && options.jobs.size() == 1) {
      fmt::print("{}", body);
      return {};
    }
    TRY(WhyCard card, from_json<WhyCard>(body));
    if (!options.json) fmt::print("{}{}", all.waiting.empty() ? "" : "\n", text_of(card));
    all.waiting.push_back(std::move(card));
  }
  if (options.json) fmt::print("{}\n", to_json(all));
  return {};
}

// Those of its jobs that wait.
Result<ExitCode> why_of_chain(const std::string& chain, bool json) {
  TRY(const WaitingOfChain waiting, elsewhere().waiting_of_chain(chain));
  if (waiting.jobs.empty()) {
    if (json)
      fmt::print("{}\n", to_json(AllThatWait{}));
    else
      fmt::print("No task of the chain {} waits: {}\n", chain, waiting.otherwise);
    return ExitCode::kDone;
  }
  const WhyQuestion question{waiting.jobs, json};
  if (waiting.on_slurm) return elsewhere().why_on_slurm(question);
  TRY_VOID(why_here(question));
  return ExitCode::kDone;
}

Result<ExitCode> run(const Options& options) {
  TRY(const std::string engine, chosen_engine(options.on));
  std::string job = options.job;
  const auto last = job == "last" ? last_submission() : std::nullopt;
  const bool on_slurm = engine == "slurm" || (last && last->as == SubmittedAs::kOnSlurm);
  if (last && last->as == SubmittedAs::kOnSlurm) {
    job = last->id;
  } else if (!on_slurm || last) {
    TRY(job, one_meant_by(job));
  }
  if (!job.empty() && is_chain_id(job)) return why_of_chain(job, options.json);
  WhyQuestion question{{}, options.json};
  if (!job.empty()) question.jobs.push_back(job);
  if (on_slurm) return elsewhere().why_on_slurm(question);
  TRY_VOID(why_here(question));
  return ExitCode::kDone;
}

}  // namespace

void add_why(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("why", "See why a job waits, and what would help");
  auto options = std::make_shared<Options>();
  verb->add_option("JOB", options->job,
                   "A job as 12, a task as 12_3, a chain, last; none: all of yours that wait");
  verb->add_flag("--json", options->json, "As JSON");
  add_engine_option(*verb, options->on);
  verb->footer(
      "With --json one job is an object; without JOB they stand in a list named waiting. On Slurm\n"
      "that list is also used where tasks of one job wait for different reasons.\n\n"
      "Examples:\n  sluice why 12\n  sluice why\n  sluice why --on slurm 23_2\n  sluice why 12 "
      "--json | jq .arithmetic\n"
      "  sluice why --json | jq -r '.waiting[] | .id + \" \" + .reason'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
