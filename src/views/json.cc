// The one file that knows nlohmann's parser.
#include "views/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "text/printable.h"
#include "views/json_request.h"

namespace sluice {
namespace {

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F &&
         c != '"' && c != '\\';
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i;
    while (end < text.size() && is_plain(text[end])) ++end;
    out += text.substr(i, end - i);
    if (end == text.size()) break;
    const char c = text[end];
    i = end + 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else if (const std::size_t length = utf8_length(text.substr(end)); length > 0) {
      const char32_t character = utf8_character(text.substr(end, length));
      // Printed on a terminal as often as read by a program, which takes this for the same.
      if (acts_on_terminals(character) && character <= 0xFFFF)
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
      else
        out += text.substr(end, length);
      i = end + length;
    } else {
      out += "\xEF\xBF\xBD";
    }
  }
  out += '"';
}

// Builds the tree; refuses what nests too deep before the stack does.
class TreeBuilder {
 public:
  static constexpr std::size_t kDeepest = 32;
  static constexpr std::size_t kUsualMembers = 8;
  static constexpr std::size_t kLongText = std::size_t{1} << 20;
  explicit TreeBuilder(std::size_t most_values) : left_(most_values) {}
  JsonValue root;
  std::string problem;

  bool null() {
    put(JsonValue::Kind::kNull);
    return !too_many();
  }
  bool boolean(bool value) {
    put(JsonValue::Kind::kBoolean).boolean = value;
    return !too_many();
  }
  bool number_integer(std::int64_t value) {
    JsonValue& v = put(JsonValue::Kind::kInteger);
    v.integer = value;
    v.real = static_cast<double>(value);
    return !too_many();
  }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return number_float(1e19, {});
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) {
    put(JsonValue::Kind::kReal).real = value;
    return !too_many();
  }
  // Texts are copied: the lexer would have to make its buffer long again for each. Of a long one
  // there is one.
  bool string(std::string& value) {
    std::string& text = put(JsonValue::Kind::kText).text;
    if (value.size() < kLongText)
      text = value;
    else
      text = std::move(value);
    return !too_many();
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return start(JsonValue::Kind::kObject); }
  bool start_array(std::size_t) { return start(JsonValue::Kind::kArray); }
  bool key(std::string& name) {
    if (open_.back()->members.empty()) open_.back()->members.reserve(kUsualMembers);
    open_.back()->members.emplace_back(std::piecewise_construct, std::forward_as_tuple(name),
                                       std::tuple<>());
    return true;
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) {
    problem = fmt::format("is not valid JSON at byte {}", at);
    return false;
  }

 private:
  JsonValue& place() {
    if (open_.empty()) return root;
    JsonValue& top = *open_.back();
    return top.kind == JsonValue::Kind::kArray ? top.items.emplace_back()
                                               : top.members.back().second;
  }
  bool too_many() {
    if (left_-- > 0) return false;
    problem = "has too many values";
    return true;
  }
  JsonValue& put(JsonValue::Kind kind) {
    JsonValue& value = place();
    value.kind = kind;
    return value;
  }
  bool start(JsonValue::Kind kind) {
    if (open_.size() >= kDeepest) {
      problem = fmt::format("nests deeper than {} levels", kDeepest);
      return false;
    }
    JsonValue& value = put(kind);
    open_.push_back(&value);
    return !too_many();
  }
  bool end() {
    open_.pop_back();
    return true;
  }
  // Nobody adds to a container while one inside it is open, so the addresses hold.
  std::vector<JsonValue*> open_;
  std::size_t left_;
};

}  // namespace

void JsonWriter::key(std::string_view name) {
  comma();
  append_quoted(out_, name);
  out_ += ':';
  comma_ = false;
}

void JsonWriter::text(std::string_view value) {
  comma();
  append_quoted(out_, value);
}

void JsonWriter::number(std::int64_t value) {
  comma();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
}

void JsonWriter::thousandths(std::int64_t value) {
  number(value / 1000);
  const std::int64_t rest = value % 1000;
  if (rest == 0) return;
  if (value < 0 && value > -1000) out_.insert(out_.size() - 1, 1, '-');
  std::string digits = fmt::format(".{:03}", rest < 0 ? -rest : rest);
  while (digits.back() == '0') digits.pop_back();
  out_ += digits;
}

void JsonWriter::real(double value) {
  comma();
  // JSON has no infinity: what nobody has used has no level.
  if (std::isfinite(value))
    out_ += fmt::format("{:.6f}", value);
  else
    out_ += "null";
}

void JsonWriter::begin(char bracket) {
  comma();
  out_ += bracket;
  comma_ = false;
}

void JsonWriter::end(char bracket) {
  out_ += bracket;
  comma_ = true;
}

void JsonWriter::plain(std::string_view text) {
  comma();
  out_ += text;
}

JsonValue::JsonValue() = default;
JsonValue::JsonValue(const JsonValue&) = default;
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue&) = default;
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::~JsonValue() = default;

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.first == name; });
  return it == members.end() ? nullptr : &it->second;
}

namespace {

Result<JsonValue> parsed(std::string_view text, std::size_t most_values) {
  TreeBuilder builder(most_values);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return bad_input(builder.problem.empty() ? "is not valid JSON" : builder.problem);
  return std::move(builder.root);
}

}  // namespace

Result<JsonValue> parse_json(std::string_view text) { return parsed(text, SIZE_MAX); }

Result<JsonValue> parse_request_json(std::string_view text) {
  return parsed(text, kMostRequestValues);
}

}  // namespace sluice
