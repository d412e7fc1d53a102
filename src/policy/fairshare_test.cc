// Fairshare factors: the documentation's examples, and every rule of the ranking.
#include "policy/fairshare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

FairshareRow row(const Past& past, const Fairshare& fairshare, const std::string& account,
                 const std::string& user = "") {
  const Policy& policy = past.state().policy();
  const auto id =
      user.empty() ? policy.find_account(account) : policy.find_association(account, user, "");
  return fairshare.rows[id.value().index()];
}

Fairshare computed(const Past& past) {
  Fairshare fairshare;
  compute_fairshare(past.state(), fairshare);
  return fairshare;
}

// Figure 3 of Slurm's classic_fair_share.html. There, 0.3 of the machine was used by nobody; here
// an account without shares stands for nobody.
Past documented_past() {
  PolicyBuilder b;
  b.policy().priority.fair_tree = false;
  b.account("A", "root", 40).account("D", "root", 60).account("nobody", "root", 0);
  b.account("B", "A", 30).account("C", "A", 10).account("E", "D", 25).account("F", "D", 35);
  b.user("user1", "B", 1).user("user2", "C", 1).user("user3", "C", 1);
  b.user("user4", "E", 1).user("user5", "F", 1).user("nobody", "nobody", 1);
  return Past(b.policy());
}

TEST(ClassicFairshare, GivesTheDocumentationsExample) {
  Past past = documented_past();
  past.use("user1", "B", 2000);
  past.use("user2", "C", 2500);
  past.use("user4", "E", 2500);
  past.use("nobody", "nobody", 3000);
  const Fairshare f = computed(past);
  EXPECT_NEAR(row(past, f, "B", "user1").norm_shares, 0.3, 1e-12);
  EXPECT_NEAR(row(past, f, "C", "user2").norm_shares, 0.05, 1e-12);
  EXPECT_NEAR(row(past, f, "F", "user5").norm_shares, 0.35, 1e-12);
  EXPECT_NEAR(row(past, f, "A").effective_usage, 0.45, 1e-12);
  EXPECT_NEAR(row(past, f, "B").effective_usage, 0.3875, 1e-12);
  EXPECT_NEAR(row(past, f, "C").effective_usage, 0.3, 1e-12);
  EXPECT_NEAR(row(past, f, "F").effective_usage, 0.1458, 5e-5);
  EXPECT_NEAR(row(past, f, "C", "user2").effective_usage, 0.275, 1e-12);
  EXPECT_NEAR(row(past, f, "C", "user3").effective_usage, 0.15, 1e-12);
  EXPECT_NEAR(row(past, f, "B", "user1").factor, 0.408479, 5e-7);
  EXPECT_NEAR(row(past, f, "C", "user2").factor, 0.022097, 5e-7);
  EXPECT_NEAR(row(past, f, "C", "user3").factor, 0.125000, 5e-7);
  EXPECT_NEAR(row(past, f, "E", "user4").factor, 0.500000, 5e-7);
  // The documentation rounds the effective usage to 0.1458 first and prints 0.749154.
  EXPECT_NEAR(row(past, f, "F", "user5").factor, 0.749154, 1e-4);
}

TEST(ClassicFairshare, IsDampened) {
  PolicyBuilder b;
  b.policy().priority.fair_tree = false;
  b.policy().priority.dampening = 2;
  b.account("a", "root", 1).user("ann", "a", 1).user("bob", "a", 1);
  Past past(b.policy());
  past.use("ann", "a", 100);
  // All of the machine with half of it promised: 2^-2, dampened 2^-1.
  EXPECT_DOUBLE_EQ(row(past, computed(past), "a", "ann").factor, 0.5);
}

TEST(ClassicFairshare, ParentsSharesCountForThoseWhoHaveNone) {
  PolicyBuilder b;
  b.policy().priority.fair_tree = false;
  b.account("a", "root", 1).account("b", "root", 1);
  b.user("ann", "a", 1).with_shares_of_parent().user("bob", "a", 1).with_shares_of_parent();
  b.user("cat", "b", 1);
  Past past(b.policy());
  past.use("ann", "a", 100);
  past.use("cat", "b", 100);
  const Fairshare f = computed(past);
  EXPECT_DOUBLE_EQ(row(past, f, "a", "ann").factor, row(past, f, "a").factor);
  EXPECT_DOUBLE_EQ(row(past, f, "a", "bob").factor, 0.5);
}

