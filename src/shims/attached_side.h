// The job's side of srun, salloc and `sluice run`: what runs inside the job's cage.
#pragma once

#include <string>
#include <string_view>

#include "shims/shim.h"

namespace sluice {

inline constexpr std::string_view kHoldWord = "hold";

// `sluice shims attach SOCKET`, as a job's program.
int run_attached_side(const std::string& socket, EngineDoor& engine);

}  // namespace sluice
