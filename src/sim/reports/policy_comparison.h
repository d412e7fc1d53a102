// The same workload under two policies: what differs, how sure that is, who gains and who loses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policyfile/plan/differences.h"
#include "sim/reports/bootstrap.h"
#include "sim/reports/report.h"
#include "sim/workloads/names_in_force.h"

namespace sluice {

enum class FigureUnit : std::uint8_t { kSeconds, kRatio, kPercent, kCount, kHours };
// Of which there may be none under both, and then nothing is to be said.
constexpr bool is_amount(FigureUnit unit) {
  return unit == FigureUnit::kCount || unit == FigureUnit::kHours;
}
std::string figure_text(double value, FigureUnit unit);
// With its sign.
std::string difference_text(double value, FigureUnit unit);

struct ComparedFigure {
  std::string name;
  FigureUnit unit = FigureUnit::kSeconds;
  double before = 0;
  double after = 0;
  std::optional<Interval> interval;  // Of after - before, where it can be said.
};

enum class Verdict : std::uint8_t { kSame, kGains, kLoses, kUnclear };
std::string_view verdict_word(Verdict verdict);

// Jobs of one account, user or QoS.
struct ComparedGroup {
  std::string kind;
  std::string name;
  std::size_t jobs = 0;  // That ran under both: the waits are theirs.
  double wait_before = 0;
  double wait_after = 0;
  Interval interval;  // Of the difference of the mean wait.
  std::size_t refused_before = 0;
  std::size_t refused_after = 0;
  double share_before = 0;
  double share_after = 0;
  Verdict verdict = Verdict::kSame;
};

// What submitters are told, and how many under each.
struct ComparedRefusal {
  std::string what;
  std::size_t before = 0;
  std::size_t after = 0;
};

struct PolicyComparison {
  std::string workload;
  std::string before;
  std::string after;
  std::string people;  // How the policy's users came by the jobs.
  std::size_t jobs = 0;
  std::size_t both = 0;                  // Ran under both.
  std::size_t moved = 0;                 // Of those, start at another time.
  std::size_t settled = 0;               // Refused, or left for ever, under one policy alone.
  std::vector<std::string> differences;  // What the two files say differently.
  std::vector<std::string> unexercised;  // Of the second policy.
  std::vector<ComparedFigure> figures;
  std::vector<ComparedGroup> groups;      // Those that change most first, by kind.
  std::vector<ComparedRefusal> refusals;  // Those that differ most first.
  // Why nothing differs, and what of each difference; empty where something does.
  std::string why_nothing;
  std::vector<std::string> why_each;
};

struct RunUnderPolicy {
  const Simulation* simulation = nullptr;
  const SimulationReport* report = nullptr;
};

// Groups are named as the first policy names them: `names` are as Workload::requests.
PolicyComparison compare_policies(const Workload& workload, const RunUnderPolicy& before,
                                  const RunUnderPolicy& after,
                                  const std::vector<Difference>& differences,
                                  const std::vector<NamesInForce>& names, std::uint64_t seed);

std::string comparison_text(const PolicyComparison& comparison,
                            std::optional<std::size_t> most_users);
std::string comparison_json(const PolicyComparison& comparison);
std::string comparison_html(const PolicyComparison& comparison, const SimulationReport& before,
                            const SimulationReport& after);

}  // namespace sluice