TEST(FairTree, EverybodyIsFirstWhereNothingWasUsed) {
  PolicyBuilder b;
  b.user("root", "root", 1).account("a", "root", 1).account("b", "root", 7);
  b.user("ann", "a", 1).user("bob", "a", 9).user("cat", "b", 1);
  const Past past(b.policy());
  const Fairshare f = computed(past);
  for (std::size_t i = 0; i < f.rows.size(); ++i)
    if (!past.state().policy().associations[i].user.empty()) {
      EXPECT_EQ(f.rows[i].factor, 1.0);
      EXPECT_TRUE(std::isinf(f.rows[i].level_fs));
    }
}

TEST(FairTree, AnAccountsPlaceComesBeforeItsUsers) {
  PolicyBuilder b;
  b.account("a", "root", 1).account("b", "root", 1);
  b.user("ann", "a", 1).user("bob", "a", 1).user("cat", "b", 1).user("dan", "b", 1);
  Past past(b.policy());
  past.use("ann", "a", 300);
  past.use("bob", "a", 300);
  past.use("cat", "b", 100);
  const Fairshare f = computed(past);
  EXPECT_DOUBLE_EQ(row(past, f, "a").level_fs, 0.5 / (600.0 / 700));
  EXPECT_DOUBLE_EQ(row(past, f, "b").level_fs, 0.5 / (100.0 / 700));
  EXPECT_DOUBLE_EQ(row(past, f, "b", "cat").level_fs, 0.5);
  EXPECT_DOUBLE_EQ(row(past, f, "b", "cat").effective_usage, 1);
  EXPECT_DOUBLE_EQ(row(past, f, "b", "cat").norm_usage, 100.0 / 700);
  EXPECT_EQ(row(past, f, "b", "dan").factor, 1.0);
  EXPECT_EQ(row(past, f, "b", "cat").factor, 0.75);
  // Equal siblings share the better rank.
  EXPECT_EQ(row(past, f, "a", "ann").factor, 0.5);
  EXPECT_EQ(row(past, f, "a", "bob").factor, 0.5);
}

// priority_multifactor.so of Debian's 22.05.8 never merges accounts of equal LevelFS (its loop
// leaves at the first sibling that is no user), whatever fair_tree.html says: the users of the
// second account follow those of the first, and its best user shares the last rank given.
TEST(FairTree, EqualAccountsAreRankedOneAfterTheOther) {
  PolicyBuilder b;
  b.account("a", "root", 1).account("b", "root", 1);
  b.user("ann", "a", 1).user("bob", "a", 1).user("cat", "b", 1).user("dan", "b", 1);
  Past past(b.policy());
  past.use("ann", "a", 100);
  past.use("bob", "a", 300);
  past.use("cat", "b", 200);
  past.use("dan", "b", 200);
  const Fairshare f = computed(past);
  ASSERT_EQ(row(past, f, "a").level_fs, row(past, f, "b").level_fs);
  EXPECT_EQ(row(past, f, "a", "ann").factor, 1.0);
  EXPECT_EQ(row(past, f, "a", "bob").factor, 0.75);
  EXPECT_EQ(row(past, f, "b", "cat").factor, 0.75);
  EXPECT_EQ(row(past, f, "b", "dan").factor, 0.75);
}

TEST(FairTree, AUserAsGoodAsASiblingAccountSharesTheRankOfItsBestUser) {
  PolicyBuilder b;
  b.user("root", "root", 1).account("a", "root", 1).user("ann", "a", 1).user("bob", "a", 1);
  Past past(b.policy());
  past.use("root", "root", 100);
  past.use("ann", "a", 100);
  const Fairshare f = computed(past);
  EXPECT_EQ(row(past, f, "root", "root").factor, 1.0);
  EXPECT_EQ(row(past, f, "a", "bob").factor, 1.0);
  EXPECT_DOUBLE_EQ(row(past, f, "a", "ann").factor, 1.0 / 3);
}

