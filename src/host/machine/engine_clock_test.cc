#include "host/machine/engine_clock.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr Duration kHour = seconds(3600);
constexpr Duration kYear = seconds(365LL * 86'400);

// A machine whose clocks go on together, and whose wall clock can be set.
struct FakeMachine {
  Instant up = instant_at(seconds(100));
  Instant wall = instant_at(seconds(1'800'000'000));
  std::string boot = "first";

  void pass(Duration time) {
    up += time;
    wall += time;
  }
  void reboot(Duration off) {
    up = instant_at(seconds(5));
    wall += off;
    boot += "+";
  }
  EngineClock clock() {
    return EngineClock({[this] { return up; }, [this] { return wall; }, boot});
  }
};

struct Journal {
  std::optional<std::string> note;
  Instant last{};

  void keep(EngineClock& clock) {
    if (auto changed = clock.take_note()) note = changed;
    last = clock.now();
  }
};

TEST(EngineClock, BeginsAsTheWallClock) {
  FakeMachine machine;
  EngineClock clock = machine.clock();
  clock.begin(std::nullopt, {});
  EXPECT_EQ(clock.now(), machine.wall);
  EXPECT_EQ(clock.wall_ahead(), Duration(0));
}

TEST(EngineClock, AStepOfTheWallClockChangesOnlyWhatPeopleRead) {
  for (const Duration step : {kHour, -kHour, kYear, -kYear}) {
    FakeMachine machine;
    EngineClock clock = machine.clock();
    clock.begin(std::nullopt, {});
    const Instant before = clock.now();
    machine.wall += step;
    machine.pass(seconds(10));
    EXPECT_EQ(clock.now(), before + seconds(10));
    EXPECT_EQ(clock.wall_ahead(), step);
    EXPECT_EQ(clock.now() + clock.wall_ahead(), machine.wall);
    machine.wall -= step;
    EXPECT_EQ(clock.wall_ahead(), Duration(0));
  }
}

TEST(EngineClock, ADaemonThatStartsAgainGoesOnInTheSameTime) {
  for (const Duration step : {kHour, -kHour, kYear, -kYear}) {
    FakeMachine machine;
    Journal journal;
    EngineClock first = machine.clock();
    first.begin(std::nullopt, {});
    journal.keep(first);
    const Instant before = first.now();
    machine.wall += step;  // While no daemon is there.
    machine.pass(seconds(60));
    EngineClock second = machine.clock();
    second.begin(journal.note, journal.last);
    EXPECT_EQ(second.now(), before + seconds(60));
    EXPECT_EQ(second.now() + second.wall_ahead(), machine.wall);
  }
}

TEST(EngineClock, AfterARebootTheTimeThatTheMachineWasOffHasPassed) {
  FakeMachine machine;
  Journal journal;
  EngineClock first = machine.clock();
  first.begin(std::nullopt, {});
  machine.wall -= kHour;  // Set before: people's clocks stay an hour behind.
  journal.keep(first);
  const Instant before = first.now();
  machine.reboot(seconds(300));
  EngineClock second = machine.clock();
  second.begin(journal.note, journal.last);
  EXPECT_EQ(second.now(), before + seconds(300));
  EXPECT_EQ(second.wall_ahead(), -kHour);
}

TEST(EngineClock, ABootWithAWrongClockFreezesNothing) {
  for (const Duration wrong : {-kYear, -kHour, kHour, kYear}) {
    FakeMachine machine;
    Journal journal;
    EngineClock first = machine.clock();
    first.begin(std::nullopt, {});
    journal.keep(first);
    machine.reboot(seconds(60) + wrong);
    EngineClock second = machine.clock();
    second.begin(journal.note, journal.last);
    journal.keep(second);
    const Instant began = second.now();
    EXPECT_GE(began, journal.last);
    machine.pass(seconds(10));
    EXPECT_EQ(second.now(), began + seconds(10));
    machine.wall -= wrong;  // Somebody sets it right.
    EXPECT_EQ(second.now(), began + seconds(10));
    EXPECT_EQ(second.now() + second.wall_ahead(), machine.wall);
    journal.keep(second);
    machine.reboot(seconds(60));
    EngineClock third = machine.clock();
    third.begin(journal.note, journal.last);
    EXPECT_EQ(third.now(), began + seconds(70));
    EXPECT_EQ(third.now() + third.wall_ahead(), machine.wall);
  }
}

TEST(EngineClock, ItIsNotedWhenItChangesAndOnlyThen) {
  FakeMachine machine;
  EngineClock clock = machine.clock();
  clock.begin(std::nullopt, {});
  EXPECT_TRUE(clock.take_note());
  machine.pass(seconds(5));
  machine.wall += Duration(3);  // As two looks differ.
  EXPECT_FALSE(clock.take_note());
  machine.wall += kHour;
  EXPECT_TRUE(clock.take_note());
  EXPECT_FALSE(clock.take_note());
}

TEST(EngineClock, AnOlderJournalWithoutANoteNeverRunsBackwards) {
  FakeMachine machine;
  EngineClock clock = machine.clock();
  const Instant last = machine.wall + kYear;
  clock.begin(std::nullopt, last);
  EXPECT_EQ(clock.now(), last);
  machine.pass(seconds(1));
  EXPECT_EQ(clock.now(), last + seconds(1));
  EXPECT_EQ(clock.now() + clock.wall_ahead(), machine.wall);
}

}  // namespace
}  // namespace sluice
