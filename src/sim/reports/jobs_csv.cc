// A line a job, for spreadsheets and data frames.
#include <fmt/format.h>

#include <iterator>

#include "sim/reports/report.h"

namespace sluice {
namespace {

// Names come from logs and policies: a comma or a quote may be in them. What begins like a formula
// would be one to a spreadsheet, which may run it: behind a quote it is text.
std::string field(const std::string& given) {
  const bool is_formula = given.find_first_of("=+-@\t\r") == 0;
  const std::string text = is_formula ? "'" + given : given;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string name_at(const std::vector<std::string>& names, std::uint32_t place) {
  return place == 0 ? std::string() : field(names[place - 1]);
}

std::string time_text(Instant time) {
  return time == SimulatedJob::kNever
             ? std::string()
             : fmt::format("{}", static_cast<double>(time.time_since_epoch().count()) / 1000);
}

std::string_view state_text(const SimulatedJob& job) {
  return job.refused ? "REFUSED" : slurm_name(job.state);
}

}  // namespace

std::string jobs_csv(const Workload& workload, const Simulation& simulation) {
  fmt::memory_buffer out;
  auto at = std::back_inserter(out);
  fmt::format_to(at,
                 "job,user,account,qos,partition,cpus,gpus,limit_seconds,submit_seconds,"
                 "start_seconds,end_seconds,state,preemptions,cpu_seconds\n");
  for (std::size_t i = 0; i < workload.items.size(); ++i) {
    const WorkItem& item = workload.items[i];
    const WorkRequest& request = workload.request_of(item);
    const SimulatedJob& job = simulation.jobs[i];
    fmt::format_to(at, "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", item.number,
                   field(workload.users[request.user]), field(workload.accounts[request.account]),
                   name_at(workload.qos, request.qos),
                   name_at(workload.partitions, request.partition), request.cpus, request.gpus,
                   to_seconds(request.limit), time_text(item.submit), time_text(job.start),
                   job.ended() ? time_text(job.end) : std::string(), state_text(job),
                   job.preemptions, static_cast<double>(job.cpu_ms) / 1000);
  }
  return fmt::to_string(out);
}

}  // namespace sluice
