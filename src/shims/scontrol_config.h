// scontrol show config.
#pragma once

#include "shims/shim.h"

namespace sluice {

int show_config(ShimCall& call);

}  // namespace sluice
