#include "policyfile/files/logging_section.h"

#include <fmt/format.h>

#include "policyfile/read/yaml.h"
#include "text/spelling.h"

namespace sluice {

Result<LoggingSection> read_logging(const Value& section) {
  LoggingSection out;
  bool enabled = true;
  for (const Entry& entry : section.entries) {
    const std::string field = "logging." + entry.key;
    const std::string key = folded(entry.key);
    if (key == "dbpath") {
      out.db_path = entry.value.text;
    } else if (key == "enabled") {
      const std::string word = folded(entry.value.text);
      enabled = word == "true" || word == "yes" || word == "on";
      if (!enabled && word != "false" && word != "no" && word != "off")
        return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                           fmt::format("{}: is not true or false", field),
                                           entry.place.text(), "write true or false"});
    } else {
      // Of programs that wrote their logs elsewhere.
      out.notes.push_back(fmt::format("{}: {} has no effect here", entry.place.text(), field));
    }
  }
  if (enabled && out.db_path.empty())
    out.notes.push_back(fmt::format(
        "{}: logging names no db_path; every chain has a ledger, and `sluice report --all` reads "
        "them",
        section.place.text()));
  if (!enabled) out.db_path.clear();
  return out;
}

Result<LoggingSection> logging_of_ladder_file(std::string_view text, std::string_view file_name) {
  TRY(const Value whole, parse_yaml(text, file_name));
  for (const Entry& entry : whole.entries)
    if (folded(entry.key) == "logging") return read_logging(entry.value);
  return LoggingSection{};
}

}  // namespace sluice
