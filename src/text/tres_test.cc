// TRES lists against a registry.
#include "text/tres.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

class Tres : public testing::Test {
 protected:
  void SetUp() override {
    a100_ = registry_.add("gres/gpu:a100").value();
    license_ = registry_.add("license/x").value();
  }
  TresRegistry registry_;
  TresIndex a100_;
  TresIndex license_;
};

TEST_F(Tres, IsReadWithUnitsAndWrittenBack) {
  const auto limits = parse_tres_limits(
      "cpu=4,mem=8G,gres/gpu:a100=2,billing=12,license/x=1,node=2,gres/gpu=3", registry_);
  ASSERT_TRUE(limits) << limits.error().text();
  EXPECT_EQ(limits->get(kTresCpu), 4);
  EXPECT_EQ(limits->get(kTresMem), 8192);
  EXPECT_EQ(limits->get(a100_), 2);
  EXPECT_EQ(limits->get(license_), 1);
  EXPECT_EQ(format_tres_limits(*limits, registry_),
            "cpu=4,mem=8G,node=2,billing=12,gres/gpu=3,gres/gpu:a100=2,license/x=1");
  EXPECT_EQ(format_tres_limits(*limits, registry_, TresOrder::kByName),
            "billing=12,cpu=4,gres/gpu:a100=2,gres/gpu=3,license/x=1,mem=8G,node=2");
}

TEST_F(Tres, KeepsZeroAsALimitAndHidesItAsAnAmount) {
  EXPECT_EQ(format_tres_limits(parse_tres_limits("cpu=0,gres/gpu=0", registry_).value(), registry_),
            "cpu=0,gres/gpu=0");
  EXPECT_EQ(format_tres(parse_tres_amounts("cpu=0,mem=4000", registry_).value(), registry_),
            "mem=4000M");
}

TEST_F(Tres, MinusOneLiftsALimit) {
  const auto before = parse_tres_limits("cpu=4,node=2", registry_).value();
  const auto edits = parse_tres_edits("cpu=-1,mem=312.5G", registry_).value();
  EXPECT_EQ(format_tres_limits(edited(before, edits), registry_), "mem=312.50G,node=2");
  EXPECT_TRUE(parse_tres_limits("cpu=-1", registry_).value().empty());
  EXPECT_FALSE(parse_tres_amounts("cpu=-1", registry_));
}

TEST_F(Tres, IgnoresCaseAndEmptyMembers) {
  EXPECT_EQ(parse_tres_limits("CPU=1,,Mem=1T,GRES/gpu=2,", registry_).value().get(kTresGpu), 2);
  EXPECT_TRUE(parse_tres_limits("", registry_).value().empty());
  EXPECT_EQ(parse_tres_limits("billing=2K", registry_).value().get(kTresBilling), 2048);
}

TEST_F(Tres, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_EQ(parse_tres_limits("gres/fpga=1", registry_).error().text(),
            "there is no resource 'gres/fpga'\n  known are cpu, mem, node, billing, gres/gpu, "
            "gres/gpu:a100, license/x");
  for (const char* text : {"cpu", "cpu=", "cpu=x", "cpu=-2", "mem=4X", "=4", "cpu=1.5",
                           "cpu=99999999999999999999", "billing=9999999999P"})
    EXPECT_FALSE(parse_tres_limits(text, registry_)) << text;
}

}  // namespace
}  // namespace sluice
