// Three compressors: by neighbours, by one common step, and by the best step again and again.
#include "text/index_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

namespace sluice {
namespace {

using Terms = std::vector<IndexTerm>;

// Steps are rated with one pass over the bits each: 16 million words take about 10 ms.
constexpr std::size_t kMostWordsRead = 16'000'000;
constexpr std::uint32_t kLongestStepTried = 2048;
// A term of a step other than 1 pays off from three indices on.
constexpr std::uint32_t kFewestInTerm = 3;
constexpr int kMostRounds = 6;

// The indices as bits, counted from the smallest.
class Bits {
 public:
  explicit Bits(const std::vector<std::uint32_t>& sorted)
      : origin_(sorted.front()), words_((sorted.back() - sorted.front()) / 64 + 1) {
    for (std::uint32_t index : sorted) set(index);
  }
  void set(std::uint32_t index) { words_[at(index) / 64] |= bit(index); }
  void clear(std::uint32_t index) { words_[at(index) / 64] &= ~bit(index); }
  bool has(std::uint32_t index) const {
    return index >= origin_ && at(index) / 64 < words_.size() &&
           (words_[at(index) / 64] & bit(index)) != 0;
  }
  std::size_t words() const { return words_.size(); }
  std::uint32_t span() const { return static_cast<std::uint32_t>(words_.size() * 64); }
  // How many progressions of this step the set falls into: members whose predecessor is missing.
  std::size_t progressions(std::uint32_t step) const {
    const std::size_t shift_words = step / 64;
    const std::uint32_t shift = step % 64;
    std::size_t starts = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint64_t moved = 0;
      if (i >= shift_words) moved = words_[i - shift_words] << shift;
      if (shift != 0 && i > shift_words) moved |= words_[i - shift_words - 1] >> (64 - shift);
      starts += static_cast<std::size_t>(std::popcount(words_[i] & ~moved));
    }
    return starts;
  }

 private:
  std::uint32_t at(std::uint32_t index) const { return index - origin_; }
  std::uint64_t bit(std::uint32_t index) const { return std::uint64_t{1} << (at(index) % 64); }
  std::uint32_t origin_;
  std::vector<std::uint64_t> words_;
};

// Runs of one difference, in order: 1,2,3,10,12,14 is 1-3,10-14:2.
Terms by_neighbours(const std::vector<std::uint32_t>& sorted) {
  Terms terms;
  std::size_t i = 0;
  while (i < sorted.size()) {
    std::size_t end = i + 1;
    if (end < sorted.size()) {
      const std::uint32_t step = sorted[end] - sorted[i];
      while (end < sorted.size() && sorted[end] - sorted[end - 1] == step) ++end;
      // Two with a gap are not worth a term: the second may begin a longer run.
      if (end - i < kFewestInTerm && step != 1) end = i + 1;
    }
    terms.push_back({sorted[i], sorted[end - 1], end - i > 1 ? sorted[i + 1] - sorted[i] : 1});
    i = end;
  }
  return terms;
}

// Every progression of this step that has at least `fewest` members; the others are left over.
Terms by_step(const std::vector<std::uint32_t>& sorted, const Bits& bits, std::uint32_t step,
              std::uint32_t fewest, std::vector<std::uint32_t>& left_over) {
  Terms terms;
  for (std::uint32_t index : sorted) {
    if (index >= step && bits.has(index - step)) continue;
    std::uint32_t last = index;
    std::uint32_t count = 1;
    for (; bits.has(last + step); last += step) ++count;
    if (count >= fewest) {
      terms.push_back({index, last, step});
    } else {
      for (std::uint32_t member = index; member <= last; member += step)
        left_over.push_back(member);
    }
  }
  return terms;
}

// The steps with the fewest progressions, best first; where equal the longer step, which shows the
// pattern: 1-21:10,2-22:10,3-23:10 rather than 1-3,11-13,21-23.
std::vector<std::uint32_t> best_steps(const Bits& bits, std::size_t how_many) {
  const auto affordable = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kMostWordsRead / bits.words(), 1, kLongestStepTried));
  const std::uint32_t longest = std::min(affordable, bits.span());
  std::vector<std::pair<std::size_t, std::uint32_t>> rated;
  for (std::uint32_t step = 1; step <= longest; ++step)
    rated.emplace_back(bits.progressions(step), step);
  how_many = std::min(how_many, rated.size());
  std::partial_sort(rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(how_many),
                    rated.end(), [](const auto& a, const auto& b) {
                      return a.first != b.first ? a.first < b.first : a.second > b.second;
                    });
  std::vector<std::uint32_t> steps;
  for (std::size_t i = 0; i < how_many; ++i) steps.push_back(rated[i].second);
  return steps;
}

