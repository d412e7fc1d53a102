// Hostlists expanded and compressed as scontrol does it.
#include "text/hostlist.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string expanded(std::string_view text) {
  const auto hosts = expand_hostlist(text);
  return hosts ? fmt::format("{}", fmt::join(*hosts, " ")) : hosts.error().what;
}

TEST(Hostlist, IsExpandedInOrder) {
  struct Case {
    const char* text;
    const char* hosts;
  };
  for (const Case& c : {Case{"d[1-3],p1", "d1 d2 d3 p1"},
                        {"n[01-03]", "n01 n02 n03"},
                        {"n[1-03]", "n1 n2 n3"},
                        {"n[09-11]", "n09 n10 n11"},
                        {"a[1-2]b[3-4]", "a1b3 a1b4 a2b3 a2b4"},
                        {"r[1,3-5]", "r1 r3 r4 r5"},
                        {"d1,d1", "d1 d1"},
                        {"", ""},
                        {",", ""},
                        {"a,,b", "a b"},
                        {" a , b ", "a b"},
                        {"a-b", "a-b"},
                        {"a[1-2][3-4]", "a13 a14 a23 a24"},
                        {"[1-3]", "1 2 3"},
                        {"a[1- 2]", "a1 a2"},
                        {"a b", "a b"},
                        {"a[1,1]", "a1 a1"}})
    EXPECT_EQ(expanded(c.text), c.hosts) << c.text;
}

TEST(Hostlist, RefusalsNameTheText) {
  EXPECT_EQ(expanded("a["), "'[' without ']' in 'a['");
  EXPECT_EQ(expanded("a]"), "']' without '[' in 'a]'");
  EXPECT_EQ(expanded("a[2-1]"), "the range '2-1' runs backwards, in 'a[2-1]'");
  EXPECT_EQ(expanded("a[x]"), "'x' is not a range of numbers, in 'a[x]'");
  EXPECT_EQ(expanded("a[1-2]b"), "'b' after the last bracket of 'a[1-2]b'");
  EXPECT_EQ(expanded("a[[1-2]]"), "a bracket inside a bracket in 'a[[1-2]]'");
  EXPECT_EQ(expanded("a[0-99999999]"), "more than 65536 hosts in one bracket, in 'a[0-99999999]'");
  EXPECT_EQ(expanded("a[1-999]b[1-999]"), "'a[1-999]b[1-999]' means more than 65536 hosts");
  for (const char* text : {"a[]", "a[1-2,]", "a[-1]", "a[1-]", "a[1:2]", "a[1-x]"})
    EXPECT_FALSE(expand_hostlist(text)) << text;
}

// A few bytes must not stand for more names than the memory holds.
TEST(Hostlist, ListsAndNamesHaveBounds) {
  std::string many;
  for (int i = 0; i < 17; ++i) many += "n[0-65535],";
  EXPECT_EQ(expanded(many), "a list of more than 1048576 hosts");
  const std::string longest(255, 'x');
  EXPECT_TRUE(expand_hostlist(longest));
  EXPECT_FALSE(expand_hostlist(longest + "x"));
  EXPECT_FALSE(expand_hostlist(longest + "x[0-65535]"));
  EXPECT_FALSE(expand_hostlist("a[0-9]" + longest + "[0-9]"));
}

TEST(Hostlist, IsCompressedInOrder) {
  struct Case {
    const char* hosts;
    const char* list;
  };
  for (const Case& c : {Case{"d1,d2,d3", "d[1-3]"},
                        {"d3,d1,d2", "d[3,1-2]"},
                        {"d1,d1", "d[1,1]"},
                        {"d01,d02,d10", "d[01-02,10]"},
                        {"d1,d02,d3", "d[1,02,3]"},
                        {"d9,d10", "d[9-10]"},
                        {"d09,d10", "d[09-10]"},
                        {"a1b1,a1b2,a2b1,a2b2", "a1b[1-2],a2b[1-2]"},
                        {"a1,b1,a2", "a1,b1,a2"},
                        {"a,b", "a,b"},
                        {"a", "a"},
                        {"1,2,3", "[1-3]"},
                        {"d1-a,d2-a", "d1-a,d2-a"},
                        {"d099,d100", "d[099-100]"},
                        {"d99,d100,d0101", "d[99-100,0101]"},
                        {"d0,d00", "d[0,00]"},
                        {"d10,d9,d8", "d[10,9,8]"},
                        {"", ""}}) {
    const auto hosts = expand_hostlist(c.hosts);
    ASSERT_TRUE(hosts) << c.hosts;
    EXPECT_EQ(compress_hostlist(*hosts), c.list) << c.hosts;
  }
}

TEST(Hostlist, SortsByNumberNotByDigit) {
  auto hosts = expand_hostlist("d10,d9,e1,d1,d02").value();
  sort_hosts(hosts);
  EXPECT_EQ(compress_hostlist(hosts), "d[1,9-10,02],e1");
}

}  // namespace
}  // namespace sluice
