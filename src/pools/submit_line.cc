#include "pools/submit_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "policyfile/plan/account_commands.h"
#include "slurm/submit_command.h"

namespace sluice {
namespace {

constexpr std::string_view kPiped = "/dev/stdin";

// What the job is given beside the person's own environment. Our own variables would tell
// `sluice submit` to route it once more: they go with --export, which commas would split.
struct Variables {
  std::vector<std::string> around;
  std::string exported;
};
Variables variables_of(const JobSpec& spec) {
  Variables out;
  for (const EnvironmentVariable& one : spec.launch.environment) {
    const char* here = std::getenv(one.name.c_str());
    if (here != nullptr && one.value == here) continue;
    if (one.name.starts_with("SLURM_") || one.name.starts_with("SBATCH_") ||
        one.name == "SLUICE_SUBMIT_LINE")
      continue;
    if (one.name.starts_with("SLUICE_") && one.value.find(',') == std::string::npos)
      out.exported += fmt::format(",{}={}", one.name, one.value);
    else
      out.around.push_back(one.name + "=" + one.value);
  }
  return out;
}

std::vector<std::string> words_of(const JobSpec& spec, bool slurm) {
  std::vector<std::string> out = submit_command({spec, "KEY", false}, {}).argv;
  const std::string mark = comment_with("KEY", spec.comment);
  std::erase_if(out, [&](const std::string& word) {
    return word == "--parsable" || word == "--export=ALL" || word == "--comment=" + mark;
  });
  if (!spec.comment.empty()) out.insert(out.begin() + 1, "--comment=" + spec.comment);
  if (slurm) return out;
  out.front() = "submit";
  out.insert(out.begin(), "sluice");
  // The script's own lines, or a variable, would have it routed once more.
  if (spec.launch.script.find("#SLUICE") != std::string::npos ||
      std::getenv("SLUICE_DEVICE") != nullptr || std::getenv("SLUICE_SHAPE") != nullptr)
    out.insert(out.begin() + 2, "--as-is");
  if (std::getenv("SLUICE_ON") != nullptr) out.insert(out.begin() + 2, "--on=embedded");
  if (spec.launch.capture) {
    std::erase(out, "--output=/dev/null");
    std::erase(out, "--error=/dev/null");
    out.insert(out.begin() + 2, "--capture");
  }
  return out;
}

}  // namespace

std::string submit_line(const JobSpec& spec, bool slurm) {
  std::vector<std::string> words = words_of(spec, slurm);
  Variables variables = variables_of(spec);
  if (!variables.exported.empty())
    words.insert(std::find(words.begin(), words.end(), kPiped),
                 "--export=ALL" + variables.exported);
  if (!variables.around.empty()) {
    words.insert(words.begin(), variables.around.begin(), variables.around.end());
    words.insert(words.begin(), "env");
  }
  const std::string& text = spec.launch.script;
  const bool changed = spec.gpus.empty() && without_gpu_lines(text) != text;
  const std::string& file = spec.launch.command;
  const auto script = std::find(words.begin(), words.end(), kPiped);
  if (file.starts_with('/') && !changed) {
    if (script != words.end()) *script = file;
    return shell_quoted(words);
  }
  if (file.starts_with('/'))
    return fmt::format(
        "sed -E '/^#SBATCH.*[[:blank:]](--gres|--gpu|--cpus-per-gpu|--mem-per-gpu|-G)/s/^/#/' {} | "
        "{}",
        shell_quoted({file}), shell_quoted(words));
  return fmt::format("printf %s {} | {}", shell_quoted({text}), shell_quoted(words));
}

}  // namespace sluice