TEST(FairTree, WithoutSharesComesLast) {
  PolicyBuilder b;
  b.account("a", "root", 1).user("ann", "a", 0).user("bob", "a", 1);
  Past past(b.policy());
  past.use("bob", "a", 100);
  const Fairshare f = computed(past);
  EXPECT_EQ(row(past, f, "a", "ann").level_fs, 0);
  EXPECT_EQ(row(past, f, "a", "ann").factor, 0.5);
  EXPECT_EQ(row(past, f, "a", "bob").factor, 1.0);
}

TEST(FairTree, SharesOfTheParentPutAUserFirstAndTheSiblingsShareWhatIsLeft) {
  PolicyBuilder b;
  b.account("a", "root", 1).user("ann", "a", 5).with_shares_of_parent();
  b.user("bob", "a", 1).user("cat", "a", 3);
  Past past(b.policy());
  past.use("ann", "a", 500);
  past.use("bob", "a", 100);
  past.use("cat", "a", 200);
  const Fairshare f = computed(past);
  EXPECT_TRUE(std::isinf(row(past, f, "a", "ann").level_fs));
  EXPECT_EQ(row(past, f, "a", "ann").factor, 1.0);
  EXPECT_EQ(row(past, f, "a", "ann").norm_shares, row(past, f, "a").norm_shares);
  EXPECT_EQ(row(past, f, "a", "bob").norm_shares, 0.25);
  EXPECT_DOUBLE_EQ(row(past, f, "a", "cat").level_fs, 0.75 / 0.25);
  EXPECT_DOUBLE_EQ(row(past, f, "a", "cat").factor, 2.0 / 3);
}

TEST(FairTree, TheChildrenOfAnAccountWithoutSharesOfItsOwnBelongToTheOneAbove) {
  PolicyBuilder b;
  b.account("a", "root", 1).account("b", "a", 1).with_shares_of_parent();
  b.user("ann", "a", 1).user("bob", "b", 3);
  Past past(b.policy());
  past.use("ann", "a", 100);
  past.use("bob", "b", 100);
  const Fairshare f = computed(past);
  EXPECT_EQ(row(past, f, "b", "bob").norm_shares, 0.75);
  EXPECT_EQ(row(past, f, "b", "bob").effective_usage, 0.5);
  EXPECT_EQ(row(past, f, "b", "bob").factor, 1.0);
  EXPECT_EQ(row(past, f, "a", "ann").factor, 0.5);
}

TEST(FairTree, FollowsAChangeOfPolicy) {
  PolicyBuilder b;
  b.account("a", "root", 1).user("ann", "a", 1).user("bob", "a", 1);
  Past past(b.policy());
  past.use("ann", "a", 100);
  past.use("bob", "a", 200);
  Fairshare f;
  compute_fairshare(past.state(), f);
  EXPECT_EQ(row(past, f, "a", "bob").factor, 0.5);
  b.policy().associations[past.state().policy().find_association("a", "bob", "")->index()].shares =
      100;
  past.apply(PolicyAdopted{std::make_shared<const Policy>(b.policy())});
  compute_fairshare(past.state(), f);
  EXPECT_EQ(row(past, f, "a", "bob").factor, 1.0);
}

TEST(FairTree, GivesWhatSshareShowed) {
  Past past(recorded_cluster().policy());
  use_as_recorded(past);
  const Fairshare f = computed(past);
  struct Shown {
    const char* account;
    const char* user;
    double norm_shares, norm_usage, effective_usage, fairshare, level_fs;
  };
  const Shown shown[] = {
      {"root", "root", 0.009901, 0.000000, 0.000000, 1.000000, HUGE_VAL},
      {"chem", "", 0.594059, 0.820202, 0.820202, 0, 0.724284},
      {"chem", "dave", 0.500000, 0.071919, 0.087685, 0.333333, 5.702253},
      {"chem", "eve", 0.500000, 0.748283, 0.912315, 0.166667, 0.548056},
      {"phys", "", 0.396040, 0.179798, 0.179798, 0, 2.202694},
      {"phys", "alice", 0.166667, 0.143838, 0.800000, 0.500000, 0.208333},
      {"phys", "bob", 0.500000, 0.000000, 0.000000, 0.833333, HUGE_VAL},
      {"sub", "", 0.333333, 0.035960, 0.200000, 0, 1.666667},
      {"sub", "charlie", 1.000000, 0.035960, 1.000000, 0.666667, 1.000000},
  };
  for (const Shown& want : shown) {
    const FairshareRow got = row(past, f, want.account, want.user);
    EXPECT_NEAR(got.norm_shares, want.norm_shares, 6e-7) << want.account << want.user;
    EXPECT_NEAR(got.norm_usage, want.norm_usage, 6e-7) << want.account << want.user;
    // Usage is known to six digits only.
    EXPECT_NEAR(got.effective_usage, want.effective_usage, 1e-5) << want.account << want.user;
    EXPECT_NEAR(got.factor, want.fairshare, 6e-7) << want.account << want.user;
    if (std::isinf(want.level_fs))
      EXPECT_TRUE(std::isinf(got.level_fs)) << want.account << want.user;
    else
      EXPECT_NEAR(got.level_fs, want.level_fs, 1e-4) << want.account << want.user;
  }
  EXPECT_EQ(row(past, f, "root").norm_shares, 0);
  EXPECT_EQ(row(past, f, "root").effective_usage, 1);
}

