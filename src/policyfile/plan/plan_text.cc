// A plan for people and for programs.
#include <fmt/format.h>

#include <algorithm>

#include "policyfile/plan/plan.h"

namespace sluice {
namespace {

constexpr const char* kKinds[] = {"add", "change", "remove"};
constexpr char kSigns[] = {'+', '~', '-'};

Value list_of(const std::vector<std::string>& texts) {
  Value out = Value::list();
  for (const std::string& text : texts) out.items.push_back(Value::quoted_text(text));
  return out;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  // More lines than this of one command are counted.
  constexpr std::size_t kLines = 12;
  std::string out;
  std::size_t number = 0;
  for (const PlanStep& step : plan.steps) {
    const char sign = kSigns[static_cast<std::size_t>(step.kind)];
    for (std::size_t i = 0; i < std::min(kLines, step.says.size()); ++i)
      out += fmt::format("{} {}\n", sign, step.says[i]);
    if (step.says.size() > kLines)
      out += fmt::format("{} … and {} more\n", sign, step.says.size() - kLines);
    if (!step.hits.empty()) out += fmt::format("    affects {}\n", fmt::join(step.hits, ", "));
    if (!step.needs.empty())
      out += fmt::format("    left out unless you add {}\n", step.needs);
    else
      ++number;
    out += fmt::format("    {}\n", shell_quoted(step.argv));
  }
  if (!plan.keep.empty()) {
    out += "\nIn slurm.conf too, or the next start of slurmctld forgets it:\n";
    for (const std::string& line : plan.keep) out += fmt::format("    {}\n", line);
  }
  if (!plan.conf.empty()) {
    out += "\nOnly slurm.conf can say this (then: scontrol reconfigure):\n";
    for (const ConfChange& change : plan.conf) {
      if (change.line.empty())
        out += fmt::format("  - {}\n", change.now);
      else
        out += fmt::format("  + {}{}\n", change.line,
                           change.now.empty() ? "" : fmt::format("    # now {}", change.now));
    }
  }
  if (!plan.notes.empty()) {
    out += "\nNot in a policy file, and left alone:\n";
    for (const std::string& note : plan.notes) out += fmt::format("    {}\n", note);
  }
  if (plan.empty()) {
    out += fmt::format("No differences: cluster {} is as the file says.\n", plan.cluster);
    return out;
  }
  out += fmt::format("\n{} command{}", number, number == 1 ? "" : "s");
  if (plan.held_back() > 0) out += fmt::format(", {} left out", plan.held_back());
  if (!plan.conf.empty())
    out += fmt::format(", {} line{} of slurm.conf", plan.conf.size(),
                       plan.conf.size() == 1 ? "" : "s");
  out += fmt::format(" for cluster {}.\n", plan.cluster);
  return out;
}

Value plan_value(const Plan& plan) {
  Value out = Value::map();
  out.add("schema", Value::quoted_text("sluice.policy.plan/1"));
  out.add("cluster", Value::quoted_text(plan.cluster));
  out.add("differences", Value::scalar(plan.empty() ? "false" : "true"));
  Value steps = Value::list();
  for (const PlanStep& step : plan.steps) {
    Value one = Value::map();
    one.add("kind", Value::quoted_text(kKinds[static_cast<std::size_t>(step.kind)]));
    one.add("argv", list_of(step.argv));
    one.add("subjects", list_of(step.subjects));
    one.add("says", list_of(step.says));
    if (!step.hits.empty()) one.add("hits", list_of(step.hits));
    if (!step.needs.empty()) one.add("needs", Value::quoted_text(step.needs));
    steps.items.push_back(std::move(one));
  }
  out.add("steps", std::move(steps));
  Value conf = Value::list();
  for (const ConfChange& change : plan.conf) {
    Value one = Value::map();
    one.add("line", Value::quoted_text(change.line));
    one.add("now", Value::quoted_text(change.now));
    conf.items.push_back(std::move(one));
  }
  out.add("slurm_conf", std::move(conf));
  out.add("slurm_conf_partitions", list_of(plan.keep));
  out.add("notes", list_of(plan.notes));
  return out;
}

}  // namespace sluice
