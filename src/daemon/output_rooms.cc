#include "daemon/output_rooms.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "host/keeper/output_store.h"

namespace sluice {
namespace {

// As much as 64 runs may say that say too much each.
constexpr std::uint64_t kMostOfOneUser = kMostOutput * 64;

}  // namespace

OutputRooms::OutputRooms(std::string folder, std::string own_user)
    : folder_(std::move(folder)), own_user_(std::move(own_user)), most_(kMostOfOneUser) {
  // Tests fill it sooner.
  if (const char* bytes = std::getenv("SLUICE_OUTPUT_OF_ONE_USER"))
    most_ = std::strtoull(bytes, nullptr, 10);
}

Result<void> OutputRooms::count(SqliteJournal& journal) {
  taken_.clear();
  return journal.for_each_output(
      [this](const UsersOutput& output) { ended(output.user, output.token); });
}

void OutputRooms::ended(const std::string& user, const std::string& token) {
  if (is_bounded(user)) taken_[user] += output_size(folder_, token);
}

void OutputRooms::forgotten(const UsersOutput& output) {
  const auto found = taken_.find(output.user);
  if (found == taken_.end()) return;
  found->second -= std::min(found->second, output_size(folder_, output.token));
  if (found->second == 0) taken_.erase(found);
}

std::optional<std::uint64_t> OutputRooms::left(const std::string& user) const {
  if (!is_bounded(user)) return std::nullopt;
  const auto found = taken_.find(user);
  return found == taken_.end() ? most_ : most_ - std::min(most_, found->second);
}

}  // namespace sluice
