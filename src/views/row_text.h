// Rows as lines of text, from the descriptions that make their JSON: for lists too long for JSON.
//
// Tab-separated values: the first line names the fields, every other line is a row. A backslash
// escapes itself, tabs ("\t"), ends of line ("\n", "\r"). What is absent is empty.
//
// Lines of a long list are much alike. Where that is asked for, a cell "\=" is what the line above
// has there, and a line ends with the last cell that is not: most lines are a number then.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/json_fields.h"

namespace sluice {

// Which fields of a row, by their places in its description.
using FieldMask = std::uint64_t;
inline constexpr FieldMask kAllFields = ~FieldMask{0};

class FieldNames {
 public:
  template <class T>
  void operator()(std::string_view name, const T&) {
    names.push_back(name);
  }
  std::vector<std::string_view> names;
};

template <class Row>
std::vector<std::string_view> field_names() {
  FieldNames fields;
  const Row row{};
  json_fields(fields, row);
  return std::move(fields.names);
}

// "id,name"; all of them for "". An error names those that exist.
Result<FieldMask> chosen_fields(const std::vector<std::string_view>& names, std::string_view list);

inline constexpr std::string_view kSame = "\\=";

void append_escaped(std::string& out, std::string_view text);
void append_thousandths(std::string& out, std::int64_t value);
// What append_escaped wrote.
void read_escaped(std::string_view cell, std::string& out);
std::int64_t read_thousandths(std::string_view cell);

enum class Ditto : std::uint8_t { kNo, kYes };

class RowTextWriter {
 public:
  RowTextWriter(std::string& out, FieldMask mask, Ditto ditto = Ditto::kNo)
      : out_(out), mask_(mask), ditto_(ditto == Ditto::kYes), to_(ditto_ ? &scratch_ : &out) {}
  RowTextWriter(const RowTextWriter&) = delete;
  RowTextWriter& operator=(const RowTextWriter&) = delete;

  template <class Row>
  void titles() {
    const auto names = field_names<Row>();
    bool first = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((mask_ >> i & 1U) == 0) continue;
      if (!first) out_ += '\t';
      first = false;
      out_ += names[i];
    }
    out_ += '\n';
  }
  // Fields that are not in the mask are known to be as in the row before.
  template <class Row>
  void row(const Row& row, FieldMask may_differ = kAllFields) {
    may_differ_ = may_differ;
    place_ = 0;
    same_ = 0;
    first_ = true;
    json_fields(*this, row);
    if (first_ && same_ > 0) out_ += kSame;
    out_ += '\n';
  }

  template <class T>
  void operator()(std::string_view, const T& value) {
    const std::size_t place = place_++;
    if ((mask_ >> place & 1U) == 0) return;
    if (!ditto_) {
      next_cell();
      return cell(value);
    }
    if ((may_differ_ >> place & 1U) == 0) {
      ++same_;
      return;
    }
    scratch_.clear();
    cell(value);
    if (place >= above_.size()) above_.resize(place + 1);
    std::optional<std::string>& above = above_[place];
    if (above == scratch_) {
      ++same_;
      return;
    }
    for (; same_ > 0; --same_) {
      next_cell();
      out_ += kSame;
    }
    next_cell();
    out_ += scratch_;
    above = scratch_;
  }

 private:
  template <class T>
  void cell(const T& value) {
    std::string& out = *to_;
    if constexpr (IsOptional<T>::value) {
      if (value) cell(*value);
    } else if constexpr (std::is_same_v<T, bool>) {
      out += value ? "true" : "false";
    } else if constexpr (HasWords<T>) {
      out += json_words(value)[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_integral_v<T>) {
      number(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      JsonWriter(out).real(value);
    } else if constexpr (IsId<T>::value) {
      number(value.value());
    } else if constexpr (std::is_same_v<T, Duration>) {
      append_thousandths(out, value.count());
    } else if constexpr (std::is_same_v<T, Instant>) {
      append_thousandths(out, value.time_since_epoch().count());
    } else if constexpr (IsTextMap<T>::value) {
      bool more = false;
      for (const auto& [name, text] : value) {
        if (more) out += ',';
        more = true;
        append_escaped(out, name + "=" + text);
      }
    } else {
      static_assert(std::is_same_v<T, std::string>, "a row has no such cell");
      append_escaped(out, value);
    }
  }
  void number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    to_->append(digits, end);
  }
  void next_cell() {
    if (!first_) out_ += '\t';
    first_ = false;
  }

  std::string& out_;
  FieldMask mask_;
  FieldMask may_differ_ = kAllFields;
  bool ditto_;
  std::string scratch_;
  std::string* to_;
  std::size_t place_ = 0;
  std::size_t same_ = 0;  // Cells that are as above, and not written yet.
  bool first_ = true;
  std::vector<std::optional<std::string>> above_;
};

// The JSON of some of a row's fields.
class ChosenJsonFields {
 public:
  ChosenJsonFields(JsonWriter& out, FieldMask mask) : writer_(out), mask_(mask) {}
  template <class T>
  void operator()(std::string_view name, const T& value) {
    if ((mask_ >> place_++ & 1U) != 0) writer_(name, value);
  }

