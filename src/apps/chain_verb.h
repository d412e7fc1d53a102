// sluice chain: submissions that climb a ladder until every task is through.
#pragma once

#include "cli/cli.h"

namespace sluice {

void add_chain(CLI::App& root, ExitCode& exit_code);

// One file each.
void add_chain_submit(CLI::App& chain, ExitCode& exit_code);
void add_chain_list(CLI::App& chain, ExitCode& exit_code);
void add_chain_status(CLI::App& chain, ExitCode& exit_code);
void add_chain_report(CLI::App& chain, ExitCode& exit_code);
void add_chain_logs(CLI::App& chain, ExitCode& exit_code);
void add_chain_resume(CLI::App& chain, ExitCode& exit_code);
void add_chain_rerun(CLI::App& chain, ExitCode& exit_code);
void add_chain_cancel(CLI::App& chain, ExitCode& exit_code);
void add_chain_audit(CLI::App& chain, ExitCode& exit_code);
// For handler jobs.
void add_chain_advance(CLI::App& chain, ExitCode& exit_code);

}  // namespace sluice
