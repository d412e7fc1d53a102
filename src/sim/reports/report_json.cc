// The report as JSON: a stable schema, in the order of the table.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/reports/report.h"
#include "sim/reports/report_words.h"

namespace sluice {
namespace {

std::string distribution_json(const Distribution& spread) {
  return fmt::format(
      R"({{"mean": {:.6f}, "median": {:.6f}, "p90": {:.6f}, "p95": {:.6f}, "p99": {:.6f}, "max": {:.6f}}})",
      spread.mean, spread.median, spread.p90, spread.p95, spread.p99, spread.most);
}

// Nothing ran: no wait is known, and 0 would be a lie.
std::string known(bool is_known, double value) {
  return is_known ? fmt::format("{:.6f}", value) : "null";
}

std::string rows_json(const std::vector<ShareRow>& rows) {
  std::string out = "[";
  for (const ShareRow& row : rows) {
    out += out.size() > 1 ? ",\n    " : "\n    ";
    const bool ran = row.jobs > 0;
    out += fmt::format(
        R"({{"name": {}, "jobs": {}, "refused": {}, "never_ended": {}, "preemptions": {}, )"
        R"("mean_wait_seconds": {}, "median_wait_seconds": {}, "p95_wait_seconds": {}, )"
        R"("mean_slowdown": {}, "cpu_seconds": {:.3f}, "gpu_seconds": {:.3f}, )"
        R"("lost_cpu_seconds": {:.3f}, "share": {:.6f}, "gpu_share": {:.6f}, "share_due": {}}})",
        json_text(row.name), row.jobs, row.refused, row.left, row.preemptions,
        known(ran, row.wait.mean), known(ran, row.wait.median), known(ran, row.wait.p95),
        known(ran, row.mean_slowdown), static_cast<double>(row.cpu_ms) / 1000,
        static_cast<double>(row.gpu_ms) / 1000, static_cast<double>(row.lost_ms) / 1000, row.share,
        row.gpu_share, known(row.due.has_value(), row.due.value_or(0)));
  }
  return out + (rows.empty() ? "]" : "\n  ]");
}

std::string counts_json(const std::vector<NamedAmount>& counts) {
  std::string out = "[";
  for (const NamedAmount& each : counts)
    out += fmt::format(R"({}{{"what": {}, "amount": {:.6g}}})", out.size() > 1 ? ", " : "",
                       json_text(each.what), each.count);
  return out + "]";
}

std::string waited_json(const std::vector<WaitedReason>& all) {
  std::string out = "[";
  for (const WaitedReason& each : all)
    out += fmt::format(R"({}{{"what": {}, "amount": {:.6g}, "job_hours": {:.6g}}})",
                       out.size() > 1 ? ", " : "", json_text(each.what), each.part, each.hours);
  return out + "]";
}

std::string because_json(const std::vector<WaitedBecause>& all) {
  constexpr std::size_t kMost = 200;
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i)
    out += fmt::format(R"({}{{"waiter": {}, "holder": {}, "job_hours": {:.6g}, "part": {:.6f}}})",
                       i > 0 ? ",\n    " : "\n    ", json_text(all[i].waiter),
                       json_text(all[i].holder), all[i].hours, all[i].part);
  return out + (all.empty() ? "]" : "\n  ]");
}

std::string series_json(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values)
    out += fmt::format("{}{:.6g}", out.size() > 1 ? ", " : "", value);
  return out + "]";
}

std::string shares_json(const std::vector<ShareOverTime>& all) {
  std::string out = "[";
  for (const ShareOverTime& each : all)
    out += fmt::format(R"({}{{"name": {}, "share_due": {}, "cpus": {}, "waiting": {}}})",
                       out.size() > 1 ? ",\n      " : "\n      ", json_text(each.name),
                       known(each.due.has_value(), each.due.value_or(0)), series_json(each.cpus),
                       series_json(each.pending));
  return out + (all.empty() ? "]" : "\n    ]");
}

std::string timeline_json(const SimulationReport& r) {
  const Timeline& t = r.timeline;
  return fmt::format(
      "{{\"step_seconds\": {:.3f},\n    \"waiting\": {},\n    \"running\": {},\n    \"cpus\": {},\n"
      "    \"gpus\": {},\n    \"memory_mb\": {},\n    \"fairness\": {},\n    \"accounts\": {},\n"
      "    \"users\": {}}}",
      static_cast<double>(t.step.count()) / 1000, series_json(t.pending), series_json(t.running),
      series_json(t.cpus), series_json(t.gpus), series_json(t.memory_mb),
      series_json(r.fairness_steps), shares_json(r.account_shares), shares_json(r.user_shares));
}

