// Lists of variables.
#include "text/export_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "text/scan.h"

namespace sluice {
namespace {

// At commas outside quotes; the quotes themselves are dropped.
std::vector<std::string> split_quoted(std::string_view text) {
  std::vector<std::string> parts(1);
  char quote = '\0';
  for (char c : text) {
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        parts.back() += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

class Environment {
 public:
  void put(const std::string& name, const std::string& value) {
    const auto [at, is_new] = places_.emplace(name, variables_.size());
    if (is_new)
      variables_.push_back({name, value});
    else
      variables_[at->second].value = value;
  }
  std::vector<EnvironmentVariable> take() { return std::move(variables_); }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<EnvironmentVariable> variables_;
};

}  // namespace

Result<ExportMode> parse_export(std::string_view text) {
  ExportMode mode;
  if (same_ignoring_case(text, "ALL")) return mode;
  mode.items.clear();
  if (same_ignoring_case(text, "NONE") || same_ignoring_case(text, "NIL")) {
    mode.none = true;
    return mode;
  }
  for (const std::string& part : split_quoted(text)) {
    if (part.empty()) continue;
    if (same_ignoring_case(part, "ALL")) {
      mode.items.emplace_back();
      continue;
    }
    const std::size_t equals = part.find('=');
    ExportMode::Item item{part.substr(0, equals), std::nullopt};
    if (equals != std::string::npos) item.value = part.substr(equals + 1);
    if (item.name.empty())
      return bad_input(fmt::format("{} in --export has no name", quoted(part)),
                       "write ALL, NONE, NAME or NAME=value, separated by commas");
    mode.items.push_back(std::move(item));
  }
  return mode;
}

std::vector<EnvironmentVariable> exported(const ExportMode& mode,
                                          std::span<const EnvironmentVariable> caller) {
  Environment environment;
  const auto put_where = [&](auto wanted) {
    for (const EnvironmentVariable& variable : caller)
      if (wanted(variable.name)) environment.put(variable.name, variable.value);
  };
  for (const ExportMode::Item& item : mode.items) {
    if (item.name.empty())
      put_where([](const std::string&) { return true; });
    else if (item.value)
      environment.put(item.name, *item.value);
    else
      put_where([&](const std::string& name) { return name == item.name; });
  }
  if (mode.items != ExportMode().items)
    put_where([](const std::string& name) {
      return name.starts_with("SLURM_") || name.starts_with("SPANK_");
    });
  return environment.take();
}

}  // namespace sluice
