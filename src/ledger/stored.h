// What a chain is made of, as the ledger's columns hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "escalation/chain.h"
#include "ledger/chain_fields.h"

namespace sluice::ledger_columns {

// Absent is -1: none of what is stored so can be negative.
template <class T>
std::int64_t stored(const std::optional<T>& value) {
  return value ? static_cast<std::int64_t>(*value) : -1;
}
inline std::int64_t stored(Instant at) { return at.time_since_epoch().count(); }
inline std::int64_t stored(const std::optional<Instant>& at) { return at ? stored(*at) : -1; }
inline std::optional<Instant> instant(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional(Instant(Duration(value)));
}

template <class T>
std::string encoded(const T& value) {
  ByteWriter out;
  PackedWriter(out).element(value);
  return std::string(out.view());
}

template <class T>
bool decode(std::string_view bytes, T& value) {
  ByteReader in(bytes);
  PackedReader(in).element(value);
  return in.ok() && in.at_end();
}

IndexSet indices_of(std::string_view text);
StoredMove stored(const BatchMove& move);
BatchMove move_of(const StoredMove& kept);
StoredTerms stored(const ChainTerms& terms);
ChainTerms terms_of(StoredTerms kept);
// Before format 4 they were files beside the ledger, and variables in the job's environment.
ChainTerms terms_of_older(const std::string& folder, const Chain& chain);
StoredLadder stored(const Ladder& ladder);
Ladder ladder_of(const StoredLadder& kept);

}  // namespace sluice::ledger_columns
