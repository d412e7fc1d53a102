// Long and short options from a table.
#include "text/option_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

class Reader {
 public:
  Reader(std::span<const std::string> arguments, std::span<const OptionShape> table,
         std::span<const OptionShape> more)
      : arguments_(arguments), table_(table), more_(more) {}

  Result<GivenOptions> read() {
    for (; at_ < arguments_.size(); ++at_) {
      const std::string_view argument = arguments_[at_];
      if (argument == "--") {
        ++at_;
        break;
      }
      if (argument.size() < 2 || argument.front() != '-') break;
      TRY_VOID(argument[1] == '-' ? long_option(argument) : short_options(argument));
    }
    given_.rest.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(at_), arguments_.end());
    return std::move(given_);
  }

 private:
  Result<void> long_option(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const std::string_view name =
        argument.substr(2, equals == std::string_view::npos ? std::string_view::npos : equals - 2);
    TRY(const std::size_t row, find_long(name, argument));
    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = argument.substr(equals + 1);
    const OptionShape& shape = shape_of(row);
    if (shape.argument == OptionArgument::kNone && value)
      return bad_input(fmt::format("option '--{}' doesn't allow an argument", shape.name));
    if (shape.argument == OptionArgument::kRequired && !value) {
      if (at_ + 1 == arguments_.size())
        return bad_input(fmt::format("option '--{}' requires an argument", shape.name));
      value = arguments_[++at_];
    }
    given_.options.push_back({row, std::move(value)});
    return {};
  }

  const OptionShape& shape_of(std::size_t row) const {
    return row < table_.size() ? table_[row] : more_[row - table_.size()];
  }

  // The exact name, or the only name (or several for one option) that begins so.
  Result<std::size_t> find_long(std::string_view name, std::string_view argument) const {
    std::vector<std::size_t> candidates;
    for (std::size_t row = 0; row < table_.size() + more_.size(); ++row) {
      if (shape_of(row).name == name) return row;
      if (row >= table_.size() && !candidates.empty() && candidates.front() < table_.size())
        continue;
      // An option with two letters has two rows.
      const auto is_same = [&](std::size_t other) {
        return shape_of(other).name == shape_of(row).name;
      };
      if (shape_of(row).name.starts_with(name) &&
          std::none_of(candidates.begin(), candidates.end(), is_same))
        candidates.push_back(row);
    }
    if (candidates.empty()) return bad_input(fmt::format("unrecognized option '{}'", argument));
    if (candidates.size() == 1) return candidates.front();
    std::string names;
    for (std::size_t row : candidates) names += fmt::format(" '--{}'", shape_of(row).name);
    return bad_input(fmt::format("option '{}' is ambiguous; possibilities:{}", argument, names));
  }

  Result<void> short_options(std::string_view argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const char letter = argument[i];
      const auto shape = std::find_if(table_.begin(), table_.end(), [&](const OptionShape& s) {
        return s.letter == letter && letter != '\0';
      });
      if (shape == table_.end()) return bad_input(fmt::format("invalid option -- '{}'", letter));
      const auto row = static_cast<std::size_t>(shape - table_.begin());
      if (shape->argument == OptionArgument::kNone) {
        given_.options.push_back({row, std::nullopt});
        continue;
      }
      std::optional<std::string> value;
      if (i + 1 < argument.size()) {
        value = argument.substr(i + 1);
      } else if (shape->argument == OptionArgument::kRequired) {
        if (at_ + 1 == arguments_.size())
          return bad_input(fmt::format("option requires an argument -- '{}'", letter));
        value = arguments_[++at_];
      }
      given_.options.push_back({row, std::move(value)});
      break;
    }
    return {};
  }

  std::span<const std::string> arguments_;
  std::span<const OptionShape> table_;
  std::span<const OptionShape> more_;
  std::size_t at_ = 0;
  GivenOptions given_;
};

}  // namespace

Result<GivenOptions> read_options(std::span<const std::string> arguments,
                                  std::span<const OptionShape> table,
                                  std::span<const OptionShape> more) {
  return Reader(arguments, table, more).read();
}

}  // namespace sluice
