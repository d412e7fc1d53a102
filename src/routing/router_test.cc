// Where tasks go, and why not elsewhere.
#include "routing/router.h"

#include <gtest/gtest.h>

#include <numeric>

#include "routing/two_accounts_for_tests.h"

namespace sluice {
namespace {

constexpr std::int64_t kGb = 1024;

std::vector<Pool> pools_of(TwoAccounts& cluster, const RoutingSettings& settings) {
  const Description& seen = cluster.seen();
  return find_pools(seen, settings, usual_needs(seen, settings));
}

// Pools with so many slots, GPU and CPU.
std::vector<Pool> slots(std::vector<std::pair<Device, std::int64_t>> given) {
  std::vector<Pool> out;
  for (const auto& [device, count] : given) {
    Pool pool;
    pool.account = "a" + std::to_string(out.size());
    pool.device = device;
    pool.now = pool.now_jointly = pool.at_most = count;
    pool.submittable = kPlenty;
    out.push_back(pool);
  }
  return out;
}

std::int64_t tasks_on(const Route& route, std::span<const Pool> pools, Device device) {
  std::int64_t out = 0;
  for (const PoolShare& share : route.shares)
    if (pools[share.pool].device == device) out += share.tasks;
  return out;
}

TEST(Router, TheIncidentAllFiveGoToMaigan) {
  for (const std::int64_t gpus : {0, 1}) {
    TwoAccounts cluster;
    cluster.add("clive", 40, 320000, 1);
    cluster.add("maigan", 80, 640000, 2);
    cluster.hold("drew", "clive", 4, 262144, gpus);
    RoutingSettings settings = seed_settings();
    settings.gpu.memory_mb = 125 * kGb;
    settings.cpu.memory_mb = 64000;
    const auto pools = pools_of(cluster, settings);
    RouteRequest request;
    request.tasks = 4;
    request.array = true;
    request.device = Device::kGpu;
    const Route array = route(pools, request);
    ASSERT_EQ(array.shares.size(), 1U);
    EXPECT_EQ(pools[array.shares[0].pool].account, "maigan");
    EXPECT_EQ(array.shares[0].tasks, 4);
    EXPECT_EQ(array.verdicts[0], PoolVerdict::kFull);
    request.array = false;
    request.tasks = 1;
    request.device = Device::kCpu;
    const Route single = route(pools, request);
    ASSERT_EQ(single.shares.size(), 1U);
    EXPECT_EQ(pools[single.shares[0].pool].account, "maigan");
  }
}

TEST(Router, BothHealthyInProportionToTheirSlots) {
  TwoAccounts cluster;
  cluster.add("clive", 104, 812 * kGb, 3);
  cluster.add("maigan", 80, 625 * kGb, 2);
  const auto pools = pools_of(cluster, seed_settings());
  RouteRequest request;
  request.tasks = 15;
  request.array = true;
  const Route all = route(pools, request);
  EXPECT_EQ(all.mode, RouteMode::kSlots);
  std::vector<std::int64_t> shares;
  for (const PoolShare& share : all.shares) shares.push_back(share.tasks);
  EXPECT_EQ(shares, (std::vector<std::int64_t>{3, 5, 2, 5}));
  request.tasks = 5;
  request.device = Device::kGpu;
  const Route gpu = route(pools, request);
  ASSERT_EQ(gpu.shares.size(), 2U);
  EXPECT_EQ(gpu.shares[0].tasks, 3);
  EXPECT_EQ(gpu.shares[1].tasks, 2);
  EXPECT_EQ(gpu.verdicts[1], PoolVerdict::kOtherDevice);
}

TEST(Router, AllFullGivesNothing) {
  const auto pools = slots({{Device::kGpu, 0}, {Device::kCpu, 0}});
  RouteRequest request;
  request.tasks = 4;
  request.array = true;
  const Route none = route(pools, request);
  EXPECT_TRUE(none.full);
  EXPECT_TRUE(none.shares.empty());
}

TEST(Router, ASingleJobGoesWhereMostIsFreeNotToTheFirst) {
  TwoAccounts cluster;
  cluster.add("aaa", 80, 400 * kGb, 2);
  cluster.add("bbb", 80, 600 * kGb, 3);
  const auto pools = pools_of(cluster, seed_settings());
  const Route any = route(pools, {});
  ASSERT_EQ(any.shares.size(), 1U);
  EXPECT_EQ(pools[any.shares[0].pool].account, "bbb");
  EXPECT_EQ(pools[any.shares[0].pool].device, Device::kGpu);
  RouteRequest cpu;
  cpu.device = Device::kCpu;
  EXPECT_EQ(pools[route(pools, cpu).shares[0].pool].account, "bbb");
}

// 22 minutes on a GPU, 282 on CPUs; 5 and 19 slots.
TEST(Router, GpusAloneFinishFirstUpToAbout64Tasks) {
  const auto pools =
      slots({{Device::kGpu, 3}, {Device::kCpu, 11}, {Device::kGpu, 2}, {Device::kCpu, 8}});
  RouteRequest request;
  request.array = true;
  request.gpu_runtime = minutes(22);
  request.cpu_runtime = minutes(282);
  for (const std::int64_t tasks : {1, 5, 24, 60}) {
    request.tasks = tasks;
    const Route found = route(pools, request);
    EXPECT_EQ(found.mode, RouteMode::kFinish);
    EXPECT_EQ(tasks_on(found, pools, Device::kCpu), 0) << tasks;
    EXPECT_EQ(found.finish, found.gpu_finish);
    EXPECT_EQ(found.verdicts[1], PoolVerdict::kSlower);
  }
  request.tasks = 70;
  EXPECT_GT(tasks_on(route(pools, request), pools, Device::kCpu), 0);
  request.tasks = 200;
  const Route many = route(pools, request);
  EXPECT_EQ(many.finish, minutes(726));
  EXPECT_EQ(many.gpu_finish, minutes(880));
  EXPECT_EQ(tasks_on(many, pools, Device::kCpu), 35);
  EXPECT_EQ(tasks_on(many, pools, Device::kGpu), 165);
}

// Against every other way to split, for many small cases.
TEST(Router, NoSplitFinishesEarlier) {
  for (std::int64_t gpus = 1; gpus <= 4; ++gpus)
    for (std::int64_t cpus = 1; cpus <= 9; cpus += 2)
      for (std::int64_t tasks = 1; tasks <= 40; ++tasks)
        for (const std::int64_t slower : {2, 3, 7}) {
          const auto pools = slots({{Device::kGpu, gpus}, {Device::kCpu, cpus}});
          RouteRequest request;
          request.tasks = tasks;
          request.array = true;
          request.gpu_runtime = minutes(5);
          request.cpu_runtime = minutes(5 * slower - 1);
          const Route found = route(pools, request);
          Duration best = Duration::max();
          for (std::int64_t on_cpu = 0; on_cpu <= tasks; ++on_cpu)
            best = std::min(best, std::max(finish_on(tasks - on_cpu, gpus, *request.gpu_runtime),
                                           finish_on(on_cpu, cpus, *request.cpu_runtime)));
          EXPECT_EQ(found.finish, best);
          const std::int64_t placed =
              tasks_on(found, pools, Device::kGpu) + tasks_on(found, pools, Device::kCpu);
          EXPECT_EQ(placed, tasks);
          EXPECT_EQ(
              std::max(finish_on(tasks_on(found, pools, Device::kGpu), gpus, *request.gpu_runtime),
                       finish_on(tasks_on(found, pools, Device::kCpu), cpus, *request.cpu_runtime)),
              best);
        }
}

TEST(Router, WithoutRunTimesItSaysThatSlotsDecided) {
  const auto pools = slots({{Device::kGpu, 5}, {Device::kCpu, 19}});
  RouteRequest request;
  request.tasks = 48;
  request.array = true;
  request.gpu_runtime = minutes(22);
  const Route found = route(pools, request);
  EXPECT_EQ(found.mode, RouteMode::kSlots);
  EXPECT_EQ(tasks_on(found, pools, Device::kGpu), 10);
  EXPECT_EQ(tasks_on(found, pools, Device::kCpu), 38);
}

TEST(Router, KeepsBackWhatCannotStartNow) {
  const auto pools = slots({{Device::kGpu, 2}, {Device::kGpu, 3}});
  RouteRequest request;
  request.tasks = 50;
  request.array = true;
  request.keep_back = true;
  const Route found = route(pools, request);
  EXPECT_EQ(found.kept_back, 45);
  EXPECT_EQ(tasks_on(found, pools, Device::kGpu), 5);
}

TEST(Router, NeverSubmitsMoreThanAllowed) {
  auto pools = slots({{Device::kGpu, 2}, {Device::kGpu, 2}});
  pools[0].submittable = 3;
  RouteRequest request;
  request.tasks = 20;
  request.array = true;
  const Route found = route(pools, request);
  ASSERT_EQ(found.shares.size(), 2U);
  EXPECT_EQ(found.shares[0].tasks, 3);
  EXPECT_EQ(found.shares[1].tasks, 17);
  pools[1].submittable = 4;
  EXPECT_EQ(route(pools, request).unplaced, 13);
}

TEST(Router, ProportionsAddUp) {
  for (std::int64_t tasks = 0; tasks < 60; ++tasks) {
    const auto parts = in_proportion(tasks, {3, 0, 11, 2, 8});
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), tasks);
    EXPECT_EQ(parts[1], 0);
  }
  EXPECT_EQ(in_proportion(9, {1, 2}), (std::vector<std::int64_t>{3, 6}));
}

TEST(Router, TasksAreDealtOutOnceEach) {
  IndexSet tasks;
  tasks.insert_range(5, 95, 10);
  Route found;
  found.shares = {{0, 3}, {1, 7}};
  const auto parts = tasks_of_shares(tasks, found);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].to_vector(), (std::vector<std::uint32_t>{5, 15, 25}));
  EXPECT_EQ(parts[1].size(), 7U);
}

}  // namespace
}  // namespace sluice
