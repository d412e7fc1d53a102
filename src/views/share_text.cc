#include "views/share_text.h"

#include <fmt/format.h>

#include <cmath>

namespace sluice {
namespace {

std::string fraction(double value) {
  return std::isinf(value) ? "inf" : fmt::format("{:.6f}", value);
}

}  // namespace

ShareTexts share_texts(const ShareLine& line, AnyUsage used) {
  ShareTexts out;
  const bool root = line.parent.empty();
  if (!root) out.raw_shares = line.shares_of_parent ? "parent" : std::to_string(line.shares);
  out.norm_shares = fraction(root ? 0.0 : line.norm_shares);
  out.raw_usage = fmt::format("{:.0f}", std::floor(line.raw_usage_seconds));
  if (used == AnyUsage::kSome && !root)
    out.norm_usage = fraction(line.norm_usage);
  else if (line.user == "root")
    out.norm_usage = fraction(0);
  out.effective_usage = fraction(root ? 1.0 : line.effective_usage);
  // JSON has no infinity: a level that was read back without a number is one.
  if (!root) out.level = line.level ? fraction(*line.level) : "inf";
  if (!line.user.empty()) out.factor = fraction(line.factor);
  return out;
}

}  // namespace sluice
