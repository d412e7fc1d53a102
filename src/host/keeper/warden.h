// The keeper's parent: when a keeper is killed, the runs it held come to the warden.
//
// The kernel gives the children of a process that ends to the nearest ancestor that asked for them,
// those that have ended but were not waited for included. So the warden learns how runs ended that
// the keeper did not come to note, and finds every process of those that still run, whatever its
// environment and session: it ends them before another keeper can start. Until then it sleeps.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>

#include "base/time.h"
#include "host/keeper/keeper.h"

namespace sluice {

// Runs `keeper` in a child of this process and waits for it. Where that ended well, its exit code;
// otherwise what it left is ended, how it ended is noted, and the code is 1. The lock stays with
// both until then: descriptors that are open stay open.
int guard_keeper(const KeeperSettings& settings, const std::function<int()>& keeper);

// Looks at the next child that has ended, and leaves it to be waited for. 0: none has, -1: there
// are no children.
pid_t peek_at_child(siginfo_t& info, rusage& used);
// As wait4 has it.
int wait_status(const siginfo_t& info);
Duration cpu_time_of(const rusage& used);

// Where the keeper notes its runs.
std::string run_log_path(const KeeperSettings& settings);

}  // namespace sluice
