// sluice doctor: whether this machine, its folders and its Slurm are as sluice needs them.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_doctor(Command& root, ExitCode& exit_code);

}  // namespace sluice
