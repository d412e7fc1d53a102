// Numbers as JSON, put into the page of report_page.h, whose script draws them.
#include "sim/reports/report_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "sim/reports/report_page.h"
#include "sim/reports/report_words.h"

namespace sluice {
namespace {

// A chart with more bars is slow to draw and nothing but a block of colour.
constexpr std::size_t kBarsShown = 20'000;
constexpr std::size_t kUsersShown = 50;
constexpr std::size_t kWaitersShown = 12;
constexpr std::size_t kHoldersShown = 40;

std::string numbers(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values)
    out += fmt::format("{}{:.5g}", out.size() > 1 ? "," : "", value);
  return out + "]";
}

std::string texts(const std::vector<std::string>& values) {
  std::string out = "[";
  for (const std::string& value : values) out += (out.size() > 1 ? "," : "") + json_text(value);
  return out + "]";
}

std::string spread(const Distribution& s) {
  return fmt::format("[{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}]", s.mean, s.median, s.p95, s.p99,
                     s.most);
}

std::string rows(const std::vector<ShareRow>& all, std::size_t most) {
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    const ShareRow& row = all[i];
    out += fmt::format(
        "{}{{\"name\":{},\"jobs\":{},\"refused\":{},\"left\":{},\"wait\":{:.3f},\"median\":{:.3f},"
        "\"p95\":{:.3f},\"slowdown\":{:.6f},\"share\":{:.5f},\"gpu\":{:.5f},\"due\":{},"
        "\"preemptions\":{}}}",
        i > 0 ? "," : "", json_text(row.name), row.jobs, row.refused, row.left, row.wait.mean,
        row.wait.median, row.wait.p95, row.mean_slowdown, row.share, row.gpu_share,
        row.due ? fmt::format("{:.5f}", *row.due) : "null", row.preemptions);
  }
  return out + "]";
}

std::string counts(const std::vector<NamedAmount>& all) {
  std::string out = "[";
  for (const NamedAmount& each : all)
    out +=
        fmt::format("{}[{},{:.5g}]", out.size() > 1 ? "," : "", json_text(each.what), each.count);
  return out + "]";
}

std::string waited(const std::vector<WaitedReason>& all) {
  std::string out = "[";
  for (const WaitedReason& each : all)
    out += fmt::format("{}[{},{:.5g},{:.5g}]", out.size() > 1 ? "," : "", json_text(each.what),
                       each.part, each.hours);
  return out + "]";
}

// Of those who waited most, whole: what they waited for the largest holders one by one, and the
// rest together, under no name. A part of the pairs would give sums that are too small.
std::string because(const std::vector<WaitedBecause>& all) {
  std::map<std::string, double> waited;
  for (const WaitedBecause& each : all) waited[each.waiter] += each.hours;
  std::vector<std::pair<std::string, double>> most(waited.begin(), waited.end());
  std::stable_sort(most.begin(), most.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  most.resize(std::min(most.size(), kWaitersShown));
  std::string out = "[";
  for (const auto& one : most) {
    const std::string& waiter = one.first;
    double rest = one.second;
    std::size_t shown = 0;
    const auto pair = [&](const std::string& holder, double of) {
      out +=
          fmt::format("{}[{},{},{:.5g}]", out.size() > 1 ? "," : "", json_text(waiter), holder, of);
    };
    for (const WaitedBecause& each : all) {
      if (each.waiter != waiter || ++shown > kHoldersShown) continue;
      pair(json_text(each.holder), each.hours);
      rest -= each.hours;
    }
    if (shown > kHoldersShown) pair("null", rest);
  }
  return out + "]";
}

std::string over_time(const std::vector<ShareOverTime>& all) {
  std::string out = "[";
  for (const ShareOverTime& each : all)
    out += fmt::format("{}{{\"name\":{},\"due\":{},\"cpus\":{},\"pending\":{}}}",
                       out.size() > 1 ? ",\n" : "", json_text(each.name),
                       each.due ? fmt::format("{:.5f}", *each.due) : "null", numbers(each.cpus),
                       numbers(each.pending));
  return out + "]";
}

std::string resources(const std::vector<ResourceUse>& all) {
  std::string out = "[";
  for (const ResourceUse& each : all)
    out += fmt::format("{}[{},{:.0f},{:.5f}]", out.size() > 1 ? "," : "", json_text(each.name),
                       each.capacity, each.used);
  return out + "]";
}

// How many jobs waited how long: by the bounds that the page names.
std::string wait_counts(const Workload& workload, const Simulation& simulation) {
  constexpr std::array<std::int64_t, 10> kBounds = {1,     60,    300,   900,     3600,
                                                    14400, 43200, 86400, 259'200, 604'800};
  std::array<std::size_t, kBounds.size() + 1> bins{};
  for (std::size_t i = 0; i < workload.items.size(); ++i) {
    const SimulatedJob& job = simulation.jobs[i];
    if (job.refused || !job.started()) continue;
    const std::int64_t wait = to_seconds(job.start - workload.items[i].submit);
    const auto bin = std::upper_bound(kBounds.begin(), kBounds.end(), wait) - kBounds.begin();
    ++bins[static_cast<std::size_t>(bin)];
  }
  std::string out = "[";
  for (const std::size_t bin : bins) out += fmt::format("{}{}", out.size() > 1 ? "," : "", bin);
  return out + "]";
}

// [node, start, end, account, job, cpus, gpus, nodes] in seconds since the first submission.
std::string bars(const Workload& workload, const Simulation& simulation) {
  std::string out = "[";
  const std::size_t shown = std::min(simulation.bars.size(), kBarsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const RunBar& bar = simulation.bars[i];
    const WorkItem& item = workload.items[bar.item];
    const SimulatedJob& job = simulation.jobs[bar.item];
    const Instant end = bar.end == Instant::max() ? simulation.last_end : bar.end;
    out += fmt::format("{}[{},{},{},{},{},{},{},{}]", i > 0 ? "," : "", bar.node,
                       to_seconds(bar.start - simulation.first_submit),
                       to_seconds(end - simulation.first_submit), workload.request_of(item).account,
                       item.number, job.cpus, job.gpus, bar.nodes);
  }
  return out + "]";
}

std::string node_names(const Policy& policy, const Simulation& simulation) {
  std::uint32_t most = 0;
  for (const RunBar& bar : simulation.bars) most = std::max(most, bar.node);
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= most && i < policy.nodes.size(); ++i)
    names.push_back(policy.nodes[i].name);
  return texts(names);
}

