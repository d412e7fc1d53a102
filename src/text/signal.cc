// Linux's numbers are written out: this room does not ask the machine it runs on.
#include "text/signal.h"

#include <fmt/format.h>

#include <array>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms = "write [R][B:]signal[@seconds], as in USR1 or B:USR2@30";
constexpr std::int64_t kLargestSignal = 64;
constexpr std::int64_t kMostSecondsAhead = 65535;

struct Name {
  std::string_view name;
  std::int32_t number;
};
constexpr std::array<Name, 17> kNames = {{{"HUP", 1},
                                          {"INT", 2},
                                          {"QUIT", 3},
                                          {"ABRT", 6},
                                          {"KILL", 9},
                                          {"USR1", 10},
                                          {"SEGV", 11},
                                          {"USR2", 12},
                                          {"PIPE", 13},
                                          {"ALRM", 14},
                                          {"TERM", 15},
                                          {"CONT", 18},
                                          {"STOP", 19},
                                          {"TSTP", 20},
                                          {"TTIN", 21},
                                          {"TTOU", 22},
                                          {"URG", 23}}};

}  // namespace

std::optional<std::int32_t> signal_named(std::string_view name) {
  if (const auto number = whole_number(name)) {
    if (*number < 1 || *number > kLargestSignal) return std::nullopt;
    return static_cast<std::int32_t>(*number);
  }
  if (starts_ignoring_case(name, "SIG")) name.remove_prefix(3);
  for (const Name& known : kNames)
    if (same_ignoring_case(name, known.name)) return known.number;
  return std::nullopt;
}

std::string signal_name(std::int32_t signal) {
  for (const Name& known : kNames)
    if (known.number == signal) return std::string(known.name);
  return fmt::format("{}", signal);
}

Result<SignalOption> parse_signal_option(std::string_view text) {
  SignalOption option;
  std::string_view rest = text;
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos) {
    for (char c : rest.substr(0, colon)) {
      if (c == 'B' || c == 'b')
        option.signal.batch_shell_only = true;
      else if (c == 'R' || c == 'r')
        option.into_reservation = true;
      else
        return bad_input(fmt::format("{} has an unknown mark before ':'", quoted(text)), kForms);
    }
    rest.remove_prefix(colon + 1);
  }
  const std::size_t at = rest.find('@');
  const auto number = signal_named(rest.substr(0, at));
  if (!number)
    return bad_input(
        fmt::format("{} is not a signal, in {}", quoted(rest.substr(0, at)), quoted(text)), kForms);
  option.signal.signal = *number;
  if (at != std::string_view::npos) {
    const auto before = whole_number(rest.substr(at + 1));
    if (!before || *before > kMostSecondsAhead)
      return bad_input(fmt::format("{} is not a number of seconds up to 65535, in {}",
                                   quoted(rest.substr(at + 1)), quoted(text)),
                       kForms);
    option.signal.before_end = seconds(*before);
  }
  return option;
}

std::string format_signal_option(const SignalOption& option) {
  std::string out = option.into_reservation ? "R" : "";
  if (option.signal.batch_shell_only) out += 'B';
  if (!out.empty()) out += ':';
  out += signal_name(option.signal.signal);
  if (option.signal.before_end != seconds(60))
    out += fmt::format("@{}", to_seconds(option.signal.before_end));
  return out;
}

}  // namespace sluice
