#include "pools/verbs/usage_verb.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/local_time.h"
#include "cli/table.h"
#include "cli/target.h"
#include "pools/routed_cluster.h"
#include "slurm/run_slurm.h"
#include "slurm/used_runs.h"
#include "text/printed_tres.h"
#include "views/record_line.h"
#include "views/row_text.h"
#include "views/usage_view.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::string by = "account";
  std::string since = "now-30days";
  std::string until = "now";
  std::string engine;
  bool json = false;
};

struct Used {
  std::string cluster;
  std::vector<UsedRun> runs;
  std::vector<DueShare> shares;
};

template <class Row>
UsedRun used_by(const Row& row, const std::string& tres) {
  UsedRun out;
  put_amounts(read_printed_tres(tres), out);
  out.user = row.user;
  out.account = row.account;
  out.qos = row.qos;
  out.started = *row.started;
  return out;
}

template <class Row, class Take>
Result<void> for_each_row(Connection& daemon, Target target, Take take) {
  TRY(const std::string body, daemon.get(target.with("format", "tsv").text()));
  TRY(auto rows, RowTextReader<Row>::over(body));
  for (Row row; rows.next(row);)
    if (row.started) take(row);
  return {};
}

// What runs is asked for first: a run that ends in between is in both answers, and counts once.
Result<Used> used_here(UsagePeriod period) {
  TRY(Connection daemon, Connection::open());
  Used out;
  TRY(const auto card, daemon.fetch<DaemonCard>("/v1/daemon"));
  out.cluster = card.cluster;
  std::map<std::pair<JobId, Instant>, UsedRun> runs;
  TRY_VOID(for_each_row<RecordLine>(
      daemon,
      Target("/v1/records")
          .with("state", "R,S,CG")
          .with("fields", "job,user,account,qos,state,started,tres"),
      [&](const RecordLine& row) {
        runs.insert_or_assign({row.job, *row.started}, used_by(row, row.tres));
      }));
  TRY_VOID(
      for_each_row<HistoryLine>(daemon,
                                Target("/v1/history")
                                    .with("since", std::to_string(to_seconds(period.since)))
                                    .with("fields", "job,user,account,qos,started,ended,allocated"),
                                [&](const HistoryLine& row) {
                                  UsedRun run = used_by(row, row.allocated);
                                  run.ended = row.ended;
                                  runs.insert_or_assign({row.job, *row.started}, std::move(run));
                                }));
  for (auto& [key, run] : runs) out.runs.push_back(std::move(run));
  TRY(const auto shares, daemon.fetch<Lines<ShareLine>>("/v1/shares"));
  for (const ShareLine& line : shares.lines)
    out.shares.push_back(
        {line.account, line.user, line.parent, line.shares, line.shares_of_parent});
  return out;
}

Result<Used> used_on_slurm(UsagePeriod period) {
  Used out;
  TRY(const CommandOutput runs, ask_slurm(used_runs_command(period.since, period.until)));
  out.runs = parse_used_runs(runs.output);
  TRY(const CommandOutput shares, ask_slurm(due_shares_command()));
  out.shares = parse_due_shares(shares.output);
  return out;
}

// A lab's first hour should not read as nothing.
std::string hours(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : 0); }

std::string percent(double part) { return fmt::format("{:.1f}%", part * 100); }

void print_report(const UsageReport& report, UsageBy by) {
  constexpr std::string_view kTitles[] = {"ACCOUNT", "USER", "QOS"};
  fmt::print("{} to {}{}\n", full_local_time(report.since), full_local_time(report.until),
             report.cluster.empty() ? "" : fmt::format(" on {}", report.cluster));
  if (report.all.runs == 0) fmt::print("Nothing ran in this time.\n");
  Table table({{std::string(kTitles[static_cast<std::size_t>(by)]), Align::kLeft, true},
               {"RUNS", Align::kRight, false},
               {"GPU HOURS", Align::kRight, false},
               {"CPU HOURS", Align::kRight, false},
               {"GB HOURS", Align::kRight, false},
               {"GIVEN", Align::kRight, false},
               {"DUE", Align::kRight, false}});
  const auto add = [&](const UsageLine& line) {
    table.add({std::string(static_cast<std::size_t>(line.depth), ' ') +
                   (line.name.empty() ? "(none)" : printable(line.name)),
               std::to_string(line.runs), hours(line.gpu_hours), hours(line.cpu_hours),
               hours(line.memory_gb_hours), percent(line.given),
               line.due ? percent(*line.due) : ""});
  };
  for (const UsageLine& line : report.lines) add(line);
  // The root of the tree has them all already.
  if (by != UsageBy::kAccount && report.lines.size() > 1) add(report.all);
  table.print(Display::of_stdout(), stdout);
}

Result<void> run(const Options& options) {
  const UsageBy by = options.by == "user"  ? UsageBy::kUser
                     : options.by == "qos" ? UsageBy::kQos
                                           : UsageBy::kAccount;
  TRY(const std::string engine, chosen_engine(options.engine));
  const Instant now = now_here();
  TRY(const Instant since, time_or_age_of("--since", options.since, now));
  TRY(const Instant until, time_or_age_of("--until", options.until, now));
  // Times that are typed are whole seconds; what ran in this one counts.
  const UsagePeriod period{since, options.until == "now" ? now : std::min(until, now)};
  if (period.since >= period.until)
    return bad_input("the period ends before it begins", "write --since 7d --until now");
  TRY(const Used used, engine == "slurm" ? used_on_slurm(period) : used_here(period));
  UsageReport report = usage_report(used.runs, used.shares, by, period);
  report.cluster = used.cluster;
  if (options.json)
    fmt::print("{}\n", to_json(report));
  else
    print_report(report, by);
  return {};
}

}  // namespace

void add_usage(Command& root, ExitCode& exit_code) {
  Command* verb =
      root.add_subcommand("usage", "GPU, CPU and memory hours of a period, and the shares due");
  auto options = std::make_shared<Options>();
  verb->add_option("--by", options->by, "A line for each account, user or qos")
      ->one_of({"account", "user", "qos"})
      ->capture_default_str();
  verb->add_option("-S,--since", options->since, "7d (ago), 2026-11-01")
      ->type_name("TIME")
      ->capture_default_str();
  verb->add_option("-E,--until", options->until, "Up to then")
      ->type_name("TIME")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "As JSON");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "GIVEN is the part of all billing hours (what fairshare counts, without usage factors and\n"
      "decay) that went there; DUE the part that the shares of the account tree promise. An\n"
      "account's line has the accounts below it in it. Runs count from start to end, as far as\n"
      "they lie in the period; suspended time counts. On Slurm it comes from sacct and sshare.\n\n"
      "Examples:\n  sluice usage\n  sluice usage --by user --since 7d\n"
      "  sluice usage --on slurm --since 2026-11-01 --json | jq '.lines[] | .gpu_hours'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
