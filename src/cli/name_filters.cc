#include "cli/name_filters.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/elsewhere.h"
#include "system/users.h"
#include "text/printable.h"
#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

Result<void> check_of_a_kind(const std::string& names, const char* kind,
                             const std::vector<std::string>& known) {
  for (const std::string_view word : split(names, ',')) {
    const std::string name(word);
    if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
    return bad_input(fmt::format("unknown {} '{}'", kind, printable(name)),
                     allowed_words(name, known));
  }
  return {};
}

}  // namespace

Result<void> check_names(const NameFilters& filters) {
  std::string users;
  for (const std::string_view name : split(filters.users, ','))
    if (!name.empty() && !is_user(std::string(name)))
      users += (users.empty() ? "" : ",") + std::string(name);
  if (users.empty() && filters.accounts.empty() && filters.partitions.empty() &&
      filters.qos.empty())
    return {};
  TRY(const KnownNames known, elsewhere().known_names(filters.engine));
  TRY_VOID(check_of_a_kind(users, "user", known.users));
  TRY_VOID(check_of_a_kind(filters.accounts, "account", known.accounts));
  TRY_VOID(check_of_a_kind(filters.partitions, "partition", known.partitions));
  return check_of_a_kind(filters.qos, "QoS", known.qos);
}

}  // namespace sluice
