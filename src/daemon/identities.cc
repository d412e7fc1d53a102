#include "daemon/identities.h"

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

std::string Identities::name_of(std::uint32_t uid, Instant now) {
  if (const auto found = names_.find(uid); found != names_.end() && found->second.until > now)
    return found->second.value;
  const auto identity = identity_of(uid);
  const std::string name = identity ? identity->user : "uid " + std::to_string(uid);
  names_[uid] = {name, now + kGood};
  return name;
}

}  // namespace sluice
