// JSON text out, written as it comes, and in, as a small tree of our own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sluice {

// Appends to `out`. Commas and colons come by themselves. Bytes that are no UTF-8 become U+FFFD:
// people choose names, and JSON has no other place for them.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void key(std::string_view name);
  void text(std::string_view value);
  void number(std::int64_t value);
  // In thousandths, as a decimal fraction: 1500 is 1.5.
  void thousandths(std::int64_t value);
  void real(double value);
  void boolean(bool value) { plain(value ? "true" : "false"); }
  void null() { plain("null"); }
  // What is JSON already.
  void raw(std::string_view json) { plain(json); }

 private:
  void begin(char bracket);
  void end(char bracket);
  void plain(std::string_view text);
  void comma() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  std::string& out_;
  bool comma_ = false;
};

struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kReal, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  // Defined where a pair with a value in it is complete: clang looks for it here otherwise.
  JsonValue();
  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;
  ~JsonValue();

  const JsonValue* find(std::string_view name) const;
  bool is(Kind wanted) const { return kind == wanted; }
};

// Nested no deeper than 32; an error says at which byte.
Result<JsonValue> parse_json(std::string_view text);

}  // namespace sluice
