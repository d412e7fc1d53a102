// The parts of a plan, a file each, and what they share.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policyfile/plan/plan.h"
#include "policyfile/write/field_writer.h"

namespace sluice {

// One field that is not as wanted.
struct FieldChange {
  std::string name;      // As the file has it.
  std::string settings;  // sacctmgr's "Key=value"; empty where it takes another command.
  std::string from;      // As people write it; "unlimited" where there is no limit.
  std::string to;
};

// Of two things of the same kind, each in the words of its own policy.
template <class T>
std::vector<FieldChange> field_changes(void (*describe)(FieldVisitor&, T&), T live,
                                       const Policy& live_policy, T wanted,
                                       const Policy& wanted_policy);
std::vector<FieldChange> changes_between(const FieldWriter& live, const FieldWriter& wanted,
                                         const FieldWriter& live_words,
                                         const FieldWriter& wanted_words);

template <class T>
std::vector<FieldChange> field_changes(void (*describe)(FieldVisitor&, T&), T live,
                                       const Policy& live_policy, T wanted,
                                       const Policy& wanted_policy) {
  FieldWriter a(Notation::kSlurm, live_policy);
  FieldWriter b(Notation::kSlurm, wanted_policy);
  FieldWriter c(Notation::kFile, live_policy);
  FieldWriter d(Notation::kFile, wanted_policy);
  describe(a, live);
  describe(b, wanted);
  describe(c, live);
  describe(d, wanted);
  return changes_between(a, b, c, d);
}

// "MaxWall 1h, was unlimited"; as history "GrpTRES fell from 3 GPU/812 GB to 1/312.5".
std::string change_text(const FieldChange& change, Tense tense);

struct PlanContext {
  const LivePolicy& live;
  const Policy& wanted;  // As Slurm keeps it.
  const PlanOptions& options;
  Plan& plan;
  std::vector<PlanStep> last;  // Removals, which come after everything else.

  std::string of_cluster() const { return "cluster=" + live.policy.cluster; }
  // Removes something: held back where it would end jobs that were not named.
  PlanStep removal(Argv argv, std::string subject, std::string says, const std::string& name,
                   std::vector<std::string> hits) const;
  // Slurm removes nothing that jobs still use: these are cancelled first.
  void cancel_first(const PlanStep& removal, Argv which);
};

void plan_qos(PlanContext& context);
void plan_associations(PlanContext& context);
void plan_users(PlanContext& context);
void plan_partitions(PlanContext& context);
void plan_conf(PlanContext& context);
void plan_slurm_only(PlanContext& context);

// As a set of words, in the order of the first text; for lists whose order does not matter.
std::vector<std::string> comma_words(std::string_view text);

}  // namespace sluice
