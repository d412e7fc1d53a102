// Each line is a record of Key=Value words; the parts of single users and accounts of a QoS stand
// at its end: "Account Limits= physics={MaxJobsPA=N(1) …} User Limits= 1002={…}".
#include "slurm/assoc_records.h"

#include <charconv>

namespace sluice {
namespace {

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return out;
}

std::string_view before_bracket(std::string_view text) { return text.substr(0, text.find('(')); }

std::string in_brackets(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return {};
  text.remove_prefix(open + 1);
  return std::string(text.substr(0, text.find(')')));
}

void add_field(AssocFields& fields, std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string_view::npos)
    fields.emplace_back(word.substr(0, equals), word.substr(equals + 1));
}

void read_words(std::string_view line, AssocRecord& record) {
  std::vector<AssocHolder>* holders = nullptr;
  AssocHolder* open = nullptr;
  std::string_view before;
  while (!line.empty()) {
    std::string_view word = take_until(line, ' ');
    if (word.starts_with("Limits=")) {
      holders = before == "Account" ? &record.accounts : &record.users;
      word = {};
    } else if (holders != nullptr) {
      if (open == nullptr) {
        const std::size_t brace = word.find("={");
        if (brace == std::string_view::npos) {
          before = word;
          continue;
        }
        open = &holders->emplace_back();
        // "1002" before 23.02, "alice(1002)" from then on.
        open->name = before_bracket(word.substr(0, brace));
        word.remove_prefix(brace + 2);
      }
      const bool closes = word.ends_with('}');
      if (closes) word.remove_suffix(1);
      add_field(open->fields, word);
      if (closes) open = nullptr;
    } else {
      add_field(record.fields, word);
    }
    before = word;
  }
}

}  // namespace

std::string_view field_of(const AssocFields& fields, std::string_view key) {
  for (const auto& [name, value] : fields)
    if (name == key) return value;
  return {};
}

std::string_view AssocRecord::field(std::string_view key) const { return field_of(fields, key); }

Counted read_counted(std::string_view text) {
  Counted out;
  const std::size_t open = text.find('(');
  const auto limit = std::from_chars(text.data(), text.data() + text.size(), out.limit);
  out.limited = limit.ec == std::errc{};
  if (!out.limited) out.limit = 0;
  if (open != std::string_view::npos)
    std::from_chars(text.data() + open + 1, text.data() + text.size(), out.used);
  return out;
}

std::vector<std::pair<std::string_view, Counted>> read_counted_tres(std::string_view text) {
  std::vector<std::pair<std::string_view, Counted>> out;
  while (!text.empty()) {
    const std::string_view item = take_until(text, ',');
    const std::size_t at = item.find('=');
    if (at != std::string_view::npos)
      out.emplace_back(item.substr(0, at), read_counted(item.substr(at + 1)));
  }
  return out;
}

std::vector<AssocRecord> parse_assoc_records(std::string_view text) {
  std::vector<AssocRecord> out;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (!line.starts_with("QOS=") && !line.starts_with("ClusterName=")) continue;
    AssocRecord record;
    read_words(line, record);
    record.qos = before_bracket(record.field("QOS"));
    record.account = record.field("Account");
    record.user = before_bracket(record.field("UserName"));
    record.uid = in_brackets(record.field("UserName"));
    record.parent = before_bracket(record.field("ParentAccount"));
    record.partition = record.field("Partition");
    record.jobs = read_counted(record.field("GrpJobs")).used;
    for (const auto& [name, counted] : read_counted_tres(record.field("GrpTRES")))
      record.tres[std::string(name)] = counted.used;
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace sluice
