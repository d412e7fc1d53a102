// sluice why: the gates on a waiting job's way, and what would help.
#include <fmt/format.h>

#include <algorithm>
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
#include "text/array_spec.h"
#include "text/duration.h"
#include "text/job_reference.h"
#include "text/quoting.h"
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

// Jobs that wait for the same: which one to ask about, and how they are called together.
struct AskedAbout {
  std::string job;
  std::string shown;  // "12_[3-4]"; "" where it is the one alone.
};

// Tasks of one array may wait for different reasons, and each has its answer.
Result<std::vector<AskedAbout>> by_reason(Connection& daemon, const std::string& job) {
  const auto reference = parse_job_reference(job);
  if (!reference || reference->tasks) return std::vector<AskedAbout>{{job, {}}};
  TRY(const auto lines, daemon.fetch<Lines<QueueLine>>("/v1/queue?arrays=records&state=PD&job=" +
                                                       percent_encoded(job)));
  std::vector<std::pair<std::string, IndexSet>> reasons;
  for (const QueueLine& line : lines.lines) {
    if (!line.array || line.array->value() != reference->job.value()) continue;
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& each) { return each.first == line.reason; });
    if (known == reasons.end()) known = reasons.insert(known, {line.reason, {}});
    const auto own = parse_job_reference(line.id);
    if (own && own->tasks)
      for (const std::uint32_t task : own->tasks->to_vector()) known->second.insert(task);
  }
  if (reasons.size() < 2) return std::vector<AskedAbout>{{job, {}}};
  std::vector<AskedAbout> out;
  for (const auto& [reason, tasks] : reasons)
    if (const auto first = tasks.first())
      out.push_back({fmt::format("{}_{}", job, *first),
                     tasks.size() > 1 ? fmt::format("{}_[{}]", job, compress_indices(tasks)) : ""});
  return out;
}

Result<std::vector<AskedAbout>> asked_about(Connection& daemon, std::vector<std::string> jobs) {
  if (jobs.empty()) {
    // Without a job: all of one's own that wait.
    TRY(const auto lines, daemon.fetch<Lines<QueueLine>>("/v1/queue?arrays=records&state=PD&user=" +
                                                         percent_encoded(own_user())));
    for (const QueueLine& line : lines.lines) {
      std::string id = std::to_string((line.array ? *line.array : line.job).value());
      if (std::find(jobs.begin(), jobs.end(), id) == jobs.end()) jobs.push_back(std::move(id));
    }
  }
  std::vector<AskedAbout> out;
  for (const std::string& job : jobs) {
    TRY(const auto each, by_reason(daemon, job));
    out.insert(out.end(), each.begin(), each.end());
  }
  return out;
}

Result<void> why_here(const WhyQuestion& options) {
  TRY(Connection daemon, Connection::open());
  TRY(const std::vector<AskedAbout> asked, asked_about(daemon, options.jobs));
  if (asked.empty() && !options.json) fmt::print("None of your jobs waits.\n");
  AllThatWait all;
  for (const AskedAbout& each : asked) {
    TRY(const std::string body, daemon.get("/v1/jobs/" + percent_encoded(each.job) + "/why"));
    if (options.json && options.jobs.size() == 1 && asked.size() == 1) {
      fmt::print("{}", body);
      return {};
    }
    TRY(WhyCard card, from_json<WhyCard>(body));
    if (!each.shown.empty()) {
      card.id = each.shown;
      for (HelpLine& help : card.help)
        if (help.command.ends_with(" " + each.job))
          help.command.replace(help.command.size() - each.job.size(), each.job.size(),
                               shell_argument(each.shown));
    }
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
    else if (!waiting.kept_back.empty())
      fmt::print("{}", printable_lines(waiting.kept_back));
    else
      fmt::print("No task of the chain {} waits: {}\n", chain, waiting.otherwise);
    return ExitCode::kDone;
  }
  if (!json && !waiting.kept_back.empty()) fmt::print("{}\n", printable_lines(waiting.kept_back));
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
      "Tasks of an array that wait for different reasons have an answer for each. With --json one\n"
      "answer is an object; several, and those without JOB, stand in a list named waiting.\n\n"
      "Examples:\n  sluice why 12\n  sluice why\n  sluice why --on slurm 23_2\n  sluice why 12 "
      "--json | jq .arithmetic\n"
      "  sluice why --json | jq -r '.waiting[] | .id + \" \" + .reason'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