std::string data_of(const SimulationReport& r, const Workload& workload,
                    const Simulation& simulation, const Policy& policy) {
  fmt::memory_buffer out;
  const auto field = [&](std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out), "{}\"{}\":{}", out.size() == 0 ? "{" : ",\n", name,
                   value);
  };
  const Timeline& t = r.timeline;
  field("workload", json_text(r.workload));
  field("rules", json_text(r.rules));
  field("people", json_text(r.people));
  field("stopped", r.stopped_early ? "true" : "false");
  field("leftReason", json_text(r.first_left_reason));
  field("leftOut", texts(left_out_texts(r.left_out)));
  field("unexercised", texts(r.unexercised));
  field("jobs", fmt::format("[{},{},{},{},{},{}]", r.items, r.ran, r.refused, r.left, r.timed_out,
                            r.failed));
  field("refusals", counts(r.refusals));
  field("waitedFor", waited(r.waited_for));
  field("accountsWaited", because(r.accounts_waited));
  field("usersWaited", because(r.users_waited));
  field("fairness", r.fairness ? fmt::format("{:.4f}", *r.fairness) : "null");
  field("fairnessSteps", numbers(r.fairness_steps));
  field("wait", spread(r.wait));
  field("response", spread(r.response));
  field("slowdown", spread(r.slowdown));
  field("resources", resources(r.resources));
  field("makespan", fmt::format("{}", to_seconds(r.makespan)));
  field("perHour", fmt::format("{:.2f}", r.jobs_per_hour));
  field("preemptions", fmt::format("{}", r.preemptions));
  field("lostHours", fmt::format("{:.1f}", static_cast<double>(r.lost_ms) / 3.6e6));
  field("overtakes", fmt::format("{}", r.overtakes));
  field("starts", fmt::format("{}", r.starts));
  field("backfilled", fmt::format("{}", r.backfilled));
  field("step", fmt::format("{}", to_seconds(t.step)));
  field("pending", numbers(t.pending));
  field("running", numbers(t.running));
  field("CPUs", numbers(t.cpus));
  field("GPUs", numbers(t.gpus));
  field("memory", numbers(t.memory_mb));
  field("accountShares", over_time(r.account_shares));
  field("userShares", over_time(r.user_shares));
  field("waits", wait_counts(workload, simulation));
  field("accounts", rows(r.accounts, r.accounts.size()));
  field("users", rows(r.users, kUsersShown));
  field("allUsers", fmt::format("{}", r.users.size()));
  field("qos", rows(r.qos, r.qos.size()));
  field("partitions", rows(r.partitions, r.partitions.size()));
  field("accountNames", texts(workload.accounts));
  field("nodes", node_names(policy, simulation));
  field("bars", bars(workload, simulation));
  field("allRuns", fmt::format("{}", r.ran + r.preemptions));
  field("digest", fmt::format("\"{:016x}\"", r.journal_digest));
  out.push_back('}');
  return fmt::to_string(out);
}

}  // namespace

std::string report_html(const SimulationReport& report, const Workload& workload,
                        const Simulation& simulation, const Policy& policy) {
  std::string out(kPageHead);
  out += data_of(report, workload, simulation, policy);
  out += kPageTail;
  return out;
}

}  // namespace sluice
