// Random policies whose limits are known: a sentence about a limit is broken exactly where one user
// can hold more.
#include "sim/intents/intent.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "policyfile/read/policy_reader.h"
#include "sim/chains/simulated_target.h"
#include "sim/intents/intent_search.h"
#include "sim/stories/story_parser.h"
#include "sim/stories/story_runner.h"
#include "sim/workloads/splitmix.h"

namespace sluice {
namespace {

struct Case {
  std::string policy;
  std::string corrected;  // With the limit that the sentence speaks of.
  std::string sentence;
  bool holds = true;
};

Case draw(std::uint64_t number) {
  Draws draws(20261116, number);
  const auto upto = [&](std::uint64_t most) {
    return static_cast<std::int64_t>(draws.below(most));
  };
  const bool gpus = draws.below(3) != 0;
  std::string nodes;
  std::vector<std::int64_t> has;
  const std::int64_t count = 1 + upto(3);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t amount = gpus ? 1 + upto(6) : 2 * (1 + upto(6));
    has.push_back(amount);
    nodes += fmt::format("  - {{name: n{}, cpus: {}{}{}}}\n", i + 1, gpus ? 16 : amount,
                         draws.below(4) == 0 ? "" : ", memory: 64G",
                         gpus ? fmt::format(", gpus: {}", amount) : "");
  }
  std::sort(has.rbegin(), has.rend());
  const char* tres = gpus ? "gres/gpu" : "cpu";
  std::int64_t most = INT64_MAX;
  std::string limits;
  const auto limit = [&](const char* key, std::int64_t amount) {
    limits += fmt::format("{}{}: {}={}", limits.empty() ? "" : ", ", key, tres, amount);
    most = std::min(most, amount);
  };
  if (draws.below(2) == 0) limit("MaxTRESPerUser", 1 + upto(8));
  if (draws.below(4) == 0) limit("GrpTRES", 1 + upto(8));
  std::size_t jobs = 1000;
  if (draws.below(3) == 0) {
    jobs = 1 + static_cast<std::size_t>(upto(3));
    limits += fmt::format("{}MaxJobsPerUser: {}", limits.empty() ? "" : ", ", jobs);
  }
  // A job stands on one node: so many jobs hold at most so many nodes.
  const std::int64_t machine = std::accumulate(
      has.begin(), has.begin() + static_cast<std::ptrdiff_t>(std::min(jobs, has.size())),
      std::int64_t{0});
  most = std::min(most, machine);
  const std::int64_t said = 1 + upto(9);
  const std::string head = fmt::format("nodes:\n{}", nodes);
  const std::string tail = "accounts: {lab: {qos: [q], default_qos: q, users: [ann, bob]}}\n";
  const std::string name = draws.below(3) == 0 ? "DenyOnLimit" : "";
  const std::string flags =
      name.empty() ? "" : fmt::format("{}Flags: {}", limits.empty() ? "" : ", ", name);
  Case out;
  out.policy = fmt::format("{}qos: {{q: {{{}{}}}}}\n{}", head, limits, flags, tail);
  out.corrected =
      fmt::format("{}qos: {{q: {{MaxTRESPerUser: {}={}}}}}\n{}", head, tres, said, tail);
  out.sentence = fmt::format("user {} in q <= {}", gpus ? "gpus" : "cpus", said);
  out.holds = most <= said;
  return out;
}

bool passes(const std::string& story, const std::string& policy) {
  const auto stories = parse_stories(
      story, "intent.story", [&](const std::string&) -> Result<std::string> { return policy; });
  if (!stories) return false;
  SimulatedTarget target;
  const auto run = run_story(stories->front(), target);
  return run && run->passed();
}

// SLUICE_INTENTS=1000 for the long form.
TEST(Intents, AreBrokenExactlyWhereALimitIsMissing) {
  const char* asked = std::getenv("SLUICE_INTENTS");
  const std::uint64_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 150;
  std::size_t broken = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const Case one = draw(number);
    const auto policy = read_policy(one.policy, "policy.yaml");
    ASSERT_TRUE(policy) << policy.error().text() << "\n" << one.policy;
    const auto intent = parse_intent(one.sentence, *policy);
    ASSERT_TRUE(intent) << intent.error().text();
    const auto verdict =
        search_intent(*intent, *policy, "policy.yaml",
                      [&](const std::string&) -> Result<std::string> { return one.policy; },
                      {1, one.holds ? 40U : 400U});
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_EQ(verdict->holds(), one.holds)
        << number << ": " << one.sentence << "\n"
        << one.policy << verdict->untried << (verdict->broken ? verdict->broken->story : "");
    if (!verdict->broken) continue;
    ++broken;
    EXPECT_FALSE(passes(verdict->broken->story, one.policy)) << number << verdict->broken->story;
    EXPECT_TRUE(passes(verdict->broken->story, one.corrected)) << number << verdict->broken->story;
  }
  EXPECT_GT(broken, count / 10);
}

}  // namespace
}  // namespace sluice
