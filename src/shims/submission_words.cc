#include "shims/submission_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

// The daemon and sacct know it by this name.
constexpr const char* kSubmitLine = "SLUICE_SUBMIT_LINE";

bool is_getopts(std::string_view what) {
  return what.starts_with("unrecognized option") || what.starts_with("invalid option") ||
         what.starts_with("option '") || what.starts_with("option requires");
}

}  // namespace

int complain_of_options(ShimCall& call, const Error& error) {
  if (is_getopts(error.what)) {
    call.complain(fmt::format("{}: {}", call.name, error.what));
    call.complain(fmt::format("Try \"{} --help\" for more information", call.name));
    return 255;
  }
  if (error.what.find("mutually exclusive") != std::string::npos) {
    call.complain(fmt::format("{}: fatal: {}", call.name, error.what));
    return 1;
  }
  if (error.what.find("not look like a batch script") != std::string::npos) {
    call.error("This does not look like a batch script.  The first");
    call.error("line must start with #! followed by the path to an interpreter.");
    call.error("For instance: #!/bin/sh");
    return 1;
  }
  call.error(error.where.empty() ? error.what : error.where + ": " + error.what);
  return error.what.starts_with("Invalid --") || error.what.starts_with("Invalid numeric") ? 255
                                                                                           : 1;
}

void complain_of_refusal(ShimCall& call, std::string_view prefix, const SubmitResult& result) {
  if (!result.reason.empty() &&
      result.refusal.find("violates accounting/QOS policy") != std::string::npos)
    call.error(result.reason);
  call.error(fmt::format("{}: {}", prefix, result.refusal));
}

bool say_warnings(ShimCall& call, const std::vector<std::string>& warnings) {
  const bool strict = variable("SLUICE_STRICT").value_or("") == "1";
  for (const std::string& warning : warnings) {
    const bool unused = warning.find("has no effect here") != std::string::npos;
    if (strict && unused) {
      call.error(warning + ", and --strict refuses that");
      return false;
    }
    call.complain(fmt::format("{}: {}{}", call.name, unused ? "warning: " : "", warning));
  }
  return true;
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
