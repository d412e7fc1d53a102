// Bit arithmetic of index sets.
#include "model/index_set.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sluice {
namespace {

// As long as whole words hold nothing but the pattern that this step gives them.
std::uint32_t last_of_whole_words(const std::vector<std::uint64_t>& all, std::uint32_t last,
                                  std::uint32_t step) {
  // Up to where the next member would lie in another word.
  while ((last + step) / 64 == last / 64) {
    const std::uint64_t between = (all[last / 64] >> (last % 64)) >> 1;
    if (between == 0 || static_cast<std::uint32_t>(std::countr_zero(between)) + 1 != step)
      return last;
    last += step;
  }
  std::array<std::uint64_t, 64> patterns{};  // By where the first of the word lies.
  for (std::uint32_t bit = 0; bit < 64; ++bit) patterns[bit % step] |= std::uint64_t{1} << bit;
  if (((all[last / 64] >> (last % 64)) >> 1) != 0) return last;
  for (std::uint64_t next = std::uint64_t{last} + step; next / 64 < all.size();) {
    const std::uint64_t pattern = patterns[next % 64];
    if (all[next / 64] != pattern) return last;
    last = static_cast<std::uint32_t>(next / 64 * 64 + 63 -
                                      static_cast<std::uint32_t>(std::countl_zero(pattern)));
    next = std::uint64_t{last} + step;
  }
  return last;
}

}  // namespace

IndexSet::Words& IndexSet::own() {
  if (!words_)
    words_ = std::make_shared<Words>();
  else if (words_.use_count() > 1)
    words_ = std::make_shared<Words>(*words_);
  return *words_;
}

void IndexSet::insert(std::uint32_t index) {
  if (contains(index)) return;
  Words& words = own();
  const std::size_t word = index / 64;
  if (word >= words.size()) words.resize(word + 1);
  words[word] |= std::uint64_t{1} << (index % 64);
  ++size_;
  low_word_ = std::min(low_word_, word);
}

void IndexSet::insert_range(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  if (last < first || step == 0) return;
  Words& words = own();
  if (last / 64 >= words.size()) words.resize(last / 64 + 1);
  if (step == 1) {
    for (std::size_t word = first / 64; word <= last / 64; ++word) {
      std::uint64_t bits = ~std::uint64_t{0};
      if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
      if (word == last / 64) bits &= ~std::uint64_t{0} >> (63 - last % 64);
      size_ += static_cast<std::size_t>(std::popcount(bits & ~words[word]));
      words[word] |= bits;
    }
  } else {
    for (std::uint64_t i = first; i <= last; i += step) {
      const std::uint64_t bit = std::uint64_t{1} << (i % 64);
      size_ += (words[i / 64] & bit) == 0 ? std::size_t{1} : 0;
      words[i / 64] |= bit;
    }
  }
  low_word_ = std::min<std::size_t>(low_word_, first / 64);
}

void IndexSet::count() {
  size_ = 0;
  for (const std::uint64_t bits : words()) size_ += static_cast<std::size_t>(std::popcount(bits));
  low_word_ = 0;
}

void IndexSet::erase(std::uint32_t index) {
  if (!contains(index)) return;
  own()[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  --size_;
}

void IndexSet::erase_all(const IndexSet& others) {
  if (empty() || others.empty()) return;
  const Words& away = others.words();
  Words& words = own();
  for (std::size_t word = 0; word < std::min(words.size(), away.size()); ++word)
    words[word] &= ~away[word];
  count();
}

bool IndexSet::contains_all(const IndexSet& others) const {
  for (std::size_t word = 0; word < others.words().size(); ++word) {
    const std::uint64_t mine = word < words().size() ? words()[word] : 0;
    if ((others.words()[word] & ~mine) != 0) return false;
  }
  return true;
}

IndexSet IndexSet::common_with(const IndexSet& other) const {
  IndexSet out;
  Words& words = out.own();
  words.resize(std::min(this->words().size(), other.words().size()));
  for (std::size_t word = 0; word < words.size(); ++word)
    words[word] = this->words()[word] & other.words()[word];
  out.count();
  return out;
}

std::optional<std::uint32_t> IndexSet::first_beyond(std::uint32_t from) const {
  if (size_ == 0) return std::nullopt;
  const Words& all = words();
  std::size_t word = std::max<std::size_t>(low_word_, from / 64);
  bool skipped_nothing = word == low_word_;
  for (; word < all.size(); ++word) {
    std::uint64_t bits = all[word];
    if (skipped_nothing && bits == 0) low_word_ = word + 1;
    if (bits != 0) skipped_nothing = false;
    if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
    if (bits != 0)
      return static_cast<std::uint32_t>(word * 64 +
                                        static_cast<std::size_t>(std::countr_zero(bits)));
  }
  return std::nullopt;
}

std::uint32_t IndexSet::first_absent(std::uint32_t from) const {
  for (std::size_t word = from / 64; word < words().size(); ++word) {
    std::uint64_t absent = ~words()[word];
    if (word == from / 64) absent &= ~std::uint64_t{0} << (from % 64);
    if (absent != 0)
      return static_cast<std::uint32_t>(word * 64 +
                                        static_cast<std::size_t>(std::countr_zero(absent)));
  }
  return std::max(from, static_cast<std::uint32_t>(words().size() * 64));
}

IndexRun IndexSet::run_from(std::uint32_t member) const {
  const auto second = first(member + 1);
  if (!second) return {member, member, 1};
  const std::uint32_t step = *second - member;
  if (step == 1) return {member, first_absent(*second) - 1, 1};
  std::uint32_t last = *second;
  if (step < 64) last = last_of_whole_words(words(), last, step);
  for (auto next = first(last + 1); next && *next - last == step; next = first(last + 1))
    last = *next;
  return {member, last, step};
}

std::optional<std::uint32_t> IndexSet::last() const {
  for (std::size_t word = words().size(); word-- > 0;)
    if (words()[word] != 0)
      return static_cast<std::uint32_t>(word * 64 + 63 -
                                        static_cast<std::size_t>(std::countl_zero(words()[word])));
  return std::nullopt;
}

std::vector<std::uint32_t> IndexSet::to_vector() const {
  std::vector<std::uint32_t> out;
  out.reserve(size_);
  for (std::size_t word = 0; word < words().size(); ++word)
    for (std::uint64_t bits = words()[word]; bits != 0; bits &= bits - 1)
      out.push_back(
          static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  return out;
}

bool operator==(const IndexSet& a, const IndexSet& b) {
  if (a.size_ != b.size_) return false;
  if (a.words_ == b.words_) return true;
  const auto& shorter = a.words().size() <= b.words().size() ? a.words() : b.words();
  const auto& longer = a.words().size() <= b.words().size() ? b.words() : a.words();
  // Equal sizes: when the common words agree the rest of the longer one is empty.
  return std::equal(shorter.begin(), shorter.end(), longer.begin());
}

}  // namespace sluice
