// Bit arithmetic of index sets.
#include "model/index_set.h"

#include <algorithm>
#include <bit>

namespace sluice {

void IndexSet::insert(std::uint32_t index) {
  const std::size_t word = index / 64;
  if (word >= words_.size()) words_.resize(word + 1);
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if ((words_[word] & bit) == 0) {
    words_[word] |= bit;
    ++size_;
    low_word_ = std::min(low_word_, word);
  }
}

void IndexSet::insert_range(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  if (last < first || step == 0) return;
  if (last / 64 >= words_.size()) words_.resize(last / 64 + 1);
  low_word_ = std::min<std::size_t>(low_word_, first / 64);
  if (step > 1) {
    for (std::uint64_t i = first; i <= last; i += step) insert(static_cast<std::uint32_t>(i));
    return;
  }
  for (std::size_t word = first / 64; word <= last / 64; ++word) {
    std::uint64_t bits = ~std::uint64_t{0};
    if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
    if (word == last / 64) bits &= ~std::uint64_t{0} >> (63 - last % 64);
    size_ += static_cast<std::size_t>(std::popcount(bits & ~words_[word]));
    words_[word] |= bits;
  }
}

void IndexSet::erase(std::uint32_t index) {
  if (!contains(index)) return;
  words_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  --size_;
}

std::optional<std::uint32_t> IndexSet::first(std::uint32_t from) const {
  if (size_ == 0) return std::nullopt;
  // Mostly the next one is near.
  if (from / 64 < words_.size())
    if (const std::uint64_t bits = words_[from / 64] >> (from % 64); bits != 0)
      return from + static_cast<std::uint32_t>(std::countr_zero(bits));
  std::size_t word = std::max<std::size_t>(low_word_, from / 64);
  bool skipped_nothing = word == low_word_;
  for (; word < words_.size(); ++word) {
    std::uint64_t bits = words_[word];
    if (skipped_nothing && bits == 0) low_word_ = word + 1;
    if (bits != 0) skipped_nothing = false;
    if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
    if (bits != 0)
      return static_cast<std::uint32_t>(word * 64 +
                                        static_cast<std::size_t>(std::countr_zero(bits)));
  }
  return std::nullopt;
}

std::optional<std::uint32_t> IndexSet::last() const {
  for (std::size_t word = words_.size(); word-- > 0;)
    if (words_[word] != 0)
      return static_cast<std::uint32_t>(word * 64 + 63 -
                                        static_cast<std::size_t>(std::countl_zero(words_[word])));
  return std::nullopt;
}

std::vector<std::uint32_t> IndexSet::to_vector() const {
  std::vector<std::uint32_t> out;
  out.reserve(size_);
  for (std::size_t word = 0; word < words_.size(); ++word)
    for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
      out.push_back(
          static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  return out;
}

bool operator==(const IndexSet& a, const IndexSet& b) {
  if (a.size_ != b.size_) return false;
  const auto& shorter = a.words_.size() <= b.words_.size() ? a.words_ : b.words_;
  const auto& longer = a.words_.size() <= b.words_.size() ? b.words_ : a.words_;
  // Equal sizes: when the common words agree the rest of the longer one is empty.
  return std::equal(shorter.begin(), shorter.end(), longer.begin());
}

}  // namespace sluice
