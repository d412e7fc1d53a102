// Each view of sluice top, made from what the daemon and the commands say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "top/table.h"
#include "views/rows.h"

namespace sluice {

TopTable queue_view_table(const std::vector<QueueLine>& lines, Instant now);
// The tasks of one array: those that wait are one line, each other one has its own.
TopTable task_view_table(const std::vector<QueueLine>& lines, Instant now);
TopTable node_view_table(const std::vector<NodeLine>& lines);
// What `sluice pools --json` and `sluice list --json` print.
TopTable pool_view_table(std::string_view json);
TopTable chain_view_table(std::string_view json);

struct TopLine {
  std::string text;
  Tone tone = Tone::kPlain;
};
// Everything about one job but its log.
std::vector<TopLine> job_view_lines(const JobCard& job, const std::optional<WhyCard>& why,
                                    Instant now);

}  // namespace sluice
