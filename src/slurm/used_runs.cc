#include "slurm/used_runs.h"

#include <fmt/format.h>

#include "slurm/table.h"
#include "text/printed_tres.h"
#include "text/scan.h"

namespace sluice {

std::vector<std::string> used_runs_command(Instant since, Instant until) {
  return {"sacct",
          "--noheader",
          "--parsable2",
          "--allocations",
          "--allusers",
          "--duplicates",  // What a requeued job used before counts too.
          fmt::format("--delimiter={}", kFieldEnd),
          fmt::format("--starttime=uts{}", to_seconds(since)),
          fmt::format("--endtime=uts{}", to_seconds(until)),
          "--format=User,Account,QOS,Start,End,AllocTRES"};
}

std::vector<UsedRun> parse_used_runs(std::string_view text) {
  std::vector<UsedRun> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, kFieldEnd);
    if (fields.size() != 6) continue;
    const auto started = printed_time(fields[3]);
    if (!started || fields[5].empty()) continue;
    UsedRun run;
    run.user = fields[0];
    run.account = fields[1];
    run.qos = fields[2];
    run.started = *started;
    run.ended = printed_time(fields[4]);
    run.cpus = printed_tres_amount(fields[5], "cpu");
    run.memory_mb = printed_tres_amount(fields[5], "mem");
    run.gpus = printed_tres_amount(fields[5], "gres/gpu");
    run.billing = printed_tres_amount(fields[5], "billing");
    out.push_back(std::move(run));
  }
  return out;
}

std::vector<std::string> due_shares_command() {
  return {"sshare", "--all", "--noheader", "--parsable2", "--format=Account,User,RawShares"};
}

std::vector<DueShare> parse_due_shares(std::string_view text) {
  std::vector<DueShare> out;
  std::vector<std::string> above;  // The account at each depth, which blanks before a name show.
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != 3) continue;
    const std::size_t depth = fields[0].find_first_not_of(' ');
    if (depth == std::string_view::npos || depth > above.size()) continue;
    DueShare row;
    row.account = fields[0].substr(depth);
    row.user = fields[1];
    if (depth > 0) row.parent = above[depth - 1];
    row.shares_of_parent = fields[2] == "parent";
    row.shares = whole_number<std::int64_t>(fields[2]).value_or(0);
    if (row.user.empty()) {
      above.resize(depth);
      above.push_back(row.account);
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace sluice
