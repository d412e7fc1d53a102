#include "host/machine/nvidia_smi.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/scan.h"

namespace sluice {
namespace {

bool is_complete(const FoundGpu& gpu) {
  return !gpu.name.empty() && !gpu.identity.empty() && !gpu.gpu.device.empty();
}

}  // namespace

std::vector<FoundGpu> read_nvidia_smi(std::string_view text) {
  std::vector<FoundGpu> found;
  for (std::string_view line : split(text, '\n')) {
    // A card begins with "GPU 00000000:18:00.0" at the margin; what belongs to it is indented.
    if (line.starts_with("GPU ")) {
      found.emplace_back();
      continue;
    }
    const std::size_t colon = line.find(" : ");
    if (found.empty() || !line.starts_with("    ") || colon == std::string_view::npos) continue;
    const std::string_view key = without_blanks_around(line.substr(0, colon));
    const std::string_view value = without_blanks_around(line.substr(colon + 3));
    FoundGpu& gpu = found.back();
    if (key == "Product Name" && gpu.name.empty()) {
      gpu.name = value;
      gpu.gpu.type = gpu_type(value);
    } else if (key == "GPU UUID" && gpu.identity.empty()) {
      gpu.identity = value;
    } else if (key == "Minor Number" && whole_number(value)) {
      gpu.gpu.device = fmt::format("/dev/nvidia{}", value);
    }
  }
  std::erase_if(found, [](const FoundGpu& gpu) { return !is_complete(gpu); });
  return found;
}

}  // namespace sluice
