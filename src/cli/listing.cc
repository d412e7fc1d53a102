#include "cli/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/command.h"
#include "cli/local_time.h"
#include "text/duration.h"
#include "text/scan.h"

namespace sluice {
namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<Column> columns_of(const std::vector<ListField>& fields) {
  std::vector<Column> out;
  for (const ListField& field : fields) out.push_back({upper(field.name), Align::kLeft, true});
  return out;
}

}  // namespace

void add_list_options(Command& verb, ListOptions& options) {
  auto* json = verb.add_flag("--json", options.json, "As JSON");
  verb.add_flag("-P,--parsable2", options.parsable, "Fields with | between them, for programs")
      ->excludes(json);
  verb.add_flag("--noheader", options.no_header, "No line of titles with -P or --format");
  verb.add_option("-o,--format", options.format,
                  "The fields to show, by their names in the JSON: id,name%20,state; "
                  "+field and -field change the usual columns")
      ->type_name("FIELDS");
}

Result<ListFormat> parse_list_format(std::string_view text) {
  ListFormat out;
  for (std::string_view word : split(text, ',')) {
    if (word.empty()) continue;
    const char sign = word.front();
    if (sign == '+' || sign == '-') word.remove_prefix(1);
    ListField field;
    const std::size_t percent = word.find('%');
    field.name = word.substr(0, percent);
    if (percent != std::string_view::npos) {
      const auto width = whole_number(word.substr(percent + 1));
      if (!width || *width < 1 || *width > 1000)
        return bad_input(fmt::format("--format: {} has no width", sluice::quoted(word)),
                         "write it as name%20");
      field.width = static_cast<std::size_t>(*width);
    }
    if (sign == '-')
      out.left_out.push_back(upper(field.name));
    else if (sign == '+')
      out.more.push_back(std::move(field));
    else
      out.fields.push_back(std::move(field));
  }
  if (!out.fields.empty() && (!out.more.empty() || !out.left_out.empty()))
    return bad_input(
        "--format: fields with + or - change the usual columns, the others replace "
        "them",
        "write all with a sign, or none");
  return out;
}

std::string cell_text(Instant value) {
  std::string out = full_local_time(value);
  std::replace(out.begin(), out.end(), ' ', 'T');
  return out;
}
std::string cell_text(Duration value) { return format_duration(value); }

std::string_view CellTexts::of(std::string_view name) const {
  const auto found = std::find_if(texts_.begin(), texts_.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == texts_.end() ? std::string_view() : std::string_view(found->second);
}

std::string CellTexts::number_text(double value) { return fmt::format("{:.6f}", value); }

Result<ListTable> ListTable::open(std::vector<Column> columns, const ListOptions& options) {
  TRY(ListFormat format, parse_list_format(options.format));
  for (const std::string& title : format.left_out)
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.title == title; })) {
      std::string all;
      for (const Column& column : columns) all += (all.empty() ? "" : ", ") + column.title;
      return bad_input(fmt::format("--format: there is no column {}", sluice::quoted(title)),
                       "the columns are " + all);
    }
  for (Column& column : columns_of(format.more)) columns.push_back(std::move(column));
  return ListTable(std::move(columns), std::move(format));
}

void ListTable::add_more() {
  for (const ListField& field : format_.more)
    table_.cell(field.width > 0 ? first_columns(cells_.of(field.name), field.width)
                                : cells_.of(field.name));
}

void ListTable::print() {
  table_.leave_out(format_.left_out);
  table_.print(Display::of_stdout(), stdout);
}

ListPrinter::ListPrinter(const ListOptions& options, std::vector<ListField> fields)
    : parsable_(options.parsable), fields_(std::move(fields)), table_(columns_of(fields_)) {
  if (options.no_header) table_.without_titles();
  if (!parsable_ || options.no_header) return;
  for (const ListField& field : fields_) out_ += (out_.empty() ? "" : "|") + field.name;
  out_ += '\n';
}

void ListPrinter::add(const CellTexts& cells) {
  bool more = false;
  for (const ListField& field : fields_) {
    std::string_view cell = cells.of(field.name);
    if (field.width > 0) cell = first_columns(cell, field.width);
    if (!parsable_) {
      table_.cell(cell);
      continue;
    }
    if (more) out_ += '|';
    more = true;
    // A bar in a name would be taken for the end of a field.
    for (const char c : cell) c == '|' ? out_ += "\\x7c" : out_ += c;
  }
  if (!parsable_) return;
  out_ += '\n';
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  if (out_.size() < kPiece) return;
  std::fwrite(out_.data(), 1, out_.size(), stdout);
  out_.clear();
}

void ListPrinter::finish() {
  if (parsable_)
    std::fwrite(out_.data(), 1, out_.size(), stdout);
  else
    table_.print(Display::of_stdout(), stdout);
}

}  // namespace sluice
