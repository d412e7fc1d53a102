// sluice wait: until jobs, arrays and chains have ended.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/job_ends.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "cli/verbs.h"
#include "cli/wait.h"
#include "text/duration.h"
#include "text/job_reference.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string timeout;
  bool quiet = false;
  bool json = false;
};

}  // namespace

template <class Fields>
void json_fields(Fields& f, Like<WaitedFor> auto& row) {
  f("id", row.id);
  f("tasks", row.tasks);
  f("failed", row.failed);
  f("exit_status", row.exit_status);
}

namespace {

struct AllWaitedFor {
  std::vector<WaitedFor> ended;
};
template <class Fields>
void json_fields(Fields& f, Like<AllWaitedFor> auto& row) {
  f("ended", row.ended);
}

Result<std::optional<Instant>> until_of(const std::string& timeout) {
  if (timeout.empty()) return std::optional<Instant>();
  const auto read = parse_friendly_duration(timeout);
  if (!read || !read->duration)
    return bad_input(fmt::format("--timeout: '{}' is not a time", timeout), "write 90s, 30m or 2h");
  return std::optional(now_here() + *read->duration);
}

Result<ExitCode> run(const Options& options) {
  TRY(std::vector<std::string> words, meant_by(options.jobs));
  if (words.empty()) {
    TRY(std::string last, meant_by("last"));
    words.push_back(std::move(last));
  }
  TRY(const auto until, until_of(options.timeout));
  // Several tasks of an array are waited for together with it.
  std::vector<std::pair<std::string, JobReference>> jobs;
  std::vector<std::string> chains;
  for (const std::string& word : words) {
    if (is_chain_id(word)) {
      chains.push_back(word);
      continue;
    }
    TRY(JobReference reference, parse_job_reference(word));
    jobs.emplace_back(word, std::move(reference));
  }
  ExitCode worst = ExitCode::kDone;
  AllWaitedFor all;
  if (!jobs.empty()) {
    TRY(Connection daemon, Connection::open());
    daemon.wait_through_restarts();
    for (const auto& [word, reference] : jobs) {
      const std::uint32_t job = reference.job.value();
      TRY(const bool ended, wait_until_ended(daemon, job, until));
      if (!ended)
        return tl::unexpected<Error>(Error{ErrorKind::kNoCapacity,
                                           fmt::format("{} has not ended yet", word),
                                           {},
                                           fmt::format("see its progress: sluice status {}", job)});
      TRY(JobEnds ends, ends_of(daemon, job));
      if (reference.tasks)
        std::erase_if(ends.tasks, [&wanted = *reference.tasks](const auto& each) {
          return !wanted.contains(each.first);
        });
      worst = std::max(worst, static_cast<ExitCode>(ends.worst()));
      all.ended.push_back({word, static_cast<std::int64_t>(ends.tasks.size()),
                           static_cast<std::int64_t>(ends.failed().size()), ends.worst()});
      if (!options.quiet && !options.json) fmt::print("{}", ends.summary());
      std::fflush(stdout);
    }
  }
  for (const std::string& chain : chains) {
    TRY(WaitedFor waited, elsewhere().wait_for_chain(chain, until));
    worst = std::max(worst, static_cast<ExitCode>(waited.exit_status));
    all.ended.push_back(std::move(waited));
  }
  if (options.json) fmt::print("{}\n", to_json(all));
  return worst;
}

}  // namespace

void add_wait(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("wait", "Wait until jobs, arrays or chains have ended");
  auto options = std::make_shared<Options>();
  verb->add_option("IDS", options->jobs,
                   "Jobs as 12, tasks as 12_3, chains, or last (the default)");
  verb->add_option("--timeout", options->timeout, "Wait no longer than this: 90s, 30m, 2h")
      ->type_name("TIME");
  verb->add_flag("-Q,--quiet", options->quiet, "Print nothing; only the exit code counts");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Continues through a restart of the daemon. Interrupting it leaves the jobs running.\n"
      "Exit code: 0 where all completed; else the worst exit status of a job or task, 128 and the\n"
      "signal where one ended it, 1 where a chain gave tasks up; 75 after --timeout.\n\n"
      "Examples:\n  sluice wait 12\n  sluice wait 12 13_[1-5]\n  sluice wait last --timeout 30m\n"
      "  sluice wait --quiet last");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
