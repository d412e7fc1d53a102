// A document as written: scalars, lists and maps, each with its file and line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;  // Counts from 1; 0: unknown.
  // "policy.yaml:12", or "" where nothing is known.
  std::string text() const;
};

struct Entry;

struct Value {
  // Defined where Entry is complete: clang looks into the vector of entries too early otherwise.
  Value();
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;     // Of a scalar.
  bool quoted = false;  // A scalar that is text even where it looks like a number.
  std::vector<Value> items;
  std::vector<Entry> entries;  // In the order in which they were written.
  Place place;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  // "a list", "a map", "'text'" or "nothing", for messages.
  std::string described() const;

  static Value scalar(std::string text);
  static Value quoted_text(std::string text);
  static Value list(std::vector<Value> items = {});
  static Value map();
  void add(std::string key, Value value);
};

struct Entry {
  std::string key;
  Place place;
  Value value;
};

// The same content; places and quotes do not count.
bool same_content(const Value& a, const Value& b);

// JSON with two spaces of indentation: plain scalars that are whole numbers, true or false are
// written as such, everything else as text.
std::string print_json(const Value& value);

}  // namespace sluice
