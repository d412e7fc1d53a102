// Files and notes that lie where others may write: hooks, notices, marks of processes, logs'
// settings, project files, and the columns of a ledger.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "host/cages/keeper_mark.h"
#include "host/keeper/process_mark.h"
#include "host/machine/nvidia_smi.h"
#include "ledger/stored.h"
#include "policyfile/files/logging_section.h"
#include "policyfile/files/notify_file.h"
#include "policyfile/files/project_file.h"
#include "text/each_script.h"
#include "views/notice.h"

namespace {

template <class T>
void read_column(std::string_view bytes) {
  T kept;
  if (!sluice::ledger_columns::decode(bytes, kept)) return;
  T again;
  CHECK(sluice::ledger_columns::decode(sluice::ledger_columns::encoded(kept), again));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto hooks = read_notify_file(text, "notify.yaml", {"job-done", "gave-up"}))
    for (const Hook& hook : *hooks) CHECK(hook.target.find('\n') == std::string::npos);
  (void)logging_of_ladder_file(text, "ladder.yaml");
  (void)find_drift(text, ".sluice.yaml", {});
  (void)read_notice(text);
  const ProcessMark mark = ProcessMark::read(text);
  CHECK(ProcessMark::read(mark.text()) == mark || mark.host.empty());
  (void)is_left_by(text, "/run/sluice/keeper.sock");
  (void)read_nvidia_smi(text);
  (void)each_command(text, 3);
  read_column<StoredMove>(text);
  read_column<StoredTerms>(text);
  read_column<StoredLadder>(text);
  (void)ledger_columns::indices_of(text);
  return 0;
}
