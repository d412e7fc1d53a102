// One workload under two policies, and how sure the difference is.
#include "sim/reports/policy_comparison.h"

#include <gtest/gtest.h>

#include "sim/reports/report_words.h"
#include "sim/workloads/swf.h"

namespace sluice {
namespace {

struct Ran {
  Simulation simulation;
  SimulationReport report;
};

Ran run(const Workload& workload, std::int32_t cpus) {
  Workload machine = workload;
  machine.machine_cpus = cpus;
  const auto policy = std::make_shared<const Policy>(machine_of(machine, SchedulerType::kBackfill));
  Ran out;
  out.simulation = simulate(policy, workload).value();
  out.report = make_report(workload, out.simulation, policy);
  return out;
}

Workload queue_of(int jobs) {
  std::string text = "; MaxProcs: 1\n";
  for (int i = 1; i <= jobs; ++i) text += std::to_string(i) + " 0 -1 10 1 -1 -1 1 10 -1 1 1 1\n";
  return parse_swf(text, "t").value();
}

PolicyComparison compare(const Workload& workload, std::int32_t a, std::int32_t b) {
  const Ran before = run(workload, a);
  const Ran after = run(workload, b);
  return compare_policies(workload, {&before.simulation, &before.report},
                          {&after.simulation, &after.report}, {}, names_as_written(workload), 1);
}

TEST(PolicyComparison, NothingIsSaidToBeNothing) {
  const PolicyComparison same = compare(queue_of(20), 1, 1);
  EXPECT_EQ(same.moved, 0U);
  EXPECT_NE(same.why_nothing.find("No difference"), std::string::npos);
  EXPECT_NE(comparison_text(same, 10).find("say the same"), std::string::npos);
}

TEST(PolicyComparison, TwiceTheMachineHalvesTheWaits) {
  const PolicyComparison c = compare(queue_of(200), 1, 2);
  EXPECT_TRUE(c.why_nothing.empty());
  ASSERT_FALSE(c.figures.empty());
  EXPECT_EQ(c.figures[0].name, "mean wait");
  EXPECT_DOUBLE_EQ(c.figures[0].before, 995);
  EXPECT_DOUBLE_EQ(c.figures[0].after, 495);
  EXPECT_LT(c.figures[0].interval->high, 0);
  ASSERT_FALSE(c.groups.empty());
  EXPECT_EQ(c.groups[0].verdict, Verdict::kGains);
}

TEST(Bootstrap, IsTheSameForTheSameSeedAndHoldsTheMean) {
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) values.push_back(i % 7);
  const Interval a = interval_of_mean(values, 3);
  const Interval b = interval_of_mean(values, 3);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_LT(a.low, 3);
  EXPECT_GT(a.high, 2.9);
  EXPECT_EQ(interval_of_mean({}, 1).high, 0);
  const std::vector<double> zero(50, 0.0);
  EXPECT_TRUE(interval_of_percentile(zero, zero, 95, 1).holds_zero());
}

TEST(ReportWords, DurationsAreAsPeopleWriteThem) {
  EXPECT_EQ(span_text(0), "0s");
  EXPECT_EQ(span_text(0.2), "<1s");
  EXPECT_EQ(span_text(59.6), "1m");
  EXPECT_EQ(span_text(3599.9), "1h");
  EXPECT_EQ(span_text(7980), "2h 13m");
  EXPECT_EQ(span_text(86400 * 3 + 3600 * 4 + 100), "3d 4h");
  EXPECT_EQ(span_text(-90), "-1m 30s");
  EXPECT_EQ(json_text("a\"</x>\n"), "\"a\\\"\\u003c/x>\\u000a\"");
}

TEST(FigureText, WhatIsTooLittleForItsLastDigitIsNoDifference) {
  EXPECT_EQ(difference_text(-0.004, FigureUnit::kHours), "0");
  EXPECT_EQ(difference_text(-0.06, FigureUnit::kHours), "-0.06");
  EXPECT_EQ(difference_text(1250, FigureUnit::kHours), "+1,250");
  EXPECT_EQ(difference_text(-0.0001, FigureUnit::kPercent), "0");
  EXPECT_EQ(difference_text(-0.001, FigureUnit::kRatio), "0");
  EXPECT_EQ(difference_text(-0.3, FigureUnit::kCount), "0");
  EXPECT_EQ(difference_text(-90, FigureUnit::kSeconds), "-1m 30s");
  EXPECT_EQ(figure_text(6.37, FigureUnit::kHours), "6.37");
}

}  // namespace
}  // namespace sluice
