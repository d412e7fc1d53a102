// The first request that costs least, against trying every one.
#include "escalation/sizing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace sluice {
namespace {

std::vector<Need> some_needs() {
  std::vector<Need> out;
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i)
    out.push_back(
        {*rc::gen::inRange<std::uint64_t>(0, 300), *rc::gen::inRange<std::uint64_t>(1, 50)});
  return out;
}

std::vector<std::uint64_t> some_steps() {
  auto out = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 256)));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST(Sizing, NoOtherFirstRequestCostsLess) {
  EXPECT_TRUE(rc::check([] {
    const auto needs = some_needs();
    const auto steps = some_steps();
    const auto best = best_first(needs, steps);
    RC_ASSERT(best.has_value());
    RC_ASSERT(*best >= 1U && *best <= steps.back());
    const std::uint64_t least = cost_of_all(*best, needs, steps);
    for (std::uint64_t first = 1; first <= steps.back(); ++first)
      RC_ASSERT(cost_of_all(first, needs, steps) >= least);
  }));
}

// Attempt by attempt, as a task lives it.
TEST(Sizing, TheCostIsWhatTheAttemptsHold) {
  EXPECT_TRUE(rc::check([] {
    const auto steps = some_steps();
    const auto first = *rc::gen::inRange<std::uint64_t>(1, steps.back() + 1);
    const auto need = *rc::gen::inRange<std::uint64_t>(0, 300);
    std::uint64_t held = first;
    std::uint64_t asked = first;
    while (asked < need) {
      const auto next = std::upper_bound(steps.begin(), steps.end(), asked);
      if (next == steps.end()) break;
      asked = *next;
      held += asked;
    }
    RC_ASSERT(cost_of(first, need, steps) == held);
  }));
}

}  // namespace
}  // namespace sluice
