#include "routing/awaited.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

RemoteJob job(std::uint32_t number) { return {JobId(number), Instant(seconds(number))}; }

IndexSet set(std::initializer_list<std::uint32_t> tasks) {
  IndexSet out;
  for (const std::uint32_t task : tasks) out.insert(task);
  return out;
}

Sighting sighting(std::uint32_t number, std::vector<std::optional<std::uint32_t>> tasks,
                  std::vector<JobState> states) {
  Sighting out;
  out.ref = {job(number), std::nullopt};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    SeenTask task;
    task.task = tasks[i];
    task.state = states[i];
    out.tasks.push_back(task);
  }
  return out;
}

Replacement move(std::uint32_t from, std::uint32_t to, Replacement::Stage stage,
                 std::optional<IndexSet> tasks, IndexSet going) {
  Replacement out;
  out.old = job(from);
  out.job = job(to);
  out.stage = stage;
  out.tasks = std::move(tasks);
  out.going = std::move(going);
  return out;
}

constexpr auto kDone = JobState::kCompleted;
constexpr auto kRuns = JobState::kRunning;
constexpr auto kGone = JobState::kCancelled;

TEST(Awaited, EndsWhenAllHaveEnded) {
  const std::vector<RemoteJob> jobs = {job(1), job(2)};
  Awaited awaited(jobs);
  const std::vector<Sighting> first = {sighting(1, {0, 1}, {kDone, kDone}),
                                       sighting(2, {std::nullopt}, {kRuns})};
  EXPECT_EQ(awaited.look(first, {}), Awaited::End::kNotYet);
  const std::vector<Sighting> then = {first[0], sighting(2, {std::nullopt}, {kDone})};
  EXPECT_EQ(awaited.look(then, {}), Awaited::End::kCompleted);
  const std::vector<Sighting> gone = {first[0], sighting(2, {std::nullopt}, {kGone})};
  EXPECT_EQ(awaited.look(gone, {}), Awaited::End::kFailed);
  // One that nobody sees is on its way.
  const std::vector<Sighting> unseen = {first[0], sighting(2, {}, {})};
  EXPECT_EQ(awaited.look(unseen, {}), Awaited::End::kNotYet);
}

TEST(Awaited, FollowsTasksToTheJobInTheirPlace) {
  const std::vector<RemoteJob> jobs = {job(1)};
  Awaited awaited(jobs);
  const Sighting old = sighting(1, {0, 1, 2}, {kDone, kGone, kGone});
  // Being cancelled: where they go is not settled.
  std::vector<Replacement> moves = {
      move(1, 5, Replacement::Stage::kCancelling, set({0, 1, 2}), set({1, 2}))};
  EXPECT_EQ(awaited.look(std::vector{old}, moves), Awaited::End::kNotYet);
  EXPECT_EQ(awaited.refs().size(), 1U);
  moves[0].stage = Replacement::Stage::kReleasing;
  EXPECT_EQ(awaited.look(std::vector{old}, moves), Awaited::End::kNotYet);
  ASSERT_EQ(awaited.refs().size(), 2U);
  EXPECT_EQ(awaited.refs()[1].job, job(5));
  // Its task 0 was cancelled for the one that ran where it was.
  const Sighting fresh = sighting(5, {0, 1, 2}, {kGone, kDone, kDone});
  EXPECT_EQ(awaited.look(std::vector{old, fresh}, moves), Awaited::End::kCompleted);
  const Sighting failed = sighting(5, {0, 1, 2}, {kGone, kDone, JobState::kFailed});
  EXPECT_EQ(awaited.look(std::vector{old, failed}, moves), Awaited::End::kFailed);
}

TEST(Awaited, FollowsAWholeArrayWhoseTasksAreNamedNoMore) {
  const std::vector<RemoteJob> jobs = {job(1)};
  Awaited awaited(jobs);
  const Sighting old = sighting(1, {std::nullopt}, {kGone});
  const std::vector<Replacement> moves = {
      move(1, 5, Replacement::Stage::kReleasing, set({3, 4}), set({3, 4})),
      move(1, 6, Replacement::Stage::kReleasing, set({7}), set({7}))};
  EXPECT_EQ(awaited.look(std::vector{old}, moves), Awaited::End::kNotYet);
  ASSERT_EQ(awaited.refs().size(), 3U);
  const std::vector<Sighting> done = {old, sighting(5, {3, 4}, {kDone, kDone}),
                                      sighting(6, {7}, {kDone})};
  EXPECT_EQ(awaited.look(done, moves), Awaited::End::kCompleted);
}

TEST(Awaited, FollowsAJobThatMovesTwice) {
  const std::vector<RemoteJob> jobs = {job(1)};
  Awaited awaited(jobs);
  const auto gone = [](std::uint32_t number) { return sighting(number, {std::nullopt}, {kGone}); };
  const std::vector<Replacement> moves = {
      move(1, 2, Replacement::Stage::kReleasing, std::nullopt, set({0})),
      move(2, 3, Replacement::Stage::kReleasing, std::nullopt, set({0}))};
  EXPECT_EQ(awaited.look(std::vector{gone(1)}, moves), Awaited::End::kNotYet);
  EXPECT_EQ(awaited.look(std::vector{gone(1), gone(2)}, moves), Awaited::End::kNotYet);
  const Sighting done = sighting(3, {std::nullopt}, {kDone});
  EXPECT_EQ(awaited.look(std::vector{gone(1), gone(2), done}, moves), Awaited::End::kCompleted);
}

}  // namespace
}  // namespace sluice
