#include "daemon/policy_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/files/durable_file.h"
#include "host/files/plain_file.h"
#include "model/default_memory.h"
#include "policyfile/check/check.h"
#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

// Every partition that names no nodes gets this one.
void add_machine(Policy& policy, const Node& machine) {
  policy.nodes.push_back(machine);
  for (const Gpu& gpu : machine.gpus)
    if (!gpu.type.empty()) static_cast<void>(policy.tres.add("gres/gpu:" + gpu.type));
  if (policy.partitions.empty()) {
    Partition& partition = policy.partitions.emplace_back();
    partition.name = "main";
    partition.is_default = true;
  }
  for (Partition& partition : policy.partitions)
    if (partition.nodes.empty()) partition.nodes = {NodeId(0)};
}

}  // namespace

Result<Policy> policy_of_machine(const Node& machine) {
  // Large enough for anybody, and no waiting before a requeued job runs again. What this machine
  // can never run is refused: no larger one will come.
  const std::string text = fmt::format(
      "cluster: {}\n"
      "scheduler: {{requeue_delay: 0}}\n"
      "jobs: {{enforce_part_limits: all, def_mem_per_cpu: {}M, max_array_size: 4000001, "
      "max_job_count: 20000000{}}}\n",
      machine.name, memory_per_cpu(machine),
      machine.gpus.empty() ? "" : fmt::format(", def_mem_per_gpu: {}M", memory_per_gpu(machine)));
  TRY(Policy policy, read_policy(text, "the machine's own policy"));
  if (policy.nodes.empty()) add_machine(policy, machine);
  return policy;
}

PolicyChoice policy_of_text(const std::string& text, const std::string& name, const Node& machine,
                            const ReadFile& read_file) {
  PolicyChoice choice;
  choice.origin = "file";
  PolicyText read = read_policy_text(text, name, read_file);
  choice.findings = check_policy(read);
  const bool wrong =
      std::any_of(choice.findings.begin(), choice.findings.end(),
                  [](const Finding& finding) { return finding.severity == Severity::kError; });
  if (wrong || !read.errors.empty()) return choice;
  if (read.policy.nodes.empty()) add_machine(read.policy, machine);
  choice.policy = std::make_shared<const Policy>(std::move(read.policy));
  return choice;
}

Result<std::string> read_policy_part(const std::string& path) { return read_trusted_file(path); }

Result<std::optional<std::string>> read_policy_source(const std::string& file) {
  if (::access(file.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::optional<std::string>();
  TRY(std::string text, read_trusted_file(file));
  return std::optional(std::move(text));
}

Result<PolicyChoice> choose_policy(const std::string& file, const Node& machine) {
  TRY(const auto text, read_policy_source(file));
  if (text) return policy_of_text(*text, file, machine, read_policy_part);
  PolicyChoice choice;
  TRY(Policy policy, policy_of_machine(machine));
  choice.policy = std::make_shared<const Policy>(std::move(policy));
  choice.origin = "survey";
  return choice;
}

Result<void> write_policy_source(const std::string& file, const std::string& text) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path real = fs::weakly_canonical(file, problem);
  const std::string path = problem ? file : real.string();
  fs::create_directories(fs::path(path).parent_path(), problem);
  struct stat known {};
  const mode_t mode = ::stat(path.c_str(), &known) == 0 ? known.st_mode & 07777 : 0644;
  auto written = write_durably(path, text, mode);
  if (!written) written.error().hint = "nothing was changed";
  return written;
}

}  // namespace sluice
