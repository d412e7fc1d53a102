// sluice priority: what a waiting job's priority is made of.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/listing.h"
#include "cli/submission_notes.h"
#include "cli/table.h"
#include "cli/target.h"
#include "cli/verbs.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::string jobs;
  std::string user;
  ListOptions list;
};

Result<void> run(const Options& options) {
  TRY(Connection daemon, Connection::open());
  Target target("/v1/priority");
  target.with("job", options.jobs).with("user", options.user);
  const NameFilters filters{options.user, {}, {}, {}, {}};
  TRY(const bool done, print_listing<PriorityLine>(daemon, target, options.list, filters));
  if (done) return {};
  TRY(const auto lines, daemon.fetch<Lines<PriorityLine>>(target.text()));
  if (lines.lines.empty()) {
    TRY_VOID(check_names(filters));
    fmt::print("{}\n",
               filters.any() || !options.jobs.empty() ? "No such job waits." : "Nothing waits.");
    return {};
  }
  TRY(ListTable table, ListTable::open({{"JOB", Align::kLeft, false},
                                        {"USER", Align::kLeft, false},
                                        {"PARTITION", Align::kLeft, true, Narrow::kGoesFirst},
                                        {"PRIORITY", Align::kRight, false},
                                        {"AGE", Align::kRight, false},
                                        {"ASSOC", Align::kRight, false, Narrow::kGoesSecond},
                                        {"FAIRSHARE", Align::kRight, false},
                                        {"JOBSIZE", Align::kRight, false},
                                        {"PARTITION", Align::kRight, false},
                                        {"QOS", Align::kRight, false},
                                        {"TRES", Align::kRight, false, Narrow::kGoesSecond},
                                        {"NICE", Align::kRight, false, Narrow::kGoesLast}},
                                       options.list));
  for (const PriorityLine& line : lines.lines)
    table.add({line.id, line.user, line.partition, std::to_string(line.priority),
               std::to_string(line.age), std::to_string(line.assoc), std::to_string(line.fairshare),
               std::to_string(line.job_size), std::to_string(line.partition_part),
               std::to_string(line.qos_part), std::to_string(line.tres), std::to_string(line.nice)},
              line);
  table.print();
  return {};
}

}  // namespace

void add_priority(Command& root, ExitCode& exit_code) {
  Command* verb =
      root.add_subcommand("priority", "See what the priorities of waiting jobs are made of");
  auto options = std::make_shared<Options>();
  verb->add_option("JOBS", options->jobs, "Only these jobs: 12,15");
  verb->add_option("-u,--user", options->user, "Only jobs of these users")->type_name("NAMES");
  add_list_options(*verb, options->list);
  verb->footer("Examples:\n  sluice priority\n  sluice priority 12 --json");
  verb->callback([options, &exit_code] {
    const auto meant = meant_by(options->jobs);
    if (meant) options->jobs = *meant;
    const auto done = meant ? run(*options) : tl::unexpected(meant.error());
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
