// sluice test and sluice story: stories run, and shown.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_test(CLI::App& root, ExitCode& exit_code);
void add_story(CLI::App& root, ExitCode& exit_code);

}  // namespace sluice
