// Sums of value times time, step by step.
#include "sim/reports/observer.h"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

constexpr std::size_t kMostSteps = 400;

}  // namespace

double Timeline::mean_of(const std::vector<double>& series) const {
  if (series.empty()) return 0;
  const auto whole = static_cast<double>(step.count());
  const auto last = static_cast<double>(last_step.count());
  double sum = 0;
  for (std::size_t i = 0; i + 1 < series.size(); ++i) sum += series[i] * whole;
  return (sum + series.back() * last) / (whole * static_cast<double>(series.size() - 1) + last);
}

Observer::Observer(std::size_t accounts, std::size_t users)
    : accounts_(accounts),
      users_(users),
      width_(kApart + 2 * (accounts + users)),
      current_(width_, 0.0),
      sums_(width_ * kMostSteps, 0.0) {}

void Observer::begin(Instant now) {
  begin_ = last_ = next_look_ = now;
  causes_.settle(now);
}

void Observer::advance(Instant now, const Engine& engine) {
  // Of what happens at one instant the first turns are not how it stays.
  constexpr int kLooksAtOnce = 16;
  if (now >= next_look_ || (now == looked_at_ && looks_there_ < kLooksAtOnce)) {
    looks_there_ = now == looked_at_ ? looks_there_ + 1 : 0;
    causes_.look(engine, now);
    looked_at_ = now;
    next_look_ = now + step_;
  }
  while (last_ < now) {
    const auto index = static_cast<std::size_t>((last_ - begin_) / step_);
    if (index >= kMostSteps) {
      coarsen();
      continue;
    }
    const Instant until = std::min(now, begin_ + step_ * static_cast<std::int64_t>(index + 1));
    const auto length = static_cast<double>((until - last_).count());
    double* const sums = &sums_[index * width_];
    for (std::size_t i = 0; i < width_; ++i) sums[i] += current_[i] * length;
    last_ = until;
  }
}

void Observer::coarsen() {
  for (std::size_t step = 0; step < kMostSteps / 2; ++step)
    for (std::size_t i = 0; i < width_; ++i)
      sums_[step * width_ + i] = sums_[2 * step * width_ + i] + sums_[(2 * step + 1) * width_ + i];
  std::fill(sums_.begin() + static_cast<std::ptrdiff_t>(kMostSteps / 2 * width_), sums_.end(), 0.0);
  step_ *= 2;
}

void Observer::waits(std::int64_t jobs, Observed of) {
  const auto change = static_cast<double>(jobs);
  current_[kPending] += change;
  if (of.account > 0) current_[of_account(of.account) + 1] += change;
  if (of.user > 0) current_[of_user(of.user) + 1] += change;
}

void Observer::holds(const Allocation& allocation, Observed of, int sign) {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int64_t memory = 0;
  for (const NodeShare& share : allocation.shares()) {
    cpus += share.cpus;
    gpus += std::popcount(share.gpus);
    memory += share.memory_mb;
  }
  current_[kRunning] += sign;
  current_[kCpus] += static_cast<double>(sign * cpus);
  current_[kGpus] += static_cast<double>(sign * gpus);
  current_[kMemory] += static_cast<double>(sign * memory);
  if (of.account > 0) current_[of_account(of.account)] += static_cast<double>(sign * cpus);
  if (of.user > 0) current_[of_user(of.user)] += static_cast<double>(sign * cpus);
}

Timeline Observer::timeline(Instant end) const {
  Timeline out;
  out.begin = begin_;
  out.step = step_;
  out.account_cpus.resize(accounts_);
  out.account_pending.resize(accounts_);
  out.user_cpus.resize(users_);
  out.user_pending.resize(users_);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    const Instant from = begin_ + step_ * static_cast<std::int64_t>(step);
    if (from >= end) break;
    out.last_step = std::min(step_, end - from);
    const auto length = static_cast<double>(out.last_step.count());
    const auto mean = [&](std::size_t series) { return sums_[step * width_ + series] / length; };
    out.pending.push_back(mean(kPending));
    out.running.push_back(mean(kRunning));
    out.cpus.push_back(mean(kCpus));
    out.gpus.push_back(mean(kGpus));
    out.memory_mb.push_back(mean(kMemory));
    for (std::uint32_t i = 0; i < accounts_; ++i) {
      out.account_cpus[i].push_back(mean(of_account(i + 1)));
      out.account_pending[i].push_back(mean(of_account(i + 1) + 1));
    }
    for (std::uint32_t i = 0; i < users_; ++i) {
      out.user_cpus[i].push_back(mean(of_user(i + 1)));
      out.user_pending[i].push_back(mean(of_user(i + 1) + 1));
    }
  }
  return out;
}

}  // namespace sluice
