#include "policy/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sluice {
namespace {

std::string sorted(std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), natural_less);
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

TEST(NaturalOrder, ComparesNumbersAsNumbers) {
  EXPECT_EQ(sorted({"n10", "n9", "n2", "n1"}), "n1 n2 n9 n10");
  EXPECT_EQ(sorted({"rack2-n1", "rack1-n12", "rack1-n2"}), "rack1-n2 rack1-n12 rack2-n1");
  EXPECT_EQ(sorted({"n010", "n002", "n001"}), "n001 n002 n010");
}

TEST(NaturalOrder, AShorterNameComesFirst) {
  EXPECT_EQ(sorted({"n1b", "n1", "n"}), "n n1 n1b");
  EXPECT_FALSE(natural_less("n1", "n1"));
  EXPECT_TRUE(natural_less("a99999999999999999999999", "a100000000000000000000000"));
}

}  // namespace
}  // namespace sluice
