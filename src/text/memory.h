// Memory sizes in megabytes: "4000", "4G", "312.50G", with the marks of per node and per CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// The most we read: a petabyte of petabytes would wrap in Slurm.
inline constexpr std::int64_t kMostMemoryMb = std::int64_t{1} << 50;

// As sbatch reads --mem: a whole number, then K, M, G, T or nothing (megabytes), then B or
// nothing. Kilobytes are rounded up.
Result<std::int64_t> parse_memory_mb(std::string_view text);

// As Slurm prints sizes and people write them in limits: also "312.5G", "1.50T", "2P". Rounded to
// the nearest megabyte.
Result<std::int64_t> parse_printed_memory_mb(std::string_view text);

// sacct's ReqMem before 21.08: "4Gn" per node, "4Gc" per CPU; without a mark per node.
Result<MemoryRequest> parse_requested_memory(std::string_view text);

enum class MemoryStyle : std::uint8_t {
  kExact,      // "4G", "1.50G", "4000M": what squeue, sacct, scontrol and sacctmgr print.
  kRounded,    // "3.91G": at most two decimals.
  kMegabytes,  // "4000M": --noconvert.
};
std::string format_memory_mb(std::int64_t mb, MemoryStyle style = MemoryStyle::kExact);

// The option that asks for it: "--mem=4G", "--mem-per-cpu=2000M".
std::string format_memory_option(const MemoryRequest& request);

}  // namespace sluice
