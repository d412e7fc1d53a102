// Two compressors, by neighbours and by the best step again and again; the better result is kept.
#include "text/index_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

using Terms = std::vector<IndexTerm>;

constexpr std::uint32_t kLongestStepTried = 2048;
// Every step is rated on so many indices, the best few on all of them.
constexpr std::size_t kSamples = 256;
constexpr std::size_t kStepsCounted = 8;
// A term of a step other than 1 pays off from three indices on.
constexpr std::uint32_t kFewestInTerm = 3;
constexpr int kMostRounds = 6;
// From here on every pass over the indices takes milliseconds: fewer are made.
constexpr std::size_t kMany = 200'000;

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

// The same of a set that falls into one or two terms; empty where there are more. Most sets are
// ranges, and a million indices are not worth a list.
Terms one_or_two(const IndexSet& indices) {
  Terms terms;
  for (auto next = indices.first(); next;) {
    if (terms.size() == 2) return {};
    IndexRun run = indices.run_from(*next);
    if (run.more() + 1 < kFewestInTerm && run.step != 1) run = {*next, *next, 1};
    terms.push_back({run.first, run.last, run.step});
    next = indices.first(run.last + 1);
  }
  return terms;
}

// Takes every progression of this step with at least three members out of the bits.
Terms take_step(const std::vector<std::uint32_t>& sorted, Bits& bits, std::uint32_t step) {
  Terms terms;
  for (std::uint32_t index : sorted) {
    if (!bits.has(index) || (index >= step && bits.has(index - step))) continue;
    std::uint32_t last = index;
    std::uint32_t count = 1;
    for (; bits.has(last + step); last += step) ++count;
    if (count >= kFewestInTerm) terms.push_back({index, last, step});
  }
  for (const IndexTerm& term : terms)
    for (std::uint32_t member = term.first; member <= term.last; member += step) bits.clear(member);
  return terms;
}

// The steps with the fewest progressions, best first; where equal the longer step, which shows the
// pattern: 1-21:10,2-22:10,3-23:10 rather than 1-3,11-13,21-23.
std::vector<std::uint32_t> best_steps(const std::vector<std::uint32_t>& sorted, const Bits& bits,
                                      std::size_t how_many) {
  std::vector<std::uint32_t> samples = sorted;
  if (samples.size() > kSamples) {
    samples.clear();
    // Spread by a multiplier that shares no rhythm with the pattern looked for.
    for (std::uint64_t i = 0; i < kSamples; ++i)
      samples.push_back(sorted[i * 2654435761U % sorted.size()]);
  }
  struct Rated {
    std::size_t starts;
    std::uint32_t step;
    bool operator<(const Rated& other) const {
      return starts != other.starts ? starts < other.starts : step > other.step;
    }
  };
  std::vector<Rated> rated;
  const std::uint32_t longest = std::min(kLongestStepTried, bits.span());
  for (std::uint32_t step = 1; step <= longest; ++step) {
    std::size_t starts = 0;
    for (std::uint32_t index : samples)
      if (index < step || !bits.has(index - step)) ++starts;
    rated.push_back({starts, step});
  }
  const auto keep_best = [&](std::size_t count, auto better) {
    count = std::min(count, rated.size());
    std::partial_sort(rated.begin(), rated.begin() + static_cast<std::ptrdiff_t>(count),
                      rated.end(), better);
    rated.resize(count);
  };
  if (samples.size() < sorted.size()) {
    // Multiples of a good step look as good on few samples, and fall into more progressions.
    keep_best(kStepsCounted, [](const Rated& a, const Rated& b) {
      return a.starts != b.starts ? a.starts < b.starts : a.step < b.step;
    });
    for (Rated& one : rated) one.starts = bits.progressions(one.step);
  }
  keep_best(how_many, std::less<Rated>());
  std::vector<std::uint32_t> steps;
  for (const Rated& one : rated) steps.push_back(one.step);
  return steps;
}

// Takes the progressions of a step out, then those of the best step for what is left, and so on.
Terms by_rounds(std::vector<std::uint32_t> sorted, Bits bits, std::uint32_t step) {
  Terms terms;
  const int rounds = sorted.size() < kMany ? kMostRounds : 2;
  for (int round = 0; round < rounds && sorted.size() >= kFewestInTerm; ++round) {
    if (round > 0) step = best_steps(sorted, bits, 1).front();
    const Terms taken = take_step(sorted, bits, step);
    if (taken.empty()) break;
    terms.insert(terms.end(), taken.begin(), taken.end());
    std::erase_if(sorted, [&](std::uint32_t index) { return !bits.has(index); });
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
  const auto append = [&](std::uint32_t number) {
    const fmt::format_int text(number);
    out.append(text.data(), text.size());
  };
  append(term.first);
  if (term.last == term.first) return;
  out += '-';
  append(term.last);
  if (term.step == 1) return;
  out += ':';
  append(term.step);
}

std::vector<IndexTerm> best_terms(const IndexSet& indices) {
  Terms few = one_or_two(indices);
  if (!few.empty() || indices.empty()) return few;
  const std::vector<std::uint32_t> sorted = indices.to_vector();
  Terms neighbours = by_neighbours(sorted);
  const Bits bits(sorted);
  const bool many = sorted.size() >= kMany;
  std::vector<Terms> candidates;
  for (std::uint32_t step : best_steps(sorted, bits, many ? 1 : 3)) {
    // Many indices without a pattern worth the time: a term would hold less than eight of them.
    if (many && bits.progressions(step) > sorted.size() / 8) break;
    candidates.push_back(by_rounds(sorted, bits, step));
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
