// Nodes by their place among all nodes by name, as Topology::rank has it: runs and sets of them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace sluice {

// Nodes that follow each other.
struct RankRun {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

// A set of nodes, one bit each.
class RankBits {
 public:
  // Empties it.
  void resize(std::size_t nodes) { words_.assign((nodes + 63) / 64, 0); }
  // Those of so many nodes for which has(rank).
  template <class Has>
  void fill(std::size_t nodes, Has has);
  void set(RankRun run) {
    change(run, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
  }
  void reset(RankRun run) {
    change(run, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
  }
  // Those that both have, which are of as many nodes.
  void set_common(const RankBits& a, const RankBits& b) {
    words_.resize(a.words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = a.words_[i] & b.words_[i];
  }
  // Keeps those that the other has too; it has as many.
  void keep(const RankBits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  // How many both have.
  std::uint32_t count_common(const RankBits& other) const {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) count += ones(words_[i] & other.words_[i]);
    return count;
  }
  // How many of the run it has.
  std::uint32_t count(RankRun run) const;
  // Calls visit(rank) in order, for as long as it returns true.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
        if (!visit(i * 64 + static_cast<std::uint32_t>(std::countr_zero(left)))) return;
  }
  // Calls visit(RankRun) for every run of neighbours, in order.
  template <class Visit>
  void for_each_run(Visit visit) const;

 private:
  // A count over thousands of words; std::popcount calls a function for each where the processor
  // may be any of its kind.
  static constexpr std::uint32_t ones(std::uint64_t word) {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<std::uint32_t>(word * 0x0101010101010101 >> 56);
  }
  // Calls visit(word, mask) for each word that the run has a part of.
  template <class Visit>
  static void for_each_word(RankRun run, Visit visit);
  template <class Change>
  void change(RankRun run, Change change) {
    for_each_word(run, [&](std::size_t word, std::uint64_t mask) { change(words_[word], mask); });
  }

  std::vector<std::uint64_t> words_;
};

template <class Has>
void RankBits::fill(std::size_t nodes, Has has) {
  resize(nodes);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::size_t count = nodes - i * 64 < 64 ? nodes - i * 64 : 64;
    std::uint64_t word = 0;
    for (std::size_t bit = 0; bit < count; ++bit) word |= std::uint64_t{has(i * 64 + bit)} << bit;
    words_[i] = word;
  }
}

template <class Visit>
void RankBits::for_each_word(RankRun run, Visit visit) {
  if (run.count == 0) return;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::uint32_t last = run.begin + run.count - 1;
  const std::uint64_t from_begin = kAll << run.begin % 64;
  const std::uint64_t to_last = kAll >> (63 - last % 64);
  const std::size_t end = last / 64;
  std::size_t word = run.begin / 64;
  if (word == end) return visit(word, from_begin & to_last);
  visit(word, from_begin);
  while (++word < end) visit(word, kAll);
  visit(end, to_last);
}

inline std::uint32_t RankBits::count(RankRun run) const {
  std::uint32_t count = 0;
  for_each_word(run,
                [&](std::size_t word, std::uint64_t mask) { count += ones(words_[word] & mask); });
  return count;
}

template <class Visit>
void RankBits::for_each_run(Visit visit) const {
  RankRun run;
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    std::uint64_t left = words_[i];
    std::uint32_t at = i * 64;
    while (left != 0) {
      const auto gap = static_cast<std::uint32_t>(std::countr_zero(left));
      left >>= gap;
      at += gap;
      const auto ones = static_cast<std::uint32_t>(std::countr_one(left));
      if (run.count > 0 && run.begin + run.count == at) {
        run.count += ones;
      } else {
        if (run.count > 0) visit(run);
        run = {at, ones};
      }
      if (ones == 64) break;
      left >>= ones;
      at += ones;
    }
  }
  if (run.count > 0) visit(run);
}

}  // namespace sluice
