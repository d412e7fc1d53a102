// Hostlists: "d[1-10],p1" to names and back, as scontrol show hostnames and hostlist do it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// One range holds at most this many hosts, as in Slurm; so does what several brackets multiply to.
inline constexpr std::size_t kMostHostsInRange = 65536;

// The names in order, doubles included. Commas and blanks separate; "n[01-10]" keeps its width.
Result<std::vector<std::string>> expand_hostlist(std::string_view text);

// Neighbours that differ in their last number only share a bracket: "d[3,1-2],e1". The order is
// kept, so that a list can mean "first node first".
std::string compress_hostlist(std::span<const std::string> hosts);

// By name, then by number: d9 before d10. What `scontrol show hostlistsorted` would do first.
void sort_hosts(std::vector<std::string>& hosts);

}  // namespace sluice
