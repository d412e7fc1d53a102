#include "views/reason_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace sluice {
namespace {

// Recorded from libslurm 22.05.8, which holds the names.
std::vector<std::string> recorded() {
  std::ifstream file("tests/recordings/reasons/22.05.8");
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ReasonWords, EveryReasonOfSlurmIsThere) { EXPECT_EQ(reason_names(), recorded()); }

TEST(ReasonWords, EveryReasonHasWordsAndSomethingToDo) {
  for (const std::string& reason : recorded()) {
    const auto found = explain_reason(reason);
    ASSERT_TRUE(found) << reason;
    EXPECT_FALSE(found->words.empty()) << reason;
    EXPECT_FALSE(found->action.empty()) << reason;
  }
}

TEST(ReasonWords, LimitsAreReadFromTheirParts) {
  EXPECT_EQ(words_for_reason("QOSGrpGRES"), "the QoS holds as many GPUs as it may");
  EXPECT_EQ(words_for_reason("AssocGrpMemLimit"), "the account holds as much memory as it may");
  EXPECT_EQ(words_for_reason("QOSMinCpuNotSatisfied"), "asks for fewer CPUs than the QoS demands");
  EXPECT_EQ(words_for_reason("MaxGRESPerAccount"),
            "the account holds as many GPUs as the QoS allows");
}

TEST(ReasonWords, AnUnknownReasonIsShownAsItIs) {
  EXPECT_EQ(words_for_reason("BrandNewReason"), "BrandNewReason");
  EXPECT_FALSE(explain_reason("QOSGrpNonsense"));
}

}  // namespace
}  // namespace sluice
