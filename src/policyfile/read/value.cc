// Building, comparing and printing document values.
#include "policyfile/read/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sluice {
namespace {

bool is_whole_number(std::string_view text) {
  std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  // More than 18 digits may not fit into the reader's integers; 07 is no JSON number.
  if (digits.empty() || digits.size() > 18 || (digits.size() > 1 && digits[0] == '0')) return false;
  return std::all_of(digits.begin(), digits.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

void print_text(std::string_view text, std::string& out) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  out += '"';
}

void print(const Value& value, std::size_t depth, std::string& out) {
  const std::string inner(2 * (depth + 1), ' ');
  const std::string outer(2 * depth, ' ');
  switch (value.kind) {
    case Value::Kind::kNull:
      out += "null";
      return;
    case Value::Kind::kScalar:
      if (!value.quoted &&
          (value.text == "true" || value.text == "false" || is_whole_number(value.text)))
        out += value.text;
      else
        print_text(value.text, out);
      return;
    case Value::Kind::kList:
      if (value.items.empty()) {
        out += "[]";
        return;
      }
      out += "[\n";
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        out += inner;
        print(value.items[i], depth + 1, out);
        out += i + 1 < value.items.size() ? ",\n" : "\n";
      }
      out += outer + "]";
      return;
    case Value::Kind::kMap:
      if (value.entries.empty()) {
        out += "{}";
        return;
      }
      out += "{\n";
      for (std::size_t i = 0; i < value.entries.size(); ++i) {
        out += inner;
        print_text(value.entries[i].key, out);
        out += ": ";
        print(value.entries[i].value, depth + 1, out);
        out += i + 1 < value.entries.size() ? ",\n" : "\n";
      }
      out += outer + "}";
      return;
  }
}

}  // namespace

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

std::string Place::text() const {
  if (file == nullptr) return {};
  return line > 0 ? fmt::format("{}:{}", *file, line) : *file;
}

std::string Value::described() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return "'" + text + "'";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return {};
}

Value Value::scalar(std::string text) {
  Value value;
  value.kind = Kind::kScalar;
  value.text = std::move(text);
  return value;
}

Value Value::quoted_text(std::string text) {
  Value value = scalar(std::move(text));
  value.quoted = true;
  return value;
}

Value Value::list(std::vector<Value> items) {
  Value value;
  value.kind = Kind::kList;
  value.items = std::move(items);
  return value;
}

Value Value::map() {
  Value value;
  value.kind = Kind::kMap;
  return value;
}

void Value::add(std::string key, Value value) {
  entries.push_back(Entry{std::move(key), {}, std::move(value)});
}

bool same_content(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.text != b.text) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_content) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    [](const Entry& x, const Entry& y) {
                      return x.key == y.key && same_content(x.value, y.value);
                    });
}

std::string print_json(const Value& value) {
  std::string out;
  print(value, 0, out);
  return out + "\n";
}

}  // namespace sluice
