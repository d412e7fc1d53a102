// sdiag: counts of the engine under slurmctld's headings.
#include <fmt/format.h>

#include <map>

#include "cli/local_time.h"
#include "shims/clusters.h"
#include "shims/help.h"
#include "shims/shim.h"
#include "shims/words.h"
#include "views/record_line.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

constexpr OptionShape kOptions[] = {
    {"all", 'a', kNone},          {"cluster", '\0', kRequired},  {"clusters", 'M', kRequired},
    {"help", 'h', kNone},         {"reset", 'r', kNone},         {"sort-by-id", 'i', kNone},
    {"sort-by-time", 't', kNone}, {"sort-by-time2", 'T', kNone}, {"usage", '\0', kNone},
    {"version", 'V', kNone},
};

std::string stamp(Instant time) {
  return fmt::format("{} ({})", date_text(time), to_seconds(time));
}

}  // namespace

int run_sdiag(ShimCall& call) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  std::optional<std::string> clusters;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    if (name == "help") return call.say(shim_help("sdiag")), 0;
    if (name == "usage") return call.say(shim_usage("sdiag")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "reset" && !take_unused(call, name)) return 1;
    if (name == "cluster" || name == "clusters") clusters = option.value;
  }
  if (!pick_cluster_typed(call, clusters)) return 1;
  const auto card = call.engine->fetch<DaemonCard>("/v1/daemon");
  if (!card) return call.fail(card.error());
  const auto since = to_seconds(card->started);
  const auto past = call.engine->fetch<Lines<AccountLine>>(
      fmt::format("/v1/accounts?duplicates=1&since={}", since));
  if (!past) return call.fail(past.error());
  std::map<JobState, int> ends;
  int submitted = 0;
  int started = 0;
  for (const AccountLine& line : past->lines) {
    if (line.ended) ++ends[line.state];
    if (to_seconds(line.submitted) >= since && line.attempt <= 1) ++submitted;
    if (line.started && !line.nodes.empty()) ++started;
  }
  const int completed = ends[JobState::kCompleted];
  const int cancelled = ends[JobState::kCancelled];
  int failed = 0;
  for (const auto& [state, count] : ends)
    if (state != JobState::kCompleted && state != JobState::kCancelled) failed += count;
  const Instant now = now_here();
  const std::string line(55, '*');
  call.say(line);
  call.say("sdiag output at " + stamp(now));
  call.say("Data since      " + stamp(card->started));
  call.say(line);
  call.say("Server thread count:  1");
  call.say("Agent queue size:     0");
  call.say("Agent count:          0");
  call.say("Agent thread count:   0");
  call.say("DBD Agent queue size: 0");
  call.say("");
  call.say(fmt::format("Jobs submitted: {}", submitted));
  call.say(fmt::format("Jobs started:   {}", started));
  call.say(fmt::format("Jobs completed: {}", completed));
  call.say(fmt::format("Jobs canceled:  {}", cancelled));
  call.say(fmt::format("Jobs failed:    {}", failed));
  call.say("");
  call.say("Job states ts:  " + stamp(now));
  call.say(fmt::format("Jobs pending:   {}", card->waiting));
  call.say(fmt::format("Jobs running:   {}", card->running));
  const std::int64_t minutes = std::max<std::int64_t>(1, (to_seconds(now) - since) / 60);
  call.say("");
  call.say("Main schedule statistics (microseconds):");
  call.say("\tLast cycle:   0");
  call.say("\tMax cycle:    0");
  call.say(fmt::format("\tTotal cycles: {}", card->turns));
  call.say("\tMean cycle:   0");
  call.say("\tMean depth cycle:  0");
  call.say(
      fmt::format("\tCycles per minute: {}", card->turns / static_cast<std::uint64_t>(minutes)));
  call.say(fmt::format("\tLast queue length: {}", card->waiting));
  call.say("");
  call.say("Backfilling stats");
  call.say("\tTotal backfilled jobs (since last slurm start): 0");
  call.say("\tTotal backfilled jobs (since last stats cycle start): 0");
  call.say("\tTotal backfilled heterogeneous job components: 0");
  call.say("\tTotal cycles: 0");
  call.say("\tLast cycle when: N/A");
  call.say("\tLast cycle: 0");
  call.say("\tMax cycle:  0");
  call.say("\tLast depth cycle: 0");
  call.say("\tLast depth cycle (try sched): 0");
  call.say("\tLast queue length: 0");
  call.say("\tLast table size: 0");
  call.say("");
  call.say("Latency for 1000 calls to gettimeofday(): 20 microseconds");
  call.say("");
  call.say("Remote Procedure Call statistics by message type");
  call.say("");
  call.say("Remote Procedure Call statistics by user");
  call.say("");
  call.say("Pending RPC statistics");
  call.say("\tNo pending RPCs");
  return 0;
}

}  // namespace sluice
