// One amount out of a TRES list that Slurm, or this program, printed: "cpu=4,mem=8G,gres/gpu=2".
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// Memory in megabytes; 0 where the list does not name it or the amount cannot be read. Unlike
// parse_tres_amounts it needs no registry: other clusters have TRES of their own.
std::int64_t printed_tres_amount(std::string_view list, std::string_view name);

}  // namespace sluice
