// TRES lists that Slurm, or this program, printed: "cpu=4,mem=8G,node=1,gres/gpu:a100=2".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Nothing where the list does not name it or its amount cannot be read. Unlike parse_tres_amounts
// it needs no registry: other clusters have TRES of their own.
struct PrintedTres {
  std::optional<std::int64_t> cpus;
  std::optional<std::int64_t> memory_mb;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> gpus;  // Of all types: some sites account for types alone.
  std::optional<std::int64_t> billing;
  std::string gpu_type;  // The last that is named.
};
PrintedTres read_printed_tres(std::string_view list);

}  // namespace sluice
