// What every association has used, shrinking with the half-life.
#pragma once

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
    if (kept_.size() == kMostKept) bring_all_up_to_date();
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

  void bring_up_to_date(std::size_t row) const {
    if (applied_[row] == kept_.size()) return;
    if (applied_[row] + 1 < kept_.size()) return catch_up(row);
    applied_[row] = static_cast<std::uint32_t>(kept_.size());
    PastUsage& past = rows_[row];
    const double kept = kept_.back();
    past.wall_seconds *= kept;
    for (std::size_t i = 0; i < dimensions_; i += 2) {
      past.tres_seconds[i] *= kept;
      past.tres_seconds[i + 1] *= kept;
    }
  }
  void catch_up(std::size_t row) const;
  void bring_all_up_to_date();

  mutable std::vector<PastUsage> rows_;
  std::size_t dimensions_ = 0;
  std::vector<double> billing_;
  std::vector<double> kept_;                    // What is left after each of the last shrinkings,
  mutable std::vector<std::uint32_t> applied_;  // and how many of them each row has seen.
};

}  // namespace sluice
