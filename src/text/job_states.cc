// Names of states.
#include "text/job_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/scan.h"

namespace sluice {
namespace {

struct OtherState {
  std::string_view name;
  std::string_view letters;
};
constexpr std::array<OtherState, 11> kOtherStates = {{{"CONFIGURING", "CF"},
                                                      {"RESIZING", "RS"},
                                                      {"RESV_DEL_HOLD", "RD"},
                                                      {"REQUEUED", "RQ"},
                                                      {"REQUEUE_FED", "RF"},
                                                      {"REQUEUE_HOLD", "RH"},
                                                      {"REVOKED", "RV"},
                                                      {"SIGNALING", "SI"},
                                                      {"SPECIAL_EXIT", "SE"},
                                                      {"STAGE_OUT", "SO"},
                                                      {"STOPPED", "ST"}}};

constexpr const char* kValid =
    "Valid job states include: PENDING,RUNNING,SUSPENDED,COMPLETED,CANCELLED,FAILED,TIMEOUT,"
    "NODE_FAIL,PREEMPTED,BOOT_FAIL,DEADLINE,OUT_OF_MEMORY,COMPLETING,CONFIGURING,RESIZING,"
    "RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,REVOKED,SIGNALING,SPECIAL_EXIT,STAGE_OUT,"
    "STOPPED";

}  // namespace

bool JobStateList::contains(JobState state) const {
  return all || std::find(states.begin(), states.end(), state) != states.end();
}

Result<JobStateList> parse_job_states(std::string_view text) {
  JobStateList list;
  if (same_ignoring_case(text, "all")) {
    list.all = true;
    return list;
  }
  for (std::string_view name : split(text, ',')) {
    if (const auto state = job_state_named(name)) {
      if (!list.contains(*state)) list.states.push_back(*state);
      continue;
    }
    const bool other = std::any_of(kOtherStates.begin(), kOtherStates.end(), [&](const auto& s) {
      return same_ignoring_case(name, s.name) || same_ignoring_case(name, s.letters);
    });
    if (!other) return bad_input(fmt::format("Invalid job state specified: {}", name), kValid);
  }
  return list;
}

}  // namespace sluice
