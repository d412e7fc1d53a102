// Structs as JSON objects, from one description each:
//
//   template <class Fields> void json_fields(Fields& f, Like<Row> auto& row) { f("job", row.job); …
//   }
//
// The same description writes, reads and says what the schema is. Durations are seconds, times
// seconds since 1970, both with up to three decimals. An absent optional is left out.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "storage/fields.h"
#include "views/json.h"

namespace sluice {

template <class T>
struct IsTextMap : std::false_type {};
template <>
struct IsTextMap<std::map<std::string, std::string>> : std::true_type {};

// What has a notation of its own is a text: JsonText<T>::write(value) and ::read(text).
template <class T>
struct JsonText;
template <class T>
concept HasText = requires(const T& value) {
  { JsonText<T>::write(value) } -> std::convertible_to<std::string>;
};

// An enum is a word: json_words(Enum) gives all of them in order.
template <class T>
concept HasWords = std::is_enum_v<T> && requires(T value) {
  {json_words(value)};
};

class JsonFieldWriter {
 public:
  explicit JsonFieldWriter(JsonWriter& out) : out_(out) {}

  template <class T>
  void operator()(std::string_view name, const T& value) {
    if constexpr (IsOptional<T>::value) {
      if (!value) return;
      out_.key(name);
      element(*value);
    } else {
      out_.key(name);
      element(value);
    }
  }

  template <class T>
  void element(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.boolean(value);
    } else if constexpr (HasWords<T>) {
      out_.text(json_words(value)[static_cast<std::size_t>(value)]);
    } else if constexpr (std::is_integral_v<T>) {
      out_.number(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      out_.real(value);
    } else if constexpr (IsId<T>::value) {
      out_.number(value.value());
    } else if constexpr (std::is_same_v<T, Duration>) {
      out_.thousandths(value.count());
    } else if constexpr (std::is_same_v<T, Instant>) {
      out_.thousandths(value.time_since_epoch().count());
    } else if constexpr (std::is_same_v<T, std::string>) {
      out_.text(value);
    } else if constexpr (HasText<T>) {
      out_.text(JsonText<T>::write(value));
    } else if constexpr (IsVector<T>::value) {
      out_.begin_array();
      for (const auto& each : value) element(each);
      out_.end_array();
    } else if constexpr (IsTextMap<T>::value) {
      out_.begin_object();
      for (const auto& [name, text] : value) {
        out_.key(name);
        out_.text(text);
      }
      out_.end_object();
    } else {
      out_.begin_object();
      json_fields(*this, value);
      out_.end_object();
    }
  }

 private:
  JsonWriter& out_;
};

template <class T>
void write_json(JsonWriter& out, const T& value) {
  JsonFieldWriter(out).element(value);
}
template <class T>
std::string to_json(const T& value) {
  std::string text;
  JsonWriter out(text);
  write_json(out, value);
  return text;
}

// Whether members that no field asked for are an error (of a request: probably misspelt) or not
// (of an answer: from a newer daemon).
enum class UnknownMembers : std::uint8_t { kRefuse, kIgnore };

// Where a value stands: "jobs.memory.mb". Written out only where something is wrong.
struct JsonPath {
  const JsonPath* around = nullptr;
  std::string_view name;

  std::string text() const {
    return around == nullptr ? std::string(name) : around->text() + "." + std::string(name);
  }
};

class JsonFieldReader {
 public:
  // The path lives as long as the reader; none where the object stands for itself.
  JsonFieldReader(const JsonValue& object, const JsonPath* path, UnknownMembers unknown)
      : object_(object), path_(path), unknown_(unknown) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    if (!problem_.empty()) return;
    if (unknown_ == UnknownMembers::kRefuse) names_.push_back(name);
    const JsonValue* found = next(name);
    if (found == nullptr) return;
    ++found_;
    read(*found, JsonPath{path_, name}, value);
  }

