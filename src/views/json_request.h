// JSON that a client sent: bounded, so that a short text does not become a large tree.
#pragma once

#include "views/json_fields.h"

namespace sluice {

// A thousand jobs with all their fields have fewer values. Two bytes of text can be a value, and
// each takes a hundred bytes of memory.
inline constexpr std::size_t kMostRequestValues = 100'000;

// As parse_json(), and no more than so many values.
Result<JsonValue> parse_request_json(std::string_view text);

// Members that no field asked for are an error: probably misspelt.
template <class T>
Result<T> from_request(std::string_view text) {
  TRY(const JsonValue value, parse_request_json(text));
  return read_json<T>(value, UnknownMembers::kRefuse);
}

}  // namespace sluice