std::string resources_json(const std::vector<ResourceUse>& resources) {
  std::string out = "[";
  for (const ResourceUse& each : resources)
    out += fmt::format(R"({}{{"name": {}, "capacity": {:.0f}, "used": {:.6f}}})",
                       out.size() > 1 ? ", " : "", json_text(each.name), each.capacity, each.used);
  return out + "]";
}

std::string texts_json(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + json_text(text);
  return out + "]";
}

std::string start_json(Instant start) {
  return start == SimulatedJob::kNever ? "null" : fmt::to_string(to_seconds(start));
}

std::string comparison_json(const Comparison& c, const std::string& with) {
  std::string first = "[";
  for (const DifferentStart& d : c.first)
    first += fmt::format(R"({}{{"job": {}, "submit": {}, "start": {}, "start_there": {}}})",
                         first.size() > 1 ? ", " : "", d.number, to_seconds(d.submit),
                         start_json(d.ours), start_json(d.theirs));
  return fmt::format(R"({{"with": {}, "compared": {}, "differing": {}, "only_here": {}, )"
                     R"("only_there": {}, "first": {}]}})",
                     json_text(with), c.compared, c.differing, c.only_ours, c.only_theirs, first);
}

}  // namespace

std::string report_json(const SimulationReport& r) {
  fmt::memory_buffer out;
  const auto field = [&](std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out), "{}\n  \"{}\": {}", out.size() == 0 ? "{" : ",", name,
                   value);
  };
  const auto number = [&](std::string_view name, auto value) {
    field(name, fmt::to_string(value));
  };
  const auto real = [&](std::string_view name, double value) {
    field(name, fmt::format("{:.6f}", value));
  };
  field("schema", json_text("sluice.sim/1"));
  field("workload", json_text(r.workload));
  field("rules", json_text(r.rules));
  field("mapping", r.people.empty() ? "null" : json_text(r.people));
  field("unexercised", texts_json(r.unexercised));
  number("cpus", r.cpus);
  number("jobs", r.items);
  number("ran", r.ran);
  number("timed_out", r.timed_out);
  number("preempted", r.preempted);
  number("failed", r.failed);
  number("refused", r.refused);
  field("refusals", counts_json(r.refusals));
  field("first_refusal", r.first_refusal.empty() ? "null" : json_text(r.first_refusal));
  number("never_ended", r.left);
  if (r.stopped_early) number("stopped_early", 1);
  number("skipped_lines", r.left_out.lines());
  number("bad_lines", r.left_out.bad_lines);
  number("dropped_by_rule", r.left_out.by_rule);
  const bool ran = r.ran > 0;
  field("wait_seconds", ran ? distribution_json(r.wait) : "null");
  field("response_seconds", ran ? distribution_json(r.response) : "null");
  field("bounded_slowdown", ran ? distribution_json(r.slowdown) : "null");
  real("utilisation", r.utilisation);
  field("resources", resources_json(r.resources));
  field("waited_for", waited_json(r.waited_for));
  field("accounts_waited_because", because_json(r.accounts_waited));
  field("users_waited_because", because_json(r.users_waited));
  field("fairness", known(r.fairness.has_value(), r.fairness.value_or(0)));
  number("starts", r.starts);
  number("backfilled", r.backfilled);
  real("backfill_rate",
       r.starts > 0 ? static_cast<double>(r.backfilled) / static_cast<double>(r.starts) : 0);
  number("overtakes", r.overtakes);
  real("makespan_seconds", static_cast<double>(r.makespan.count()) / 1000);
  real("jobs_per_hour", r.jobs_per_hour);
  number("longest_queue", r.longest_queue);
  number("preemptions", r.preemptions);
  real("cpu_seconds", static_cast<double>(r.cpu_ms) / 1000);
  real("lost_cpu_seconds", static_cast<double>(r.lost_ms) / 1000);
  field("accounts", rows_json(r.accounts));
  field("users", rows_json(r.users));
  field("qos", rows_json(r.qos));
  field("partitions", rows_json(r.partitions));
  if (!r.timeline.pending.empty()) field("timeline", timeline_json(r));
  field("journal", fmt::format(R"({{"events": {}, "bytes": {}, "digest": "{:016x}"}})",
                               r.journal_events, r.journal_bytes, r.journal_digest));
  if (r.comparison) field("comparison", comparison_json(*r.comparison, r.compared_with));
  fmt::format_to(std::back_inserter(out), "\n}}\n");
  return fmt::to_string(out);
}

}  // namespace sluice
