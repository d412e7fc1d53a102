#include "host/machine/gpu_watch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "host/machine/nvml.h"

namespace sluice {
namespace {

// NVML tells what the last second was like, or the last sixth of one.
constexpr auto kPause = std::chrono::seconds(1);
// For what it was asked last. A driver that hangs keeps no daemon from ending.
constexpr auto kLastAnswerWithin = std::chrono::seconds(2);

}  // namespace

GpuWatch::~GpuWatch() {
  if (!started_) return;
  std::unique_lock lock(runs_->guard);
  runs_->over = true;
  runs_->changed.notify_all();
  runs_->changed.wait_for(lock, kLastAnswerWithin, [this] { return runs_->left; });
}

void GpuWatch::begin(RunKey run, std::vector<std::string> devices) {
  if (devices.empty()) return;
  const std::lock_guard lock(runs_->guard);
  runs_->held[run].devices = std::move(devices);
  runs_->changed.notify_all();
  if (std::exchange(started_, true)) return;
  // Signals are for the thread that has the loop.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([runs = runs_] { watch(runs); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::optional<GpuUse> GpuWatch::Watched::use() const {
  if (samples == 0) return std::nullopt;
  return GpuUse{busy_sum / samples, most_memory_mb};
}

std::optional<GpuUse> GpuWatch::so_far(RunKey run) const {
  const std::lock_guard lock(runs_->guard);
  const auto found = runs_->held.find(run);
  return found != runs_->held.end() ? found->second.use() : std::nullopt;
}

std::optional<GpuUse> GpuWatch::end(RunKey run) {
  const std::lock_guard lock(runs_->guard);
  const auto found = runs_->held.find(run);
  if (found == runs_->held.end()) return std::nullopt;
  const Watched seen = std::move(found->second);
  runs_->held.erase(found);
  return seen.use();
}

void GpuWatch::watch(const std::shared_ptr<Runs>& runs) {
  auto nvml = Nvml::open();
  std::unique_lock lock(runs->guard);
  while (nvml && !runs->over) {
    runs->changed.wait(lock, [&] { return runs->over || !runs->held.empty(); });
    // A run that has just begun has done nothing yet.
    if (runs->changed.wait_for(lock, kPause, [&] { return runs->over; })) break;
    lock.unlock();
    const std::vector<GpuSample> samples = nvml->sample();
    lock.lock();
    for (auto& [run, seen] : runs->held) {
      std::int64_t memory = 0;
      for (const GpuSample& sample : samples) {
        if (std::find(seen.devices.begin(), seen.devices.end(), sample.device) ==
            seen.devices.end())
          continue;
        ++seen.samples;
        seen.busy_sum += sample.busy_percent;
        memory += sample.memory_mb;
      }
      seen.most_memory_mb = std::max(seen.most_memory_mb, memory);
    }
  }
  lock.unlock();
  nvml.reset();
  lock.lock();
  runs->left = true;
  runs->changed.notify_all();
}

}  // namespace sluice
