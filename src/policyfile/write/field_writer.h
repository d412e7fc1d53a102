// Writes the fields of the model that differ from the usual, for the file or for Slurm.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/policy.h"
#include "policyfile/read/fields.h"
#include "policyfile/read/value.h"

namespace sluice {

enum class Notation : std::uint8_t {
  kFile,   // As policy.yaml has it: 1G, [a, b].
  kSlurm,  // As sacctmgr has it: megabytes, a,b.
};

class FieldWriter : public FieldVisitor {
 public:
  FieldWriter(Notation notation, const Policy& policy) : notation_(notation), policy_(policy) {}
  std::vector<std::pair<std::string, Value>> fields;
  std::vector<std::string_view> helps;  // The sentence about each field.

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
  void put(const Key& key, Value value) {
    fields.emplace_back(key.name, std::move(value));
    helps.push_back(key.help);
  }
  void put_plain(const Key& key, std::string text) { put(key, Value::scalar(std::move(text))); }
  void put_list(const Key& key, const std::vector<std::string>& words);

  Notation notation_;
  const Policy& policy_;
};

// Name and value of each field in which `value` differs from `usual`.
template <class T>
std::vector<std::pair<std::string, Value>> changed_fields(void (*describe)(FieldVisitor&, T&),
                                                          T value, T usual, Notation notation,
                                                          const Policy& policy) {
  FieldWriter now(notation, policy);
  FieldWriter before(notation, policy);
  describe(now, value);
  describe(before, usual);
  std::vector<std::pair<std::string, Value>> out;
  for (std::size_t i = 0; i < now.fields.size(); ++i)
    if (!same_content(now.fields[i].second, before.fields[i].second))
      out.push_back(std::move(now.fields[i]));
  return out;
}

}  // namespace sluice
