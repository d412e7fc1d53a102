// --mail-type as sbatch takes it: on what of a job's life a mail is sent.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// Where a job carries what its owner wants to be told: its environment, which every way of
// submitting keeps.
inline constexpr std::string_view kMailTypeVariable = "SLUICE_MAIL_TYPE";
inline constexpr std::string_view kMailUserVariable = "SLUICE_MAIL_USER";
inline constexpr std::string_view kHooksVariable = "SLUICE_HOOKS";  // "job-end": hooks are run.
// The value, or "".
std::string_view variable_in(std::span<const EnvironmentVariable> environment,
                             std::string_view name);
// In place of one of that name.
void set_variable(std::vector<EnvironmentVariable>& environment, std::string_view name,
                  std::string value);

// In capitals, ALL spelled out, "" for NONE. The error has sbatch's words.
Result<std::string> parse_mail_types(std::string_view text);

// Whether the list that parse_mail_types made has that word.
bool has_mail_type(std::string_view types, std::string_view word);

// Words of the list that nothing here ever causes.
std::vector<std::string> mail_types_without_effect(std::string_view types);

}  // namespace sluice
