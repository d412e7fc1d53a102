// The fields of a section, described once: reading, writing and the JSON Schema visit them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/tres.h"

namespace sluice {

// A key of the file: its name, the other spellings it answers to, and a sentence about it.
struct Key {
  std::string_view name;
  std::string_view help;
  std::vector<std::string_view> aliases = {};
};

// What names in a list stand for; they are looked up once everything has been read.
enum class Refers : std::uint8_t { kNothing, kAccount, kQos };

// The words a field may have, in the order of the enum's values.
using Words = std::vector<std::string_view>;

struct Range {
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
};
inline constexpr Range kInt32{0, INT32_MAX};

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void text(const Key& key, std::string& value) = 0;
  virtual void name(const Key& key, std::string& value, Refers to) = 0;
  virtual void names(const Key& key, std::vector<std::string>& value, Refers to) = 0;
  virtual void flag(const Key& key, bool& value) = 0;
  virtual void whole(const Key& key, std::int64_t& value, Range range) = 0;
  // Nothing: unlimited.
  virtual void count(const Key& key, std::optional<std::int64_t>& value, Range range) = 0;
  // A decimal number in millionths.
  virtual void factor(const Key& key, std::int64_t& millionths) = 0;
  // Nothing: none is set.
  virtual void optional_factor(const Key& key, std::optional<std::int64_t>& millionths) = 0;
  virtual void span(const Key& key, Duration& value) = 0;
  virtual void limit(const Key& key, std::optional<Duration>& value) = 0;
  virtual void memory(const Key& key, std::int64_t& megabytes) = 0;
  virtual void memory_limit(const Key& key, std::optional<std::int64_t>& megabytes) = 0;
  virtual void tres(const Key& key, TresLimits& value) = 0;
  virtual void weights(const Key& key, TresWeights& value) = 0;
  virtual void qos(const Key& key, std::optional<QosId>& value) = 0;
  virtual void qos_list(const Key& key, std::vector<QosId>& value) = 0;
  virtual void word(const Key& key, std::size_t& value, const Words& words) = 0;
  virtual void optional_word(const Key& key, std::optional<std::size_t>& value,
                             const Words& words) = 0;
  // A list of words of which each is there or not.
  virtual void flags(const Key& key, std::vector<std::pair<std::string_view, bool*>> words) = 0;

  template <class Integer>
  void whole(const Key& key, Integer& value) {
    std::int64_t wide = value;
    whole(key, wide, Range{0, std::numeric_limits<Integer>::max()});
    value = static_cast<Integer>(wide);
  }
  template <class Integer>
  void count(const Key& key, std::optional<Integer>& value) {
    std::optional<std::int64_t> wide = value;
    count(key, wide, Range{0, std::numeric_limits<Integer>::max()});
    value.reset();
    if (wide) value = static_cast<Integer>(*wide);
  }
  template <class Enum>
  void choice(const Key& key, Enum& value, const Words& words) {
    auto index = static_cast<std::size_t>(value);
    word(key, index, words);
    value = static_cast<Enum>(index);
  }
  template <class Enum>
  void optional_choice(const Key& key, std::optional<Enum>& value, const Words& words) {
    std::optional<std::size_t> index;
    if (value) index = static_cast<std::size_t>(*value);
    optional_word(key, index, words);
    value.reset();
    if (index) value = static_cast<Enum>(*index);
  }
};

}  // namespace sluice
