// Options that are taken without effect: their values must still be right.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/duration.h"
#include "text/sbatch_settings.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct Allowed {
  std::string_view option;
  std::string_view words;    // Of which a value is a list; separated by blanks.
  std::string_view refusal;  // sbatch's own words; {} is the value.
};

// Options that take a number.
constexpr std::string_view kNumbers = "core-spec thread-spec wait-all-nodes";

// What sbatch says where slurm.conf allows no cores to be kept for the system.
std::string warning_of(std::string_view name) {
  if (name == "core-spec" || name == "thread-spec")
    return fmt::format(
        "error: Ignoring {} since it's not allowed by configuration (AllowSpecResourcesUsage = No)",
        name == "core-spec" ? "-S" : "--thread-spec");
  return fmt::format("--{} has no effect here", name);
}

constexpr std::array<Allowed, 5> kAllowed = {{
    {"hint", "compute_bound memory_bound multithread nomultithread",
     "unrecognized --hint argument \"{}\", see --hint=help"},
    {"profile", "all none energy task lustre network filesystem", "invalid --profile={} option"},
    {"propagate", "all none as core cpu data fsize memlock nofile nproc rss stack",
     "--propagate={} is not valid."},
    {"wait-all-nodes", "0 1", "Invalid --wait-all-nodes specification"},
    {"mem-bind", "none rank local quiet q verbose v sort nosort prefer p help",
     "unrecognized --mem-bind argument \"{}\""},
}};

bool is_among(std::string_view word, std::string_view words) {
  const auto all = split(words, ' ');
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view one) { return same_ignoring_case(one, word); });
}

// "low", "2400000", "low-high:performance".
bool is_frequency(std::string_view text) {
  constexpr std::string_view kWords =
      "low medium high highm1 conservative ondemand performance powersave schedutil userspace";
  const auto halves = split(text, ':');
  for (const std::string_view half : halves)
    for (const std::string_view word : split(half, '-'))
      if (!whole_number(word) && !is_among(word, kWords)) return false;
  return !halves.empty() && halves.size() <= 2;
}

}  // namespace

Result<void> check_ignored_value(std::string_view name, std::string_view value) {
  if (is_among(name, kNumbers) && !whole_number(value))
    return bad_input(fmt::format("Invalid numeric value \"{}\" for --{}.", value, name),
                     "write a whole number");
  if (name == "thread-spec" && whole_number(value) == 0)
    return bad_input(fmt::format("Invalid numeric value \"{}\" for --{}.", value, name),
                     "write a number from 1 on");
  if (name == "no-kill" && !value.empty() && !is_among(value, "set no off"))
    return bad_input("Invalid --no-kill specification", "known are: set no off");
  if (name == "cpu-freq" && !is_frequency(value))
    return bad_input(
        fmt::format("unrecognized --cpu-freq argument \"{}\"\nInvalid --cpu-freq argument", value),
        "known are: low medium high highm1, kilohertz, P1-P2, and :GOVERNOR");
  // "1" or "1@10:00".
  if (name == "switches" && !whole_number(value.substr(0, value.find('@'))))
    return bad_input(fmt::format("Invalid numeric value \"{}\" for --{}.", value, name),
                     "write a whole number");
  if (name == "delay-boot" && !parse_duration(value))
    return bad_input("Invalid --delay-boot specification", "write a time in minutes");
  for (const Allowed& allowed : kAllowed) {
    const bool has_list = value.find(':') != std::string_view::npos;  // map_mem:0,1
    if (name == "mem-bind" && has_list) continue;
    // --propagate alone propagates all.
    if (allowed.option != name || (name == "propagate" && value.empty())) continue;
    for (std::string_view word : split(value, ','))
      if (!is_among(word, allowed.words)) {
        std::string what(allowed.refusal);
        const std::size_t at = what.find("{}");
        if (at != std::string::npos) what.replace(at, 2, value);
        return bad_input(std::move(what), fmt::format("known are: {}", allowed.words));
      }
  }
  return {};
}

Result<void> set_ignored_option(SbatchRequest& request, std::string_view name,
                                std::string_view value) {
  TRY_VOID(check_ignored_value(name, value));
  std::string warning = warning_of(name);
  if (std::find(request.warnings.begin(), request.warnings.end(), warning) ==
      request.warnings.end())
    request.warnings.push_back(std::move(warning));
  return {};
}

}  // namespace sluice
