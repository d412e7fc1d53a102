#include "host/cages/keeper_mark.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "host/keeper/process_look.h"
#include "host/keeper/processes.h"

namespace sluice {
namespace {

std::string process_namespace() {
  char text[64];
  const ssize_t size = ::readlink("/proc/self/ns/pid", text, sizeof text);
  std::string digits;
  for (ssize_t i = 0; i < size; ++i)
    if (text[i] >= '0' && text[i] <= '9') digits += text[i];
  return digits.empty() ? "0" : digits;
}

std::string mark_of(pid_t pid) {
  const auto facts = process_facts(pid);
  if (!facts || facts->state == 'Z') return {};
  // One that hangs as it begins a program is no keeper.
  const auto started = start_seen(pid);
  return started ? fmt::format(".{}.{}.{}", process_namespace(), pid, *started) : "";
}

// Takes ".DIGITS" off the end.
std::optional<std::string_view> last_part(std::string_view& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view part = name.substr(dot + 1);
  if (part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  name.remove_suffix(part.size() + 1);
  return part;
}

// What is left of the name is what the mark was put on.
MarkedProcess take_mark(std::string_view& name) {
  const std::string_view whole = name;
  const auto started = last_part(name);
  const auto number = started ? last_part(name) : std::nullopt;
  const auto space = number ? last_part(name) : std::nullopt;
  pid_t pid = 0;
  if (!space ||
      std::from_chars(number->data(), number->data() + number->size(), pid).ec != std::errc()) {
    name = whole;
    return MarkedProcess::kNone;
  }
  if (*space != process_namespace()) return MarkedProcess::kElsewhere;
  const std::string mark = mark_of(pid);
  return !mark.empty() && whole.ends_with(mark) ? MarkedProcess::kLives : MarkedProcess::kEnded;
}

}  // namespace

std::string own_process_mark() { return mark_of(::getpid()); }

MarkedProcess marked_process(std::string_view name) { return take_mark(name); }

std::string mark_of_runs(std::string_view keeper) {
  return std::string(keeper) + own_process_mark();
}

bool is_left_by(std::string_view value, std::string_view keeper) {
  // Keepers before this one marked their runs with the path alone.
  if (value == keeper) return true;
  return take_mark(value) == MarkedProcess::kEnded && value == keeper;
}

}  // namespace sluice
