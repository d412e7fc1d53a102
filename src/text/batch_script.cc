// Reads #SBATCH lines with sbatch's quoting.
#include "text/batch_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "text/scan.h"

namespace sluice {
namespace {

// The next argument of a directive, or nothing at the end of the line or at a comment.
Result<std::optional<std::string>> next_argument(std::string_view& rest, std::string_view name,
                                                 std::size_t line) {
  std::string_view at = rest;
  while (!at.empty() && is_blank(at.front())) at.remove_prefix(1);
  if (at.empty() || at.front() == '#') return std::optional<std::string>();
  if (at.front() == ':')
    return bad_input(fmt::format("{}: line {}: Unexpected `:` in [{}]", name, line, rest),
                     "heterogeneous jobs are not supported: submit a job for each part");
  const std::string_view whole = rest;
  std::string argument;
  char quote = '\0';
  bool escaped = false;
  while (!at.empty() && (quote != '\0' || !is_blank(at.front()))) {
    const char c = at.front();
    if (escaped) {
      argument += c;
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        argument += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      at = {};
      break;
    } else {
      argument += c;
    }
    at.remove_prefix(1);
  }
  if (quote != '\0')
    return bad_input(fmt::format("{}: line {}: Unmatched `{}` in [{}]", name, line, quote, whole),
                     "close the quote on the same line");
  rest = at;
  return std::optional(std::move(argument));
}

bool is_command(std::string_view line) {
  line = without_blanks_around(line);
  return !line.empty() && line.front() != '#';
}

}  // namespace

Result<void> check_batch_script(std::string_view script) {
  if (script.empty())
    return bad_input("Batch script is empty!", "write a script that begins with #!/bin/sh");
  if (without_blanks_around(script).empty())
    return bad_input("Batch script contains only whitespace!",
                     "write a script that begins with #!/bin/sh");
  if (!script.starts_with("#!"))
    return bad_input(
        "This does not look like a batch script.  The first\n"
        "line must start with #! followed by the path to an interpreter.\n"
        "For instance: #!/bin/sh");
  if (script.find('\0') != std::string_view::npos)
    return bad_input(
        "The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'.");
  if (script.find("\r\n") != std::string_view::npos)
    return bad_input(
        "Batch script contains DOS line breaks (\\r\\n)\n"
        "instead of expected UNIX line breaks (\\n).",
        "convert it: sed -i 's/\\r$//' SCRIPT");
  return {};
}

Result<Directives> read_directives(std::string_view script, std::string_view script_name) {
  static constexpr std::string_view kMark = "#SBATCH";
  static constexpr std::string_view kOldMark = "#SLURM";
  static constexpr std::string_view kOwnMark = "#SLUICE";
  Directives directives;
  std::size_t number = 0;
  bool other_marks = false;
  bool old_marks = false;
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    std::string_view line = script.substr(0, end);
    script.remove_prefix(std::min(end + 1, script.size()));
    ++number;
    std::vector<std::string>* arguments = &directives.arguments;
    if (line.starts_with(kMark)) {
      line.remove_prefix(kMark.size());
    } else if (line.starts_with(kOwnMark)) {
      line.remove_prefix(kOwnMark.size());
      arguments = &directives.own;
    } else if (line.starts_with(kOldMark)) {
      old_marks = true;
      line.remove_prefix(kOldMark.size());
    } else {
      if (line.starts_with("#PBS") || line.starts_with("#BSUB")) other_marks = true;
      if (is_command(line)) break;
      continue;
    }
    const std::string_view word = without_blanks_around(line);
    if (word == "hetjob" || word == "packjob")
      return bad_input(fmt::format("{}: line {}: a heterogeneous job", script_name, number),
                       "heterogeneous jobs are not supported: submit a job for each part");
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (true) {
      TRY(auto argument, next_argument(line, script_name, number));
      if (!argument) break;
      arguments->push_back(*std::move(argument));
    }
  }
  if (old_marks)
    directives.warnings.push_back(
        "Change from #SLURM to #SBATCH in your script and verify the options are valid in sbatch");
  if (other_marks)
    directives.warnings.push_back("#PBS and #BSUB lines are not read; write them as #SBATCH");
  return directives;
}

std::string wrap_script(std::string_view command) {
  return fmt::format("#!/bin/sh\n# This script was created by sbatch --wrap.\n\n{}\n", command);
}

}  // namespace sluice
