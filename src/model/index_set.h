// A set of array task indices: one bit each, so a million indices take 125 KB.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

class IndexSet {
 public:
  IndexSet() = default;
  void insert(std::uint32_t index);
  // first, first+step, … up to and including last.
  void insert_range(std::uint32_t first, std::uint32_t last, std::uint32_t step = 1);
  void erase(std::uint32_t index);
  bool contains(std::uint32_t index) const {
    const std::size_t word = index / 64;
    return word < words_.size() && ((words_[word] >> (index % 64)) & 1U) != 0;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The smallest member, or the smallest that is >= from.
  std::optional<std::uint32_t> first(std::uint32_t from = 0) const;
  std::optional<std::uint32_t> last() const;
  std::vector<std::uint32_t> to_vector() const;
  friend bool operator==(const IndexSet& a, const IndexSet& b);

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
  // No member lies in a word before this one: taking the smallest again and again stays cheap.
  mutable std::size_t low_word_ = 0;
};

// --array=0-99:2%10,200
struct ArraySpec {
  IndexSet indices;
  std::optional<std::uint32_t> throttle;  // %N: at most N run at once.
  friend bool operator==(const ArraySpec&, const ArraySpec&) = default;
};

}  // namespace sluice
