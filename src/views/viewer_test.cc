// Who sees what under PrivateData; a real slurmctld answers squeue, sshare and scontrol the same.
#include "views/viewer.h"

#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"
#include "views/why_view.h"

namespace sluice {
namespace {

// dan, of another account, coordinates lab and so sub.
constexpr const char* kText = R"(
cluster: c
nodes: [{name: n1, cpus: 4, memory: 4G}]
partitions:
  main: {default: yes}
  theirs: {allow_accounts: [other]}
  ours: {allow_accounts: [lab, other], deny_qos: [fast]}
qos: {fast: {GrpTRES: cpu=2}}
accounts:
  lab:
    GrpTRES: cpu=4
    users: {ann: {MaxJobs: 3}, eve: {}}
    accounts: {sub: {users: [bob]}}
  other: {users: [carl, dan]}
users: {dan: {coordinator_of: [lab]}, carl: {admin_level: none}}
jobs: {private_data: [PRIVATE]}
)";

Policy policy_hiding(const std::string& what) {
  std::string text = kText;
  text.replace(text.find("PRIVATE"), 7, what);
  return read_policy(text, "policy.yaml").value();
}

std::string tree_of(const Policy& policy) {
  std::string out;
  for (const Association& it : policy.associations)
    out += (out.empty() ? "" : " ") + it.account + (it.user.empty() ? "" : "/" + it.user);
  return out;
}

Policy seen(const Policy& policy, const std::string& user) {
  const Actor actor{user, false};
  const Policy out = policy_seen_by(Viewer(policy, actor), policy);
  // It travels as text, and must be a policy at the other end.
  const auto back = read_policy(write_policy_json(out), "seen");
  EXPECT_TRUE(back) << back.error().text();
  return out;
}

TEST(Viewer, ACoordinatorSeesTheJobsAndUsageOfTheAccountAndOfThoseBelowIt) {
  const Policy policy = policy_hiding("jobs, usage, users, accounts");
  const auto jobs = [&](const std::string& name) {
    const Actor actor{name, false};
    const Viewer viewer(policy, actor);
    std::string out;
    for (const auto& [user, account] : std::vector<std::pair<std::string, std::string>>{
             {"ann", "lab"}, {"bob", "sub"}, {"carl", "other"}, {"dan", "other"}}) {
      if (viewer.sees_job(user, account)) out += user + " ";
      EXPECT_EQ(viewer.sees_job(user, account), viewer.sees_usage(user, account)) << user;
    }
    for (const char* account : {"lab", "sub", "other"})
      if (viewer.sees_usage("", account)) out += std::string(account) + " ";
    return out;
  };
  EXPECT_EQ(jobs("ann"), "ann ");
  EXPECT_EQ(jobs("carl"), "carl ");
  EXPECT_EQ(jobs("dan"), "ann bob dan lab sub ");
  EXPECT_EQ(jobs("nobody"), "");
}

TEST(Viewer, OfThePolicyOneSeesOnesOwnAndWhatIsAboveIt) {
  const Policy policy = policy_hiding("users, accounts");
  EXPECT_EQ(tree_of(seen(policy, "ann")), "root lab lab/ann");
  EXPECT_EQ(tree_of(seen(policy, "bob")), "root lab sub sub/bob");
  EXPECT_EQ(tree_of(seen(policy, "nobody")), "root");
  EXPECT_EQ(tree_of(seen(policy, "dan")), "root lab lab/ann lab/eve sub sub/bob other other/dan");
  const Policy ann = seen(policy, "ann");
  EXPECT_EQ(ann.associations[1].group,
            policy.find_account("lab") ? policy.associations[2].group : GroupLimits{});
  EXPECT_EQ(ann.associations[2].max_jobs, 3);
  EXPECT_EQ(ann.qos, policy.qos);
  ASSERT_EQ(ann.users.size(), 1U);
  EXPECT_EQ(ann.users[0].default_account, "lab");
}

TEST(Viewer, WhoElseIsInOnesAccountIsHiddenOnlyWhereUsersAre) {
  EXPECT_EQ(tree_of(seen(policy_hiding("accounts"), "ann")), "root root/root lab lab/ann lab/eve");
  EXPECT_EQ(tree_of(seen(policy_hiding("users"), "ann")), "root lab lab/ann");
  const Policy all = policy_hiding("jobs, usage");
  EXPECT_EQ(seen(all, "ann"), all);
  const Policy hidden = policy_hiding("users, accounts");
  const Actor root{"root", true};
  EXPECT_EQ(policy_seen_by(Viewer(hidden, root), hidden), hidden);
}

TEST(Viewer, APartitionForHiddenAccountsDoesNotOpenToEverybody) {
  const Policy ann = seen(policy_hiding("users, accounts"), "ann");
  EXPECT_TRUE(ann.partitions[0].allow_accounts.empty());
  EXPECT_EQ(ann.partitions[1].allow_accounts, std::vector<std::string>{"root"});
  EXPECT_EQ(ann.partitions[2].allow_accounts, std::vector<std::string>{"lab"});
}

TEST(Viewer, ACoordinatorSeesOthersAssociationsAndNotWhatElseTheyMay) {
  Policy policy = policy_hiding("users");
  policy.users[policy.find_user("ann")->index()].coordinates = {"sub"};
  const Policy dan = seen(policy, "dan");
  EXPECT_TRUE(dan.users[dan.find_user("ann")->index()].coordinates.empty());
  EXPECT_EQ(dan.users[dan.find_user("dan")->index()].coordinates, std::vector<std::string>{"lab"});
  EXPECT_FALSE(dan.find_user("carl"));
}

TEST(Viewer, WhoHoldsWhatIsWaitedForIsNamedToThoseWhoMayKnow) {
  Policy policy = small_policy();
  policy.associations[1].group.tres.put(kTresCpu, 4);
  policy.jobs.private_data.jobs = true;
  User& carol = policy.users.emplace_back();
  carol.name = "carol";
  carol.coordinates = {"lab"};
  Lab lab(policy);
  lab.submit(cpus(3, "bob"));
  const JobId waits = lab.submit(cpus(2));
  const auto holder = [&](const std::string& name) {
    const Actor actor{name, false};
    const Viewer viewer(lab.engine().state().policy(), actor);
    const WhyCard card = why_card(lab.engine(), lab.job(waits), lab.now(), {}, &viewer);
    EXPECT_EQ(card.holders.size(), 1U);
    return card.holders[0].user + " " + card.holders[0].jobs + " " + card.holders[0].amount_text;
  };
  EXPECT_EQ(holder("ann"), "(others)  3 cpu");
  EXPECT_EQ(holder("carol"), "bob 1 3 cpu");
}

}  // namespace
}  // namespace sluice
