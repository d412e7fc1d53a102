// What every verb that prints a list offers: --json, --parsable2, --format.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/connection.h"
#include "cli/name_filters.h"
#include "cli/table.h"
#include "cli/target.h"
#include "views/row_text.h"

namespace sluice {

class Command;

struct ListOptions {
  bool json = false;
  bool parsable = false;
  bool no_header = false;
  std::string format;
};
void add_list_options(Command& verb, ListOptions& options);

// One field of --format: "name", "name%20", "+name", "-name".
struct ListField {
  std::string name;
  std::size_t width = 0;  // 0: as wide as it gets.
};

struct ListFormat {
  std::vector<ListField> fields;      // Instead of the usual columns.
  std::vector<ListField> more;        // Beside them.
  std::vector<std::string> left_out;  // Of them.
};
Result<ListFormat> parse_list_format(std::string_view text);

// A value as Slurm's commands print it: times as 2026-11-15T08:00:00, durations as 1-02:03:04.
std::string cell_text(Instant value);
std::string cell_text(Duration value);

// The cells of a row, by the names of its fields.
class CellTexts {
 public:
  template <class T>
  void operator()(std::string_view name, const T& value) {
    if (place_ == texts_.size()) texts_.emplace_back(name, std::string());
    std::string& out = texts_[place_++].second;
    out.clear();
    put(out, value);
  }
  template <class Row>
  void take(const Row& row) {
    place_ = 0;
    json_fields(*this, row);
  }
  std::string_view of(std::string_view name) const;

 private:
  template <class T>
  void put(std::string& out, const T& value) {
    if constexpr (IsOptional<T>::value) {
      if (value) put(out, *value);
    } else if constexpr (std::is_same_v<T, bool>) {
      out = value ? "true" : "false";
    } else if constexpr (HasWords<T>) {
      out = json_words(value)[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_arithmetic_v<T>) {
      out = number_text(value);
    } else if constexpr (IsId<T>::value) {
      out = std::to_string(value.value());
    } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Instant>) {
      out = cell_text(value);
    } else if constexpr (IsTextMap<T>::value) {
      for (const auto& [name, text] : value)
        out += (out.empty() ? "" : ",") + printable(name + "=" + text);
    } else {
      out = printable(value);
    }
  }
  static std::string number_text(double value);
  static std::string number_text(std::integral auto value) { return std::to_string(value); }

  std::vector<std::pair<std::string_view, std::string>> texts_;
  std::size_t place_ = 0;
};

// The names of the fields that the list must come with: those of --format, or "" for all.
template <class Row>
Result<std::string> wanted_fields(const ListFormat& format) {
  std::string list;
  for (const auto* part : {&format.fields, &format.more})
    for (const ListField& field : *part) list += (list.empty() ? "" : ",") + field.name;
  TRY_VOID(chosen_fields(field_names<Row>(), list).map([](FieldMask) {}));
  return format.fields.empty() ? "" : list;
}

// A verb's own table, with the columns that --format adds to it and without those it takes away.
class ListTable {
 public:
  static Result<ListTable> open(std::vector<Column> columns, const ListOptions& options);
  // The usual cells are in; the others follow from the row.
  template <class Row>
  void finish_row(const Row& row) {
    if (format_.more.empty()) return;
    cells_.take(row);
    add_more();
  }
  template <class Row>
  void add(const std::vector<std::string>& usual, const Row& row) {
    for (const std::string& cell : usual) table_.cell(cell);
    finish_row(row);
  }
  Table& table() { return table_; }
  const ListFormat& format() const { return format_; }
  void print();

 private:
  ListTable(std::vector<Column> columns, ListFormat format)
      : table_(std::move(columns)), format_(std::move(format)) {}
  void add_more();
  Table table_;
  ListFormat format_;
  CellTexts cells_;
};

class ListPrinter {
 public:
  ListPrinter(const ListOptions& options, std::vector<ListField> fields);
  void add(const CellTexts& cells);
  void finish();

 private:
  bool parsable_;
  std::vector<ListField> fields_;
  Table table_;
  std::string out_;
};

// The list as JSON, as bars between fields or with the fields of --format. False, and nothing is
// printed, where none of it was asked for and the verb's own table is due.
template <class Row>
Result<bool> print_listing(Connection& daemon, Target target, const ListOptions& options,
                           const NameFilters& filters = {}) {
  TRY(ListFormat format, parse_list_format(options.format));
  TRY(const std::string fields, wanted_fields<Row>(format));
  if (options.json) {
    TRY(const std::string body, daemon.get(target.with("fields", fields).text()));
    if (filters.any() && body.find("\"lines\":[]") != std::string::npos)
      TRY_VOID(check_names(filters));
    std::fwrite(body.data(), 1, body.size(), stdout);
    return true;
  }
  if (!options.parsable && format.fields.empty()) return false;
  TRY(const std::string body,
      daemon.get(target.with("format", "tsv").with("fields", fields).text()));
  TRY(auto rows, RowTextReader<Row>::over(body));
  if (format.fields.empty())
    for (const std::string_view name : field_names<Row>())
      format.fields.push_back({std::string(name), 0});
  ListPrinter printer(options, std::move(format.fields));
  CellTexts cells;
  bool empty = true;
  for (Row row{}; rows.next(row);) {
    cells.take(row);
    printer.add(cells);
    empty = false;
  }
  if (empty) TRY_VOID(check_names(filters));
  printer.finish();
  return true;
}

}  // namespace sluice
