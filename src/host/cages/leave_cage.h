// A daemon that is started from inside a job must not live and die with that job.
#pragma once

namespace sluice {

// Moves this process out of the cgroups of any run it is in. Where the kernel does not allow that
// it stays: only the owner of those cgroups may.
void leave_cage();

// The variables by which a keeper knows the processes of its runs are no longer passed on. For a
// process that is about to run another program.
void drop_run_marks();

}  // namespace sluice
