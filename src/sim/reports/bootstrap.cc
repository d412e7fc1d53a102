// Percentile intervals; block sums make a resample of the mean cheap.
#include "sim/reports/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sim/workloads/splitmix.h"

namespace sluice {
namespace {

constexpr std::size_t kResamples = 1000;
// A percentile reads every job again for every resample.
constexpr std::size_t kMostReads = 60'000'000;

std::size_t blocks_for(std::size_t jobs) {
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(jobs)));
  return std::clamp<std::size_t>(root, std::min<std::size_t>(jobs, 10), 400);
}

std::size_t block_of(std::size_t job, std::size_t jobs, std::size_t blocks) {
  return job * blocks / jobs;
}

Interval middle_of(std::vector<double>& samples) {
  std::sort(samples.begin(), samples.end());
  const auto rank = [&](double part) {
    return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1))];
  };
  return {rank(0.025), rank(0.975)};
}

// The values of a series in rising order, each with the block it is in.
struct Ranked {
  std::vector<double> value;
  std::vector<std::uint32_t> block;
};

Ranked ranked(std::span<const double> values, std::size_t blocks) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  Ranked out;
  for (const std::uint32_t at : order) {
    out.value.push_back(values[at]);
    out.block.push_back(static_cast<std::uint32_t>(block_of(at, values.size(), blocks)));
  }
  return out;
}

double percentile(const Ranked& of, const std::vector<std::uint32_t>& times, std::uint64_t jobs,
                  unsigned percent) {
  const std::uint64_t rank = (jobs * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < of.value.size(); ++i) {
    seen += times[of.block[i]];
    if (seen >= rank) return of.value[i];
  }
  return of.value.empty() ? 0 : of.value.back();
}

}  // namespace

Interval interval_of_mean(std::span<const double> differences, std::uint64_t seed) {
  if (differences.empty()) return {};
  const std::size_t blocks = blocks_for(differences.size());
  std::vector<double> sums(blocks, 0.0);
  std::vector<double> counts(blocks, 0.0);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const std::size_t block = block_of(i, differences.size(), blocks);
    sums[block] += differences[i];
    ++counts[block];
  }
  Draws draws(seed, 71);
  std::vector<double> samples;
  for (std::size_t k = 0; k < kResamples; ++k) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t block = draws.below(blocks);
      sum += sums[block];
      count += counts[block];
    }
    samples.push_back(sum / count);
  }
  return middle_of(samples);
}

Interval interval_of_percentile(std::span<const double> before, std::span<const double> after,
                                unsigned percent, std::uint64_t seed) {
  if (before.empty() || before.size() != after.size()) return {};
  const std::size_t blocks = blocks_for(before.size());
  const Ranked first = ranked(before, blocks);
  const Ranked second = ranked(after, blocks);
  std::vector<std::uint64_t> sizes(blocks, 0);
  for (std::size_t i = 0; i < before.size(); ++i) ++sizes[block_of(i, before.size(), blocks)];
  const std::size_t resamples =
      std::clamp<std::size_t>(kMostReads / before.size(), 100, kResamples);
  Draws draws(seed, 72);
  std::vector<double> samples;
  std::vector<std::uint32_t> times(blocks);
  for (std::size_t k = 0; k < resamples; ++k) {
    std::fill(times.begin(), times.end(), 0U);
    std::uint64_t jobs = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t block = draws.below(blocks);
      ++times[block];
      jobs += sizes[block];
    }
    samples.push_back(percentile(second, times, jobs, percent) -
                      percentile(first, times, jobs, percent));
  }
  return middle_of(samples);
}

}  // namespace sluice
