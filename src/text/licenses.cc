// Names with counts.
#include "text/licenses.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms = "write name or name:count, as in matlab:2,ansys";

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != ':' && c != '=' && c != '*';
  });
}

}  // namespace

Result<LicenseList> parse_licenses(std::string_view text) {
  LicenseList list;
  if (text.empty()) return list;
  list.any = text.find('|') != std::string_view::npos;
  if (list.any && text.find_first_of(",;") != std::string_view::npos)
    return bad_input(fmt::format("{} mixes ',' (all) and '|' (any)", quoted(text)), kForms);
  std::string all(text);
  std::replace_if(
      all.begin(), all.end(), [](char c) { return c == ';' || c == '|'; }, ',');
  for (std::string_view member : split(all, ',')) {
    const std::size_t colon = member.find(':');
    LicenseRequest license{std::string(member.substr(0, colon)), 1};
    if (colon != std::string_view::npos) {
      const auto count = whole_number(member.substr(colon + 1));
      if (!count || *count > std::numeric_limits<std::int32_t>::max())
        return bad_input(fmt::format("{} is not a number of licenses, in {}",
                                     quoted(member.substr(colon + 1)), quoted(text)),
                         kForms);
      license.count = *count;
    }
    if (!is_name(license.name))
      return bad_input(fmt::format("{} is not a license, in {}", quoted(member), quoted(text)),
                       kForms);
    list.licenses.push_back(std::move(license));
  }
  return list;
}

std::string format_licenses(const LicenseList& list) {
  std::string out;
  for (const LicenseRequest& license : list.licenses) {
    if (!out.empty()) out += list.any ? '|' : ',';
    out += fmt::format("{}:{}", license.name, license.count);
  }
  return out;
}

}  // namespace sluice
