#include "slurm/sacct.h"

#include <fmt/format.h>

#include "base/check.h"
#include "slurm/table.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::array<AccountingFieldInfo, kAccountingFields> kFields = {{
    {AccountingField::kJobId, "JobID", kOldestSlurm},
    {AccountingField::kUser, "User", kOldestSlurm},
    {AccountingField::kAccount, "Account", kOldestSlurm},
    {AccountingField::kQos, "QOS", kOldestSlurm},
    {AccountingField::kPartition, "Partition", kOldestSlurm},
    {AccountingField::kState, "State", kOldestSlurm},
    {AccountingField::kExitCode, "ExitCode", kOldestSlurm},
    {AccountingField::kSubmit, "Submit", kOldestSlurm},
    {AccountingField::kStart, "Start", kOldestSlurm},
    {AccountingField::kEnd, "End", kOldestSlurm},
    {AccountingField::kElapsed, "ElapsedRaw", kOldestSlurm},
    {AccountingField::kTimeLimit, "TimelimitRaw", kOldestSlurm},
    {AccountingField::kMaxRss, "MaxRSS", kOldestSlurm},
    {AccountingField::kTotalCpu, "TotalCPU", kOldestSlurm},
    {AccountingField::kNodes, "NodeList", kOldestSlurm},
    {AccountingField::kTres, "AllocTRES", kOldestSlurm},
    // Before, a key is in the comment, where the site keeps comments.
    {AccountingField::kSubmitLine, "SubmitLine", {21, 8, 0}, AccountingField::kComment},
    {AccountingField::kComment, "Comment", kOldestSlurm},
}};

}  // namespace

const AccountingFieldInfo& info_of(AccountingField field) {
  const AccountingFieldInfo& out = kFields[static_cast<std::size_t>(field)];
  CHECK(out.field == field);
  return out;
}

std::vector<std::string> sacct_command(std::vector<std::string> options,
                                       std::span<const AccountingField> fields) {
  std::string names;
  for (const AccountingField field : fields)
    names += fmt::format("{}{}", names.empty() ? "" : ",", info_of(field).name);
  std::vector<std::string> out = {"sacct", "--noheader", "--parsable2",
                                  fmt::format("--delimiter={}", kFieldEnd)};
  for (std::string& option : options) out.push_back(std::move(option));
  out.push_back("--format=" + names);
  return out;
}

std::vector<AccountingField> fields_before(std::span<const AccountingField> fields) {
  std::vector<AccountingField> out;
  for (const AccountingField field : fields) out.push_back(info_of(field).before.value_or(field));
  return out;
}

AccountingRecord::AccountingRecord(std::span<const AccountingField> fields,
                                   std::span<const std::string_view> values) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    values_[static_cast<std::size_t>(fields[i])] = values[i];
}

void read_sacct(std::string_view text, std::span<const AccountingField> fields,
                const std::function<void(const AccountingRecord&)>& visit) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos) return;
  for (const std::string_view line : split(text.substr(0, end), '\n')) {
    const auto values = split(line, kFieldEnd);
    if (values.size() == fields.size()) visit(AccountingRecord(fields, values));
  }
}

}  // namespace sluice
