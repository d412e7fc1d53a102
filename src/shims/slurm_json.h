// JSON as squeue, sinfo and sacct of Slurm 22.05 print it: the frame, and json-c's layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "views/json.h"

namespace sluice {

class SlurmJson {
 public:
  enum class Found : std::uint8_t { kSomething, kNothing };
  // "openapi/v0.0.38", "Slurm OpenAPI v0.0.38", and the name of the list: "jobs". The accounts
  // count an answer without jobs among the errors.
  SlurmJson(std::string_view type, std::string_view plugin, std::string_view list,
            Found found = Found::kSomething);

  JsonWriter& writer() { return writer_; }
  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, std::int64_t value);
  void number(std::string_view key, std::optional<std::int64_t> value);
  void time(std::string_view key, std::optional<Instant> value);  // 0 where there is none.
  void boolean(std::string_view key, bool value);
  void null(std::string_view key);
  void real(std::string_view key, std::int64_t whole);  // 2 as 2.0
  void texts(std::string_view key, const std::vector<std::string>& values);
  void begin_object(std::string_view key);
  void begin_array(std::string_view key);
  void end_object() { writer_.end_object(); }
  void end_array() { writer_.end_array(); }

  // The whole text; ends the list.
  std::string finish();

 private:
  std::string out_;
  JsonWriter writer_;
};

// Compact JSON as json-c lays it out: two blanks a level, slashes escaped, "[" and "]" of an empty
// list on two lines.
std::string json_c_layout(std::string_view compact);

}  // namespace sluice
