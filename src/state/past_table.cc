// Multiplies what a row missed, one factor after the other.
#include "state/past_table.h"

#include <array>
#include <utility>

namespace sluice {
namespace {

// What counts is how long it takes to multiply a number again and again: several of them go
// together and stay in registers, which a loop over them would not do.
constexpr std::size_t kTogether = 12;

template <std::size_t... I>
void multiply(double* numbers, const double* first, const double* end, std::index_sequence<I...>) {
  std::array<double, sizeof...(I)> local{numbers[I]...};
  for (; first != end; ++first) ((local[I] *= *first), ...);
  ((numbers[I] = local[I]), ...);
}

// Numbers that missed the same factors, gathered until they are worth it.
class Multiplication {
 public:
  Multiplication(const double* first, const double* end) : first_(first), end_(end) {}
  ~Multiplication() { carry_out(); }
  Multiplication(const Multiplication&) = delete;
  Multiplication& operator=(const Multiplication&) = delete;

  void add(double& number) {
    if (number == 0) return;  // Most have used CPUs, memory and nodes or nothing at all.
    where_[count_] = &number;
    numbers_[count_] = number;
    if (++count_ == kTogether) carry_out();
  }

 private:
  void carry_out() {
    if (count_ == 0) return;
    if (count_ * 2 <= kTogether)
      multiply(numbers_.data(), first_, end_, std::make_index_sequence<kTogether / 2>());
    else
      multiply(numbers_.data(), first_, end_, std::make_index_sequence<kTogether>());
    for (std::size_t i = 0; i < count_; ++i) *where_[i] = numbers_[i];
    count_ = 0;
  }

  const double* first_;
  const double* end_;
  std::array<double, kTogether> numbers_{};
  std::array<double*, kTogether> where_{};
  std::size_t count_ = 0;
};

void add_row(Multiplication& all, PastUsage& past, std::size_t dimensions) {
  all.add(past.wall_seconds);
  for (std::size_t i = 0; i < dimensions; ++i) all.add(past.tres_seconds[i]);
}

}  // namespace

void PastTable::catch_up(std::size_t row) const {
  Multiplication missed(kept_.data() + applied_[row], kept_.data() + kept_.size());
  add_row(missed, rows_[row], dimensions_);
  applied_[row] = static_cast<std::uint32_t>(kept_.size());
}

void PastTable::bring_all_up_to_date() {
  {
    // Entries that were not looked at since the last time have missed all.
    Multiplication all(kept_.data(), kept_.data() + kept_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (applied_[i] == 0)
        add_row(all, rows_[i], dimensions_);
      else
        bring_up_to_date(i);
  }
  applied_.assign(rows_.size(), 0);
  kept_.clear();
}

}  // namespace sluice
