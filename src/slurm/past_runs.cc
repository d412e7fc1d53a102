#include "slurm/past_runs.h"

#include <fmt/format.h>

#include "slurm/table.h"
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
    PastRun run{0, seconds(*elapsed)};
    constexpr std::string_view kGpus = "gres/gpu=";
    for (const std::string_view item : split(fields[2], ','))
      if (item.starts_with(kGpus))
        run.gpus = whole_number<std::int64_t>(item.substr(kGpus.size())).value_or(0);
    out.push_back(run);
  }
  return out;
}

}  // namespace sluice
