// What every association has used, shrinking with the half-life.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "state/usage.h"

namespace sluice {

// All of it shrinks at every calculation. What fairshare weighs shrinks at once, in a row; the rest
// is read by few, so each row is brought up to date when it is looked at or added to. The order of
// multiplications and additions of every number stays the same, and so do its bits.
class PastTable {
 public:
  PastTable() = default;
  PastTable(std::vector<PastUsage> rows, std::size_t dimensions)
      : rows_(std::move(rows)), dimensions_(dimensions), applied_(rows_.size(), 0) {
    // Pairs are multiplied at once.
    billing_.resize((rows_.size() + 1) / 2 * 2);
    for (std::size_t i = 0; i < rows_.size(); ++i) billing_[i] = rows_[i].billing_seconds;
  }

  std::size_t size() const { return rows_.size(); }
  const PastUsage& at(std::size_t row) const {
    bring_up_to_date(row);
    rows_[row].billing_seconds = billing_[row];
    return rows_[row];
  }
  // By row; there may be a zero behind the last.
  const std::vector<double>& billing_seconds() const { return billing_; }

  void add(std::size_t row, const PastUsage& more) {
    bring_up_to_date(row);
    PastUsage& past = rows_[row];
    past.wall_seconds += more.wall_seconds;
    billing_[row] += more.billing_seconds;
    for (std::size_t i = 0; i < dimensions_; i += 2) {
      past.tres_seconds[i] += more.tres_seconds[i];
      past.tres_seconds[i + 1] += more.tres_seconds[i + 1];
    }
  }
  void shrink(double kept) {
    for (std::size_t i = 0; i < billing_.size(); i += 2) {
      billing_[i] *= kept;
      billing_[i + 1] *= kept;
    }
    kept_.push_back(kept);
    if (kept_.size() < kMostKept) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) bring_up_to_date(i);
    applied_.assign(rows_.size(), 0);
    kept_.clear();
  }
  void clear() { *this = PastTable(std::vector<PastUsage>(rows_.size()), dimensions_); }
  std::vector<PastUsage> all() const {
    for (std::size_t i = 0; i < rows_.size(); ++i) at(i);
    return rows_;
  }

 private:
  static_assert(kMaxTres % 2 == 0, "dimensions are counted in pairs; beyond the last is a zero");
  // Few enough for the first level of cache.
  static constexpr std::size_t kMostKept = 256;

  // Numbers are multiplied in pairs, several of them at once: what counts is how long it takes to
  // multiply one, again and again.
  static constexpr std::size_t kPairs = 3;
  template <std::size_t Pairs>
  static void multiply(double* numbers, const double* first, const double* end) {
    std::array<double, 2 * Pairs> local{};
    std::copy_n(numbers, 2 * Pairs, local.begin());
    for (; first != end; ++first)
      for (std::size_t i = 0; i < 2 * Pairs; ++i) local[i] *= *first;
    std::copy_n(local.begin(), 2 * Pairs, numbers);
  }

  void bring_up_to_date(std::size_t row) const {
    if (applied_[row] == kept_.size()) return;
    PastUsage& past = rows_[row];
    const double* const first = kept_.data() + applied_[row];
    const double* const end = kept_.data() + kept_.size();
    applied_[row] = static_cast<std::uint32_t>(kept_.size());
    if (end - first == 1) {
      past.wall_seconds *= *first;
      for (std::size_t i = 0; i < dimensions_; i += 2) {
        past.tres_seconds[i] *= *first;
        past.tres_seconds[i + 1] *= *first;
      }
      return;
    }
    std::array<double, kMaxTres + 2 * kPairs> numbers;
    const std::size_t count = 1 + dimensions_;
    numbers[0] = past.wall_seconds;
    std::copy_n(past.tres_seconds.begin(), dimensions_, numbers.begin() + 1);
    std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(count), 2 * kPairs, 0.0);
    // Most have used CPUs, memory and nodes or nothing at all.
    for (std::size_t i = 0; i < count; i += 2 * kPairs)
      if (std::any_of(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                      numbers.begin() + static_cast<std::ptrdiff_t>(i + 2 * kPairs),
                      [](double number) { return number != 0; }))
        multiply<kPairs>(numbers.data() + i, first, end);
    past.wall_seconds = numbers[0];
    std::copy_n(numbers.begin() + 1, dimensions_, past.tres_seconds.begin());
  }

  mutable std::vector<PastUsage> rows_;
  std::size_t dimensions_ = 0;
  std::vector<double> billing_;
  std::vector<double> kept_;                    // What is left after each of the last shrinkings,
  mutable std::vector<std::uint32_t> applied_;  // and how many of them each row has seen.
};

}  // namespace sluice
