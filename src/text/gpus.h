// GPU requests: --gres=gpu:a100:2, --gpus=2, --gpus-per-node, --gpus-per-task, --gpus-per-socket.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// --gres: "gpu", "gpu:2", "gpu:a100", "gpu:a100:2", several with commas, "none". Per node. Other
// generic resources are refused: nothing here could grant them.
Result<std::vector<GpuRequest>> parse_gres(std::string_view text);

// --gpus and its kin: "2", "a100:2", "a100:2,h100:1".
Result<std::vector<GpuRequest>> parse_gpus(std::string_view text, GpusPer per);

// --gpus-per-node and --gres together: both per node, of one type the second counts.
Result<std::vector<GpuRequest>> merge_gpus(std::span<const GpuRequest> first,
                                           std::span<const GpuRequest> second);

// As the options spell it: "a100:2,h100:1"; only the requests of this kind.
std::string format_gpus(std::span<const GpuRequest> requests, GpusPer per);

// As squeue's %b and scontrol's TresPerNode show it: "gres:gpu:a100:2".
std::string format_tres_per(std::span<const GpuRequest> requests, GpusPer per);

}  // namespace sluice
