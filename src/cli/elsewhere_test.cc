#include "cli/elsewhere.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice {
namespace {

TEST(ChainOrJob, AnIdSaysWhichItIs) {
  for (const char* chain : {"last", "20261115-132501", "20261115-1"})
    EXPECT_TRUE(is_chain_id(chain));
  for (const char* job : {"12", "12_3", "12_[1-5]", "lasts", "20261115", "2026111-1", ""})
    EXPECT_FALSE(is_chain_id(job)) << job;
}

TEST(ChainOrJob, OperandsAreAllOfOneKind) {
  const auto of = [](std::vector<std::string> words) { return are_chains(words); };
  EXPECT_FALSE(*of({}));
  EXPECT_FALSE(*of({"12", "13"}));
  EXPECT_TRUE(*of({"last", "20261115-1"}));
  EXPECT_EQ(of({"12", "last"}).error().kind, ErrorKind::kBadInput);
}

}  // namespace
}  // namespace sluice
