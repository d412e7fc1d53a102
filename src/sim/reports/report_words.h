// How figures of simulations are written for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/plural.h"

namespace sluice {

// The two largest units: "3d 4h", "2h 13m", "45s", "0s".
std::string span_text(double seconds);
// "0.42", "6.37", "1,250": parts matter where there are few.
std::string hours_text(double hours);
// One character a step, scaled to `most` (0: to the largest): "▁▂▅█". At most `width` of them.
std::string sparkline(std::span<const double> values, std::size_t width, double most = 0);
// As a JSON text with its quotes.
std::string json_text(std::string_view text);

}  // namespace sluice
