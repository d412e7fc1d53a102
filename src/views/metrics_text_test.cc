#include "views/metrics_text.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(MetricsText, LabelsAreEscaped) {
  MetricsText out;
  out.family("a", "help");
  out.sample({{"username", "x\"} 1\n\\"}}, 3);
  EXPECT_EQ(out.text(), "# HELP a help\n# TYPE a gauge\na{username=\"x\\\"} 1\\n\\\\\"} 3\n");
}

TEST(MetricsText, WaitingTasksOfAnArrayAreCountedOneByOne) {
  QueueLine array;
  array.user = "ann";
  array.account = "lab";
  array.partition = "main";
  array.tasks = 40;
  MetricsText out;
  add_cluster_metrics(out, {&array, 1}, {});
  EXPECT_NE(out.text().find("\nslurm_jobs_pending 40\n"), std::string::npos) << out.text();
  EXPECT_NE(out.text().find("slurm_user_jobs_pending{username=\"ann\"} 40\n"), std::string::npos);
  EXPECT_NE(out.text().find("slurm_user_jobs_running{username=\"ann\"} 0\n"), std::string::npos);
}

TEST(MetricsText, UsedIsWhatEverybodyHolds) {
  MetricsText out;
  add_pool_metrics(out, R"({"pools": [{"account": "a", "qos": "q", "device": "gpu", "now": 3,
      "limits": {"gres/gpu": 8}, "mine": {"gres/gpu": 2}, "others": {"gres/gpu": 3}}]})");
  EXPECT_NE(out.text().find("sluice_pool_used{account=\"a\",qos=\"q\",device=\"gpu\","
                            "resource=\"gres/gpu\"} 5\n"),
            std::string::npos)
      << out.text();
}

TEST(MetricsText, RetriesOfRemovedChainsStayCounted) {
  ChainView chain;
  chain.rows.resize(1);
  chain.rows[0].timeout = 3;
  chain.rows[0].out_of_memory = 2;
  chain.given_up.push_back(GivenUpRow{});
  chain.given_up.back().state = "TIMEOUT";
  const auto retries = [](std::span<const ChainView> chains, const RetriesByCause& before) {
    MetricsText out;
    add_chain_metrics(out, chains, before);
    return out.text().substr(out.text().find("# HELP sluice_retries_total"));
  };
  const std::string there = retries({&chain, 1}, {});
  EXPECT_NE(there.find("{cause=\"timeout\"} 2\n"), std::string::npos) << there;
  EXPECT_EQ(retries({}, retries_of(chain)), there) << "as if the chain were still there";
}

TEST(MetricsText, NothingIsZeros) {
  MetricsText out;
  add_cluster_metrics(out, {}, {});
  add_chain_metrics(out, {}, {});
  add_pool_metrics(out, "not json");
  EXPECT_NE(out.text().find("\nslurm_jobs_running 0\n"), std::string::npos);
  EXPECT_NE(out.text().find("sluice_retries_total{cause=\"timeout\"} 0\n"), std::string::npos);
}

}  // namespace
}  // namespace sluice
