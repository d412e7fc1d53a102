#include "shims/shim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "shims/help.h"
#include "shims/words.h"

namespace sluice {
namespace {

using Run = int (*)(ShimCall&);
constexpr std::array<std::pair<std::string_view, Run>, 12> kShims = {{
    {"sacct", &run_sacct},
    {"sacctmgr", &run_sacctmgr},
    {"salloc", &run_salloc},
    {"sbatch", &run_sbatch},
    {"scancel", &run_scancel},
    {"scontrol", &run_scontrol},
    {"sdiag", &run_sdiag},
    {"sinfo", &run_sinfo},
    {"sprio", &run_sprio},
    {"squeue", &run_squeue},
    {"srun", &run_srun},
    {"sshare", &run_sshare},
}};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Run find(std::string_view name) {
  for (const auto& [known, run] : kShims)
    if (known == name) return run;
  return nullptr;
}

}  // namespace

void ShimCall::error(std::string_view what) { complain(fmt::format("{}: error: {}", name, what)); }

int ShimCall::fail(const Error& problem) {
  if (problem.kind == ErrorKind::kUnreachable) {
    error(fmt::format("Unable to contact slurm controller (connect failure): {}", problem.text()));
    return 1;
  }
  error(problem.text());
  return 1;
}

void ShimCall::flush() {
  // Messages repeat what was typed, which may be bytes that a terminal obeys.
  std::string safe;
  for (std::size_t at = 0; at < err.size();) {
    const std::size_t end = std::min(err.find_first_of("\n\t", at), err.size());
    safe += shown(std::string_view(err).substr(at, end - at));
    if (end < err.size()) safe += err[end];
    at = end + 1;
  }
  std::fwrite(safe.data(), 1, safe.size(), stderr);
  std::fflush(stderr);
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
  out.clear();
  err.clear();
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<ShimOptions> read_shim_options(ShimCall& call, std::span<const OptionShape> table) {
  ShimOptions out;
  std::vector<std::string> left = call.arguments;
  while (!left.empty()) {
    auto given = read_options(left, table);
    if (!given) {
      call.complain(fmt::format("{}: {}", call.name, given.error().what));
      call.complain(fmt::format("Try \"{} --help\" for more information", call.name));
      return std::nullopt;
    }
    out.options.insert(out.options.end(), given->options.begin(), given->options.end());
    if (given->rest.empty()) break;
    // "--" ends the options; it is the word before the rest.
    const std::size_t at = left.size() - given->rest.size();
    if (at > 0 && left[at - 1] == "--") {
      out.operands.insert(out.operands.end(), given->rest.begin(), given->rest.end());
      break;
    }
    out.operands.push_back(given->rest.front());
    left.assign(given->rest.begin() + 1, given->rest.end());
  }
  return out;
}

bool is_strict(ShimCall& call) {
  const auto found = std::find(call.arguments.begin(), call.arguments.end(), "--strict");
  const auto end = std::find(call.arguments.begin(), call.arguments.end(), "--");
  if (found < end) {
    call.arguments.erase(found);
    ::setenv("SLUICE_STRICT", "1", 1);
  }
  return variable("SLUICE_STRICT").value_or("") == "1";
}

bool take_unused(ShimCall& call, std::string_view option) {
  if (variable("SLUICE_STRICT").value_or("") == "1") {
    call.error(fmt::format("--{} has no effect here, and --strict refuses that", option));
    return false;
  }
  call.complain(fmt::format("{}: warning: --{} has no effect here", call.name, option));
  return true;
}

std::span<const std::string_view> shim_names() {
  static constexpr auto names = [] {
    std::array<std::string_view, kShims.size()> out{};
    for (std::size_t i = 0; i < kShims.size(); ++i) out[i] = kShims[i].first;
    return out;
  }();
  return names;
}

bool is_shim(std::string_view name) { return find(last_part(name)) != nullptr; }

int run_shim(std::string_view name, std::vector<std::string> arguments, EngineDoor& engine) {
  ShimCall call;
  call.name = last_part(name);
  call.arguments = std::move(arguments);
  call.engine = &engine;
  is_strict(call);
  const Run run = find(call.name);
  if (run == nullptr) return 127;
  int code = 0;
  if (call.arguments.size() == 1 && call.arguments.front() == "--help")
    call.say(shim_help(call.name));
  else
    code = run(call);
  call.flush();
  return code;
}

}  // namespace sluice
