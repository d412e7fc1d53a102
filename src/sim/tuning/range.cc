// Amounts are counted in thousandths of the smallest unit of their kind.
#include "sim/tuning/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::int64_t kMostInRange = 9;
constexpr std::int64_t kMostValues = 1000;
// Amounts so large have no meaning here, and sums of them no place.
constexpr std::int64_t kLargest = INT64_MAX / 4;
constexpr std::int64_t kFine = 1000;

struct Unit {
  std::string_view name;
  std::int64_t length;
};
constexpr std::array<Unit, 1> kNumbers = {{{"", 1}}};
constexpr std::array<Unit, 5> kTimes = {
    {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}, {"w", 604'800}}};
constexpr std::array<Unit, 4> kSizes = {
    {{"K", 1}, {"M", 1024}, {"G", 1024 * 1024}, {"T", 1024 * 1024 * 1024}}};
using Kind = std::span<const Unit>;

struct Amount {
  Kind kind;
  std::int64_t value = 0;
  std::int64_t unit = kFine;      // The last digit that was written is worth so much.
  std::int64_t fraction = kFine;  // The same without the unit.
  bool has_unit = false;
};

std::optional<Amount> amount_in(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string digits(text.substr(0, end));
  const std::string_view name = text.substr(end);
  Amount out;
  for (const Kind kind : {Kind(kNumbers), Kind(kTimes), Kind(kSizes)})
    for (const Unit& unit : kind)
      if (unit.name == name) {
        out.kind = kind;
        out.unit = unit.length * kFine;
        out.has_unit = !name.empty();
      }
  if (out.kind.empty()) return std::nullopt;
  const std::int64_t length = out.unit / kFine;
  if (const std::size_t dot = digits.find('.'); dot != std::string::npos) {
    const std::size_t places = digits.size() - dot - 1;
    if (dot == 0 || places == 0 || places > 3) return std::nullopt;
    digits.erase(dot, 1);
    for (std::size_t i = 0; i < places; ++i) out.fraction /= 10;
  }
  const auto count = whole_number(digits);
  out.unit = out.fraction * length;
  if (!count || *count > kLargest / out.unit) return std::nullopt;
  out.value = *count * out.unit * (negative ? -1 : 1);
  return out;
}

// "1..7d" is one day to seven.
void take_unit_of(Amount& of, const Amount& other) {
  if (of.has_unit || !other.has_unit) return;
  const std::int64_t length = other.unit / other.fraction;
  if (std::abs(of.value) > kLargest / length) return;
  of.kind = other.kind;
  of.value *= length;
  of.unit *= length;
  of.has_unit = true;
}

// In the largest unit that needs no fraction, up to one that was written.
std::string text_of(std::int64_t value, Kind kind, std::int64_t longest) {
  for (auto unit = kind.rbegin(); unit != kind.rend(); ++unit)
    if (value != 0 && unit->length <= longest && value % (unit->length * kFine) == 0)
      return fmt::format("{}{}", value / (unit->length * kFine), unit->name);
  std::string out = fmt::format("{}{}", value < 0 ? "-" : "", std::abs(value) / kFine);
  if (std::int64_t rest = std::abs(value) % kFine; rest != 0) {
    std::string places = fmt::format("{:03}", rest);
    while (places.ends_with('0')) places.pop_back();
    out += "." + places;
  }
  return out + std::string(kind.front().name);
}

}  // namespace

Result<std::vector<std::string>> values_in_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto wrong = [&] {
    return bad_input(fmt::format("'{}' is not a range", text),
                     "write 2..8, 0.5..2, 100..1000:100, 100G..800G or 6h..7d");
  };
  if (dots == std::string_view::npos) return wrong();
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  auto from = amount_in(text.substr(0, dots));
  auto to = amount_in(rest.substr(0, colon));
  if (!from || !to) return wrong();
  take_unit_of(*from, *to);
  take_unit_of(*to, *from);
  if (from->kind.data() != to->kind.data() || from->value > to->value) return wrong();
  const std::int64_t span = to->value - from->value;
  const std::int64_t unit = std::min(from->unit, to->unit);
  std::int64_t step =
      std::max<std::int64_t>(1, (span / unit + kMostInRange - 2) / (kMostInRange - 1)) * unit;
  if (colon < rest.size()) {
    auto given = amount_in(rest.substr(colon + 1));
    if (given) take_unit_of(*given, from->unit < to->unit ? *from : *to);
    if (!given || given->kind.data() != to->kind.data() || given->value < 1)
      return bad_input(fmt::format("'{}' is not a step", rest.substr(colon + 1)),
                       "write it like the ends: 100..1000:100, 1d..14d:1d");
    step = given->value;
  }
  if (span / step >= kMostValues)
    return bad_input(fmt::format("'{}' has more than {} values", text, kMostValues),
                     "give a larger step: 0..100000:10000");
  const std::int64_t longest = std::max(from->unit / from->fraction, to->unit / to->fraction);
  std::vector<std::string> out;
  for (std::int64_t value = from->value; value <= to->value; value += step)
    out.push_back(text_of(value, to->kind, longest));
  if (const std::string last = text_of(to->value, to->kind, longest); out.back() != last)
    out.push_back(last);
  return out;
}

}  // namespace sluice
