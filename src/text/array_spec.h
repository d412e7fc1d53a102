// Array specs: "0-99:2%10,200" to index sets and back, in Slurm's words or in as few as possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/index_set.h"

namespace sluice {

// Slurm's MaxArraySize cannot be set beyond this; an index lies below it.
inline constexpr std::uint32_t kMostArrayIndex = 4'000'000;

// sbatch's --array. The first %N counts, wherever it stands; %0 is no throttle; "[1-5]" and empty
// list members are taken as Slurm takes them.
Result<ArraySpec> parse_array_spec(std::string_view text);

// As squeue and scontrol list waiting tasks: "0-98:2", "1,3,5-7%10". Longer than max_bytes - 3 is
// cut, as Slurm does at 64 (its SLURM_BITSTR_LEN); 0 is never cut.
std::string format_array_tasks(const ArraySpec& spec, std::size_t max_bytes = 64);

// For --array: the throttle and a short spelling of the indices.
std::string format_array_spec(const ArraySpec& spec);

// A short spelling: several compressors try, the best is kept. "5,6,15,16,25,26" is
// "5-25:10,6-26:10".
std::string compress_indices(const IndexSet& indices);

// sbatch refuses a spec of more than 4,096 bytes. The parts share no index and lack none.
inline constexpr std::size_t kMostArraySpecBytes = 4096;
struct ArraySpecPart {
  std::string text;  // At most max_bytes, throttle included.
  IndexSet indices;
};
std::vector<ArraySpecPart> split_array_spec(const ArraySpec& spec,
                                            std::size_t max_bytes = kMostArraySpecBytes);

}  // namespace sluice
