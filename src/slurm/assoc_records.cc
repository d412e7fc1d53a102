// Each line is a record of Key=Value words; counted limits are "limit(used)", N being no limit.
#include "slurm/assoc_records.h"

#include <charconv>

namespace sluice {
namespace {

// "N(4)", "104(96)" to what stands in the brackets.
std::int64_t used_of(std::string_view text) {
  const std::size_t open = text.rfind('(');
  std::int64_t value = 0;
  if (open != std::string_view::npos)
    std::from_chars(text.data() + open + 1, text.data() + text.size(), value);
  return value;
}

// "ann(1000)" to "ann".
std::string name_of(std::string_view text) { return std::string(text.substr(0, text.find('('))); }

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return out;
}

}  // namespace

std::vector<AssocRecord> parse_assoc_records(std::string_view text) {
  std::vector<AssocRecord> out;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (!line.starts_with("QOS=") && !line.starts_with("ClusterName=")) continue;
    AssocRecord record;
    // Those of single users and accounts under a QoS repeat the keys: the first of each counts.
    bool has_tres = false;
    bool has_jobs = false;
    while (!line.empty()) {
      const std::string_view word = take_until(line, ' ');
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view key = word.substr(0, equals);
      std::string_view value = word.substr(equals + 1);
      if (key == "QOS") record.qos = name_of(value);
      if (key == "Account") record.account = value;
      if (key == "UserName") record.user = name_of(value);
      if (key == "GrpJobs" && !has_jobs) {
        has_jobs = true;
        record.jobs = used_of(value);
      }
      if (key == "GrpTRES" && !has_tres) {
        has_tres = true;
        while (!value.empty()) {
          const std::string_view item = take_until(value, ',');
          const std::size_t at = item.find('=');
          if (at != std::string_view::npos)
            record.tres[std::string(item.substr(0, at))] = used_of(item.substr(at + 1));
        }
      }
    }
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace sluice
