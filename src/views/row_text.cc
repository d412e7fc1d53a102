#include "views/row_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {

Result<FieldMask> chosen_fields(const std::vector<std::string_view>& names, std::string_view list) {
  if (list.empty()) return kAllFields;
  FieldMask mask = 0;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list = list.substr(std::min(name.size() + 1, list.size()));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      std::string all;
      for (const std::string_view each : names)
        all += (all.empty() ? "" : ", ") + std::string(each);
      return bad_input(fmt::format("there is no field \"{}\"", name), "the fields are " + all);
    }
    mask |= FieldMask{1} << (found - names.begin());
  }
  return mask;
}

void append_escaped(std::string& out, std::string_view text) {
  while (true) {
    const auto special = std::find_if(text.begin(), text.end(), [](char c) {
      return c == '\t' || c == '\n' || c == '\r' || c == '\\';
    });
    out.append(text.begin(), special);
    if (special == text.end()) return;
    out += '\\';
    out += *special == '\t' ? 't' : *special == '\n' ? 'n' : *special == '\r' ? 'r' : '\\';
    text = text.substr(static_cast<std::size_t>(special - text.begin()) + 1);
  }
}

void read_escaped(std::string_view cell, std::string& out) {
  if (cell.find('\\') == std::string_view::npos) {
    out.assign(cell);
    return;
  }
  out.clear();
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] != '\\' || i + 1 == cell.size()) {
      out += cell[i];
      continue;
    }
    const char c = cell[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
}

void append_thousandths(std::string& out, std::int64_t value) {
  JsonWriter(out).thousandths(value);
}

std::int64_t read_thousandths(std::string_view cell) {
  std::int64_t whole = 0;
  const char* const end = cell.data() + cell.size();
  const char* at = std::from_chars(cell.data(), end, whole).ptr;
  std::int64_t part = 0;
  std::int64_t unit = 100;
  if (at != end && *at == '.')
    for (++at; at != end && *at >= '0' && *at <= '9' && unit > 0; ++at, unit /= 10)
      part += (*at - '0') * unit;
  return whole * 1000 + (cell.starts_with('-') ? -part : part);
}

}  // namespace sluice
