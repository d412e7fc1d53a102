// sluice chain: submissions that climb a ladder until every task is through.
#pragma once

#include <span>

#include "cli/cli.h"

namespace sluice {

// Whether `logs`, `cancel` or `resume` is told a chain rather than a job: last, or 20261115-1325…
bool names_chain(std::span<char* const> argv);

void add_chain(Command& root, ExitCode& exit_code);

// Each also a verb of its own, without the word chain before it.
void add_chain_list(Command& chain, ExitCode& exit_code);
void add_chain_status(Command& chain, ExitCode& exit_code);
void add_chain_report(Command& chain, ExitCode& exit_code);
void add_chain_logs(Command& chain, ExitCode& exit_code);
void add_chain_resume(Command& chain, ExitCode& exit_code);
void add_chain_rerun(Command& chain, ExitCode& exit_code);
void add_chain_cancel(Command& chain, ExitCode& exit_code);
void add_chain_audit(Command& chain, ExitCode& exit_code);
void add_chain_stop(Command& chain, ExitCode& exit_code);
void add_chain_start(Command& chain, ExitCode& exit_code);
void add_chain_remove(Command& chain, ExitCode& exit_code);
// For handler jobs.
void add_chain_advance(Command& chain, ExitCode& exit_code);

}  // namespace sluice
