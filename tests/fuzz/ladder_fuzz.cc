// Any text as ladder.yaml or routing.yaml: settings, or a mistake with its place.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "policyfile/files/ladder_file.h"
#include "policyfile/files/routing_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> notes;
  const auto ladder = read_ladder_file(text, "ladder.yaml", {}, &notes);
  if (!ladder) CHECK(!ladder.error().what.empty());
  RoutingSettings settings;
  const auto routing = read_routing_file(text, "routing.yaml", settings);
  if (!routing) CHECK(!routing.error().what.empty());
  return 0;
}
