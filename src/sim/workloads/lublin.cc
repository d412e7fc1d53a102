// Draws are taken by Marsaglia's methods (polar for the normal, squeeze for the gamma variable).
#include "sim/workloads/lublin.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr double kSerial = 0.244;
constexpr double kPowerOfTwo = 0.576;
constexpr double kLowest = 0.8;        // log2 of the smallest parallel size,
constexpr double kBelowHighest = 2.5;  // and where the second stage begins below the largest.
constexpr double kFirstStage = 0.705;
constexpr double kShortShape = 4.2;
constexpr double kShortScale = 0.94;
constexpr double kLongShape = 312;
constexpr double kLongScale = 0.03;
constexpr double kShortSlope = -0.0054;
constexpr double kShortShare = 0.78;
constexpr double kLongestLog = 12;  // e^12 s is 45 hours.

double normal(Draws& draws) {
  while (true) {
    const double u = 2 * draws.unit() - 1;
    const double v = 2 * draws.unit() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

// For shapes of 1 and more.
double gamma(Draws& draws, double shape, double scale) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(draws);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = draws.unit();
    if (u > 0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale;
  }
}

}  // namespace

std::int32_t lublin_size(Draws& draws, std::int32_t most) {
  if (most <= 1 || draws.unit() < kSerial) return 1;
  const double high = std::log2(static_cast<double>(most));
  const double middle = std::max(kLowest, high - kBelowHighest);
  const bool first = draws.unit() < kFirstStage;
  const double low = std::min(kLowest, high);
  double size =
      first ? low + draws.unit() * (middle - low) : middle + draws.unit() * (high - middle);
  if (draws.unit() < kPowerOfTwo) size = std::round(size);
  return std::clamp(static_cast<std::int32_t>(std::round(std::exp2(size))), 1, most);
}

Duration lublin_run(Draws& draws, std::int32_t cpus) {
  const double short_share = std::clamp(kShortSlope * cpus + kShortShare, 0.0, 1.0);
  const double log = draws.unit() < short_share ? gamma(draws, kShortShape, kShortScale)
                                                : gamma(draws, kLongShape, kLongScale);
  return seconds(
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::exp(std::min(log, kLongestLog)))));
}

}  // namespace sluice
