// Goals in words, settings of a document, and the choice among trials.
#include "sim/tuning/tuning.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policyfile/read/yaml.h"
#include "sim/tuning/variation.h"

namespace sluice {
namespace {

TEST(Goal, IsReadFromWords) {
  const Goal wait = parse_goal("p95 wait of interactive <= 10m").value();
  EXPECT_EQ(wait.figure, GoalFigure::kP95Wait);
  EXPECT_EQ(wait.of, "interactive");
  EXPECT_DOUBLE_EQ(wait.bound, 600);
  EXPECT_TRUE(wait.is_met_by(600));
  EXPECT_FALSE(wait.is_met_by(601));
  const Goal share = parse_goal("share of research >= 40%").value();
  EXPECT_DOUBLE_EQ(share.bound, 0.4);
  EXPECT_TRUE(share.at_least);
  EXPECT_TRUE(parse_goal("refused <= 0"));
  EXPECT_TRUE(parse_goal("wait <= 1h"));
  for (const char* wrong :
       {"", "wait", "share >= 40%", "wait <= 40%", "share of a >= 40", "p95 share of a >= 4%",
        "wait of a < 1h", "wait of a <= 1h now", "refused <= -1", "slowdown <= nan",
        "utilisation of a >= 1%", "p99 slowdown <= 1", "wait of qos <= "})
    EXPECT_FALSE(parse_goal(wrong)) << wrong;
}

TEST(Goal, NamesMayBeOfAKindAndResourcesOfUtilisation) {
  SimulationReport report;
  report.ran = 2;
  report.wait.p99 = 70;
  report.resources = {{"CPUs", 8, 0.5}, {"GPUs", 2, 0.25}};
  ShareRow row;
  row.name = "a";
  row.jobs = 1;
  row.wait.most = 5;
  report.accounts = {row};
  row.wait.most = 60;
  row.preemptions = 3;
  report.qos = {row};
  const auto value = [&](const char* goal) { return parse_goal(goal).value().value_in(report); };
  EXPECT_EQ(value("longest wait of a <= 1m"), 5);
  EXPECT_EQ(value("longest wait of account a <= 1m"), 5);
  EXPECT_EQ(value("longest wait of QoS a <= 1m"), 60);
  EXPECT_EQ(value("preemptions of qos a <= 1"), 3);
  EXPECT_EQ(value("wait of user a <= 1m"), std::nullopt);
  EXPECT_EQ(value("p99 wait <= 1m"), 70);
  EXPECT_EQ(value("utilisation of GPUs >= 80%"), 0.25);
  EXPECT_EQ(value("utilisation of memory >= 80%"), std::nullopt);
  EXPECT_EQ(parse_goal("wait of qos <= 1m").value().of, "qos") << "a name like any other";
}

TEST(Variation, RangesListsAndMembers) {
  const Variation gpus = parse_variation("qos.interactive.GrpTRES=gpu=2..8").value();
  EXPECT_EQ(gpus.member, "gres/gpu");
  EXPECT_EQ(gpus.values.size(), 7U);
  EXPECT_EQ(parse_variation("qos.a.Priority=0..1000:300").value().values,
            (std::vector<std::string>{"0", "300", "600", "900", "1000"}));
  EXPECT_EQ(parse_variation("priority.half_life=1d,7d").value().values.size(), 2U);
  EXPECT_LE(parse_variation("qos.a.Priority=0..100000").value().values.size(), 10U);
  for (const char* wrong : {"", "a=1", "a.b", "a..b=1", "a.b=", "a.b=8..2", "a.b=1..9:0",
                            "a.b=0..9223372036854775807:1"})
    EXPECT_FALSE(parse_variation(wrong)) << wrong;
}

TEST(Variation, RangesAreOfEveryKindThatAPolicyWrites) {
  const auto values = [](const char* text) {
    const auto read = parse_variation(std::string("a.b=") + text);
    return read ? read->values : std::vector<std::string>{read.error().what};
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(values("6h..1d:6h"), (Texts{"6h", "12h", "18h", "1d"}));
  EXPECT_EQ(values("1d..14d"), (Texts{"1d", "3d", "5d", "7d", "9d", "11d", "13d", "14d"}));
  EXPECT_EQ(values("1..3h"), (Texts{"1h", "2h", "3h"}));
  EXPECT_EQ(values("30m..2h:30"), (Texts{"30m", "1h", "90m", "2h"}));
  EXPECT_EQ(values("100G..400G:100G"), (Texts{"100G", "200G", "300G", "400G"}));
  EXPECT_EQ(values("512M..2G:512M"), (Texts{"512M", "1G", "1536M", "2G"}));
  EXPECT_EQ(values("mem=1G..3G"), (Texts{"1G", "2G", "3G"}));
  EXPECT_EQ(values("0.5..2:0.5"), (Texts{"0.5", "1", "1.5", "2"}));
  EXPECT_EQ(values("0..0.3"), (Texts{"0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(values("-2..2"), (Texts{"-2", "-1", "0", "1", "2"}));
  EXPECT_EQ(values("1,4..6,5,9"), (Texts{"1", "4", "5", "6", "9"}));
  EXPECT_EQ(values("yes,no"), (Texts{"yes", "no"}));
  for (const char* wrong :
       {"1d..2G", "1h..30m", "1d..2d:1G", "1x..2x", "1..2:-1", "1...2", "..2", "1..", "1.5555..2",
        "gpu=1..2,cpu=3", "9223372036854775807..9223372036854775807", "1w..9223372036854775w"})
    EXPECT_FALSE(parse_variation(std::string("a.b=") + wrong)) << wrong;
}

TEST(Variation, ItemsOfListsAreFoundByName) {
  const Value document = parse_yaml("nodes: [{name: 'n[1-2]', gpus: 4}]\n", "p").value();
  const auto changed = with_value(document, parse_variation("nodes.n[1-2].gpus=8").value(), "8");
  ASSERT_TRUE(changed);
  EXPECT_NE(print_yaml(*changed).find("gpus: 8"), std::string::npos);
  EXPECT_FALSE(with_value(document, parse_variation("nodes.n3.gpus=8").value(), "8"));
}

TEST(Variation, WhatIsNoSettingSaysWhichAreThere) {
  const Value document =
      parse_yaml("switches: {a: {nodes: n1}}\nqos: {inter: {Priority: 1, MaxWall: 1h}}\n", "p")
          .value();
  const auto said = [&](const char* variation) {
    const auto changed = with_value(document, parse_variation(variation).value(), "1");
    return changed ? "" : changed.error().what + "; " + changed.error().hint;
  };
  EXPECT_EQ(said("switches.a=1..3"),
            "--vary: switches.a is not one setting, it has several; vary one of them: "
            "switches.a.nodes=…");
  EXPECT_EQ(said("qos.inter=1"),
            "--vary: qos.inter is not one setting, it has several; vary one of them: "
            "qos.inter.Priority=…, qos.inter.MaxWall=…");
  EXPECT_EQ(said("qos.intre.Priority=1"),
            "--vary: the policy has no 'intre' in 'qos'; did you mean inter? allowed: inter");
}

TEST(Variation, EditsOneMemberAndAddsWhatIsMissing) {
  const Value document = parse_yaml("qos:\n  a: {GrpTRES: 'cpu=8,gres/gpu=4'}\n", "p").value();
  const auto text = [&](const char* variation, const char* value) {
    return print_yaml(with_value(document, parse_variation(variation).value(), value).value());
  };
  EXPECT_NE(text("qos.a.grp_tres=gpu=2", "2").find("cpu=8,gres/gpu=2"), std::string::npos);
  EXPECT_NE(text("qos.a.GrpTRES=mem=2G", "2G").find("gres/gpu=4,mem=2G"), std::string::npos);
  EXPECT_NE(text("qos.a.MaxWall=1h", "1h").find("MaxWall: 1h"), std::string::npos);
  EXPECT_NE(text("priority.weight_age=5", "5").find("weight_age: 5"), std::string::npos);
  EXPECT_FALSE(with_value(document, parse_variation("qos.b.MaxWall=1h").value(), "1h"));
}

TEST(Tuning, TakesTheFewestChangesThatMeetEverything) {
  Tuning tuning;
  tuning.names = {"x"};
  tuning.goals = {parse_goal("wait <= 10m").value(), parse_goal("share of a >= 40%").value()};
  tuning.kept = 1;
  const auto add = [&](const char* setting, double wait, double share, std::size_t changes) {
    TunedPolicy trial;
    trial.settings = {setting};
    trial.figures = {wait, share};
    trial.changes = changes;
    tuning.trials.push_back(trial);
  };
  add("as it is", 900, 0.5, 0);
  add("1", 500, 0.45, 1);
  add("2", 100, 0.41, 1);
  add("3", 50, 0.2, 1);
  add("4", 600, 0.41, 2);
  choose(tuning);
  EXPECT_EQ(tuning.chosen, 2U) << "as few changes as 1, and a shorter wait";
  EXPECT_TRUE(tuning.trials[0].on_front);
  EXPECT_TRUE(tuning.trials[3].on_front);
  EXPECT_FALSE(tuning.trials[4].on_front) << "1 is better in both";
  EXPECT_NE(tuning_text(tuning).find("chosen"), std::string::npos);
}

TEST(Tuning, RefusingJobsIsNoWayToMeetAGoal) {
  const auto tuning_with = [](std::vector<Goal> goals) {
    Tuning out;
    out.names = {"x"};
    for (const std::size_t refused : {0U, 145U, 0U}) {
      TunedPolicy trial;
      trial.settings = {fmt::format("{}", out.trials.size())};
      trial.figures = {out.trials.empty() ? 900.0 : refused > 0 ? 60.0 : 1200.0};
      if (goals.size() > 1) trial.figures.emplace_back(static_cast<double>(refused));
      trial.not_run = refused;
      out.trials.push_back(trial);
    }
    out.goals = std::move(goals);
    choose(out);
    return out;
  };
  const Goal wait = parse_goal("wait <= 10m").value();
  const Tuning silent = tuning_with({wait});
  EXPECT_FALSE(silent.chosen) << "its waits are short because 145 jobs never waited";
  EXPECT_NE(tuning_text(silent).find("do not run"), std::string::npos);
  EXPECT_TRUE(silent.trials[0].on_front) << "it runs all jobs";
  EXPECT_EQ(tuning_with({wait, parse_goal("refused <= 200").value()}).chosen, 1U)
      << "asked for, it is allowed";
}

TEST(Tuning, AFigureThatNobodyHasIsNeverMet) {
  Tuning tuning;
  tuning.goals = {parse_goal("wait of nobody <= 10m").value()};
  TunedPolicy trial;
  trial.figures = {std::nullopt};
  tuning.trials = {trial};
  choose(tuning);
  EXPECT_FALSE(tuning.chosen);
}

}  // namespace
}  // namespace sluice
