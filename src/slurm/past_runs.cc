#include "slurm/past_runs.h"

#include <fmt/format.h>

#include "slurm/sacct.h"
#include "slurm/table.h"
#include "text/printed_tres.h"

namespace sluice {
namespace {

constexpr AccountingField kAsked[] = {AccountingField::kState, AccountingField::kElapsed,
                                      AccountingField::kTres};

}  // namespace

std::vector<std::string> past_runs_command(const std::string& name, Instant since) {
  return sacct_command({"--allocations", fmt::format("--starttime=uts{}", to_seconds(since)),
                        // Without an end a state is looked for at the start alone.
                        "--endtime=now", "--state=COMPLETED", "--name=" + name},
                       kAsked);
}

std::vector<PastRun> parse_past_runs(std::string_view text) {
  std::vector<PastRun> out;
  read_sacct(text, kAsked, [&](const AccountingRecord& record) {
    // --state also finds what was completed only later.
    if (record[AccountingField::kState] != "COMPLETED") return;
    const auto elapsed = whole_number<std::int64_t>(record[AccountingField::kElapsed]);
    if (!elapsed || *elapsed < 0) return;
    out.push_back(
        {read_printed_tres(record[AccountingField::kTres]).gpus.value_or(0), seconds(*elapsed)});
  });
  return out;
}

}  // namespace sluice
