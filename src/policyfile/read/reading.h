// What is gathered while a policy is read: errors, places, names to be looked up.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "policyfile/plan/slurm_only.h"
#include "policyfile/read/fields.h"
#include "policyfile/read/value.h"

namespace sluice {

// Where each field stands in the files: "qos.interactive.GrpTRES" to file and line.
class Places {
 public:
  void put(std::string field, const Place& place) { places_.emplace(std::move(field), place); }
  // Every field that the files name.
  std::set<std::string> fields() const {
    std::set<std::string> out;
    for (const auto& [field, place] : places_) out.insert(field);
    return out;
  }
  // The field's place, or that of the nearest thing around it.
  Place find(std::string_view field) const;
  // Durations written as a bare number, which then counts minutes.
  void put_bare(std::string field) { bare_.insert(std::move(field)); }
  const std::set<std::string>& bare() const { return bare_; }

 private:
  std::set<std::string> bare_;
  std::map<std::string, Place, std::less<>> places_;
};

struct Reading {
  std::vector<Error> errors;
  Places places;
  SlurmOnly slurm_only;
  TresRegistry tres;
  std::map<std::string, QosId, std::less<>> qos;
  std::vector<std::string> qos_names;  // In the order of the file.

  // A name that has to be that of an account or a QoS once all is read.
  struct Reference {
    Refers to = Refers::kNothing;
    std::string name;
    Place place;
    std::string field;
  };
  std::vector<Reference> references;

  void error(const Place& place, std::string_view field, std::string what, std::string hint = {});
  // The QoS of that name; an error where there is none.
  std::optional<QosId> find_qos(std::string_view name, const Place& place, std::string_view field);
};

}  // namespace sluice