 private:
  JsonFieldWriter writer_;
  FieldMask mask_;
  std::size_t place_ = 0;
};

// Reads what RowTextWriter wrote, row by row into one value.
template <class Row>
class RowTextReader {
 public:
  // The text must outlive the reader. An error where the first line names no fields of the row.
  static Result<RowTextReader> over(std::string_view text) {
    RowTextReader out(text);
    const std::string_view titles = out.next_line();
    std::string list(titles);
    for (char& c : list)
      if (c == '\t') c = ',';
    if (list.empty()) return failed("the answer has no fields");
    TRY(out.mask_, chosen_fields(field_names<Row>(), list));
    return out;
  }
  // False at the end. Fields that were not sent keep what they have.
  bool next(Row& row) {
    if (rest_.empty()) return false;
    line_ = next_line();
    place_ = 0;
    told_ = 0;
    ended_ = false;
    json_fields(*this, row);
    return true;
  }
  // The fields that the last row said anew; the others are as they were.
  FieldMask told() const { return told_; }

  template <class T>
  void operator()(std::string_view, T& value) {
    const std::size_t place = place_++;
    if ((mask_ >> place & 1U) == 0 || ended_) return;
    // Cells are short: looking is quicker than calling somebody who looks quickly.
    std::size_t end = 0;
    while (end < line_.size() && line_[end] != '\t') ++end;
    const std::string_view cell = line_.substr(0, end);
    ended_ = end == line_.size();
    line_.remove_prefix(std::min(end + 1, line_.size()));
    if (cell == kSame) return;
    told_ |= FieldMask{1} << place;
    read(cell, value);
  }

 private:
  explicit RowTextReader(std::string_view text) : rest_(text) {}
  std::string_view next_line() {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return line;
  }
  template <class T>
  static void read(std::string_view cell, T& value) {
    if constexpr (IsOptional<T>::value) {
      if (cell.empty()) return value.reset();
      read(cell, value ? *value : value.emplace());
    } else if constexpr (std::is_same_v<T, bool>) {
      value = cell == "true";
    } else if constexpr (HasWords<T>) {
      const auto& words = json_words(value);
      for (std::size_t i = 0; i < std::size(words); ++i)
        if (cell == words[i]) value = static_cast<T>(i);
    } else if constexpr (std::is_integral_v<T>) {
      value = 0;
      std::from_chars(cell.data(), cell.data() + cell.size(), value);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = INFINITY;
      std::from_chars(cell.data(), cell.data() + cell.size(), value);
    } else if constexpr (IsId<T>::value) {
      typename T::rep number = 0;
      std::from_chars(cell.data(), cell.data() + cell.size(), number);
      value = T(number);
    } else if constexpr (std::is_same_v<T, Duration>) {
      value = Duration(read_thousandths(cell));
    } else if constexpr (std::is_same_v<T, Instant>) {
      value = instant_at(Duration(read_thousandths(cell)));
    } else if constexpr (IsTextMap<T>::value) {
      value.clear();
      std::string pairs;
      read_escaped(cell, pairs);
      for (std::string_view rest = pairs; !rest.empty();) {
        const std::string_view pair = rest.substr(0, rest.find(','));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        value[std::string(pair.substr(0, equals))] = pair.substr(std::min(equals + 1, pair.size()));
        rest = rest.substr(std::min(pair.size() + 1, rest.size()));
      }
    } else {
      read_escaped(cell, value);
    }
  }

  std::string_view rest_;
  std::string_view line_;
  FieldMask mask_ = 0;
  FieldMask told_ = 0;
  std::size_t place_ = 0;
  bool ended_ = false;  // What is left of the row is as above.
};

}  // namespace sluice
