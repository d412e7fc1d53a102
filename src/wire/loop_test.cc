#include "wire/loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

namespace sluice {
namespace {

// A pipe whose reading end has this number.
struct Pipe {
  explicit Pipe(int number) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    if (ends[0] != number) {
      ::dup2(ends[0], number);
      ::close(ends[0]);
    }
    in = number;
    out = ends[1];
  }
  ~Pipe() {
    ::close(in);
    ::close(out);
  }
  int in = -1;
  int out = -1;
};

TEST(Loop, HearsADescriptorThatGotTheNumberOfAnOlderOne) {
  constexpr int kNumber = 77;
  Loop loop;
  auto old = std::make_unique<Pipe>(kNumber);
  std::unique_ptr<Pipe> next;
  int heard = 0;
  loop.watch(kNumber, [&] {
    // As when a keeper is gone and its successor's socket gets the same number at once.
    loop.unwatch(kNumber);
    old.reset();
    next = std::make_unique<Pipe>(kNumber);
    loop.watch(kNumber, [&] {
      char byte = 0;
      EXPECT_EQ(::read(kNumber, &byte, 1), 1);
      ++heard;
      if (heard == 2) return loop.stop();
      EXPECT_EQ(::write(next->out, "b", 1), 1);
    });
    EXPECT_EQ(::write(next->out, "a", 1), 1);
  });
  EXPECT_EQ(::write(old->out, "x", 1), 1);
  // A loop that hears nothing ends by this.
  loop.after(seconds(20), [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(heard, 2);
  loop.unwatch(kNumber);
}

TEST(Loop, DoesNotTakeWhatIsCenturiesAwayForPast) {
  const Duration until_the_year_9999 = seconds(251'000'000'000);
  Loop loop;
  bool rang = false;
  loop.set_timer(until_the_year_9999, [&] { rang = true; });
  loop.after(until_the_year_9999, [&] { rang = true; });
  loop.after(std::chrono::milliseconds(50), [&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(rang);
}

// What was ready when the loop looked may have been read by the time that its turn comes.
TEST(Loop, CallsNobodyForWhatIsReadAlready) {
  Loop loop;
  Pipe pipe(77);
  const int other = ::dup(pipe.in);
  int read = 0;
  int empty = 0;
  for (const int end : {pipe.in, other})
    loop.watch(end, [&, end] {
      char byte = 0;
      ++(::read(end, &byte, 1) == 1 ? read : empty);
    });
  // Twice: who was called for nothing hears what comes later.
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(::write(pipe.out, "x", 1), 1);
    loop.run_ready();
  }
  EXPECT_EQ(read, 2);
  EXPECT_EQ(empty, 0);
  for (const int end : {pipe.in, other}) loop.unwatch(end);
  ::close(other);
}

// A descriptor that always has something to read, as a connection of a client that never rests.
TEST(Loop, TurnsComeAlthoughSomethingIsAlwaysReady) {
  constexpr int kNumber = 77;
  Loop loop;
  Pipe pipe(kNumber);
  EXPECT_EQ(::write(pipe.out, "x", 1), 1);
  int heard = 0;
  int turns = 0;
  loop.watch(kNumber, [&] {
    // A loop that makes no turns ends by this.
    if (++heard == 1'000'000) loop.unwatch(kNumber);
  });
  loop.after_each_batch([&] {
    if (++turns == 3) loop.stop();
  });
  loop.run();
  EXPECT_EQ(turns, 3);
  EXPECT_LT(heard, 1'000'000);
  loop.unwatch(kNumber);
}

}  // namespace
}  // namespace sluice
