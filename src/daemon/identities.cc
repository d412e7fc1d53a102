#include "daemon/identities.h"

#include <algorithm>

#include "system/users.h"

namespace sluice {
namespace {
constexpr Duration kGood = minutes(1);
}

Result<Identity> Identities::named(const std::string& user, Instant now) {
  if (const auto found = by_name_.find(user); found != by_name_.end() && found->second.until > now)
    return found->second.value;
  TRY(Identity identity, identity_named(user));
  by_name_[user] = {identity, now + kGood};
  return identity;
}

bool Identities::is_in_any(const std::string& user, const std::vector<std::string>& groups,
                           Instant now) {
  const auto identity = named(user, now);
  if (!identity) return false;
  return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
    Known<std::optional<std::uint32_t>>& known = groups_[group];
    if (known.until <= now) {
      const auto found = system_users().group_named(group);
      known = {found && *found ? std::optional<std::uint32_t>((*found)->gid) : std::nullopt,
               now + kGood};
    }
    return known.value && std::find(identity->groups.begin(), identity->groups.end(),
                                    *known.value) != identity->groups.end();
  });
}

Result<std::string> Identities::name_of(std::uint32_t uid, Instant now) {
  if (const auto found = names_.find(uid); found != names_.end() && found->second.until > now)
    return found->second.value;
  const auto identity = identity_of(uid);
  // It may be a real user, who must not be taken for another.
  if (!identity && identity.error().kind == ErrorKind::kUnreachable)
    return tl::unexpected(identity.error());
  const std::string name = identity ? identity->user : "uid " + std::to_string(uid);
  names_[uid] = {name, now + kGood};
  return name;
}

}  // namespace sluice
