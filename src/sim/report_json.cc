// The report as JSON: a stable schema, in the order of the table.
#include <fmt/format.h>

#include <iterator>

#include "sim/report.h"

namespace sluice {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string spread_json(const Spread& spread) {
  return fmt::format(
      R"({{"mean": {:.6f}, "median": {:.6f}, "p90": {:.6f}, "p99": {:.6f}, "max": {:.6f}}})",
      spread.mean, spread.median, spread.p90, spread.p99, spread.most);
}

std::string rows_json(const std::vector<ShareRow>& rows) {
  std::string out = "[";
  for (const ShareRow& row : rows) {
    out += out.size() > 1 ? ",\n    " : "\n    ";
    out += fmt::format(R"({{"name": {}, "jobs": {}, "refused": {}, "preemptions": {}, )"
                       R"("mean_wait_seconds": {:.6f}, "mean_slowdown": {:.6f}, )"
                       R"("cpu_seconds": {:.3f}, "share": {:.6f}}})",
                       quoted(row.name), row.jobs, row.refused, row.preemptions, row.mean_wait,
                       row.mean_slowdown, static_cast<double>(row.cpu_ms) / 1000, row.share);
  }
  return out + (rows.empty() ? "]" : "\n  ]");
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
                     quoted(with), c.compared, c.differing, c.only_ours, c.only_theirs, first);
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
  field("schema", quoted("sluice.sim/1"));
  field("workload", quoted(r.workload));
  field("rules", quoted(r.rules));
  number("cpus", r.cpus);
  number("jobs", r.items);
  number("ran", r.ran);
  number("timed_out", r.timed_out);
  number("preempted", r.preempted);
  number("refused", r.refused);
  field("first_refusal", r.first_refusal.empty() ? "null" : quoted(r.first_refusal));
  number("never_ended", r.left);
  if (r.stopped_early) number("stopped_early", 1);
  number("skipped_lines", r.skipped);
  field("wait_seconds", spread_json(r.wait));
  field("bounded_slowdown", spread_json(r.slowdown));
  real("utilisation", r.utilisation);
  real("makespan_seconds", static_cast<double>(r.makespan.count()) / 1000);
  real("jobs_per_hour", r.jobs_per_hour);
  number("longest_queue", r.longest_queue);
  number("preemptions", r.preemptions);
  real("cpu_seconds", static_cast<double>(r.cpu_ms) / 1000);
  real("lost_cpu_seconds", static_cast<double>(r.lost_ms) / 1000);
  field("accounts", rows_json(r.accounts));
  field("users", rows_json(r.users));
  field("journal", fmt::format(R"({{"events": {}, "bytes": {}, "digest": "{:016x}"}})",
                               r.journal_events, r.journal_bytes, r.journal_digest));
  if (r.comparison) field("comparison", comparison_json(*r.comparison, r.compared_with));
  fmt::format_to(std::back_inserter(out), "\n}}\n");
  return fmt::to_string(out);
}

}  // namespace sluice
