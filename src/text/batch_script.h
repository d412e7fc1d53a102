// A batch script's text: what sbatch demands of it, and the arguments on its #SBATCH lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// Begins with "#!", is not empty, has no DOS line breaks and no NUL: sbatch's own demands, in its
// own words.
Result<void> check_batch_script(std::string_view script);

struct Directives {
  std::vector<std::string> arguments;  // Of all #SBATCH lines, one after another.
  std::vector<std::string> own;        // Of all #SLUICE lines.
  std::vector<std::string> warnings;
};

// Only lines that begin with #SBATCH (or #SLURM, with a warning) above the first line that is
// neither empty nor a comment. Quotes and backslashes group and escape, '#' begins a comment.
// script_name is for messages.
Result<Directives> read_directives(std::string_view script, std::string_view script_name);

// What `sbatch --wrap=COMMAND` submits.
std::string wrap_script(std::string_view command);

}  // namespace sluice
