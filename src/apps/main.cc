// main(): the only place where concrete ports meet the engine.
#include "apps/journal_verb.h"
#include "apps/policy_verb.h"
#include "apps/pools_verb.h"
#include "apps/route_verb.h"
#include "apps/sim_verb.h"
#include "apps/test_verb.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  constexpr sluice::AddVerb kVerbs[] = {
      &sluice::add_sim,      &sluice::add_policy,  &sluice::add_test,
      &sluice::add_story,    &sluice::add_journal, &sluice::add_pools,
      &sluice::add_accounts, &sluice::add_route,   &sluice::add_rebalance};
  return sluice::run_cli(argc, argv, kVerbs);
}
