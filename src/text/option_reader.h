// Reads options as getopt_long does, from a table, without its global state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

enum class OptionArgument : std::uint8_t { kNone, kRequired, kOptional };

struct OptionShape {
  std::string_view name;  // Without the dashes.
  char letter = '\0';     // '\0': no short form.
  OptionArgument argument = OptionArgument::kNone;
};

struct GivenOption {
  std::size_t row = 0;  // In the table.
  std::optional<std::string> value;
  friend bool operator==(const GivenOption&, const GivenOption&) = default;
};

struct GivenOptions {
  std::vector<GivenOption> options;  // In the order given.
  std::vector<std::string> rest;     // From the first argument that is no option, or after "--".
};

// Bundled letters ("-hn NAME", "-oFILE"), "--name=value", "--name value", unambiguous beginnings of
// names. An optional argument must be attached ("--nice=5", "-koff"). Errors in getopt's words.
// Rows of `more` count on from the table's; a beginning of a name means them where it means none of
// the table's.
Result<GivenOptions> read_options(std::span<const std::string> arguments,
                                  std::span<const OptionShape> table,
                                  std::span<const OptionShape> more = {});

}  // namespace sluice
