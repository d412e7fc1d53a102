// Reads what is asked, asks the daemon or Slurm, keeps what was said.
#include "apps/when_verb.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/engine_choice.h"
#include "cli/job_request.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "text/sbatch_options.h"
#include "text/scan.h"
#include "views/when_fields.h"
#include "wire/api_fields.h"
#include "wire/http.h"
#include "wire/when_request.h"

namespace sluice {
namespace {

struct Words {
  WhenQuestion question;
  std::string on;
  bool json = false;
  bool score = false;
  bool help = false;
};

bool is_job(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789_") == std::string_view::npos &&
         word.front() != '_' && word.back() != '_';
}

Result<Words> read_words(std::span<const std::string> arguments) {
  Words out;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    // Once a script is named, what follows is for it.
    const bool ours = rest.empty() || rest.back().starts_with('-') ||
                      (rest.size() == 1 && (is_job(rest.front()) || rest.front() == "last"));
    if (ours && word == "--score")
      out.score = true;
    else if (ours && word == "--json")
      out.json = true;
    else if (ours && word == "--on" && i + 1 < arguments.size())
      out.on = arguments[++i];
    else if (ours && word.starts_with("--on="))
      out.on = word.substr(5);
    else if (ours && (word == "-h" || word == "--help"))
      out.help = true;
    else
      rest.push_back(word);
  }
  if (out.help || (out.score && rest.empty())) return out;
  if (out.score) return bad_input("--score takes no job", "type: sluice when --score");
  if (rest.empty())
    return bad_input("no job is named", "type: sluice when JOB, or sluice when [OPTIONS] SCRIPT");
  if (rest.size() == 1) {
    TRY(const std::string meant, one_meant_by(rest.front()));
    if (is_chain_id(meant))
      return bad_input(fmt::format("{} is a chain", meant),
                       "see its progress: sluice status " + meant);
    if (is_job(meant)) {
      out.question.job = meant;
      return out;
    }
  }
  TRY(SbatchCommandLine typed, read_submit_arguments(rest));
  TRY(SbatchCommandLine line, with_last_named(std::move(typed)));
  if (line.action != SbatchAction::kSubmit) {
    out.help = true;
    return out;
  }
  // What it would run does not matter.
  if (line.script.empty() && !line.wrap) line.wrap = "true";
  TRY(SbatchRequest request, request_as_typed(line));
  if (!request.own.engine.empty()) out.on = request.own.engine;
  out.json = out.json || request.own.json;
  for (const std::string& warning : request.warnings)
    fmt::print(stderr, "sluice: warning: {}\n", warning);
  out.question.request = std::move(request.spec);
  return out;
}

Result<WhenCard> when_here(const WhenQuestion& question) {
  TRY(Connection daemon, Connection::open());
  WhenRequest request;
  request.job = question.job;
  if (question.request) {
    request.request.push_back(*question.request);
    request.request.front().launch = Launch{};
  }
  return daemon.post<WhenCard>("POST", "/v1/when", request);
}

void keep(const WhenCard& card, const std::string& engine, const std::string& cluster) {
  // What starts at once is no prediction of the queue.
  if (!card.likely || !card.early || !card.late || *card.likely <= card.asked) return;
  Prediction said;
  said.engine = engine;
  said.cluster = cluster;
  said.job = card.id;
  said.submitted = card.submitted.value_or(card.asked);
  said.asked = card.asked;
  said.early = *card.early;
  said.likely = *card.likely;
  said.late = *card.late;
  said.planned = card.planned;
  if (const auto kept = keep_prediction(said); !kept)
    fmt::print(stderr, "sluice: warning: the prediction is not kept: {}\n", kept.error().text());
}

// The first of an array's tasks that has started since then.
Result<std::optional<Instant>> first_task_started(Connection& daemon, const std::string& array,
                                                  Instant since) {
  const std::string job = percent_encoded(array);
  TRY(const auto ended, daemon.fetch<Lines<HistoryLine>>(
                            fmt::format("/v1/history?job={}&since={}", job, to_seconds(since))));
  TRY(const auto queued,
      daemon.fetch<Lines<QueueLine>>("/v1/queue?arrays=records&state=all&job=" + job));
  std::optional<Instant> first;
  const auto look = [&](const auto& lines) {
    for (const auto& line : lines)
      if (line.started && *line.started >= since && (!first || *line.started < *first))
        first = line.started;
  };
  look(ended.lines);
  look(queued.lines);
  return first;
}

// Of an array the first task that starts, where the whole array was asked about.
Result<void> settle_here(const std::vector<Prediction>& said, Outcomes& outcomes) {
  if (said.empty()) return {};
  TRY(Connection daemon, Connection::open());
  for (const Prediction& each : said) {
    const auto card = daemon.fetch<JobCard>("/v1/jobs/" + percent_encoded(each.job));
    if (!card && card.error().kind == ErrorKind::kUnreachable)
      return tl::unexpected<Error>(card.error());
    const Duration apart = card ? card->line.submitted - each.submitted : Duration(0);
    if (!card || apart > seconds(1) || apart < -seconds(1)) {
      ++outcomes.unknown;
      continue;
    }
    if (card->line.array && !card->line.task) {
      TRY(const auto first, first_task_started(daemon, each.job, each.asked - seconds(1)));
      if (first)
        outcomes.settled.push_back({each, *first});
      else
        ++(card->line.waiting > 0 ? outcomes.waiting : outcomes.unknown);
      continue;
    }
    if (has_ended(card->line.state) && !card->line.started)
      ++outcomes.unknown;
    else if (!card->line.started || *card->line.started < each.asked - seconds(1))
      ++outcomes.waiting;
    else
      outcomes.settled.push_back({each, *card->line.started});
  }
  return {};
}

Result<ExitCode> score(const Words& words) {
  TRY(const std::vector<Prediction> all, kept_predictions());
  Outcomes outcomes;
  std::vector<Prediction> here;
  std::vector<Prediction> slurm;
  for (const Prediction& each : all) {
    if (!words.on.empty() && each.engine != words.on) continue;
    if (each.job.empty())
      ++outcomes.unknown;
    else
      (each.engine == "slurm" ? slurm : here).push_back(each);
  }
  TRY_VOID(settle_here(here, outcomes));
  TRY_VOID(settle_on_slurm(slurm, outcomes));
  fmt::print("{}", words.json ? score_json(outcomes) : score_text(outcomes));
  return ExitCode::kDone;
}

Result<ExitCode> run(const Words& words) {
  TRY(const std::string engine, chosen_engine(words.on));
  if (words.score) return score(words);
  SlurmWhen said;
  if (engine == "slurm") {
    TRY(said, when_on_slurm(words.question));
  } else {
    TRY(said.card, when_here(words.question));
  }
  keep(said.card, engine, said.cluster);
  if (words.json)
    fmt::print("{}\n", to_json(said.card));
  else
    fmt::print("{}", when_text(said.card, &local_time));
  return said.card.refused.empty() ? ExitCode::kDone : ExitCode::kNotAllowed;
}

}  // namespace