  const std::string& problem() const { return problem_; }
  // After all fields: keys that no field has.
  void finish() {
    if (unknown_ == UnknownMembers::kIgnore || !problem_.empty() ||
        found_ == object_.members.size())
      return;
    for (const auto& [name, value] : object_.members)
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
        problem_ = JsonPath{path_, name}.text() + ": unknown field; the fields are:";
        for (const std::string_view known : names_) problem_ += " " + std::string(known);
        return;
      }
  }

 private:
  // Most objects have their members in the order of the fields: ours do.
  const JsonValue* next(std::string_view name) {
    if (next_ == object_.members.size() || object_.members[next_].first != name)
      return object_.find(name);
    return &object_.members[next_++].second;
  }

  template <class T>
  void read(const JsonValue& from, const JsonPath& path, T& value) {
    using Kind = JsonValue::Kind;
    if constexpr (IsOptional<T>::value) {
      if (from.is(Kind::kNull)) return value.reset();
      read(from, path, value.emplace());
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!from.is(Kind::kBoolean)) return wrong(path, "true or false");
      value = from.boolean;
    } else if constexpr (HasWords<T>) {
      const auto& words = json_words(value);
      for (std::size_t i = 0; i < std::size(words); ++i)
        if (from.is(Kind::kText) && from.text == words[i]) {
          value = static_cast<T>(i);
          return;
        }
      std::string all;
      for (const auto& word : words) all += (all.empty() ? "" : ", ") + std::string(word);
      wrong(path, "one of " + all);
    } else if constexpr (std::is_integral_v<T>) {
      if (!from.is(Kind::kInteger) || !std::in_range<T>(from.integer))
        return wrong(path, "a whole number");
      value = static_cast<T>(from.integer);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!from.is(Kind::kInteger) && !from.is(Kind::kReal) && !from.is(Kind::kNull))
        return wrong(path, "a number");
      value = from.is(Kind::kNull) ? INFINITY : from.real;
    } else if constexpr (IsId<T>::value) {
      if (!from.is(Kind::kInteger) || !std::in_range<typename T::rep>(from.integer))
        return wrong(path, "a number");
      value = T(static_cast<typename T::rep>(from.integer));
    } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>) {
      // Beyond this lies no time that anything here could mean.
      constexpr double kMostSeconds = 1e12;
      if ((!from.is(Kind::kInteger) && !from.is(Kind::kReal)) || std::abs(from.real) > kMostSeconds)
        return wrong(path, "seconds");
      const Duration whole(std::llround(from.real * 1000));
      if constexpr (std::is_same_v<T, Duration>)
        value = whole;
      else
        value = instant_at(whole);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!from.is(Kind::kText)) return wrong(path, "a text");
      value = from.text;
    } else if constexpr (HasText<T>) {
      if (!from.is(Kind::kText)) return wrong(path, "a text");
      auto parsed = JsonText<T>::read(from.text);
      if (!parsed) {
        problem_ = path.text() + ": " + parsed.error().what;
        return;
      }
      value = std::move(*parsed);
    } else if constexpr (IsVector<T>::value) {
      if (!from.is(Kind::kArray)) return wrong(path, "a list");
      value.clear();
      value.reserve(from.items.size());
      for (std::size_t i = 0; i < from.items.size() && problem_.empty(); ++i)
        read(from.items[i], path, value.emplace_back());
    } else if constexpr (IsTextMap<T>::value) {
      if (!from.is(Kind::kObject)) return wrong(path, "an object of texts");
      for (const auto& [name, text] : from.members) {
        if (!text.is(Kind::kText)) return wrong(JsonPath{&path, name}, "a text");
        value[name] = text.text;
      }
    } else {
      if (!from.is(Kind::kObject)) return wrong(path, "an object");
      JsonFieldReader reader(from, &path, unknown_);
      json_fields(reader, value);
      reader.finish();
      problem_ = reader.problem();
    }
  }
  void wrong(const JsonPath& path, const std::string& wanted) {
    problem_ = path.text() + ": expected " + wanted;
  }

  const JsonValue& object_;
  const JsonPath* path_;
  UnknownMembers unknown_;
  std::string problem_;
  std::vector<std::string_view> names_;
  std::size_t next_ = 0;
  std::size_t found_ = 0;
};

template <class T>
Result<T> read_json(const JsonValue& value, UnknownMembers unknown = UnknownMembers::kIgnore) {
  if (!value.is(JsonValue::Kind::kObject)) return bad_input("expected an object");
  T out{};
  JsonFieldReader reader(value, nullptr, unknown);
  json_fields(reader, out);
  reader.finish();
  if (!reader.problem().empty()) return bad_input(reader.problem());
  return out;
}
template <class T>
Result<T> from_json(std::string_view text, UnknownMembers unknown = UnknownMembers::kIgnore) {
  TRY(const JsonValue value, parse_json(text));
  return read_json<T>(value, unknown);
}

}  // namespace sluice
