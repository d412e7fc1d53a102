// What a driver brings: a journal, a launcher, a clock. Few, small, faked rather than mocked.
#pragma once

#include <span>

#include "base/result.h"
#include "base/time.h"
#include "engine/order.h"

namespace sluice {

struct Event;

class Journal {
 public:
  virtual ~Journal() = default;
  // Durable when it returns. All of the events or none.
  virtual Result<void> commit(std::span<const Event> events) = 0;
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual void carry_out(const Order& order) = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

}  // namespace sluice
