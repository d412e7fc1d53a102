// Amounts in the file's notation; what Slurm writes the same way is left to the room text.
#include "policyfile/read/quantities.h"

#include <fmt/format.h>

#include <charconv>

#include "text/memory.h"

namespace sluice {
namespace {

Result<std::int64_t> read_whole(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (text.empty() || problem != std::errc{} || stop != end || number < 0)
    return bad_input(fmt::format("'{}' is not a whole number", text),
                     fmt::format("allowed: 0 to {}", INT64_MAX));
  return number;
}

}  // namespace

Result<std::int64_t> read_memory(std::string_view text) { return parse_printed_memory_mb(text); }

std::string print_memory(std::int64_t megabytes) {
  if (megabytes != 0 && megabytes % 1024 == 0) return fmt::format("{}G", megabytes / 1024);
  return fmt::format("{}M", megabytes);
}

Result<std::int64_t> read_amount(TresIndex tres, std::string_view text) {
  return tres == kTresMem ? read_memory(text) : read_whole(text);
}

std::string print_amount(TresIndex tres, std::int64_t amount) {
  return tres == kTresMem ? print_memory(amount) : std::to_string(amount);
}

}  // namespace sluice
