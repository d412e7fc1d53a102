#include "text/tres_weight.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {

Result<std::int64_t> read_millionths(std::string_view text) {
  auto bad = [&] {
    return bad_input(fmt::format("'{}' is not a number", text),
                     "write 2 or 0.25, with at most six digits after the point");
  };
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string fraction(point < text.size() ? text.substr(point + 1) : std::string_view{});
  if (whole.empty() || whole.size() > 12 || fraction.size() > 6 ||
      (point < text.size() && fraction.empty()))
    return bad();
  fraction.append(6 - fraction.size(), '0');
  std::int64_t out = 0;
  for (char c : std::string(whole) + fraction) {
    if (c < '0' || c > '9') return bad();
    out = out * 10 + (c - '0');
  }
  return out;
}

std::string print_millionths(std::int64_t millionths) {
  std::string out = fmt::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

Result<TresWeight> read_weight(TresIndex tres, std::string_view text) {
  TresWeight weight;
  weight.tres = tres;
  std::string_view number = text;
  if (tres == kTresMem && !number.empty()) {
    switch (number.back()) {
      case 'M':
      case 'm':
        break;
      case 'G':
      case 'g':
        weight.per = 1024;
        break;
      case 'T':
      case 't':
        weight.per = 1024 * 1024;
        break;
      default:
        number = std::string_view();
    }
    number = number.empty() ? text : text.substr(0, text.size() - 1);
  }
  TRY(weight.millionths, read_millionths(number));
  return weight;
}

std::string print_weight(const TresWeight& weight) {
  const char* unit = weight.per == 1024 ? "G" : weight.per == 1024 * 1024 ? "T" : "";
  return print_millionths(weight.millionths) + unit;
}

}  // namespace sluice
