// A few threads for what would hold up the loop: asking the daemon, running a command.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "wire/loop.h"

namespace sluice {

class Workers {
 public:
  Workers(Loop& loop, std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  // Waits for what is being done; what has not begun is dropped.
  ~Workers();

  // Runs `work` in a thread, and what it returns in the loop. False where too much waits already.
  using Then = std::function<void()>;
  [[nodiscard]] bool run(std::function<Then()> work);

 private:
  void serve();

  Loop& loop_;
  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<std::function<Then()>> waiting_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sluice
