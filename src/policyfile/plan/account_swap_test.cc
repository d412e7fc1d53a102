#include "policyfile/plan/account_swap.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::vector<std::string> lines(const std::vector<Argv>& commands) {
  std::vector<std::string> out;
  for (const Argv& argv : commands) out.push_back(shell_quoted(argv));
  return out;
}

TEST(AccountSwap, TakesBackWhatWasSet) {
  const std::vector<Argv> before = {
      {"sacctmgr", "-i", "add", "qos", "q"},
      {"sacctmgr", "-i", "modify", "qos", "q", "set", "GrpTRES=cpu=2,mem=5", "Flags=DenyOnLimit"},
      {"sacctmgr", "-i", "modify", "account", "root", "set", "QosLevel=normal,q"},
      {"sacctmgr", "-i", "add", "account", "a", "Parent=root"},
      {"sacctmgr", "-i", "add", "account", "b", "Parent=a"},
      {"sacctmgr", "-i", "add", "user", "ann,bob", "Account=b"}};
  const std::vector<Argv> after = {{"sacctmgr", "-i", "add", "account", "c", "Parent=root"}};
  const auto swap = swap_commands(before, after);
  ASSERT_TRUE(swap);
  EXPECT_EQ(lines(*swap), (std::vector<std::string>{
                              "sacctmgr -i modify qos q set GrpTRES=cpu=-1,mem=-1 Flags=-1",
                              "sacctmgr -i modify account root set QosLevel=normal",
                              "sacctmgr -i delete user name=ann,bob",
                              "sacctmgr -i delete account name=b",
                              "sacctmgr -i delete account name=a",
                              "sacctmgr -i add account c Parent=root",
                          }));
}

TEST(AccountSwap, GivesUpWhereSomethingWouldBeLeft) {
  EXPECT_FALSE(swap_commands({{"sacctmgr", "-i", "modify", "qos", "q", "set", "Preempt=low"}}, {}));
  EXPECT_FALSE(swap_commands({{"sacctmgr", "-i", "modify", "account", "root", "set", "x=1"}}, {}));
}

}  // namespace
}  // namespace sluice
