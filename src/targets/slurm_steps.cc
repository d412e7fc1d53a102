#include "targets/slurm_steps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "slurm/answers.h"
#include "slurm/live_jobs.h"
#include "slurm/records.h"
#include "slurm/run_slurm.h"
#include "slurm/sacctmgr.h"
#include "system/users.h"
#include "text/scan.h"

namespace sluice {
namespace {

// A minute, twice as long as KillWait usually is.
constexpr int kTries = 120;

// After a QoS lost its right to preempt, slurmdbd 22.05 still counts that right, and takes the next
// right to preempt that QoS for a circle. A second, empty change makes it look again.
Result<void> refresh_preemption() {
  const SacctmgrColumns columns = {{"Name"}, {"Preempt"}};
  TRY(const CommandOutput shown, ask_slurm(show_command("qos", columns)));
  std::string names;
  for (const SacctmgrLine& row : read_sacctmgr(shown.output, columns))
    if (row.get("Preempt").empty()) names += (names.empty() ? "" : ",") + row.get("Name");
  if (names.empty()) return {};
  TRY(const CommandOutput done, try_slurm({"sacctmgr", "-i", "modify", "qos", "where",
                                           "name=" + names, "set", "Preempt-=normal"}));
  if (done.exit_code != 0) return tl::unexpected(command_error("sacctmgr", done));
  return {};
}

}  // namespace

Result<std::vector<QueuedJob>> queued_jobs() {
  TRY(const CommandOutput queue, ask_slurm(live_jobs_command()));
  // scontrol fails where there is no job at all.
  if (parse_live_jobs(queue.output, {}).jobs.empty()) return std::vector<QueuedJob>{};
  TRY(const CommandOutput details, ask_slurm(job_details_command()));
  return parse_live_jobs(queue.output, details.output).jobs;
}

// Slurm lets root, SlurmUser and administrators change what belongs to everybody.
Result<void> may_change_slurm() {
  if (::geteuid() == 0) return {};
  const std::string name = name_of_this_user();
  TRY(const CommandOutput config, ask_slurm(config_command().argv));
  const std::string_view slurm_user = config_value(config.output, "SlurmUser");
  if (slurm_user.substr(0, slurm_user.find('(')) == name) return {};
  const SacctmgrColumns columns = {{"AdminLevel"}};
  TRY(const CommandOutput shown, ask_slurm(show_command("user", columns, {name})));
  for (const SacctmgrLine& row : read_sacctmgr(shown.output, columns))
    if (same_ignoring_case(row.get("AdminLevel"), "administrator")) return {};
  return tl::unexpected(
      Error{ErrorKind::kNotAllowed,
            fmt::format("{} is not an administrator of this Slurm: nothing was changed", name),
            {},
            "run it as root, as SlurmUser, or as a user with AdminLevel=Administrator"});
}

Result<void> carry_out_step(const PlanStep& step) {
  TRY(CommandOutput done, try_slurm(step.argv));
  for (int tries = 0; tries < kTries && change_answer(done) == ChangeAnswer::kInUse; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    TRY(done, try_slurm(step.argv));
  }
  if (change_answer(done) == ChangeAnswer::kPreemptionLoop) {
    TRY_VOID(refresh_preemption());
    TRY(done, try_slurm(step.argv));
  }
  const ChangeAnswer answer = change_answer(done);
  if (answer == ChangeAnswer::kDone || answer == ChangeAnswer::kAlreadySo) return {};
  if (done.exit_code == 0)
    return failed(fmt::format("sacctmgr refused: {}{}", done.output, done.error));
  return tl::unexpected(command_error(step.argv.front(), done));
}

}  // namespace sluice
