// The table, and what each row does with its value.
#include "text/own_options.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "text/duration.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

using Set = Result<void> (*)(OwnOptions&, const std::string& name, const std::string& value);

struct Row {
  OptionShape shape;
  Set set = nullptr;
  std::string_view variable = {};
};

// --as-is decides which of the others are read at all (sbatch_options.cc).
Result<void> set_nothing(OwnOptions&, const std::string&, const std::string&) { return {}; }

template <bool OwnOptions::*flag, bool kValue = true>
Result<void> set_flag(OwnOptions& options, const std::string&, const std::string&) {
  options.*flag = kValue;
  return {};
}

template <std::string OwnOptions::*text>
Result<void> set_text(OwnOptions& options, const std::string& name, const std::string& value) {
  if (value.empty()) return bad_input(fmt::format("{}: nothing is named", name));
  options.*text = value;
  return {};
}

Result<std::uint32_t> count_of(const std::string& name, const std::string& text) {
  const auto value = whole_number(text);
  if (!value || *value < 1 || *value > std::numeric_limits<std::uint32_t>::max())
    return bad_input(fmt::format("{}: '{}' is not a number above 0", name, text));
  return static_cast<std::uint32_t>(*value);
}

template <std::optional<std::uint32_t> OwnOptions::*count>
Result<void> set_count(OwnOptions& options, const std::string& name, const std::string& value) {
  TRY(options.*count, count_of(name, value));
  return {};
}

Result<Duration> time_of(const std::string& name, const std::string& text) {
  const auto read = parse_friendly_duration(text);
  if (!read || !read->duration)
    return bad_input(fmt::format("{}: '{}' is not a time", name, text), "write 22m, 1h30m or 90");
  return *read->duration;
}

Result<void> set_device(OwnOptions& options, const std::string& name, const std::string& value) {
  if (value != "gpu" && value != "cpu" && value != "any")
    return bad_input(fmt::format("{}: there is no device '{}'", name, value),
                     "write gpu, cpu or any");
  options.device = value;
  return {};
}

Result<void> set_by(OwnOptions& options, const std::string& name, const std::string& value) {
  if (value != "slots" && value != "finish")
    return bad_input(fmt::format("{}: pools are not chosen by '{}'", name, value),
                     "write slots (what is free now) or finish (when tasks would end)");
  options.by = value;
  return {};
}

// "gpu=22m,cpu=282m"
Result<void> set_runtimes(OwnOptions& options, const std::string& name, const std::string& value) {
  for (const std::string_view part : split(value, ',')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view device = part.substr(0, equals);
    if (equals == std::string_view::npos || (device != "gpu" && device != "cpu"))
      return bad_input(fmt::format("{}: cannot read '{}'", name, part),
                       "write --runtime gpu=22m,cpu=282m");
    TRY(const Duration time, time_of(name, std::string(part.substr(equals + 1))));
    if (time <= Duration(0)) return bad_input(fmt::format("{}: a task takes some time", name));
    (device == "gpu" ? options.gpu_runtime : options.cpu_runtime) = time;
  }
  return {};
}

Result<void> set_capacity(OwnOptions& options, const std::string& name, const std::string& value) {
  options.wait_for_capacity = true;
  if (!value.empty()) {
    TRY(options.capacity_limit, time_of(name, value));
  }
  return {};
}

Result<void> set_start_memory(OwnOptions& options, const std::string&, const std::string& value) {
  TRY(options.start_memory_mb, parse_memory_mb(value));
  return {};
}

constexpr std::uint32_t kMostCopies = 10'000'000;

Result<void> set_copies(OwnOptions& options, const std::string& name, const std::string& value) {
  TRY(options.copies, count_of(name, value));
  if (options.copies > kMostCopies)
    return bad_input(fmt::format("{}: {} is more than {}", name, value, kMostCopies));
  return {};
}

using enum OptionArgument;
using O = OwnOptions;

// clang-format off
constexpr std::array<Row, 23> kRows = {{
    {{"as-is", '\0', kNone}, set_nothing},
    {{"by", '\0', kRequired}, set_by},
    {{"capture", '\0', kNone}, set_flag<&O::capture>},
    {{"chain", '\0', kNone}, set_flag<&O::chain>},
    {{"config", '\0', kRequired}, set_text<&O::ladder_file>},
    {{"copies", '\0', kRequired}, set_copies},
    {{"detach", '\0', kNone}, set_flag<&O::detach>},
    {{"device", '\0', kRequired}, set_device, "SLUICE_DEVICE"},
    {{"dry-run", '\0', kNone}, set_flag<&O::dry_run>},
    {{"json", '\0', kNone}, set_flag<&O::json>},
    {{"keep-back", '\0', kNone}, set_flag<&O::keep_back>},
    {{"ladder", '\0', kRequired}, set_text<&O::ladder_file>},
    {{"max-level", '\0', kRequired}, set_count<&O::max_level>},
    {{"no-handlers", '\0', kNone}, set_flag<&O::handlers, false>},
    {{"no-wait", '\0', kNone}, set_flag<&O::no_wait>},
    {{"on", '\0', kRequired}, set_text<&O::engine>, "SLUICE_ON"},
    {{"runtime", '\0', kRequired}, set_runtimes},
    {{"shape", '\0', kRequired}, set_text<&O::shape>, "SLUICE_SHAPE"},
    {{"size-from-history", '\0', kNone}, set_flag<&O::learn>},
    {{"start-mem", '\0', kRequired}, set_start_memory},
    {{"throttle", '\0', kRequired}, set_count<&O::throttle>},
    {{"wait-for-capacity", '\0', kOptional}, set_capacity},
    {{"whole-level", '\0', kNone}, set_flag<&O::whole_level>},
}};
// clang-format on

constexpr auto shapes_of_rows() {
  std::array<OptionShape, kRows.size()> shapes;
  for (std::size_t i = 0; i < kRows.size(); ++i) shapes[i] = kRows[i].shape;
  return shapes;
}
constexpr auto kShapes = shapes_of_rows();

}  // namespace

bool OwnOptions::starts_chain() const {
  return chain || detach || !ladder_file.empty() || throttle || max_level || start_memory_mb ||
         whole_level || learn || !handlers || no_wait;
}

bool OwnOptions::names_pools() const {
  return !device.empty() || !shape.empty() || gpu_runtime || cpu_runtime || keep_back ||
         wait_for_capacity || !by.empty();
}

std::span<const OptionShape> own_option_shapes() { return kShapes; }

Result<void> set_own_option(OwnOptions& options, std::size_t row,
                            const std::optional<std::string>& value) {
  return kRows[row].set(options, fmt::format("--{}", kRows[row].shape.name), value.value_or(""));
}

std::string_view own_option_variable(std::size_t row) { return kRows[row].variable; }

}  // namespace sluice
