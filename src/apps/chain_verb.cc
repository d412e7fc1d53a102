// sluice chain: its subcommands.
#include "apps/chain_verb.h"

#include <CLI/CLI.hpp>

namespace sluice {

void add_chain(CLI::App& root, ExitCode& exit_code) {
  CLI::App* chain = root.add_subcommand(
      "chain", "Submit arrays whose failed tasks come back with more memory or time");
  chain->require_subcommand(1);
  add_chain_submit(*chain, exit_code);
  add_chain_list(*chain, exit_code);
  add_chain_status(*chain, exit_code);
  add_chain_report(*chain, exit_code);
  add_chain_logs(*chain, exit_code);
  add_chain_resume(*chain, exit_code);
  add_chain_rerun(*chain, exit_code);
  add_chain_cancel(*chain, exit_code);
  add_chain_audit(*chain, exit_code);
  add_chain_advance(*chain, exit_code);
  chain->footer(
      "A chain is named by its id, by the beginning of it, or by 'last'.\n"
      "Example:\n"
      "  sluice chain submit --array=0-999 --ladder ladder.yaml job.sh 'an argument'\n"
      "  sluice chain status last --watch\n"
      "  sluice chain report last --format html > report.html");
}

}  // namespace sluice
