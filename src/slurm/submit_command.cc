// Everything stands on the command line, so that sacct's SubmitLine shows the key.
#include "slurm/submit_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "slurm/caller.h"
#include "slurm/sbatch_arguments.h"
#include "text/mail_types.h"
#include "text/quoting.h"
#include "text/signal.h"

namespace sluice {
namespace {

constexpr std::string_view kMark = "sluice:";

void add_launch(const Launch& launch, std::vector<std::string>& argv) {
  const auto set = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) argv.push_back(fmt::format("--{}={}", name, value));
  };
  set("chdir", launch.working_directory);
  set("input", launch.stdin_path);
  set("output", launch.capture ? "/dev/null" : launch.stdout_path);
  set("error", launch.capture ? "/dev/null" : launch.stderr_path);
  set("mail-type", std::string(variable_in(launch.environment, kMailTypeVariable)));
  set("mail-user", std::string(variable_in(launch.environment, kMailUserVariable)));
  if (launch.open_mode != OpenMode::kDefault)
    set("open-mode", launch.open_mode == OpenMode::kAppend ? "append" : "truncate");
  if (launch.signal)
    set("signal", fmt::format("{}{}@{}", launch.signal->batch_shell_only ? "B:" : "",
                              launch.signal->signal, to_seconds(launch.signal->before_end)));
}

// Whether a word of a #SBATCH line asks for GPUs.
bool asks_for_gpus(std::string_view line) {
  static constexpr std::array<std::string_view, 8> kOptions = {
      "--gres",     "--gpus",     "--cpus-per-gpu", "--mem-per-gpu",
      "--gpu-bind", "--gpu-freq", "--gres-flags",   "-G"};
  std::size_t at = line.find_first_of(" \t");
  while (at != std::string_view::npos && at < line.size()) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return false;
    const std::string_view word = line.substr(at);
    if (std::any_of(kOptions.begin(), kOptions.end(),
                    [&](std::string_view option) { return word.starts_with(option); }))
      return true;
    at = line.find_first_of(" \t", at);
  }
  return false;
}

}  // namespace

std::string comment_with(const std::string& key, const std::string& comment) {
  return fmt::format("{}{}{}{}", kMark, key, comment.empty() ? "" : " ", comment);
}

bool carries(std::string_view text, std::string_view key) {
  const std::string wanted = fmt::format("{}{}", kMark, key);
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    // Another key may begin with this one.
    if (end == text.size() || std::isalnum(static_cast<unsigned char>(text[end])) == 0) return true;
  }
  return false;
}

std::string key_in(std::string_view comment) {
  if (!comment.starts_with(kMark)) return {};
  comment.remove_prefix(kMark.size());
  return std::string(comment.substr(0, comment.find(' ')));
}

std::string without_gpu_lines(const std::string& script) {
  std::string out;
  std::size_t start = 0;
  while (start < script.size()) {
    const std::size_t end = std::min(script.find('\n', start), script.size());
    const std::string_view line = std::string_view(script).substr(start, end - start);
    if (line.starts_with("#SBATCH") && asks_for_gpus(line)) out += '#';
    out += line;
    if (end < script.size()) out += '\n';
    start = end + 1;
  }
  return out;
}

SubmitCommand submit_command(const Submission& submission, const std::string& slurm_conf) {
  JobSpec spec = submission.spec;
  spec.comment = comment_with(submission.key, spec.comment);
  spec.hold = spec.hold || submission.held;
  SubmitCommand out;
  out.argv = {"sbatch", "--parsable"};
  if (spec.name.empty()) spec.name = "sluice";
  // sbatch reads times in its own time zone; seconds since the epoch are the same everywhere.
  for (const auto& [name, time] : {std::pair("begin", &spec.begin), {"deadline", &spec.deadline}}) {
    if (*time) out.argv.push_back(fmt::format("--{}=uts{}", name, to_seconds(**time)));
    time->reset();
  }
  for (std::string& word : sbatch_arguments(spec)) out.argv.push_back(std::move(word));
  add_launch(spec.launch, out.argv);
  // What the job shall see is sbatch's own environment, so no value is split at its commas.
  out.argv.emplace_back("--export=ALL");
  out.argv.emplace_back("/dev/stdin");
  out.argv.insert(out.argv.end(), spec.launch.arguments.begin(), spec.launch.arguments.end());
  for (const EnvironmentVariable& variable : spec.launch.environment)
    out.environment.push_back(variable.name + "=" + variable.value);
  out.environment = scrubbed_environment(out.environment);
  std::erase_if(out.environment, [](const auto& word) { return word.starts_with("SLURM_CONF="); });
  if (!slurm_conf.empty()) out.environment.push_back("SLURM_CONF=" + slurm_conf);
  out.script = !spec.launch.script.empty()
                   ? spec.launch.script
                   : fmt::format("#!/bin/sh\nexec {} \"$@\"\n", shell_word(spec.launch.program));
  if (spec.gpus.empty()) out.script = without_gpu_lines(out.script);
  return out;
}

}  // namespace sluice
