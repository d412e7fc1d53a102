// main(): the only place where concrete ports meet the engine.
#include "apps/policy_verb.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  constexpr sluice::AddVerb kVerbs[] = {&sluice::add_policy};
  return sluice::run_cli(argc, argv, kVerbs);
}
