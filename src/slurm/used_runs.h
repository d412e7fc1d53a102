// What sacct tells of everybody's runs in a period, and sshare of the shares that are due.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/used_run.h"
#include "text/printed_tres.h"

namespace sluice {

std::vector<std::string> used_runs_command(Instant since, Instant until);
void put_amounts(const PrintedTres& amounts, UsedRun& run);
// Rows that cannot be read, and jobs that have not started, are left out.
std::vector<UsedRun> parse_used_runs(std::string_view text);

std::vector<std::string> due_shares_command();
std::vector<DueShare> parse_due_shares(std::string_view text);

}  // namespace sluice