std::optional<ExitCode> run_when(std::span<const std::string> arguments) {
  const auto words = read_words(arguments);
  if (!words) return report(words.error());
  if (words->help) return std::nullopt;
  const auto done = run(*words);
  return done ? *done : report(done.error());
}

void add_when(Command& root, ExitCode&) {
  Command* verb =
      root.add_subcommand("when", "See when a job will start, and what would make it start sooner");
  verb->operands("JOB | [SCRIPT]");
  verb->footer(
      "  JOB                      one that waits: 12, 12_3 for a task, or last\n"
      "  SCRIPT                   one that is not submitted, with sbatch's options\n"
      "  --score                  how good earlier answers were, and squeue --start\n"
      "  --on embedded|slurm      this machine, or Slurm; else what SLUICE_ON says\n"
      "  --json                   as JSON\n\n"
      "The queue, what runs and the limits, as they are now, run ahead in virtual time, "
      "several\n"
      "times with run times as earlier runs of the same job, user or cluster had them. Half "
      "of\n"
      "these start the job before the time that is said, eight of ten within the range. Jobs\n"
      "that are submitted later are not counted. Changes that would make it start at least a\n"
      "minute sooner are tried the same way and listed with the command to type.\n\n"
      "Examples:\n"
      "  sluice when 12\n"
      "  sluice when --on slurm 23_2\n"
      "  sluice when -t 2:00:00 -c 8 --mem=16G job.sh\n"
      "  sluice when 12 --json | jq .likely\n"
      "  sluice when --score");
}

}  // namespace sluice
