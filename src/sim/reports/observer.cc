// Sums of value times time, step by step.
#include "sim/reports/observer.h"

#include <algorithm>
#include <bit>

#include "policy/gates.h"

namespace sluice {
namespace {

constexpr std::size_t kMostSteps = 400;
// Of a queue, at one look; evenly spread.
constexpr std::size_t kJobsLookedAt = 16;

}  // namespace

Observer::Observer(std::size_t accounts)
    : width_(kAccounts + accounts), current_(width_, 0.0), sums_(width_ * kMostSteps, 0.0) {}

void Observer::begin(Instant now) { begin_ = last_ = next_look_ = now; }

void Observer::advance(Instant now, const Engine& engine) {
  if (now <= last_) return;
  if (now >= next_look_) {
    look_at_queue(engine, now);
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

void Observer::holds(const Allocation& allocation, std::uint32_t account, int sign) {
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
  if (account > 0) current_[kAccounts + account - 1] += static_cast<double>(sign * cpus);
}

// Each job that is looked at stands for its part of the queue, for as long as a step.
void Observer::look_at_queue(const Engine& engine, Instant now) {
  const std::vector<QueueEntry>& entries = engine.queue().entries();
  const std::size_t head = engine.queue().head();
  if (engine.queue().empty() || entries.size() <= head) return;
  const State& state = engine.state();
  const std::size_t stride = std::max<std::size_t>((entries.size() - head) / kJobsLookedAt, 1);
  std::vector<std::string> words;
  for (std::size_t at = head; at < entries.size(); at += stride) {
    const Job* job = state.find_job(entries[at].job);
    if (job == nullptr || job->state != JobState::kPending) continue;
    std::string word = "Resources or Priority";
    const Shape& shape = state.shape_of_job(*job);
    for (const Gate& gate :
         gates_of(state, shape, shape.partitions.front(), job->limit, shape.asked, now))
      if (!gate.passed) {
        word = slurm_word(gate.reason, state.policy().tres);
        break;
      }
    words.push_back(std::move(word));
  }
  if (words.empty()) return;
  const double each =
      static_cast<double>(engine.queue().size()) / static_cast<double>(words.size());
  for (const std::string& word : words) reasons_[word] += each * static_cast<double>(step_.count());
}

Timeline Observer::timeline(Instant end) const {
  Timeline out;
  out.begin = begin_;
  out.step = step_;
  out.account_cpus.resize(width_ - kAccounts);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    const Instant from = begin_ + step_ * static_cast<std::int64_t>(step);
    if (from >= end) break;
    const auto length = static_cast<double>(std::min(step_, end - from).count());
    const auto mean = [&](std::size_t series) { return sums_[step * width_ + series] / length; };
    out.pending.push_back(mean(kPending));
    out.running.push_back(mean(kRunning));
    out.cpus.push_back(mean(kCpus));
    out.gpus.push_back(mean(kGpus));
    out.memory_mb.push_back(mean(kMemory));
    for (std::size_t i = 0; i + kAccounts < width_; ++i)
      out.account_cpus[i].push_back(mean(kAccounts + i));
  }
  return out;
}

}  // namespace sluice
