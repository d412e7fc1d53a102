// The options of one sbatch call while they are gathered: one slot each, the last to speak wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/sbatch_option_table.h"
#include "text/sbatch_options.h"

namespace sluice {

struct SbatchSettings {
  SbatchRequest request;
  // Memory is asked for in one of three ways; a request that uses two is refused.
  std::optional<std::int64_t> mem;
  std::optional<std::int64_t> mem_per_cpu;
  std::optional<std::int64_t> mem_per_gpu;
  std::vector<GpuRequest> gres;
  std::vector<GpuRequest> gpus;
  std::vector<GpuRequest> gpus_per_node;
  std::vector<GpuRequest> gpus_per_task;
  std::vector<GpuRequest> gpus_per_socket;
  std::optional<std::int32_t> tasks_per_gpu;
  bool cores_named = false;  // -B: as many tasks as it names cores, where no number was given.
  std::optional<std::string> name;
};

// One option with its value, on its way into its slot.
struct OptionSetting {
  SbatchSettings& settings;
  const SbatchOptionRow& row;
  const std::string& text;  // Empty where the option has no value.
  const SbatchContext& context;
  SbatchRequest& request() const { return settings.request; }
  JobSpec& spec() const { return settings.request.spec; }
  std::string_view name() const { return row.shape.name; }
};

// Puts one option's value into its slot. `value` is empty where the option has none.
Result<void> set_option(SbatchSettings& settings, const SbatchOptionRow& row,
                        const std::optional<std::string>& value, const SbatchContext& context);

// The same for an option without effect here: a warning, or sbatch's refusal of a wrong value.
// Whether the value is one that sbatch takes.
Result<void> check_ignored_value(std::string_view name, std::string_view value);
Result<void> set_ignored_option(SbatchRequest& request, std::string_view name,
                                std::string_view value);

}  // namespace sluice
