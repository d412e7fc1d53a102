// What the GPUs of a run did while it had them: sampled once a second, by a thread of its own, for
// a driver may take its time to answer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/keeper/run_key.h"

namespace sluice {

// Over all of the run's GPUs: the mean of what they were busy, and the most memory that was in use
// on them at once.
struct GpuUse {
  std::int64_t busy_percent = 0;
  std::int64_t memory_mb = 0;
};

class GpuWatch {
 public:
  GpuWatch() = default;
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  // The run has these device files from now on. The library is loaded at the first of them; nothing
  // is asked while no run has a GPU.
  void begin(RunKey run, std::vector<std::string> devices);
  // Nothing where it was not begun, or too short for a sample, or nothing can be measured here.
  std::optional<GpuUse> end(RunKey run);
  // The same of one that goes on.
  std::optional<GpuUse> so_far(RunKey run) const;

 private:
  struct Watched {
    std::optional<GpuUse> use() const;

    std::vector<std::string> devices;
    std::int64_t samples = 0;  // Of one GPU each.
    std::int64_t busy_sum = 0;
    std::int64_t most_memory_mb = 0;
  };
  // Shared with the thread, which may outlive this where the driver does not answer.
  struct Runs {
    std::mutex guard;
    std::condition_variable changed;
    std::map<RunKey, Watched> held;
    bool over = false;
    bool left = false;  // The thread has.
  };
  static void watch(const std::shared_ptr<Runs>& runs);

  std::shared_ptr<Runs> runs_ = std::make_shared<Runs>();
  bool started_ = false;
};

}  // namespace sluice
