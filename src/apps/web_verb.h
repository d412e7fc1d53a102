// sluice web: the page, served to the browser of the user who runs it.
#pragma once

#include "cli/cli.h"

namespace sluice {

class Command;

void add_web(Command& root, ExitCode& exit_code);

}  // namespace sluice
