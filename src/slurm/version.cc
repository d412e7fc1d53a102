#include "slurm/version.h"

#include <fmt/format.h>

#include <charconv>

namespace sluice {

std::optional<SlurmVersion> read_slurm_version(std::string_view text) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first);
  SlurmVersion out;
  int* const parts[] = {&out.year, &out.month, &out.micro};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto read = std::from_chars(at, end, *parts[i]);
    if (read.ec != std::errc{}) return std::nullopt;
    at = read.ptr;
    const bool more = at != end && *at == '.';
    if (!more) return i == 0 ? std::nullopt : std::optional(out);
    ++at;
  }
  return out;
}

std::string format_slurm_version(const SlurmVersion& version) {
  return fmt::format("{}.{:02}", version.year, version.month);
}

}  // namespace sluice
