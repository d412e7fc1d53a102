#include "slurm/used_runs.h"

#include <fmt/format.h>

#include "slurm/sacct.h"
#include "slurm/table.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr AccountingField kAsked[] = {AccountingField::kUser, AccountingField::kAccount,
                                      AccountingField::kQos,  AccountingField::kStart,
                                      AccountingField::kEnd,  AccountingField::kTres};

}  // namespace

std::vector<std::string> used_runs_command(Instant since, Instant until) {
  return sacct_command({"--allocations", "--allusers",
                        "--duplicates",  // What a requeued job used before counts too.
                        fmt::format("--starttime=uts{}", to_seconds(since)),
                        fmt::format("--endtime=uts{}", to_seconds(until))},
                       kAsked);
}

void put_amounts(const PrintedTres& amounts, UsedRun& run) {
  run.cpus = amounts.cpus.value_or(0);
  run.memory_mb = amounts.memory_mb.value_or(0);
  run.gpus = amounts.gpus.value_or(0);
  run.billing = amounts.billing.value_or(0);
}

std::vector<UsedRun> parse_used_runs(std::string_view text) {
  std::vector<UsedRun> out;
  read_sacct(text, kAsked, [&](const AccountingRecord& record) {
    const auto started = printed_time(record[AccountingField::kStart]);
    if (!started || record[AccountingField::kTres].empty()) return;
    UsedRun run;
    run.user = record[AccountingField::kUser];
    run.account = record[AccountingField::kAccount];
    run.qos = record[AccountingField::kQos];
    run.started = *started;
    run.ended = printed_time(record[AccountingField::kEnd]);
    put_amounts(read_printed_tres(record[AccountingField::kTres]), run);
    out.push_back(std::move(run));
  });
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
