// For property tests: two worlds for an engine to live in. In one everybody obeys at once; in the
// other runs take their time to end, and reports come late, together, or twice.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sim/virtual_time.h"
#include "tests/properties/random_cluster.h"

namespace sluice {

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;
  virtual Reply give(const Input& input, Instant now) = 0;
  virtual void advance(Instant until) = 0;
  virtual std::optional<Instant> next() const = 0;
  virtual Instant now() const = 0;
};

class VirtualWorld final : public World {
 public:
  VirtualWorld(Engine& engine, VirtualTime::FateOf fate_of, VirtualTime::OnTurn on_turn)
      : time_(engine, std::move(fate_of), std::move(on_turn)) {}
  Reply give(const Input& input, Instant now) override { return time_.give(input, now); }
  void advance(Instant until) override { time_.advance(until); }
  std::optional<Instant> next() const override { return time_.next(); }
  Instant now() const override { return time_.now(); }

 private:
  VirtualTime time_;
};

class SlowWorld final : public World {
 public:
  SlowWorld(Engine& engine, VirtualTime::FateOf fate_of, VirtualTime::OnTurn on_turn,
            std::uint64_t seed)
      : engine_(engine),
        fate_of_(std::move(fate_of)),
        on_turn_(std::move(on_turn)),
        dice_(seed ^ 0x510) {}

  Reply give(const Input& input, Instant now) override {
    advance(now);
    return turn({input}, now);
  }
  void advance(Instant until) override {
    while (next() && *next() <= until) {
      const Instant at = *next();
      std::vector<Input> inputs;
      for (auto it = reports_.begin(); it != reports_.end() && it->first <= at;) {
        inputs.emplace_back(it->second);
        if (dice_.one_in(5)) inputs.emplace_back(it->second);
        it = reports_.erase(it);
      }
      if (inputs.empty()) inputs.emplace_back(Tick{});
      turn(inputs, at);
    }
    now_ = std::max(now_, until);
  }
  std::optional<Instant> next() const override {
    std::optional<Instant> next = wake_at_;
    if (!reports_.empty()) next = std::min(next.value_or(Instant::max()), reports_.begin()->first);
    return next ? std::optional(std::max(*next, now_)) : std::nullopt;
  }
  Instant now() const override { return now_; }

 private:
  Reply turn(const std::vector<Input>& inputs, Instant now) {
    now_ = now;
    engine_.handle(inputs, now, turn_);
    on_turn_(turn_);
    wake_at_ = turn_.wake_at;
    for (const Order& order : turn_.orders) {
      if (const auto* launch = std::get_if<LaunchJob>(&order)) {
        const Fate fate = fate_of_(engine_.state().job(launch->job));
        report(now + fate.run, RunEnded{launch->job, launch->attempt, fate.outcome});
      } else if (const auto* end = std::get_if<EndJob>(&order)) {
        report(
            now + seconds(dice_.between(0, 40)),
            RunEnded{end->job, end->attempt, Outcome{.state = JobState::kCancelled, .signal = 15}});
      }
    }
    return turn_.replies.front();
  }
  void report(Instant at, const RunEnded& ended) { reports_.emplace(at, ended); }

  Engine& engine_;
  VirtualTime::FateOf fate_of_;
  VirtualTime::OnTurn on_turn_;
  Dice dice_;
  Turn turn_;
  Instant now_{};
  std::optional<Instant> wake_at_;
  std::multimap<Instant, RunEnded> reports_;
};

}  // namespace sluice
