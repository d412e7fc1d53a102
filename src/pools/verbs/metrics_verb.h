// sluice metrics: the cluster's numbers for Prometheus.
#pragma once

#include "cli/cli.h"

namespace sluice {

class Command;

void add_metrics(Command& root, ExitCode& exit_code);

}  // namespace sluice
