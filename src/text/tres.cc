// Names with amounts, separated by commas.
#include "text/tres.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms = "write name=amount, as in cpu=4,mem=8G,gres/gpu=2";

Result<TresIndex> find_tres(std::string_view name, const TresRegistry& registry) {
  if (const auto index = registry.find(name)) return *index;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < registry.size(); ++i)
    known.push_back(registry.name(TresIndex(static_cast<std::uint8_t>(i))));
  return bad_input(fmt::format("there is no resource {}", quoted(name)),
                   fmt::format("known are {}", fmt::join(known, ", ")));
}

// "12", "2K": Slurm multiplies by 1024 for every step from K to P.
Result<std::int64_t> parse_amount(std::string_view text, std::string_view whole) {
  static constexpr std::string_view kUnits = "kmgtp";
  std::string_view digits = text;
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = kUnits.find(to_lower(digits.substr(digits.size() - 1)));
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      digits.remove_suffix(1);
    }
  }
  const auto count = whole_number(digits);
  if (!count || *count > (std::int64_t{1} << 60) >> shift)
    return bad_input(fmt::format("{} is not an amount, in {}", quoted(text), quoted(whole)),
                     kForms);
  return *count << shift;
}

std::vector<TresIndex> ordered(const TresRegistry& registry, TresOrder order) {
  std::vector<TresIndex> indices;
  for (std::size_t i = 0; i < registry.size(); ++i)
    indices.push_back(TresIndex(static_cast<std::uint8_t>(i)));
  if (order == TresOrder::kByName)
    // With the sign behind the name, as Slurm compares them: "gres/gpu:a100=" before "gres/gpu=".
    std::sort(indices.begin(), indices.end(), [&](TresIndex a, TresIndex b) {
      return registry.name(a) + "=" < registry.name(b) + "=";
    });
  return indices;
}

void append_amount(std::string& out, TresIndex index, std::int64_t amount,
                   const TresRegistry& registry) {
  if (!out.empty()) out += ',';
  out += registry.name(index);
  out += '=';
  out += index == kTresMem ? format_memory_mb(amount) : fmt::format("{}", amount);
}

}  // namespace

Result<std::vector<TresEdit>> parse_tres_edits(std::string_view text,
                                               const TresRegistry& registry) {
  std::vector<TresEdit> edits;
  for (std::string_view member : split(text, ',')) {
    member = without_blanks_around(member);
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos)
      return bad_input(fmt::format("{} has no amount", quoted(member)), kForms);
    TRY(const TresIndex index, find_tres(member.substr(0, equals), registry));
    const std::string_view amount = member.substr(equals + 1);
    if (amount == "-1") {
      edits.push_back({index, std::nullopt});
    } else if (index == kTresMem) {
      TRY(const std::int64_t mb, parse_printed_memory_mb(amount));
      edits.push_back({index, mb});
    } else {
      TRY(const std::int64_t count, parse_amount(amount, member));
      edits.push_back({index, count});
    }
  }
  return edits;
}

TresLimits edited(const TresLimits& limits, const std::vector<TresEdit>& edits) {
  // The limits are built anew, because a limit once put cannot be taken back.
  TresLimits out;
  for (std::uint8_t i = 0; i < kMaxTres; ++i) {
    const TresIndex index(i);
    std::optional<std::int64_t> amount = limits.get(index);
    for (const TresEdit& edit : edits)
      if (edit.tres == index) amount = edit.amount;
    if (amount) out.put(index, *amount);
  }
  return out;
}

Result<TresLimits> parse_tres_limits(std::string_view text, const TresRegistry& registry) {
  TRY(const auto edits, parse_tres_edits(text, registry));
  return edited(TresLimits{}, edits);
}

Result<TresVector> parse_tres_amounts(std::string_view text, const TresRegistry& registry) {
  TRY(const auto edits, parse_tres_edits(text, registry));
  TresVector amounts;
  for (const TresEdit& edit : edits) {
    if (!edit.amount)
      return bad_input(
          fmt::format("{} has a negative amount of {}", quoted(text), registry.name(edit.tres)),
          "an amount is zero or more; -1 only lifts limits");
    amounts[edit.tres] = *edit.amount;
  }
  return amounts;
}

std::string format_tres(const TresVector& amounts, const TresRegistry& registry, TresOrder order) {
  std::string out;
  for (TresIndex index : ordered(registry, order))
    if (amounts[index] != 0) append_amount(out, index, amounts[index], registry);
  return out;
}

std::string format_tres_limits(const TresLimits& limits, const TresRegistry& registry,
                               TresOrder order) {
  std::string out;
  for (TresIndex index : ordered(registry, order))
    if (limits.has(index)) append_amount(out, index, limits[index], registry);
  return out;
}

}  // namespace sluice
