#include "shims/submission_words.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "shims/clusters.h"
#include "text/past_time.h"
#include "text/scan.h"

namespace sluice {
namespace {

// The daemon and sacct know it by this name.
constexpr const char* kSubmitLine = "SLUICE_SUBMIT_LINE";

bool is_getopts(std::string_view what) {
  return what.starts_with("unrecognized option") || what.starts_with("invalid option") ||
         what.starts_with("option '") || what.starts_with("option requires");
}

// The value of an option on the command line.
std::optional<std::string> value_of(const ShimCall& call, std::string_view option) {
  const std::string word = fmt::format("--{}", option);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string& each = call.arguments[i];
    if (each.starts_with(word + "=")) return each.substr(word.size() + 1);
    if (each == word && i + 1 < call.arguments.size()) return call.arguments[i + 1];
  }
  return std::nullopt;
}

// What stands in front of what slurmctld refuses.
std::string_view failure_of(const ShimCall& call) {
  if (call.name == "sbatch") return "Batch job submission failed";
  return call.name == "srun" ? "Unable to allocate resources" : "Job submit/allocate failed";
}

// No node has as much as the job asks of each.
bool too_much_memory(ShimCall& call, const JobSpec& spec) {
  if (!spec.memory || spec.memory->per != MemoryPer::kNode) return false;
  const auto policy = call.engine->policy();
  return policy && std::none_of(policy->nodes.begin(), policy->nodes.end(), [&](const Node& node) {
           return node.memory_mb >= spec.memory->mb;
         });
}

}  // namespace

int complain_of_options(ShimCall& call, const Error& error) {
  if (is_getopts(error.what)) {
    call.complain(fmt::format("{}: {}", call.name, error.what));
    call.complain(fmt::format("Try \"{} --help\" for more information", call.name));
    return 255;
  }
  if (error.what.find("mutually exclusive") != std::string::npos ||
      error.what.find(": Unmatched `") != std::string::npos) {
    call.complain(fmt::format("{}: fatal: {}", call.name, error.what));
    return 1;
  }
  if (error.what.find("not look like a batch script") != std::string::npos) {
    call.error("This does not look like a batch script.  The first");
    call.error("line must start with #! followed by the path to an interpreter.");
    call.error("For instance: #!/bin/sh");
    return 1;
  }
  for (const char* name : {"uid", "gid"})
    if (::geteuid() != 0 && error.what == fmt::format("--{} is not supported", name)) {
      call.error(fmt::format("--{} only permitted by root user", name));
      return 255;
    }
  // Slurm's reader of times complains before the option does.
  for (const char* name : {"begin", "deadline"})
    if (error.what == fmt::format("Invalid --{} specification", name))
      if (const auto value = value_of(call, name); value && time_mistake_at(*value))
        call.complain(fmt::format("Invalid time specification (pos={}): {}",
                                  *time_mistake_at(*value), *value));
  if (error.what.ends_with(" is not valid.") && error.what.starts_with("--propagate="))
    call.error("Bad rlimit name: " + error.what.substr(12, error.what.size() - 12 - 14));
  const std::string all = error.where.empty() ? error.what : error.where + ": " + error.what;
  for (const std::string_view line : split(all, '\n')) call.error(line);
  return error.what.starts_with("Invalid --") || error.what.starts_with("Invalid directive") ||
                 error.what.starts_with("invalid --") ||
                 error.what.ends_with(" is not a valid node count") ||
                 error.what.starts_with("unrecognized --")
             ? 255
             : 1;
}

void complain_of_refusal(ShimCall& call, std::string_view prefix, const SubmitResult& result,
                         const JobSpec& spec) {
  if (result.refusal == "Invalid partition name specified")
    call.error(fmt::format("invalid partition specified: {}", fmt::join(spec.partitions, ",")));
  if (result.refusal == "Requested node configuration is not available" &&
      too_much_memory(call, spec))
    call.error("Memory specification can not be satisfied");
  if (!result.reason.empty() &&
      result.refusal.find("violates accounting/QOS policy") != std::string::npos)
    call.error(result.reason);
  // With --test-only Slurm says this line without its own name.
  if (prefix == "allocation failure")
    call.complain(fmt::format("{}: {}", prefix, result.refusal));
  else
    call.error(fmt::format("{}: {}", prefix, result.refusal));
}

bool take_request(ShimCall& call, SbatchRequest& request) {
  if (request.spec.cpus_per_gpu && request.spec.cpus_per_task) {
    call.error("--cpus-per-gpu is mutually exclusive with --cpus-per-task");
    call.error("Invalid generic resource (gres) specification");
    return false;
  }
  if (request.clusters.empty()) return true;
  auto cluster = pick_cluster(call, request.clusters);
  if (!cluster) return false;
  request.clusters = *std::move(cluster);
  // The name, address, port and protocol of its slurmctld, as Slurm tells those jobs.
  if (call.name != "salloc")
    request.spec.launch.environment.push_back(
        {"SLURM_WORKING_CLUSTER", request.clusters + ":127.0.0.1:6817:9728:109"});
  return true;
}

bool say_warnings(ShimCall& call, const std::vector<std::string>& warnings) {
  if (::geteuid() != 0 &&
      std::any_of(warnings.begin(), warnings.end(),
                  [](const std::string& each) { return each.starts_with("--reboot "); })) {
    call.error("rebooting of nodes is only allowed for admins");
    call.error(fmt::format("{}: Access/permission denied", failure_of(call)));
    return false;
  }
  const bool strict = variable("SLUICE_STRICT").value_or("") == "1";
  for (const std::string& warning : warnings) {
    const bool unused = warning.find("has no effect here") != std::string::npos;
    if (strict && (unused || warning.starts_with("error: Ignoring"))) {
      call.error(warning + ", and --strict refuses that");
      return false;
    }
    call.complain(fmt::format("{}: {}{}", call.name, unused ? "warning: " : "", warning));
  }
  return true;
}

std::string why_not_now(std::string_view reason) {
  if (reason.starts_with("Partition")) return "Requested partition configuration not available now";
  if (reason == "JobHeldUser" || reason == "Dependency") return "Job dependency problem";
  return "Requested nodes are busy";
}

std::string command_text(const ShimCall& call) {
  std::string out = call.name;
  for (const std::string& word : call.arguments) out += " " + word;
  return out;
}

void note_submit_line(const ShimCall& call, JobSpec& spec) {
  spec.launch.environment.push_back({kSubmitLine, command_text(call)});
}

}  // namespace sluice
