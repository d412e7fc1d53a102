// Own options may stand among sbatch's, up to the script.
#include "apps/routed_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/routing_context.h"
#include "cli/job_request.h"
#include "text/duration.h"
#include "text/sbatch_option_table.h"
#include "text/sbatch_options.h"

namespace sluice {
namespace {

Result<Duration> time_of(std::string_view option, const std::string& text) {
  const auto read = parse_friendly_duration(text);
  if (!read || !read->duration)
    return bad_input(fmt::format("{}: '{}' is no time", option, text), "write 22m, 1h30m or 90");
  return *read->duration;
}

// "gpu=22m,cpu=282m"
Result<void> read_runtimes(const std::string& text, RouteOptions& out) {
  for (const std::string& part : listed_names({text})) {
    const std::size_t equals = part.find('=');
    const std::string device = part.substr(0, equals);
    if (equals == std::string::npos || (device != "gpu" && device != "cpu"))
      return bad_input(fmt::format("--runtime: cannot read '{}'", part),
                       "write --runtime gpu=22m,cpu=282m");
    TRY(const Duration time, time_of("--runtime", part.substr(equals + 1)));
    if (time <= Duration(0)) return bad_input("--runtime: a task takes some time");
    (device == "gpu" ? out.gpu_runtime : out.cpu_runtime) = time;
  }
  return {};
}

}  // namespace

Result<RouteOptions> read_route_options(std::span<const std::string> arguments) {
  RouteOptions out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--" || !word.starts_with('-') || word == "-") {
      out.rest.insert(out.rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      arguments.end());
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    const auto need = [&]() -> Result<std::string> {
      if (value) return *value;
      if (i + 1 >= arguments.size()) return bad_input(fmt::format("{} needs a value", name));
      return arguments[++i];
    };
    if (name == "--device") {
      TRY(out.device, need());
      if (out.device != "gpu" && out.device != "cpu" && out.device != "any")
        return bad_input(fmt::format("--device: no '{}'", out.device), "write gpu, cpu or any");
    } else if (name == "--account" || name == "-A") {
      TRY(const std::string list, need());
      out.accounts = listed_names({list});
    } else if (name == "--runtime") {
      TRY(const std::string text, need());
      TRY_VOID(read_runtimes(text, out));
    } else if (name == "--dry-run") {
      out.dry_run = true;
    } else if (name == "--keep-back") {
      out.keep_back = true;
    } else if (name == "--json") {
      out.json = true;
    } else if (name == "--wait-for-capacity") {
      out.wait = true;
      if (value) {
        TRY(out.wait_limit, time_of(name, *value));
      }
    } else if (name == "--on") {
      TRY(out.engine, need());
    } else if (name == "--capture") {
      out.capture = true;
    } else if (name == "--help" || name == "-h") {
      out.help = true;
    } else {
      out.rest.push_back(word);
      if (takes_next(word) && i + 1 < arguments.size()) out.rest.push_back(arguments[++i]);
    }
  }
  return out;
}

std::optional<std::string> named_engine(std::span<const std::string> words, bool submission) {
  constexpr std::string_view kOption = "--on=";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    if (words[i].starts_with(kOption)) return words[i].substr(kOption.size());
    if (words[i] == "--on" && i + 1 < words.size()) return words[i + 1];
    if (!submission) continue;
    if (!words[i].starts_with('-')) break;  // The script.
    if (takes_next(words[i]) || words[i] == "--device" || words[i] == "--runtime") ++i;
  }
  return std::nullopt;
}

bool asks_for_routing(std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || !word.starts_with('-')) return false;
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (name == "--device" || name == "--runtime" || name == "--keep-back" ||
        name == "--wait-for-capacity")
      return true;
    std::string value;
    if (equals != std::string::npos)
      value = word.substr(equals + 1);
    else if (takes_next(word) && i + 1 < words.size())
      value = words[++i];
    if ((name == "--account" || name == "-A") && value.find(',') != std::string::npos) return true;
    if (name.starts_with("-A") && name.find(',') != std::string::npos) return true;
  }
  return false;
}

Result<JobHere> read_job_here(std::span<const std::string> arguments) {
  TRY(const SbatchCommandLine line, read_sbatch_arguments(arguments));
  if (!line.wrap && line.script.empty() && ::isatty(STDIN_FILENO) != 0)
    return bad_input("names no script", "type: sluice route [options] SCRIPT [ARGS...]");
  TRY(SbatchRequest request, request_of(line));
  add_surroundings(request);
  JobHere out;
  out.spec = std::move(request.spec);
  out.parsable = request.parsable;
  out.wait = request.wait;
  out.test_only = request.test_only;
  out.warnings = std::move(request.warnings);
  if (out.spec.name.empty())
    out.spec.name =
        line.wrap ? "wrap"
                  : (line.script.empty() ? "sbatch"
                                         : std::filesystem::path(line.script).filename().string());
  return out;
}

}  // namespace sluice
