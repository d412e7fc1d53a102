// sluice chain: submissions that climb a ladder until every task is through.
#pragma once

#include <string>

#include "cli/cli.h"
#include "cli/elsewhere.h"

namespace sluice {

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
// What cancel, resume and logs do with a chain.
Result<ExitCode> cancel_chains(const ChainAction& action);
Result<ExitCode> resume_chains(const ChainAction& action);
Result<ExitCode> chain_logs(const ChainLogs& wanted);
// For sluice why.
Result<WaitingOfChain> waiting_of_chain(const std::string& given);
void add_chain_rehearse(Command& chain, ExitCode& exit_code);
// For handler jobs.
void add_chain_advance(Command& chain, ExitCode& exit_code);

}  // namespace sluice
