// The driver of virtual time: a heap of what happens next instead of a clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace sluice {

// How a run that was launched would go if nothing interferes.
struct Fate {
  Duration run{0};
  Outcome outcome;
};

// Runs an engine: keeps what was launched, ends it when its time has come, takes in what the
// engine orders. At one instant: what reaches its limit, timers, commands in the order given,
// then other ends in order of start; a pass after each.
// Under EASY what reaches its limit frees its processors before everything else too, but brings a
// pass only in its turn among the ends: at one instant commands, then all ends in order of start.
// So it is under conservative backfill, where a run at its limit ends in its turn like any other.
class VirtualTime {
 public:
  // Asked at every launch.
  using FateOf = std::function<Fate(const Job&)>;
  // Told of every turn, in order.
  using OnTurn = std::function<void(const Turn&)>;

  VirtualTime(Engine& engine, FateOf fate_of, OnTurn on_turn);
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;
  ~VirtualTime();

  // Before anything else, for an engine that was brought to where a cluster is: what runs there is
  // planned to end, what was told to end ends, and one pass follows.
  void take_over(Instant now);

  // Instead of everything that led there: the events of one turn, as they happened at `now`. It is
  // told of like any other.
  void replay(const Turn& turn, Instant now);
  // What time itself knows, beside what the engine does; for a simulation that is interrupted
  // between two inputs and goes on with replay().
  struct Pulse {
    Instant now{};
    std::optional<Instant> begun;
    Instant wake_at = Instant::max();
  };
  Pulse pulse() const { return {now_, begun_, wake_at_}; }
  void set_pulse(const Pulse& pulse) {
    now_ = pulse.now;
    begun_ = pulse.begun;
    wake_at_ = pulse.wake_at;
  }
  // Lets everything up to and including `until` happen, and makes no view then.
  void pass(Instant until);

  // Gives the input at `now`, which must not lie before what has already happened; everything
  // that comes earlier, and what comes first at that instant, happens before. The reply comes
  // back.
  Reply give(const Input& input, Instant now);

  // Lets everything up to and including `until` happen.
  void advance(Instant until);

  // Lets everything of the next instant happen; false: nothing will happen by itself any more.
  bool step();

  // Lets everything up to and including `at` happen together, at `at` and in one turn.
  void leap(Instant at);

  // When something will happen by itself.
  std::optional<Instant> next() const {
    const Instant at = upcoming();
    return at == Instant::max() ? std::nullopt : std::optional(at);
  }
  Instant now() const { return now_; }

 private:
  struct PlannedEnd {
    RunEnded ended;
    Duration paused{0};  // Before it was planned; another pause makes the plan void.
  };
  // Two words, because the heap moves them about; the plan itself stays in its slot.
  struct Due {
    Instant at;
    std::uint64_t rank = 0;  // Those at their limit first, then in order of launch; the slot.
    bool at_limit() const { return rank < kNotAtLimit; }
    std::size_t slot() const { return rank & (kMostPlans - 1); }
    friend bool operator>(const Due& a, const Due& b) {
      return a.at != b.at ? a.at > b.at : a.rank > b.rank;
    }
  };
  static constexpr std::uint64_t kNotAtLimit = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kMostPlans = std::uint64_t{1} << 24;  // At one time.
  static constexpr std::uint64_t kMostLaunches = kNotAtLimit / kMostPlans;

  // What comes before commands at this instant.
  void begin_instant(Instant now);
  void finish_instant();
  bool joins_first_event() const;
  bool ends_alike() const;
  void end_killed();
  void turn_with_killed(const Input& input);
  void turn(std::span<const Input> inputs, Instant now);
  void take_orders();
  void plan_end(JobId job);
  const PlannedEnd& take_next();
  Instant upcoming() const { return ends_.empty() ? wake_at_ : std::min(wake_at_, ends_.top().at); }
  bool is_current(const PlannedEnd& end) const;
  bool is_given_more_time(const PlannedEnd& end, Instant now) const;

  Engine& engine_;
  FateOf fate_of_;
  OnTurn on_turn_;
  Turn turn_;
  Instant now_{};
  std::optional<Instant> begun_;  // The instant whose first part has happened.
  Instant wake_at_ = Instant::max();
  std::priority_queue<Due, std::vector<Due>, std::greater<>> ends_;
  std::vector<PlannedEnd> plans_;
  std::vector<std::uint32_t> free_plans_;
  std::uint64_t launches_ = 0;
  std::vector<Input> killed_;       // At their limit now, and not yet ended.
  std::uint64_t first_killed_ = 0;  // The rank of the one of them that started first.
  std::vector<Input> told_;         // Those the engine has just ordered to end.
  Input ended_{RunEnded{}};         // One that ends by itself.
};

}  // namespace sluice
