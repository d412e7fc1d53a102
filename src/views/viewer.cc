#include "views/viewer.h"

#include <algorithm>

namespace sluice {

Viewer::Viewer(const Policy& policy, const Actor& actor) : policy_(policy), actor_(actor) {
  if (const auto user = policy.find_user(actor.user)) known_ = &policy.users[user->index()];
  sees_all_ = actor.is_operator || (known_ && known_->admin_level != AdminLevel::kNone);
}

bool Viewer::coordinates(std::string_view account) const {
  return known_ && std::find(known_->coordinates.begin(), known_->coordinates.end(), account) !=
                       known_->coordinates.end();
}

bool Viewer::sees_job(std::string_view owner, std::string_view account) const {
  return !policy_.jobs.private_data.jobs || sees_all_ || owner == actor_.user ||
         coordinates(account);
}

bool Viewer::sees_usage(std::string_view user, std::string_view account) const {
  if (sees_all_ || coordinates(account)) return true;
  const PrivateData& hidden = policy_.jobs.private_data;
  if (hidden.usage && user != actor_.user) return false;
  if (hidden.users && !user.empty() && user != actor_.user) return false;
  return !hidden.accounts || !user.empty();
}

bool Viewer::sees_policy() const {
  return sees_all_ || (!policy_.jobs.private_data.users && !policy_.jobs.private_data.accounts);
}

}  // namespace sluice
