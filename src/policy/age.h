// From when a waiting job's age counts, and which jobs gain any where that is limited.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "state/state.h"

namespace sluice {

// Nothing: it gains no age for now.
std::optional<Instant> age_since(const Policy& policy, const Shape& shape, const Job& job);

// How many waiting jobs gain age, by every book that a limit may look at.
class AgeBooks {
 public:
  explicit AgeBooks(const Policy& policy) : policy_(policy) {}

  void add(const Shape& shape, std::int64_t jobs);
  // How many more of these may; nothing: as many as there are.
  std::optional<std::int64_t> room_for(const Shape& shape) const;

  std::int64_t of_qos(QosId qos) const { return found(qos_, qos.value()); }
  std::int64_t of_user(QosId qos, UserId user) const {
    return found(users_, std::pair(qos.value(), user.value()));
  }
  std::int64_t of_account(QosId qos, AssocId account) const {
    return found(accounts_, std::pair(qos.value(), account.value()));
  }
  std::int64_t of_association(AssocId assoc) const { return found(associations_, assoc.value()); }

 private:
  template <class Key>
  static std::int64_t found(const std::map<Key, std::int64_t>& counts, const Key& key) {
    const auto it = counts.find(key);
    return it == counts.end() ? 0 : it->second;
  }

  const Policy& policy_;
  std::map<std::uint32_t, std::int64_t> qos_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> users_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> accounts_;
  std::map<std::uint32_t, std::int64_t> associations_;
};

// All that gain age now.
AgeBooks ages_now(const State& state);

}  // namespace sluice
