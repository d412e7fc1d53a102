// What holds of fairshare for every tree and every past.
#include "policy/fairshare.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <map>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// A tree of up to eight accounts with users at every level; some with FairShare=parent.
PolicyBuilder random_tree() {
  PolicyBuilder b;
  const int accounts = *rc::gen::inRange(1, 9);
  std::vector<std::string> names{"root"};
  for (int i = 0; i < accounts; ++i) {
    const std::string parent = names[*rc::gen::inRange<std::size_t>(0, names.size())];
    names.push_back("a" + std::to_string(i));
    b.account(names.back(), parent, *rc::gen::inRange(0, 4));
    if (*rc::gen::inRange(0, 6) == 0) b.with_shares_of_parent();
  }
  const int users = *rc::gen::inRange(1, 16);
  for (int i = 0; i < users; ++i) {
    b.user("u" + std::to_string(i), names[*rc::gen::inRange<std::size_t>(0, names.size())],
           *rc::gen::inRange(0, 4));
    if (*rc::gen::inRange(0, 8) == 0) b.with_shares_of_parent();
  }
  return b;
}

std::map<std::size_t, std::int64_t> random_usage(const Policy& policy) {
  std::map<std::size_t, std::int64_t> usage;
  for (std::size_t i = 0; i < policy.associations.size(); ++i)
    if (!policy.associations[i].user.empty())
      usage[i] = *rc::gen::element<std::int64_t>(0, 0, 10, 20, 30, 500);
  return usage;
}

Fairshare after(const Policy& policy, const std::map<std::size_t, std::int64_t>& usage) {
  Past past(policy);
  for (const auto& [row, used] : usage)
    if (used > 0) past.use(policy.associations[row].user, policy.associations[row].account, used);
  Fairshare fairshare;
  compute_fairshare(past.state(), fairshare);
  return fairshare;
}

void holds(const std::function<void()>& property) { EXPECT_TRUE(rc::check(property)); }

TEST(FairshareProperties, SharesOfSiblingsSumToOne) {
  holds([] {
    PolicyBuilder b = random_tree();
    b.policy().priority.fair_tree = *rc::gen::arbitrary<bool>();
    const Fairshare f = after(b.policy(), random_usage(b.policy()));
    for (std::size_t row = 0; row < f.tree.size(); ++row) {
      double sum = 0;
      bool any = false;
      for (std::uint32_t i = f.tree.first_child(row); i < f.tree.first_child(row + 1); ++i) {
        const std::uint32_t child = f.tree.children()[i];
        if (f.tree.uses_parent(child)) continue;
        any = any || f.tree.level_has_shares(child);
        sum += f.rows[child].norm_shares;
      }
      const double whole = b.policy().priority.fair_tree ? 1 : f.rows[row].norm_shares;
      if (any) RC_ASSERT(std::abs(sum - whole) < 1e-12);
    }
  });
}

TEST(FairshareProperties, RanksAreAPermutationUpToTies) {
  holds([] {
    PolicyBuilder b = random_tree();
    const Fairshare f = after(b.policy(), random_usage(b.policy()));
    std::vector<double> ranks;
    for (std::size_t row = 0; row < f.tree.size(); ++row)
      if (f.tree.is_user(row)) ranks.push_back(f.rows[row].factor * f.tree.user_count());
    std::sort(ranks.rbegin(), ranks.rend());
    // The k-th best has rank n - k, or shares a better one.
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const double own = static_cast<double>(ranks.size() - k);
      RC_ASSERT(std::abs(ranks[k] - std::round(ranks[k])) < 1e-9);
      RC_ASSERT(ranks[k] > own - 0.5);
      if (k > 0 && ranks[k] < ranks[k - 1] - 0.5) RC_ASSERT(ranks[k] < own + 0.5);
    }
    RC_ASSERT(ranks.front() == f.tree.user_count());
  });
}

TEST(FairshareProperties, MoreUsageNeverRaisesTheFactor) {
  holds([] {
    PolicyBuilder b = random_tree();
    b.policy().priority.fair_tree = *rc::gen::arbitrary<bool>();
    std::map<std::size_t, std::int64_t> usage = random_usage(b.policy());
    const auto user = *rc::gen::elementOf(usage);
    const Fairshare before = after(b.policy(), usage);
    usage[user.first] += *rc::gen::inRange(1, 1000);
    const Fairshare more = after(b.policy(), usage);
    RC_ASSERT(more.rows[user.first].factor <= before.rows[user.first].factor + 1e-12);
  });
}

TEST(FairshareProperties, WhoeverIsAskedForHasTheRankAmongAll) {
  holds([] {
    PolicyBuilder b = random_tree();
    b.policy().priority.fair_tree = *rc::gen::inRange(0, 4) > 0;
    const std::map<std::size_t, std::int64_t> usage = random_usage(b.policy());
    const Fairshare all = after(b.policy(), usage);
    Past past(b.policy());
    Fairshare some;
    note_usage(past.state(), some);
    for (const auto& [row, used] : usage)
      if (used > 0)
        past.use(b.policy().associations[row].user, b.policy().associations[row].account, used);
    note_usage(past.state(), some);
    // A few at a time, some of them more than once.
    for (int round = *rc::gen::inRange(1, 5); round > 0; --round) {
      std::vector<std::size_t> asked;
      for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        asked.push_back((*rc::gen::elementOf(usage)).first);
        want_rank(asked.back(), some);
      }
      rank_wanted(b.policy(), some);
      for (const std::size_t row : asked) RC_ASSERT(some.rows[row].factor == all.rows[row].factor);
    }
    rank_noted_usage(b.policy(), some);
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      RC_ASSERT(some.rows[i].factor == all.rows[i].factor);
      RC_ASSERT(some.rows[i].level_fs == all.rows[i].level_fs);
    }
  });
}

TEST(FairshareProperties, NothingIsLeftOverFromACalculationBefore) {
  holds([] {
    PolicyBuilder b = random_tree();
    Fairshare reused = after(b.policy(), random_usage(b.policy()));
    PolicyBuilder other = random_tree();
    other.policy().priority.fair_tree = *rc::gen::arbitrary<bool>();
    const Past past(other.policy());
    compute_fairshare(past.state(), reused);
    const Fairshare fresh = after(other.policy(), {});
    RC_ASSERT(reused.rows.size() == fresh.rows.size());
    for (std::size_t i = 0; i < fresh.rows.size(); ++i) {
      RC_ASSERT(reused.rows[i].factor == fresh.rows[i].factor);
      RC_ASSERT(reused.rows[i].level_fs == fresh.rows[i].level_fs);
    }
  });
}

}  // namespace
}  // namespace sluice
