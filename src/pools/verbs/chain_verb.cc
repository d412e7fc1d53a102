// sluice chain: its subcommands.
#include "pools/verbs/chain_verb.h"

#include "cli/command.h"
#include "pools/verbs/submit_verb.h"

namespace sluice {

void add_chain(Command& root, ExitCode& exit_code) {
  Command* chain = root.add_subcommand(
      "chain", "Submit arrays whose failed tasks are retried with more memory or time");
  chain->require_subcommand(1);
  add_chain_submit(*chain, exit_code);
  add_chain_list(*chain, exit_code);
  add_chain_status(*chain, exit_code);
  add_chain_report(*chain, exit_code);
  add_chain_logs(*chain, exit_code);
  add_chain_resume(*chain, exit_code);
  add_chain_rerun(*chain, exit_code);
  add_chain_cancel(*chain, exit_code);
  add_chain_stop(*chain, exit_code);
  add_chain_start(*chain, exit_code);
  add_chain_remove(*chain, exit_code);
  add_chain_audit(*chain, exit_code);
  add_chain_rehearse(*chain, exit_code);
  add_chain_advance(*chain, exit_code);
  chain->footer(
      "The word chain may be left out: sluice status CHAIN, sluice logs CHAIN --failed. A chain "
      "is\n"
      "named by its id, by the beginning of it, or by 'last'.\n\n"
      "Examples:\n"
      "  sluice submit --array=0-999 --ladder ladder.yaml job.sh 'an argument'\n"
      "  sluice status last --watch\n"
      "  sluice report last --format html > report.html");
}

}  // namespace sluice
