// A live Slurm, through sacctmgr, scontrol and squeue.
#include "apps/policy_target.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "apps/live_slurm.h"
#include "slurm/live_jobs.h"
#include "text/scan.h"

namespace sluice {
namespace {

// A minute, twice as long as KillWait usually is.
constexpr int kTries = 120;

bool is_in_use(const Error& error) {
  return error.what.find("Job(s) active") != std::string::npos ||
         error.what.find("partition is in use") != std::string::npos;
}

// After a QoS was told to preempt no other, slurmdbd 22.05 goes on to believe what it did before,
// and takes the next right to push that QoS out for a circle. A second, empty change makes it look.
Result<void> refresh_preemption() {
  TRY(const CommandOutput shown,
      run_slurm({"sacctmgr", "--noheader", "--parsable2", "show", "qos", "format=Name,Preempt"}));
  std::string names;
  for (const std::string_view line : split(shown.output, '\n'))
    if (line.size() > 1 && line.ends_with('|'))
      names += (names.empty() ? "" : ",") + std::string(line.substr(0, line.size() - 1));
  if (names.empty()) return {};
  TRY_VOID(run_slurm(
      {"sacctmgr", "-i", "modify", "qos", "where", "name=" + names, "set", "Preempt-=normal"}));
  return {};
}

class SlurmPolicyTarget final : public PolicyTarget {
 public:
  Result<LivePolicy> read() override { return read_live_policy(); }

  Result<std::vector<QueuedJob>> jobs() override {
    TRY(const CommandOutput queue, run_slurm(live_jobs_command()));
    // scontrol fails where there is no job at all.
    if (parse_live_jobs(queue.output, {}).jobs.empty()) return std::vector<QueuedJob>{};
    TRY(const CommandOutput details, run_slurm(job_details_command()));
    return parse_live_jobs(queue.output, details.output).jobs;
  }

  // Slurm lets root, SlurmUser and administrators change what belongs to everybody.
  Result<void> may_change() override {
    const passwd* self = ::getpwuid(::geteuid());
    const std::string name = self == nullptr ? std::to_string(::geteuid()) : self->pw_name;
    if (::geteuid() == 0) return {};
    TRY(const CommandOutput config, run_slurm({"scontrol", "show", "config"}));
    const std::string slurm_user = slurm_field(config_fields(config.output), "SlurmUser");
    if (slurm_user.substr(0, slurm_user.find('(')) == name) return {};
    TRY(const CommandOutput shown, run_slurm({"sacctmgr", "--noheader", "--parsable2", "show",
                                              "user", name, "format=AdminLevel"}));
    if (to_lower(without_blanks_around(shown.output)) == "administrator") return {};
    return tl::unexpected(
        Error{ErrorKind::kNotAllowed,
              fmt::format("{} is not an administrator of this Slurm: nothing was changed", name),
              {},
              "run it as root, as SlurmUser, or as a user with AdminLevel=Administrator"});
  }

  Result<void> carry_out(const PlanStep& step) override {
    auto done = run_slurm(step.argv);
    // Jobs that were just cancelled take their time to leave.
    for (int tries = 0; tries < kTries && !done && is_in_use(done.error()); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      done = run_slurm(step.argv);
    }
    if (!done && done.error().what.find("Preemption loop") != std::string::npos) {
      TRY_VOID(refresh_preemption());
      done = run_slurm(step.argv);
    }
    // sacctmgr says this and exits with 0.
    if (done && (done->output + done->error).find("don't have access to their default qos") !=
                    std::string::npos)
      return failed(fmt::format("sacctmgr refused: {}{}", done->output, done->error));
    if (done) return {};
    // sacctmgr exits with 1 where what it is asked for is so already.
    if (done.error().what.find("Nothing new added") != std::string::npos ||
        done.error().what.find("Nothing deleted") != std::string::npos ||
        done.error().what.find("Nothing modified") != std::string::npos)
      return {};
    return tl::unexpected(std::move(done.error()));
  }
};

}  // namespace

std::unique_ptr<PolicyTarget> slurm_policy_target() {
  return std::make_unique<SlurmPolicyTarget>();
}

}  // namespace sluice
