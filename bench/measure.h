// Times by the CPU they took, interleaved, with median and spread.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace sluice::bench {

// Seconds of CPU of this thread: what else the machine does meanwhile hardly shows.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

class Sample {
 public:
  void add(double seconds) {
    values_.insert(std::upper_bound(values_.begin(), values_.end(), seconds), seconds);
  }
  double median() const { return values_[values_.size() / 2]; }
  double least() const { return values_.front(); }
  double most() const { return values_.back(); }

 private:
  std::vector<double> values_;
};

inline constexpr int kRepeats = 5;

inline double time_of(const std::function<void()>& work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

// Runs all of them in turn, `repeats` times, after one turn that does not count.
inline std::vector<Sample> interleaved(const std::vector<std::function<void()>>& works,
                                       int repeats = kRepeats) {
  std::vector<Sample> samples(works.size());
  for (const auto& work : works) work();
  for (int i = 0; i < repeats; ++i)
    for (std::size_t k = 0; k < works.size(); ++k) samples[k].add(time_of(works[k]));
  return samples;
}

}  // namespace sluice::bench
