// A set of array task indices: one bit each, so a million indices take 125 KB. Copies share their
// bits until one of them changes.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sluice {

// Members of a set with one difference and nothing between them.
struct IndexRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 1;
  std::uint32_t more() const { return (last - first) / step; }
};

class IndexSet {
 public:
  IndexSet() = default;
  void insert(std::uint32_t index);
  // first, first+step, … up to and including last.
  void insert_range(std::uint32_t first, std::uint32_t last, std::uint32_t step = 1);
  void erase(std::uint32_t index);
  // A word at a time: a million of them at once.
  void erase_all(const IndexSet& others);
  bool contains_all(const IndexSet& others) const;
  IndexSet common_with(const IndexSet& other) const;
  bool contains(std::uint32_t index) const {
    const std::size_t word = index / 64;
    return word < words().size() && ((words()[word] >> (index % 64)) & 1U) != 0;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The smallest member, or the smallest that is >= from.
  std::optional<std::uint32_t> first(std::uint32_t from = 0) const {
    // Mostly the next one is near.
    const std::size_t word = from / 64;
    if (word < words().size())
      if (const std::uint64_t bits = words()[word] >> (from % 64); bits != 0)
        return from + static_cast<std::uint32_t>(std::countr_zero(bits));
    return first_beyond(from);
  }
  // The smallest index >= from that is no member.
  std::uint32_t first_absent(std::uint32_t from) const;
  std::optional<std::uint32_t> last() const;
  // The longest run that begins with this member.
  IndexRun run_from(std::uint32_t member) const;
  std::vector<std::uint32_t> to_vector() const;
  friend bool operator==(const IndexSet& a, const IndexSet& b);

 private:
  using Words = std::vector<std::uint64_t>;
  const Words& words() const {
    static const Words none;
    return words_ ? *words_ : none;
  }
  // To be changed: of this set alone.
  Words& own();
  std::optional<std::uint32_t> first_beyond(std::uint32_t from) const;
  void count();

  std::shared_ptr<Words> words_;
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
