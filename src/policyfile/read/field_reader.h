// Reads the fields of one map into the model; what is wrong goes to the Reading.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "policyfile/read/fields.h"
#include "policyfile/read/reading.h"

namespace sluice {

class FieldReader : public FieldVisitor {
 public:
  // The path is the section's name in messages: "qos.interactive". Nothing is an empty map.
  FieldReader(const Value& map, std::string path, Reading& reading);

  // The value of a key whose form is the section's own business; nullptr where it is not given.
  const Value* raw(const Key& key);
  // Only the value of a scalar.
  // Remembers a duration without a unit.
  void note_bare(const Key& key, const Value& given);
  const Value* scalar(const Key& key);
  bool has(const Key& key) { return raw(key) != nullptr; }
  // "qos.interactive.MaxWall"
  std::string field(const Key& key) const;
  void error(const Value& at, const Key& key, std::string what, std::string hint = {});
  // Each name of "a,b", [a, b] or a, with its place.
  std::vector<Value> listed(const Key& key);
  // What only Slurm keeps, under that subject.
  void slurm_only(SlurmOnlyOf of, const std::string& subject);
  // Says which keys no field has.
  void finish();

  using FieldVisitor::count;
  using FieldVisitor::whole;
  void text(const Key& key, std::string& value) override;
  void name(const Key& key, std::string& value, Refers to) override;
  void names(const Key& key, std::vector<std::string>& value, Refers to) override;
  void flag(const Key& key, bool& value) override;
  void whole(const Key& key, std::int64_t& value, Range range) override;
  void count(const Key& key, std::optional<std::int64_t>& value, Range range) override;
  void factor(const Key& key, std::int64_t& millionths) override;
  void optional_factor(const Key& key, std::optional<std::int64_t>& millionths) override;
  void span(const Key& key, Duration& value) override;
  void limit(const Key& key, std::optional<Duration>& value) override;
  void memory(const Key& key, std::int64_t& megabytes) override;
  void memory_limit(const Key& key, std::optional<std::int64_t>& megabytes) override;
  void tres(const Key& key, TresLimits& value) override;
  void weights(const Key& key, TresWeights& value) override;
  void qos(const Key& key, std::optional<QosId>& value) override;
  void qos_list(const Key& key, std::vector<QosId>& value) override;
  void word(const Key& key, std::size_t& value, const Words& words) override;
  void optional_word(const Key& key, std::optional<std::size_t>& value,
                     const Words& words) override;
  void flags(const Key& key, std::vector<std::pair<std::string_view, bool*>> words) override;

 private:
  struct Pair {
    std::string name;
    std::string amount;
    Place place;
  };
  // "cpu=4,mem=8G" or {cpu: 4, mem: 8G}, with every name known to the registry.
  std::vector<Pair> pairs(const Key& key);

  const Value& map_;
  std::string path_;
  Reading& reading_;
  std::set<std::string> used_;        // Keys as written.
  std::vector<std::string> allowed_;  // Names that were asked for.
};

// A name that sacctmgr and slurm.conf can carry: letters, digits and _ . - + @
bool is_plain_name(std::string_view name);

}  // namespace sluice
