// Dominance over all figures, then one choice.
#include "sim/tuning/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/reports/report_words.h"

namespace sluice {
namespace {

bool complete(const TunedPolicy& trial) {
  return trial.refused.empty() &&
         std::all_of(trial.figures.begin(), trial.figures.end(),
                     [](const std::optional<double>& figure) { return figure.has_value(); });
}

bool dominates(const TunedPolicy& a, const TunedPolicy& b, const std::vector<Goal>& goals) {
  if (a.not_run > b.not_run) return false;
  bool better = a.not_run < b.not_run;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (goals[i].better(*b.figures[i], *a.figures[i])) return false;
    better = better || goals[i].better(*a.figures[i], *b.figures[i]);
  }
  return better;
}

bool same_figures(const TunedPolicy& a, const TunedPolicy& b) {
  return a.figures == b.figures && a.not_run == b.not_run;
}

bool says_how_many_are_refused(const Tuning& tuning) {
  return std::any_of(tuning.goals.begin(), tuning.goals.end(),
                     [](const Goal& goal) { return goal.figure == GoalFigure::kRefused; });
}

// Whether the trials differ in how many jobs they run.
bool some_run_fewer(const Tuning& tuning) {
  return std::any_of(tuning.trials.begin(), tuning.trials.end(), [&](const TunedPolicy& trial) {
    return trial.refused.empty() && trial.not_run != tuning.trials.front().not_run;
  });
}

std::string settings_text(const Tuning& tuning, const TunedPolicy& trial) {
  std::string out;
  for (std::size_t i = 0; i < trial.settings.size(); ++i)
    out += fmt::format("{}{}={}", i > 0 ? " " : "", tuning.names[i], trial.settings[i]);
  return out.empty() ? "as it is" : out;
}

}  // namespace

void choose(Tuning& tuning) {
  const bool all_must_run = !says_how_many_are_refused(tuning);
  for (TunedPolicy& trial : tuning.trials) {
    if (!complete(trial)) continue;
    trial.on_front = true;
    for (const TunedPolicy& other : tuning.trials) {
      if (&other == &trial || !complete(other)) continue;
      // Of those that come to the same, the first stands for all.
      const bool same = &other < &trial && same_figures(other, trial);
      if (same || dominates(other, trial, tuning.goals)) trial.on_front = false;
    }
    trial.meets_all = !all_must_run || trial.not_run <= tuning.trials.front().not_run;
    for (std::size_t i = 0; i < tuning.goals.size(); ++i)
      trial.meets_all = trial.meets_all && tuning.goals[i].is_met_by(*trial.figures[i]);
  }
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const TunedPolicy& trial = tuning.trials[i];
    if (!trial.meets_all) continue;
    if (!tuning.chosen) {
      tuning.chosen = i;
      continue;
    }
    const TunedPolicy& best = tuning.trials[*tuning.chosen];
    if (trial.changes < best.changes ||
        (trial.changes == best.changes &&
         tuning.goals[0].better(*trial.figures[0], *best.figures[0])))
      tuning.chosen = i;
  }
}

bool nothing_changes(const Tuning& tuning) {
  return tuning.trials.size() > 1 &&
         std::all_of(tuning.trials.begin(), tuning.trials.end(), [&](const TunedPolicy& trial) {
           return trial.refused.empty() && same_figures(trial, tuning.trials.front());
         });
}

std::string tuning_text(const Tuning& tuning) {
  fmt::memory_buffer out;
  const auto at = std::back_inserter(out);
  std::size_t width = 8;
  for (const TunedPolicy& trial : tuning.trials)
    width = std::max(width, settings_text(tuning, trial).size());
  for (std::size_t i = 0; i < tuning.goals.size(); ++i)
    fmt::format_to(at, "  {}  {}: {}\n", static_cast<char>('a' + i),
                   i + tuning.kept < tuning.goals.size() ? "goal" : "keep", tuning.goals[i].text);
  const bool counts_not_run = some_run_fewer(tuning);
  if (counts_not_run && !says_how_many_are_refused(tuning))
    fmt::format_to(at,
                   "  -  keep: jobs that do not run (refused, or never ended) <= {}, as it is\n",
                   tuning.trials.front().not_run);
  fmt::format_to(at, "\n  {:{}}", "", width);
  for (std::size_t i = 0; i < tuning.goals.size(); ++i)
    fmt::format_to(at, " {:>10}", static_cast<char>('a' + i));
  if (counts_not_run) fmt::format_to(at, " {:>10}", "do not run");
  fmt::format_to(at, "\n");
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const TunedPolicy& trial = tuning.trials[i];
    const bool shown = i == 0 || trial.on_front || tuning.chosen == i || !trial.refused.empty();
    if (!shown) {
      ++hidden;
      continue;
    }
    fmt::format_to(at, "  {:{}}", settings_text(tuning, trial), width);
    if (!trial.refused.empty()) {
      fmt::format_to(at, "  cannot be: {}\n", trial.refused);
      continue;
    }
    for (std::size_t k = 0; k < tuning.goals.size(); ++k)
      fmt::format_to(at, " {:>10}",
                     trial.figures[k] ? tuning.goals[k].value_text(*trial.figures[k]) : "-");
    if (counts_not_run) fmt::format_to(at, " {:>10}", trial.not_run);
    fmt::format_to(at, "{}{}\n", trial.meets_all ? "  meets all" : "",
                   tuning.chosen == i ? ", chosen" : "");
  }
  if (nothing_changes(tuning)) {
    fmt::format_to(at, "  {}: none makes any difference to these figures on this workload\n",
                   plural(hidden, "other setting"));
    return fmt::to_string(out);
  }
  if (hidden > 0)
    fmt::format_to(at, "  {} not shown: no better than one above in any way (--json shows all)\n",
                   plural(hidden, "setting"));
  return fmt::to_string(out);
}

std::string tuning_json(const Tuning& tuning) {
  std::string out = "{\n  \"schema\": \"sluice.sim.tune/1\",\n  \"goals\": [";
  for (std::size_t i = 0; i < tuning.goals.size(); ++i)
    out += (i > 0 ? ", " : "") + json_text(tuning.goals[i].text);
  out += fmt::format("],\n  \"chosen\": {},\n  \"trials\": [",
                     tuning.chosen ? fmt::to_string(*tuning.chosen) : "null");
  for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
    const TunedPolicy& trial = tuning.trials[i];
    out += fmt::format("{}\n    {{\"settings\": {{", i > 0 ? "," : "");
    for (std::size_t k = 0; k < trial.settings.size(); ++k)
      out += fmt::format("{}{}: {}", k > 0 ? ", " : "", json_text(tuning.names[k]),
                         json_text(trial.settings[k]));
    out += "}, \"figures\": [";
    for (std::size_t k = 0; k < trial.figures.size(); ++k)
      out += (k > 0 ? ", " : "") +
             (trial.figures[k] ? fmt::format("{:.6f}", *trial.figures[k]) : std::string("null"));
    out +=
        fmt::format("], \"do_not_run\": {}, \"meets_all\": {}, \"on_front\": {}, \"refused\": {}}}",
                    trial.not_run, trial.meets_all, trial.on_front,
                    trial.refused.empty() ? "null" : json_text(trial.refused));
  }
  return out + "\n  ]\n}\n";
}

}  // namespace sluice
