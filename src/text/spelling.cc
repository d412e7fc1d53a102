// Edit distance with neighbouring letters swapped counted once (optimal string alignment).
#include "text/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace sluice {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string folded(std::string_view key) {
  std::string out;
  for (char c : key)
    if (c != '_' && c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> allowed) {
  if (word.size() > 64) return std::nullopt;
  const std::string wanted = folded(word);
  std::optional<std::string> best;
  // A third of the letters may be wrong: beyond that the guess is noise.
  std::size_t best_distance = std::max<std::size_t>(wanted.size() / 3, 1) + 1;
  for (const std::string& candidate : allowed) {
    const std::size_t d = distance(wanted, folded(candidate));
    if (d < best_distance && d < wanted.size()) {
      best_distance = d;
      best = candidate;
    }
  }
  if (best || wanted.size() < 3) return best;
  // The beginning of one word and of no other.
  for (const std::string& candidate : allowed) {
    if (!folded(candidate).starts_with(wanted)) continue;
    if (best) return std::nullopt;
    best = candidate;
  }
  return best;
}

std::string allowed_words(std::string_view word, std::span<const std::string> allowed) {
  if (allowed.empty()) return {};
  // A cluster may have 5,000 users: enough to see what kind of word is meant.
  constexpr std::size_t kShown = 60;
  const auto shown = allowed.first(std::min(allowed.size(), kShown));
  std::string list =
      fmt::format("allowed: {}{}", fmt::join(shown, ", "), allowed.size() > kShown ? ", …" : "");
  if (auto meant = nearest_word(word, allowed))
    return fmt::format("did you mean {}? {}", *meant, list);
  return list;
}

}  // namespace sluice
