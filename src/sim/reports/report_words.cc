// Times and lines of bars, the same everywhere: no locale.
#include "sim/reports/report_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sluice {

std::string span_text(double seconds) {
  if (seconds < 0) return "-" + span_text(-seconds);
  struct Unit {
    std::int64_t length;
    char letter;
  };
  constexpr std::array<Unit, 4> kUnits = {{{86'400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}}};
  auto whole = static_cast<std::int64_t>(std::min(seconds, 1e15) + 0.5);
  if (whole == 0 && seconds > 0) return "<1s";
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    // Rounded to the smaller of the two units: 59m 60s is an hour.
    const Unit& unit = kUnits[i];
    const Unit& next = kUnits[i + 1];
    const std::int64_t rounded = (whole + next.length / 2) / next.length * next.length;
    if (rounded < unit.length) continue;
    const std::int64_t rest = rounded % unit.length / next.length;
    if (rest == 0) return fmt::format("{}{}", rounded / unit.length, unit.letter);
    return fmt::format("{}{} {}{}", rounded / unit.length, unit.letter, rest, next.letter);
  }
  return fmt::format("{}s", whole);
}

std::string hours_text(double hours) {
  constexpr double kFew = 9.995;
  const double size = std::abs(hours);
  return (hours < 0 ? "-" : "") + (size < kFew
                                       ? fmt::format("{:.2f}", size)
                                       : count_text(static_cast<std::uint64_t>(size + 0.5)));
}

std::string sparkline(std::span<const double> values, std::size_t width, double most) {
  constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty() || width == 0) return {};
  const std::size_t steps = std::min(width, values.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t from = i * values.size() / steps;
    const std::size_t to = std::max(from + 1, (i + 1) * values.size() / steps);
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += values[k];
    means.push_back(sum / static_cast<double>(to - from));
  }
  if (most <= 0) most = *std::max_element(means.begin(), means.end());
  std::string out;
  for (const double mean : means) {
    const double part = most > 0 ? std::clamp(mean / most, 0.0, 1.0) : 0.0;
    out += kBars[static_cast<std::size_t>(std::lround(part * 7))];
  }
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == 0x7f) {
      // '<' too: the text may stand inside a page's script.
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace sluice
