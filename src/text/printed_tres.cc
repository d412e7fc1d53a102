#include "text/printed_tres.h"

#include <algorithm>

#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

// More than any cluster has: sums of what another program printed stay within 64 bits.
constexpr std::int64_t kMostGpus = 1'000'000;

}  // namespace

PrintedTres read_printed_tres(std::string_view list) {
  constexpr std::string_view kTyped = "gres/gpu:";
  PrintedTres out;
  std::optional<std::int64_t> typed_gpus;
  for (const std::string_view item : split(list, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = item.substr(0, equals);
    const std::string_view amount = item.substr(equals + 1);
    if (name == "mem") {
      if (const auto memory = parse_printed_memory_mb(amount)) out.memory_mb = *memory;
      continue;
    }
    if (name.starts_with(kTyped)) out.gpu_type = name.substr(kTyped.size());
    const auto count = whole_number(amount);
    if (!count) continue;
    if (name == "cpu") out.cpus = count;
    if (name == "node") out.nodes = count;
    if (name == "gres/gpu") out.gpus = count;
    if (name == "billing") out.billing = count;
    if (name.starts_with(kTyped))
      typed_gpus = typed_gpus.value_or(0) + std::min<std::int64_t>(*count, kMostGpus);
  }
  if (!out.gpus) out.gpus = typed_gpus;
  return out;
}

}  // namespace sluice
