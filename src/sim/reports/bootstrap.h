// How sure a difference is: intervals from resampling blocks of neighbouring jobs.
#pragma once

#include <cstdint>
#include <span>

namespace sluice {

// 95 of 100 resamples lie in it.
struct Interval {
  double low = 0;
  double high = 0;
  bool holds_zero() const { return low <= 0 && high >= 0; }
};

// Jobs in a queue are not independent of their neighbours, so whole blocks of about the square root
// of all are drawn, with repetition. The same seed gives the same interval.

// Of the mean of these differences, in order of submission.
Interval interval_of_mean(std::span<const double> differences, std::uint64_t seed);

// Of the p-th percentile of `after` less that of `before`; both are of the same jobs, in order of
// submission.
Interval interval_of_percentile(std::span<const double> before, std::span<const double> after,
                                unsigned percent, std::uint64_t seed);

}  // namespace sluice