// Takes the long progressions of the best step out, and begins again with what is left.
Terms by_rounds(std::vector<std::uint32_t> sorted, std::vector<std::uint32_t> first_steps) {
  Terms terms;
  for (int round = 0; round < kMostRounds && sorted.size() >= kFewestInTerm; ++round) {
    const Bits bits(sorted);
    const auto steps = round == 0 ? first_steps : best_steps(bits, 1);
    std::vector<std::uint32_t> left_over;
    Terms taken = by_step(sorted, bits, steps.front(), kFewestInTerm, left_over);
    if (taken.empty()) break;
    terms.insert(terms.end(), taken.begin(), taken.end());
    std::sort(left_over.begin(), left_over.end());
    sorted = std::move(left_over);
  }
  const Terms rest = by_neighbours(sorted);
  terms.insert(terms.end(), rest.begin(), rest.end());
  return terms;
}

std::size_t digits(std::uint32_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10) ++count;
  return count;
}

std::size_t bytes(const Terms& terms) {
  std::size_t total = terms.empty() ? 0 : terms.size() - 1;
  for (const IndexTerm& term : terms) {
    total += digits(term.first);
    if (term.last != term.first) total += 1 + digits(term.last);
    if (term.step != 1) total += 1 + digits(term.step);
  }
  return total;
}

// Up to this many bytes the fewest terms read best, and a pattern reads better than blocks; beyond
// it every byte counts, because sbatch takes 4,096 of them.
constexpr std::size_t kShortEnough = 256;

bool better(const Terms& a, const Terms& b) {
  const std::size_t bytes_a = bytes(a);
  const std::size_t bytes_b = bytes(b);
  if (bytes_a <= kShortEnough && bytes_b <= kShortEnough) return a.size() < b.size();
  return bytes_a < bytes_b;
}

}  // namespace

void append_term(std::string& out, const IndexTerm& term) {
  if (term.last == term.first)
    fmt::format_to(std::back_inserter(out), "{}", term.first);
  else if (term.step == 1)
    fmt::format_to(std::back_inserter(out), "{}-{}", term.first, term.last);
  else
    fmt::format_to(std::back_inserter(out), "{}-{}:{}", term.first, term.last, term.step);
}

std::vector<IndexTerm> best_terms(const IndexSet& indices) {
  if (indices.empty()) return {};
  const std::vector<std::uint32_t> sorted = indices.to_vector();
  Terms neighbours = by_neighbours(sorted);
  if (neighbours.size() <= 2) return neighbours;
  const Bits bits(sorted);
  const auto steps = best_steps(bits, 3);
  std::vector<Terms> candidates;
  for (std::uint32_t step : steps) {
    // A pattern counts only where every index belongs to it.
    std::vector<std::uint32_t> left_over;
    Terms pattern = by_step(sorted, bits, step, kFewestInTerm, left_over);
    if (left_over.empty()) candidates.push_back(std::move(pattern));
    candidates.push_back(by_rounds(sorted, {step}));
  }
  candidates.push_back(std::move(neighbours));
  Terms* best = &candidates.front();
  for (Terms& candidate : candidates)
    if (better(candidate, *best)) best = &candidate;
  std::sort(best->begin(), best->end(),
            [](const IndexTerm& a, const IndexTerm& b) { return a.first < b.first; });
  return std::move(*best);
}

}  // namespace sluice
