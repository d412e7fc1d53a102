// sluice history: runs that are over.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/listing.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "cli/table.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "text/duration.h"
#include "text/memory.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
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

Result<std::string> seconds_of(const std::string& text) {
  if (text.empty()) return text;
  const Instant now = now_here();
  TRY(const Instant time, parse_begin_time(text, now, local_offset(now)));
  return std::to_string(to_seconds(time));
}

Result<void> run(const Options& options) {
  TRY(const std::string since, seconds_of(options.since));
  TRY(const std::string until, seconds_of(options.until));
  TRY(Connection daemon, Connection::open());
  Target target("/v1/history");
  target.with("job", options.jobs)
      .with("user", options.me ? own_user() : options.user)
      .with("account", options.account)
      .with("state", options.state)
      .with("since", since)
      .with("before", until)
      .with("limit", options.limit > 0 ? std::to_string(options.limit) : "");
  TRY(const bool done, print_listing<HistoryLine>(daemon, target, options.list));
  if (done) return {};
  TRY(const std::string body, daemon.get(target.with("format", "tsv").text()));
  TRY(auto rows, RowTextReader<HistoryLine>::over(body));
  std::vector<HistoryLine> lines;
  for (HistoryLine line; rows.next(line);) lines.push_back(line);
  if (lines.empty()) {
    fmt::print("Nothing has ended.\n");
    return {};
  }
  // The latest is nearest to the prompt.
  std::reverse(lines.begin(), lines.end());
  TRY(ListTable table, ListTable::open({{"JOB", Align::kLeft, false},
                                        {"NAME", Align::kLeft, true},
                                        {"USER", Align::kLeft, true},
                                        {"ACCOUNT", Align::kLeft, true},
                                        {"STATE", Align::kLeft, false},
                                        {"EXIT", Align::kRight, false},
                                        {"STARTED", Align::kLeft, false},
                                        {"TIME", Align::kRight, false},
                                        {"CPU", Align::kRight, false},
                                        {"MOST MEMORY", Align::kRight, false},
                                        {"WHERE", Align::kLeft, true}},
                                       options.list));
  const Instant now = now_here();
  for (const HistoryLine& line : lines)
    table.add({line.id, printable(line.name), line.user, line.account,
               std::string(slurm_name(line.state)) + (line.requeued ? ", requeued" : ""),
               fmt::format("{}:{}", line.exit_code, line.exit_signal),
               line.started ? local_time(*line.started, now) : "",
               format_short_duration(line.elapsed), format_friendly_duration(line.cpu_time),
               line.max_rss_kb > 0
                   ? format_memory_mb((line.max_rss_kb + 1023) / 1024, MemoryStyle::kRounded)
                   : "",
               line.nodes},
              line);
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
  verb->add_option("-s,--state", options->state, "Only with these ends: F,OOM,TO")
      ->type_name("STATES");
  verb->add_option("-S,--starttime", options->since, "Ended since: now-2days, 08:00, 2026-11-15")
      ->type_name("TIME");
  verb->add_option("-E,--endtime", options->until, "Ended before")->type_name("TIME");
  verb->add_option("--limit", options->limit, "The latest so many; 0: all")->capture_default_str();
  add_list_options(*verb, options->list);
  verb->footer(
      "Examples:\n  sluice history\n  sluice history 12\n  sluice history --me -s F,OOM,TO\n"
      "  sluice history -S now-2days --json | jq '.lines | length'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
