// Values may hold blanks (OS=Linux 6.1 …), keys never do.
#include "slurm/records.h"

#include <algorithm>
#include <cctype>

#include "slurm/table.h"
#include "text/scan.h"

namespace sluice {
namespace {

// How many characters of the text are a key; 0: it does not begin with Key=.
std::size_t key_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                             text[i] == '_' || text[i] == '/' || text[i] == ':'))
    ++i;
  return i < text.size() && text[i] == '=' ? i : 0;
}

}  // namespace

Record::Record(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t length = key_length(line.substr(at));
    std::size_t next = at;
    do {
      next = line.find(' ', next);
      if (next == std::string_view::npos) break;
      ++next;
    } while (key_length(line.substr(next)) == 0 && next < line.size());
    if (length != 0) {
      std::string_view value = line.substr(at, next == std::string_view::npos ? next : next - at);
      const std::string_view key = value.substr(0, length);
      value.remove_prefix(length + 1);
      while (value.ends_with(' ')) value.remove_suffix(1);
      fields_.emplace_back(key, value);
    }
    if (next == std::string_view::npos) return;
    at = next;
  }
}

std::string_view Record::get(std::string_view key) const {
  for (const auto& [name, value] : fields_)
    if (name == key) return value;
  return {};
}

std::string_view Record::given(std::string_view key) const {
  const std::string_view value = get(key);
  return is_absent(value) ? std::string_view() : value;
}

std::vector<Record> records_of(std::string_view text, std::string_view begin) {
  std::vector<Record> out;
  for (const std::string_view line : split(text, '\n'))
    if (line.starts_with(begin)) out.emplace_back(line);
  return out;
}

std::string_view config_value(std::string_view text, std::string_view key) {
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    const std::size_t equals = line.find_first_not_of(' ');
    if (equals == std::string_view::npos || line[equals] != '=') continue;
    line.remove_prefix(equals + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with(' ')) line.remove_suffix(1);
    return is_absent(line) ? std::string_view() : line;
  }
  return {};
}

}  // namespace sluice
