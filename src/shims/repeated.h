// -i SECONDS of squeue and sinfo: the same report again and again.
#pragma once

#include <functional>

namespace sluice {

struct ShimCall;

// Once where `every` is 0; else with the date above each report, until one fails.
int print_every(ShimCall& call, int every, const std::function<int()>& print);

}  // namespace sluice
