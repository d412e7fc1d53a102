// The event loop of the daemon: descriptors, one timer, signals; one thread.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>

#include "base/time.h"

namespace sluice {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Calls `ready` whenever there is something to read (or the other end is gone). The descriptor
  // stays the caller's; unwatch it before it is closed.
  void watch(int descriptor, std::function<void()> ready);
  // Once, when the descriptor can be written to. It must be watched.
  void when_writable(int descriptor, std::function<void()> ready);
  void unwatch(int descriptor);

  // One timer; nothing is called where the time is none. A new time replaces the old.
  void set_timer(std::optional<Duration> from_now, std::function<void()> ring);
  // Once, so long from now; cannot be taken back.
  void after(Duration from_now, std::function<void()> ring);
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> caught);
  // Soon, from this same loop.
  void post(std::function<void()> work);
  // After everything that was ready has been called, before waiting for more.
  void after_each_batch(std::function<void()> turn);

  void run();
  // What is ready now and what follows from it, without waiting: for tests.
  void run_ready();
  void stop();

  struct Parts;
  Parts& parts() { return *parts_; }  // For the HTTP server, which shares the loop.

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice
