// sluice chain: its subcommands, and when other verbs mean them.
#include "apps/chain_verb.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "apps/submit_verb.h"
#include "cli/command.h"

namespace sluice {
namespace {

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_chain_id(std::string_view word) {
  if (word == "last") return true;
  constexpr std::size_t kDay = 8;
  return word.size() > kDay && word[kDay] == '-' && word.find_first_not_of("0123456789") == kDay;
}

}  // namespace

bool names_chain(std::span<char* const> argv) {
  // After any other option the word may be its value: sluice cancel --name last.
  constexpr std::array<std::string_view, 3> kFlags = {"--json", "--failed", "--paths"};
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const std::string_view before = argv[i - 1];
    if (i > 2 && before.starts_with('-') && !is_one_of(kFlags, before) &&
        before.find('=') == std::string_view::npos)
      continue;
    if (is_chain_id(argv[i])) return true;
  }
  return false;
}

void add_chain(Command& root, ExitCode& exit_code) {
  Command* chain = root.add_subcommand(
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
  add_chain_stop(*chain, exit_code);
  add_chain_start(*chain, exit_code);
  add_chain_remove(*chain, exit_code);
  add_chain_audit(*chain, exit_code);
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
