// Sizes in powers of 1024.
#include "text/memory.h"

#include <fmt/format.h>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::string_view kUnits = "KMGTP";

tl::unexpected<Error> not_a_size(std::string_view text, const char* hint) {
  return bad_input(fmt::format("{} is not a memory size", quoted(text)), hint);
}

// 0 for K, 1 for M, …; nothing for another letter.
std::optional<std::size_t> unit_named(char c) {
  const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::size_t at = kUnits.find(upper);
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

struct Number {
  std::int64_t scaled = 0;  // Thousandths, so "312.5" stays whole.
  std::size_t unit = 1;     // Megabytes.
};

constexpr const char* kWholeForms = "write a whole number and K, M, G or T, as in 4000M or 4G";
constexpr const char* kForms = "write a number and K, M, G, T or P, as in 4000M, 4G or 312.5G";

enum class Decimals : std::uint8_t { kRefused, kAllowed };

Result<Number> parse_number(std::string_view text, Decimals decimals) {
  const char* hint = decimals == Decimals::kAllowed ? kForms : kWholeForms;
  std::string_view digits = text;
  Number number;
  if (digits.size() > 1 && (digits.back() == 'B' || digits.back() == 'b') &&
      unit_named(digits[digits.size() - 2]))
    digits.remove_suffix(1);
  if (!digits.empty()) {
    if (const auto unit = unit_named(digits.back())) {
      number.unit = *unit;
      digits.remove_suffix(1);
    }
  }
  if (decimals == Decimals::kRefused && number.unit == 4) return not_a_size(text, hint);
  std::int64_t thousandths = 0;
  const std::size_t dot = digits.find('.');
  if (dot != std::string_view::npos) {
    const std::string_view fraction = digits.substr(dot + 1);
    const auto value = whole_number(fraction);
    if (decimals == Decimals::kRefused || !value || fraction.size() > 3)
      return not_a_size(text, hint);
    thousandths = *value;
    for (std::size_t i = fraction.size(); i < 3; ++i) thousandths *= 10;
    digits = digits.substr(0, dot);
  }
  const auto whole = whole_number(digits);
  if (!whole) return not_a_size(text, hint);
  // In megabytes at most 2^50; a kilobyte more or less does not matter here.
  const int shift = number.unit == 0 ? 0 : 10 * (static_cast<int>(number.unit) - 1);
  if (*whole > (kMostMemoryMb >> shift) - (thousandths > 0 ? 1 : 0))
    return bad_input(fmt::format("{} is more memory than can be counted", quoted(text)), hint);
  number.scaled = *whole * 1000 + thousandths;
  return number;
}

}  // namespace

Result<std::int64_t> parse_memory_mb(std::string_view text) {
  TRY(const Number number, parse_number(text, Decimals::kRefused));
  const std::int64_t whole = number.scaled / 1000;
  if (number.unit == 0) return (whole + 1023) / 1024;
  return whole << (10 * (number.unit - 1));
}

Result<std::int64_t> parse_printed_memory_mb(std::string_view text) {
  TRY(const Number number, parse_number(text, Decimals::kAllowed));
  if (number.unit == 0) return (number.scaled / 1000 + 1023) / 1024;
  const auto shift = 10 * (number.unit - 1);
  const std::int64_t whole = number.scaled / 1000;
  const std::int64_t thousandths = number.scaled % 1000;
  return (whole << shift) + ((thousandths << shift) + 500) / 1000;
}

Result<MemoryRequest> parse_requested_memory(std::string_view text) {
  MemoryRequest request;
  std::string_view size = text;
  if (!size.empty() && (size.back() == 'n' || size.back() == 'c')) {
    if (size.back() == 'c') request.per = MemoryPer::kCpu;
    size.remove_suffix(1);
  }
  TRY(request.mb, parse_printed_memory_mb(size));
  return request;
}

std::string format_memory_mb(std::int64_t mb, MemoryStyle style) {
  if (mb == 0) return "0";
  if (style == MemoryStyle::kMegabytes) return fmt::format("{}M", mb);
  std::size_t unit = 1;
  if (style == MemoryStyle::kRounded) {
    double value = static_cast<double>(mb);
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<double>(whole) == value ? fmt::format("{}{}", whole, kUnits[unit])
                                               : fmt::format("{:.2f}{}", value, kUnits[unit]);
  }
  // A larger unit only where whole or half units say exactly the same. (Slurm looks at the whole
  // part alone and prints 1536.5G as 1.50T; a size that reads back as another one helps nobody.)
  std::int64_t halves = mb * 2;
  while (halves >= 2048 && halves % 1024 == 0 && unit + 1 < kUnits.size()) {
    halves /= 1024;
    ++unit;
  }
  return halves % 2 == 0 ? fmt::format("{}{}", halves / 2, kUnits[unit])
                         : fmt::format("{}.50{}", halves / 2, kUnits[unit]);
}

std::string format_memory_option(const MemoryRequest& request) {
  const char* name = request.per == MemoryPer::kCpu   ? "--mem-per-cpu"
                     : request.per == MemoryPer::kGpu ? "--mem-per-gpu"
                                                      : "--mem";
  return request.mb == 0 ? fmt::format("{}=0", name) : fmt::format("{}={}M", name, request.mb);
}

}  // namespace sluice
