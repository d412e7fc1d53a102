#include "policy/waiting_requests.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr std::uint32_t kNone = WaitingRequests::kNone;

std::uint32_t add(WaitingRequests& requests, std::uint32_t spec, int partitions) {
  std::uint32_t first = kNone;
  std::uint32_t last = kNone;
  for (int i = 0; i < partitions; ++i) {
    WaitingRequests::Row row;
    row.entry.cpus = static_cast<std::int32_t>(spec);
    last = requests.add(SpecId(spec), last, row, {});
    if (i == 0) first = last;
  }
  return first;
}

TEST(WaitingRequests, ARequestHasARowForEachOfItsPartitions) {
  WaitingRequests requests;
  EXPECT_EQ(requests.find(SpecId(5)), kNone);
  const std::uint32_t first = add(requests, 5, 2);
  EXPECT_EQ(requests.find(SpecId(5)), first);
  const std::uint32_t second = requests.row(first).next;
  ASSERT_NE(second, kNone);
  EXPECT_EQ(requests.row(second).next, kNone);
  EXPECT_EQ(requests.row(second).entry.request, second);
  EXPECT_EQ(requests.row(second).entry.cpus, 5);
}

TEST(WaitingRequests, RowsStayWhileAJobWaitsAndAreUsedAgainLater) {
  WaitingRequests requests;
  const std::uint32_t kept = add(requests, 1, 2);
  requests.enter(kept);
  requests.enter(kept);
  requests.leave(kept);
  for (std::uint32_t spec = 2; spec < 10'000; ++spec) {
    const std::uint32_t first = add(requests, spec, 1 + static_cast<int>(spec % 3));
    requests.enter(first);
    ASSERT_EQ(requests.find(SpecId(spec)), first);
    ASSERT_EQ(requests.row(first).entry.cpus, static_cast<std::int32_t>(spec));
    requests.leave(first);
  }
  EXPECT_EQ(requests.find(SpecId(1)), kept);
  EXPECT_EQ(requests.row(kept).entry.cpus, 1);
  EXPECT_EQ(requests.row(requests.row(kept).next).entry.cpus, 1);
  EXPECT_EQ(requests.find(SpecId(2)), kNone);
  EXPECT_LT(requests.size(), 5000U);
  EXPECT_EQ(requests.with_jobs(), std::vector<std::uint32_t>{kept});
}

}  // namespace
}  // namespace sluice
