#include "policy/queue_order.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice {
namespace {

// Numbers that look random and are always the same.
class Numbers {
 public:
  std::uint32_t below(std::uint32_t end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 33) % end;
  }

 private:
  std::uint64_t state_ = 1;
};

std::vector<QueueEntry> some_entries(std::size_t count) {
  std::vector<QueueEntry> entries(count);
  Numbers numbers;
  for (std::uint32_t i = 0; i < count; ++i) {
    // Tasks of one array share a number, and one job may stand there for two partitions.
    entries[i].order = i / 3;
    entries[i].task = numbers.below(2);
    entries[i].nth = static_cast<std::uint8_t>(i % 3);
    entries[i].job = JobId(i + 1);
  }
  return entries;
}

// Gives every entry the merit that `merit(entry)` says, by places, and in the plain ways.
template <class Merit>
void expect_sorted(QueueOrder& order, std::vector<QueueEntry>& entries, Merit merit) {
  std::vector<QueueEntry> plain = entries;
  order.places().clear();
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    plain[i].merit = merit(plain[i]);
    order.places().push_back({plain[i].merit, plain[i].order, i});
  }
  std::vector<QueueEntry> nearly = plain;
  std::sort(plain.begin(), plain.end(), goes_before);
  order.arrange(entries);
  QueueOrder().mend(nearly);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].job, plain[i].job) << "at " << i;
    ASSERT_EQ(entries[i].merit, plain[i].merit) << "at " << i;
    ASSERT_EQ(nearly[i].job, plain[i].job) << "at " << i;
  }
}

TEST(QueueOrder, IsThatOfSortingAllEntries) {
  QueueOrder order;
  Numbers numbers;
  std::vector<QueueEntry> entries = some_entries(3000);
  // Hardly any difference, as when all grow older together; then anything at all.
  expect_sorted(order, entries, [](const QueueEntry&) { return 7U; });
  expect_sorted(order, entries, [](const QueueEntry& e) { return 7 + e.job.value() % 2; });
  expect_sorted(order, entries, [](const QueueEntry& e) { return 7 + e.job.value() % 5 / 2; });
  expect_sorted(order, entries, [](const QueueEntry&) { return 9U; });
  expect_sorted(order, entries, [&](const QueueEntry&) { return numbers.below(300); });
  expect_sorted(order, entries, [&](const QueueEntry&) {
    return std::uint64_t{numbers.below(1000)} << 40 | numbers.below(1'000'000);
  });
  // From no order to one merit: too many stretches to be merged.
  expect_sorted(order, entries, [](const QueueEntry&) { return 1U; });
}

TEST(QueueOrder, LeavesWhatIsInOrderWhereItIs) {
  QueueOrder order;
  std::vector<QueueEntry> entries = some_entries(100);
  std::sort(entries.begin(), entries.end(), goes_before);
  const QueueEntry* first = entries.data();
  expect_sorted(order, entries, [](const QueueEntry& e) { return 1000 - e.order; });
  EXPECT_EQ(entries.data(), first);
}

// As after a user's share changed: a few users fall back or move up with all their jobs.
TEST(QueueOrder, PutsGroupsThatMovedWhereTheyBelong) {
  QueueOrder order;
  Numbers numbers;
  constexpr std::uint32_t kUsers = 60;
  std::vector<QueueEntry> entries(1200);
  std::vector<std::uint32_t> merit_of(kUsers);
  for (std::uint32_t user = 0; user < kUsers; ++user) merit_of[user] = 100 * user;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    entries[i].order = i;
    entries[i].job = JobId(i + 1);
  }
  const auto rate = [&] {
    for (QueueEntry& entry : entries) entry.merit = merit_of[entry.order % kUsers];
  };
  rate();
  std::sort(entries.begin(), entries.end(), goes_before);
  for (std::uint32_t moved = 0; moved < 2 * kUsers; ++moved) {
    for (std::uint32_t i = 0; i <= moved % 5; ++i)
      merit_of[numbers.below(kUsers)] = numbers.below(100 * kUsers);
    rate();
    std::vector<QueueEntry> plain = entries;
    std::sort(plain.begin(), plain.end(), goes_before);
    order.mend(entries);
    for (std::size_t i = 0; i < entries.size(); ++i)
      ASSERT_EQ(entries[i].job, plain[i].job) << "at " << i << " after " << moved;
  }
}

}  // namespace
}  // namespace sluice
