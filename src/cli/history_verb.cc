// sluice history: runs that are over.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/listing.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "text/duration.h"
#include "text/memory.h"
#include "wire/api_fields.h"
#include "wire/history_purge.h"

namespace sluice {
namespace {

struct Options {
  bool purge = false;
  bool yes = false;
  std::string older;
  std::string jobs;
  std::string user;
  std::string account;
  std::string state;
  std::string since;
  std::string until;
  std::size_t limit = 100;
  bool me = false;
  ListOptions list;
};

Result<std::string> seconds_of(const char* option, const std::string& text) {
  if (text.empty()) return text;
  TRY(const Instant time, time_or_age_of(option, text, now_here()));
  return std::to_string(to_seconds(time));
}

Result<Instant> purge_before(const Options& options) {
  const Instant now = now_here();
  if (!options.older.empty()) {
    const auto age = parse_friendly_duration(options.older);
    if (!age || !age->duration)
      return bad_input(fmt::format("--older: '{}' is not a time", options.older),
                       "write 30d or 12h");
    return now - *age->duration;
  }
  // Times are whole seconds: what ended in this one has ended, too.
  if (options.until.empty()) return now + seconds(1);
  return time_or_age_of("--until", options.until, now);
}

// Runs that ended before a time, of everybody; what runs and waits is not touched.
Result<void> purge(const Options& options) {
  if (options.me || !options.jobs.empty() || !options.user.empty() || !options.account.empty() ||
      !options.state.empty() || !options.since.empty())
    return bad_input("--purge forgets everything that ended before a time",
                     "choose the time with --older 30d or -E, and leave out the rest");
  TRY(const Instant before, purge_before(options));
  const std::string seconds = std::to_string(to_seconds(before));
  TRY(Connection daemon, Connection::open());
  if (!options.yes) {
    TRY(const bool sure,
        ask_first(fmt::format("Forget every run that ended before {}, with its captured output?",
                              full_local_time(before))));
    if (!sure) {
      fmt::print("{}", options.list.json ? to_json(PurgeReply{}) + "\n" : "Nothing was removed.\n");
      return {};
    }
  }
  std::int64_t runs = 0;
  for (bool more = true; more;) {
    TRY(const std::string body,
        daemon.send("DELETE", Target("/v1/history").with("before", seconds).text(), ""));
    TRY(const PurgeReply gone, from_json<PurgeReply>(body));
    runs += gone.runs;
    more = gone.more && gone.runs > 0;
  }
  if (options.list.json) {
    fmt::print("{}\n", to_json(PurgeReply{runs, false}));
    return {};
  }
  fmt::print("{} run{} forgotten.\n", runs, runs == 1 ? " is" : "s are");
  const bool all = options.older.empty() && options.until.empty();
  TRY(const auto stay, daemon.fetch<Lines<HistoryLine>>(
                           Target("/v1/history").with("since", seconds).with("limit", "1").text()));
  if (!all && !stay.lines.empty())
    fmt::print("Runs that ended since {} stay; all: sluice history --purge\n",
               full_local_time(before));
  return {};
}

Result<void> run(const Options& options) {
  if (options.purge) return purge(options);
  if (options.yes || !options.older.empty())
    return bad_input("--yes and --older belong to --purge", "add --purge");
  TRY(const std::string since, seconds_of("--since", options.since));
  TRY(const std::string until, seconds_of("--until", options.until));
  TRY(Connection daemon, Connection::open());
  const NameFilters filters{options.user, options.account, {}, {}, {}};
  Target target("/v1/history");
  target.with("job", options.jobs)
      .with("user", options.me ? own_user() : options.user)
      .with("account", options.account)
      .with("state", options.state)
      .with("since", since)
      .with("before", until);
  if (options.limit > 0) {
    // Whether there are more is asked first: what is cut is never shown as if it were all.
    TRY(const std::string more, daemon.get(Target(target)
                                               .with("limit", std::to_string(options.limit + 1))
                                               .with("format", "tsv")
                                               .with("fields", "id")
                                               .text()));
    // Below a line of titles.
    const auto rows = static_cast<std::size_t>(std::count(more.begin(), more.end(), '\n')) - 1;
    if (rows > options.limit)
      fmt::print(stderr, "sluice: the latest {} run{} only; all of them: --limit 0\n",
                 options.limit, options.limit == 1 ? "" : "s");
    target.with("limit", std::to_string(options.limit));
  }
  TRY(const bool done, print_listing<HistoryLine>(daemon, target, options.list, filters));
  if (done) return {};
  TRY(const std::string body, daemon.get(target.with("format", "tsv").text()));
  TRY(auto rows, RowTextReader<HistoryLine>::over(body));
  std::vector<HistoryLine> lines;
  for (HistoryLine line; rows.next(line);) lines.push_back(line);
  if (lines.empty()) {
    TRY_VOID(check_names(filters));
    const bool chosen =
        options.me || filters.any() || !options.state.empty() || !since.empty() || !until.empty();
    if (options.jobs.empty())
      fmt::print("{}\n", chosen ? "No such run has ended." : "Nothing has ended.");
    else
      fmt::print("{0} has no run that is over. What runs or waits: sluice queue {0}\n",
                 printable(options.jobs));
    return {};
  }
  // The latest is nearest to the prompt.
  std::reverse(lines.begin(), lines.end());
  // Most machines have no GPU: the column is there where one was measured.
  const bool gpus = std::any_of(lines.begin(), lines.end(), [](const HistoryLine& line) {
    return line.gpu_percent.has_value();
  });
  std::vector<Column> columns = {{"JOB", Align::kLeft, false},
                                 {"NAME", Align::kLeft, true},
                                 {"USER", Align::kLeft, true},
                                 {"ACCOUNT", Align::kLeft, true, Narrow::kGoesFirst},
                                 {"STATE", Align::kLeft, false},
                                 {"EXIT", Align::kRight, false},
                                 {"STARTED", Align::kLeft, false, Narrow::kGoesLast},
                                 {"TIME", Align::kRight, false},
                                 {"CPU", Align::kRight, false, Narrow::kGoesSecond},
                                 {"MOST MEMORY", Align::kRight, false}};
  if (gpus) columns.push_back({"GPU", Align::kRight, false, Narrow::kGoesLast});
  columns.push_back({"WHERE", Align::kLeft, true, Narrow::kGoesFirst});
  TRY(ListTable table, ListTable::open(columns, options.list));
  const Instant now = now_here();
  for (const HistoryLine& line : lines) {
    std::vector<std::string> row = {
        line.id,
        printable(line.name),
        line.user,
        line.account,
        std::string(slurm_name(line.state)) + (line.requeued ? ", requeued" : ""),
        fmt::format("{}:{}", line.exit_code, line.exit_signal),
        line.started ? local_time(*line.started, now) : "",
        format_short_duration(line.elapsed),
        format_friendly_duration(line.cpu_time),
        line.max_rss_kb > 0
            ? format_memory_mb((line.max_rss_kb + 1023) / 1024, MemoryStyle::kRounded)
            : ""};
    if (gpus)
      row.push_back(line.gpu_percent ? fmt::format("{}% {}", *line.gpu_percent,
                                                   format_memory_mb(line.gpu_memory_mb.value_or(0),
                                                                    MemoryStyle::kRounded))
                                     : "");
    row.push_back(line.nodes);
    table.add(row, line);
  }
  table.print();
  return {};
}

}  // namespace

void add_history(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("history", "See runs that are over");
  auto options = std::make_shared<Options>();
  verb->add_option("JOBS", options->jobs, "Only these jobs or arrays: 12,15");
  verb->add_flag("--me", options->me, "Only your own");
  verb->add_option("-u,--user", options->user, "Only of this user")->type_name("NAME");
  verb->add_option("-A,--account", options->account, "Only of this account")->type_name("NAME");
  verb->add_option("-s,--state", options->state, "Only with these final states: F,OOM,TO")
      ->type_name("STATES");
  verb->add_option("-S,--since,--starttime", options->since,
                   "Ended since: 2d (ago), 08:00, 2026-11-15")
      ->type_name("TIME");
  verb->add_option("-E,--until,--endtime", options->until, "Ended before")->type_name("TIME");
  verb->add_option("--limit", options->limit, "Only the latest N; 0: all")->capture_default_str();
  verb->add_flag("--purge", options->purge,
                 "Forget runs of all users that ended before -E or --older, else all; asks first");
  verb->add_option("--older", options->older, "With --purge: ended longer ago: 30d, 12h");
  verb->add_flag("--yes", options->yes, "With --purge: do not ask");
  add_list_options(*verb, options->list);
  verb->footer(
      "Examples:\n  sluice history\n  sluice history 12\n  sluice history --me -s F,OOM,TO\n"
      "  sluice history --since 2d --json | jq '.lines | length'\n"
      "  sluice history --purge --older 30d");
  verb->callback([options, &exit_code] {
    const auto meant = meant_by(options->jobs);
    if (meant) options->jobs = *meant;
    const auto done = meant ? run(*options) : tl::unexpected(meant.error());
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
