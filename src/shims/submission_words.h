// What sbatch, srun and salloc say of options and refusals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/job.h"
#include "shims/shim.h"
#include "text/sbatch_options.h"
#include "wire/api.h"

namespace sluice {

// getopt's words for an unknown option, Slurm's for a wrong value; the exit code.
int complain_of_options(ShimCall& call, const Error& error);
// "PREFIX: TEXT", with the limit's word before it where Slurm says one.
// With the lines that slurmctld sends ahead of it.
void complain_of_refusal(ShimCall& call, std::string_view prefix, const SubmitResult& result,
                         const JobSpec& spec);
// What Slurm's commands refuse and `sluice submit` does not: options that exclude each other, and
// other clusters than this one, whose name stays in place of the list that was said. False where it
// was refused, which the call was told.
bool take_request(ShimCall& call, SbatchRequest& request);
// Why a job that must start now or never does not, by what it would wait for.
std::string why_not_now(std::string_view reason);
// False where --strict refuses.
bool say_warnings(ShimCall& call, const std::vector<std::string>& warnings);
// The command line, for the accounts.
std::string command_text(const ShimCall& call);
void note_submit_line(const ShimCall& call, JobSpec& spec);

}  // namespace sluice
