#include "text/mail_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "text/scan.h"

namespace sluice {
namespace {

struct MailType {
  std::string_view word;
  bool in_all = false;
  bool has_effect = true;
};

// A mail before the end of the limit would need a clock of its own; burst buffers are not there.
constexpr std::array<MailType, 11> kTypes = {{{"BEGIN", true},
                                              {"END", true},
                                              {"FAIL", true},
                                              {"INVALID_DEPEND", true, false},
                                              {"REQUEUE", true},
                                              {"STAGE_OUT", true, false},
                                              {"TIME_LIMIT"},
                                              {"TIME_LIMIT_90", false, false},
                                              {"TIME_LIMIT_80", false, false},
                                              {"TIME_LIMIT_50", false, false},
                                              {"ARRAY_TASKS"}}};

std::string known_words() {
  std::string out = "NONE, ALL";
  for (const MailType& type : kTypes) out += fmt::format(", {}", type.word);
  return out;
}

}  // namespace

std::string_view variable_in(std::span<const EnvironmentVariable> environment,
                             std::string_view name) {
  for (const EnvironmentVariable& variable : environment)
    if (variable.name == name) return variable.value;
  return {};
}

void set_variable(std::vector<EnvironmentVariable>& environment, std::string_view name,
                  std::string value) {
  std::erase_if(environment,
                [&](const EnvironmentVariable& variable) { return variable.name == name; });
  environment.push_back({std::string(name), std::move(value)});
}

Result<std::string> parse_mail_types(std::string_view text) {
  std::array<bool, kTypes.size()> wanted{};
  for (const std::string_view given : split(text, ',')) {
    std::string word(given);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (word == "NONE") {
      wanted.fill(false);
      continue;
    }
    bool known = false;
    for (std::size_t i = 0; i < kTypes.size(); ++i)
      if (word == kTypes[i].word || (word == "ALL" && kTypes[i].in_all)) known = wanted[i] = true;
    if (!known)
      return bad_input("Invalid --mail-type specification",
                       fmt::format("known are: {}", known_words()));
  }
  std::string out;
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (wanted[i]) out += fmt::format("{}{}", out.empty() ? "" : ",", kTypes[i].word);
  return out;
}

bool has_mail_type(std::string_view types, std::string_view word) {
  const auto all = split(types, ',');
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::vector<std::string> mail_types_without_effect(std::string_view types) {
  std::vector<std::string> out;
  const bool everything = has_mail_type(types, "BEGIN") && has_mail_type(types, "STAGE_OUT");
  for (const MailType& type : kTypes)
    // Nobody who wrote ALL asked for these by name.
    if (!type.has_effect && !(everything && type.in_all) && has_mail_type(types, type.word))
      out.emplace_back(type.word);
  return out;
}

}  // namespace sluice
