#include "targets/choose_target.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/connection.h"
#include "cli/engine_choice.h"
#include "cli/job_request.h"
#include "host/files/files.h"
#include "policyfile/read/policy_reader.h"
#include "slurm/run_slurm.h"
#include "targets/plan_file.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// It is asked for its name only: a Slurm that is away does not keep a person waiting.
constexpr Duration kNameLimit = seconds(10);

std::unique_ptr<PolicyTarget> target_of(const std::string& engine) {
  return engine == "slurm" ? slurm_policy_target() : daemon_policy_target();
}

std::optional<std::string> cluster_of_slurm() {
  const auto identity = slurm_identity(kNameLimit);
  return identity ? std::optional(identity->cluster) : std::nullopt;
}

// A daemon is not started to be asked for its name.
std::optional<std::string> cluster_of_daemon() {
  auto daemon = Connection::open(StartDaemon::kNever);
  if (!daemon) return std::nullopt;
  const auto source = daemon->fetch<PolicySource>("/v1/policy/source");
  return source ? std::optional(source->cluster) : std::nullopt;
}

// What the file or the saved plan says of where it belongs; nothing where that is open.
Result<std::optional<std::string>> engine_by_wish(const PolicyWish& wish) {
  if (!wish.saved.empty()) {
    TRY(std::string engine, engine_of_plan(wish.saved));
    return std::optional(std::move(engine));
  }
  // Standard input can be read only once.
  if (wish.file.empty() || wish.file == "-") return std::optional<std::string>();
  TRY(const std::string text, read_policy_document(wish.file));
  const PolicyText read = read_policy_text(text, wish.file, read_included);
  if (!read.errors.empty()) return tl::unexpected(read.errors.front());
  if (read.policy.cluster == Policy{}.cluster) return std::optional<std::string>();
  return engine_of_cluster(read.policy.cluster, cluster_of_slurm(), cluster_of_daemon());
}

}  // namespace

bool is_slurm_installed() {
  const auto found = find_command("sacctmgr");
  if (!found) return false;
  std::error_code problem;
  return !std::filesystem::equivalent(*found, "/proc/self/exe", problem);
}

std::optional<std::string> engine_of_cluster(const std::string& named,
                                             const std::optional<std::string>& slurm,
                                             const std::optional<std::string>& daemon) {
  if (slurm == named && daemon != named) return "slurm";
  if (daemon == named && slurm != named) return "embedded";
  return std::nullopt;
}

Result<std::unique_ptr<PolicyTarget>> target_to_read(const std::string& on,
                                                     const PolicyWish& wish) {
  std::string usual = "embedded";
  if (is_slurm_installed()) {
    usual = "slurm";
    const bool is_said = !on.empty() || !usual_engine("").empty();
    // A file with mistakes is reported by the verb that reads it.
    if (!is_said) {
      const auto engine = engine_by_wish(wish);
      if (engine && *engine) usual = **engine;
      // One that cannot be read at all keeps nobody waiting for a cluster.
      if (!engine && wish.saved.empty()) TRY_VOID(read_policy_document(wish.file));
    }
  }
  TRY(const std::string engine, chosen_engine(on, usual));
  return target_of(engine);
}

Result<std::unique_ptr<PolicyTarget>> target_to_change(const std::string& on,
                                                       const PolicyWish& wish,
                                                       const std::string& again) {
  const bool is_said = !on.empty() || !usual_engine("").empty();
  if (is_said || !is_slurm_installed()) {
    TRY(const std::string engine, chosen_engine(on));
    return target_of(engine);
  }
  TRY(const auto engine, engine_by_wish(wish));
  if (engine) return target_of(*engine);
  return bad_input(
      "Slurm is installed here and this machine can run a daemon: nothing says which is meant",
      fmt::format("for Slurm type: {0} --on slurm\n"
                  "  for the daemon of this machine type: {0} --on embedded\n"
                  "  SLUICE_ON=slurm or SLUICE_ON=embedded says it for every command",
                  again));
}

}  // namespace sluice
