// main(): the only place where concrete ports meet the engine.
#include "cli/cli.h"

int main(int argc, char** argv) { return sluice::run_cli(argc, argv); }
