// Dependencies as slurmctld takes and shows them.
#include "text/dependency.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string read_and_written(std::string_view text) {
  const auto dependencies = parse_dependencies(text);
  return dependencies ? format_dependencies(*dependencies) : "refused";
}

TEST(Dependency, IsReadAsSlurmctldReadsIt) {
  struct Case {
    const char* text;
    const char* shown;
  };
  for (const Case& c : {Case{"afterok:1:2", "afterok:1,afterok:2"},
                        {"afterok:1,afternotok:2", "afterok:1,afternotok:2"},
                        {"afterok:1?afternotok:2", "afterok:1?afternotok:2"},
                        {"after:1+5", "after:1+5"},
                        {"afterok:1_3", "afterok:1_3"},
                        {"aftercorr:2", "aftercorr:2"},
                        {"1", "afterany:1"},
                        {"AFTEROK:1", "afterok:1"},
                        {"singleton,afterok:1", "singleton,afterok:1"},
                        {"afterok:1_*", "afterok:1"},
                        {"afterany:1:1", "afterany:1"},
                        {"afterburstbuffer:1", "afterany:1"},
                        {"", ""}})
    EXPECT_EQ(read_and_written(c.text), c.shown) << c.text;
}

TEST(Dependency, OneQuestionMarkMakesAllOfThemAlternatives) {
  EXPECT_EQ(read_and_written("afterok:1,afternotok:2?afterany:3"),
            "afterok:1?afternotok:2?afterany:3");
  EXPECT_EQ(read_and_written("afterok:1?afternotok:2,afterany:3"),
            "afterok:1?afternotok:2?afterany:3");
}

TEST(Dependency, ADelayHoldsForItsOwnJobOnly) {
  EXPECT_EQ(read_and_written("after:1+5:2"), "after:1+5,after:2");
}

TEST(Dependency, RefusalsNameTheText) {
  for (const char* text :
       {"foo:1", "1:2", "afterok", "afterok:", "afterok:x", "afterok:1:", "afterok:1,",
        ",afterok:1", "expand:1", "after:1+x", "afterok:1;afterok:2", "afterok:1 ,afterok:2",
        "singleton:1", "afterok:0", "none", "afterok:1_", "afterok:1_x", "afterok:4294967296"})
    EXPECT_EQ(read_and_written(text), "refused") << text;
  EXPECT_EQ(parse_dependencies("afterok:x").error().what, "'x' is not a job id, in 'afterok:x'");
}

TEST(Dependency, IsShownWithItsStateAsSqueueShowsIt) {
  const auto dependencies = parse_dependencies("afterok:1:2,singleton").value();
  const DependencyStatus all[] = {DependencyStatus::kUnfulfilled, DependencyStatus::kFailed,
                                  DependencyStatus::kFulfilled};
  EXPECT_EQ(format_dependency_states(dependencies, all),
            "afterok:1(unfulfilled),afterok:2(failed)");
}

}  // namespace
}  // namespace sluice
