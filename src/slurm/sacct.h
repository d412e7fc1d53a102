// Every question to sacct and the only reader of its tables: one list of fields, each with the
// release it came with.
//
// sacct refuses a question with a field that it does not know, and ends records with a newline
// only: what users choose is asked for last, and read by accounting_rows.cc alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "slurm/version.h"

namespace sluice {

enum class AccountingField : std::uint8_t {
  kJobId,
  kUser,
  kAccount,
  kQos,
  kPartition,
  kState,
  kExitCode,
  kSubmit,
  kStart,
  kEnd,
  kElapsed,    // Seconds.
  kTimeLimit,  // Minutes.
  kMaxRss,
  kTotalCpu,
  kNodes,
  kTres,
  kSubmitLine,  // Chosen by the user.
  kComment,     // Likewise.
};
inline constexpr std::size_t kAccountingFields = 18;

struct AccountingFieldInfo {
  AccountingField field;
  std::string_view name;  // As --format takes it.
  SlurmVersion since;
  std::optional<AccountingField> before{};  // What shows the same, less well, in older releases.
};
const AccountingFieldInfo& info_of(AccountingField field);

// sacct with these options, asked for these fields. Needs SLURM_TIME_FORMAT=%s in its environment.
std::vector<std::string> sacct_command(std::vector<std::string> options,
                                       std::span<const AccountingField> fields);
// For a Slurm that does not know one of them.
std::vector<AccountingField> fields_before(std::span<const AccountingField> fields);

// One line: a run of a job, or a step.
class AccountingRecord {
 public:
  AccountingRecord(std::span<const AccountingField> fields,
                   std::span<const std::string_view> values);
  // Empty where it was not asked for.
  std::string_view operator[](AccountingField field) const {
    return values_[static_cast<std::size_t>(field)];
  }

 private:
  std::array<std::string_view, kAccountingFields> values_{};
};

// Calls `visit` for each line that has all fields. A last line without its end was cut off, and is
// left out: a shorter number would be another number.
void read_sacct(std::string_view text, std::span<const AccountingField> fields,
                const std::function<void(const AccountingRecord&)>& visit);

}  // namespace sluice
