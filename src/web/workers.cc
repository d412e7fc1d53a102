#include "web/workers.h"

#include <utility>

namespace sluice {
namespace {

// More than this is a viewer that asks faster than anything can be answered.
constexpr std::size_t kMostWaiting = 256;

}  // namespace

Workers::Workers(Loop& loop, std::size_t threads) : loop_(loop) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    waiting_.clear();
  }
  something_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::run(std::function<Then()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(work));
  }
  something_.notify_one();
  return true;
}

void Workers::serve() {
  for (;;) {
    std::unique_lock lock(mutex_);
    something_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (ended_) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    loop_.post(work());
  }
}

}  // namespace sluice
