#include "slurm/past_runs.h"

#include <fmt/format.h>

#include "slurm/table.h"
#include "text/printed_tres.h"
#include "text/scan.h"

namespace sluice {

std::vector<std::string> past_runs_command(const std::string& name, Instant since) {
  return {"sacct", "--noheader", "--parsable2", "--allocations",
          fmt::format("--delimiter={}", kFieldEnd),
          fmt::format("--starttime=uts{}", to_seconds(since)),
          // Without an end a state is looked for at the start alone.
          "--endtime=now", "--state=COMPLETED", "--name=" + name,
          "--format=State,ElapsedRaw,AllocTRES"};
}

std::vector<PastRun> parse_past_runs(std::string_view text) {
  std::vector<PastRun> out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, kFieldEnd);
    // --state also finds what was completed only later.
    if (fields.size() != 3 || fields[0] != "COMPLETED") continue;
    const auto elapsed = whole_number<std::int64_t>(fields[1]);
    if (!elapsed || *elapsed < 0) continue;
    out.push_back({printed_tres_amount(fields[2], "gres/gpu"), seconds(*elapsed)});
  }
  return out;
}

}  // namespace sluice
