// sluice test and sluice story: stories run, and shown.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_test(Command& root, ExitCode& exit_code);
void add_story(Command& root, ExitCode& exit_code);

}  // namespace sluice
