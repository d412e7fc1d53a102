// sluice efficiency: what jobs asked for and used, as a table or, of one job, in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/efficiency.h"
#include "cli/local_time.h"
#include "cli/name_filters.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/printable.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string since;
  std::string user;
  bool json = false;
};

struct EfficiencyLine {
  std::string id;
  std::string name;
  std::int64_t runs = 0;
  std::int64_t cpus = 0;
  std::optional<std::int64_t> cpu_percent;
  std::int64_t memory_mb = 0;
  std::int64_t peak_mb = 0;
  std::optional<std::int64_t> memory_percent;
  std::optional<Duration> limit;
  Duration longest{0};
  std::optional<std::int64_t> time_percent;
  std::int64_t gpus = 0;
  std::optional<std::int64_t> gpu_percent;
  std::int64_t gpu_memory_mb = 0;
  std::string advice;
};
template <class Fields>
void json_fields(Fields& f, Like<EfficiencyLine> auto& it) {
  f("id", it.id);
  f("name", it.name);
  f("runs", it.runs);
  f("cpus", it.cpus);
  f("cpu_percent", it.cpu_percent);
  f("memory_mb", it.memory_mb);
  f("peak_mb", it.peak_mb);
  f("memory_percent", it.memory_percent);
  f("limit", it.limit);
  f("longest", it.longest);
  f("time_percent", it.time_percent);
  f("gpus", it.gpus);
  f("gpu_percent", it.gpu_percent);
  f("gpu_memory_mb", it.gpu_memory_mb);
  f("advice", it.advice);
}
struct EfficiencyLines {
  std::string schema = "sluice.efficiency/1";
  std::vector<EfficiencyLine> lines;
};
template <class Fields>
void json_fields(Fields& f, Like<EfficiencyLines> auto& it) {
  f("schema", it.schema);
  f("lines", it.lines);
}

EfficiencyLine line_of(const Efficiency& it) {
  return {it.id,
          it.name,
          it.runs,
          it.cpus,
          it.cpu_percent(),
          it.memory_mb,
          it.peak_mb,
          it.memory_percent(),
          it.limit,
          it.longest,
          it.time_percent(),
          it.gpus,
          it.gpu_percent(),
          it.gpu_memory_mb,
          it.advice()};
}

Result<void> run(const Options& options) {
  TRY(const std::vector<std::string> words, meant_by(options.jobs));
  std::string jobs;
  for (const std::string& word : words) jobs += (jobs.empty() ? "" : ",") + word;
  std::string since;
  if (!options.since.empty()) {
    TRY(const Instant from, time_or_age_of("--since", options.since, now_here()));
    since = std::to_string(to_seconds(from));
  }
  TRY(Connection daemon, Connection::open());
  if (!options.json && words.size() == 1 && since.empty()) {
    TRY(const std::string text, efficiency_text(daemon, jobs));
    if (text.empty()) {
      // Says so where there is no such job.
      TRY(const std::string card, daemon.get("/v1/jobs/" + percent_encoded(jobs)));
      return failed(fmt::format("job {} has no run that ended", jobs),
                    "see its progress: sluice status " + jobs);
    }
    fmt::print("{}", text);
    return {};
  }
  Target target("/v1/history");
  target.with("job", jobs)
      .with("user", jobs.empty() ? (options.user.empty() ? own_user() : options.user) : "")
      .with("since", since);
  // Runs of the latest jobs; an array counts as a whole, so its other runs are asked for, too.
  bool cut = false;
  if (jobs.empty() && since.empty()) {
    constexpr std::size_t kLatestRuns = 200;
    TRY(auto latest, daemon.fetch<Lines<HistoryLine>>(
                         Target(target).with("limit", std::to_string(kLatestRuns + 1)).text()));
    cut = latest.lines.size() > kLatestRuns;
    if (cut) latest.lines.pop_back();
    std::set<std::uint32_t> of;
    for (const HistoryLine& run : latest.lines)
      of.insert((run.array ? *run.array : run.job).value());
    if (of.empty())
      target.with("limit", "1");
    else
      target.with("job", fmt::format("{}", fmt::join(of, ",")));
  }
  TRY(const auto history, daemon.fetch<Lines<HistoryLine>>(target.text()));
  std::vector<Efficiency> all = efficiencies_of(history.lines);
  // The latest is nearest to the prompt.
  std::reverse(all.begin(), all.end());
  if (all.empty()) TRY_VOID(check_names({options.user, {}, {}, {}, {}}));
  if (cut)
    fmt::print(stderr,
               "sluice: the latest {} job{} only; others: --since 30d, or by their number\n",
               all.size(), all.size() == 1 ? "" : "s");
  if (options.json) {
    EfficiencyLines out;
    for (const Efficiency& it : all) out.lines.push_back(line_of(it));
    fmt::print("{}\n", to_json(out));
    return {};
  }
  if (all.empty()) {
    fmt::print("{}\n", options.user.empty() && since.empty() ? "Nothing has ended."
                                                             : "No such run has ended.");
    return {};
  }
  Table table({{"JOB", Align::kLeft, false},
               {"NAME", Align::kLeft, true, Narrow::kGoesSecond},
               {"RUNS", Align::kRight, false, Narrow::kGoesFirst},
               {"CPU", Align::kRight, false},
               {"MEMORY", Align::kRight, false},
               {"OF", Align::kRight, false},
               {"GPU", Align::kRight, false},
               {"TIME", Align::kRight, false},
               {"NEXT TIME", Align::kLeft, false, Narrow::kWraps}});
  const auto percent = [](const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}%", *value) : std::string("?");
  };
  for (const Efficiency& it : all)
    table.add({it.id, printable(it.name), std::to_string(it.runs), percent(it.cpu_percent()),
               percent(it.memory_percent()), format_memory_mb(it.memory_mb, MemoryStyle::kRounded),
               it.gpus > 0 ? percent(it.gpu_percent()) : "",
               it.time_percent() ? percent(it.time_percent()) : format_short_duration(it.longest),
               it.advice()});
  table.print(Display::of_stdout(), stdout);
  return {};
}

}  // namespace

void add_efficiency(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand(
      "efficiency", "See what jobs asked for and used, and what to ask for next time");
  auto options = std::make_shared<Options>();
  verb->add_option("JOBS", options->jobs, "Jobs or arrays as 12, or last; none: your latest");
  verb->add_option("-S,--since", options->since, "Ended since: 2d (ago), 08:00, 2026-11-15")
      ->type_name("TIME");
  verb->add_option("-u,--user", options->user, "Of this user")->type_name("NAME");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "CPU is what was computed of what was held; MEMORY the most that a run used of what it "
      "asked\n"
      "for; TIME the longest run of its limit; GPU how busy its GPUs were, by NVIDIA's library, "
      "once a\n"
      "second; ? where nothing measures it. The options at the end leave 30% to spare.\n\n"
      "Examples:\n  sluice efficiency\n  sluice efficiency 12\n  sluice efficiency last\n"
      "  sluice efficiency --since 2d --json | jq -r '.lines[].advice'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