// tests/stories/priority/depth_oblivious.story, as sshare showed it.
TEST(DepthOblivious, GivesWhatSshareShowed) {
  PolicyBuilder b;
  b.user("root", "root", 1);
  b.account("phys", "root", 40).account("sub", "phys", 20).account("chem", "root", 60);
  b.account("bio", "root", 10).account("deep", "bio", 1);
  b.user("charlie", "sub", 1).user("alice", "phys", 10).user("bob", "phys", 30);
  b.user("dave", "chem", 1).user("eve", "chem", 1).user("fay", "bio", 1).user("gus", "bio", 1);
  b.user("hal", "deep", 1);
  Policy policy = b.policy();
  policy.priority = {};
  policy.priority.type = PriorityType::kMultifactor;
  policy.priority.half_life = Duration(0);
  policy.priority.depth_oblivious = true;
  policy.associations[policy.find_account("deep")->index()].shares_of_parent = true;
  Past past(std::move(policy));
  past.use("alice", "phys", 8000);
  past.use("dave", "chem", 4000);
  past.use("charlie", "sub", 2000);
  past.use("bob", "phys", 2000);
  past.use("eve", "chem", 12000);
  past.use("hal", "deep", 1000);
  past.use("fay", "bio", 2000);
  const Fairshare f = computed(past);
  // Slurm's runs were up to a second longer than forty minutes.
  EXPECT_NEAR(row(past, f, "phys", "bob").factor, 0.754913, 2e-4);
  EXPECT_NEAR(row(past, f, "sub", "charlie").factor, 0.668472, 2e-4);
  EXPECT_NEAR(row(past, f, "phys", "alice").factor, 0.050881, 2e-4);
  EXPECT_NEAR(row(past, f, "chem", "dave").factor, 0.718260, 2e-4);
  EXPECT_NEAR(row(past, f, "chem", "eve").factor, 0.378107, 2e-4);
  EXPECT_NEAR(row(past, f, "bio", "fay").factor, 0.225563, 2e-4);
  EXPECT_EQ(row(past, f, "bio", "gus").factor, 1);
  EXPECT_NEAR(row(past, f, "deep", "hal").factor, 0.474935, 2e-4);
}

TEST(Log2, AgreesWithTheLibraryAndIsExactForPowersOfTwo) {
  for (int i = -1074; i < 1024; ++i) EXPECT_EQ(log2_of_positive(std::ldexp(1.0, i)), i);
  for (double x = 1e-9; x < 1e9; x *= 1.0131)
    EXPECT_NEAR(log2_of_positive(x), std::log2(x), 1e-14) << x;
}

TEST(Exp2, AgreesWithTheLibraryAndIsExactForWholeNumbers) {
  for (int i = 0; i <= 1074; ++i) EXPECT_EQ(exp2_of_negative(-i), std::ldexp(1.0, -i));
  for (double x = 0; x > -60; x -= 0.013) {
    const double want = std::exp2(x);
    EXPECT_NEAR(exp2_of_negative(x) / want, 1, 5e-16) << x;
  }
  EXPECT_EQ(exp2_of_negative(-1075), 0);
  // The bits that every compiler must give.
  EXPECT_EQ(exp2_of_negative(-0.1), 0x1.ddb680117ab12p-1);
  EXPECT_EQ(exp2_of_negative(-0.4165714285714286), 0x1.7f9788f0a6257p-1);
}

}  // namespace
}  // namespace sluice
