#include "daemon/last_words.h"

#include <fmt/format.h>

#include <ctime>
#include <string_view>

namespace sluice {
namespace {

std::string_view cause_of(const Run& run) {
  if (run.ending_as == JobState::kTimeout) return " DUE TO TIME LIMIT";
  if (run.ending_as == JobState::kPreempted) return " DUE TO PREEMPTION";
  if (run.ending_as == JobState::kNodeFail)
    return " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS";
  return run.requeue ? " DUE TO JOB REQUEUE" : "";
}

// As the users of this machine read times.
std::string local_moment(Instant time) {
  const auto seconds = static_cast<std::time_t>(to_seconds(time));
  std::tm parts{};
  char text[32] = "";
  if (::localtime_r(&seconds, &parts) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

}  // namespace

std::string last_words(const State& state, const Job& job, Instant now) {
  const Run& run = state.run_of(job);
  if (run.allocation.empty()) return {};
  const NodeId first = run.allocation.shares().front().node;
  const std::string& node = state.policy().nodes[first.index()].name;
  return fmt::format("slurmstepd-{}: error: *** JOB {} ON {} CANCELLED AT {}{} ***\n", node,
                     job.id.value(), node, local_moment(now), cause_of(run));
}

}  // namespace sluice
