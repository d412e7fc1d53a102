// What it means when a Slurm command says no: whether anything was done, and whether to ask again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/reason.h"
#include "slurm/command.h"

namespace sluice {

enum class NoAnswer : std::uint8_t {
  kNotSent,     // The controller was not reached: nothing was done, ask again.
  kAmbiguous,   // It was on its way: it may have been done.
  kDatabase,    // slurmdbd does not answer: nothing is known, nothing has failed.
  kNoDatabase,  // The site keeps no accounting.
  kNoSuchJob,   // Gone, or never there.
  kTooLate,     // It has started or ended.
  kRefused,     // A definite no.
};

// By the words of slurm_errno.c. What is not known there is a definite no.
NoAnswer no_answer(std::string_view standard_error);

// Whether an sbatch that names no job may have made one all the same: unless it failed by itself,
// with words on standard error and nothing else, anything may be true.
bool may_have_submitted(const CommandOutput& done);

// sacct and sacctmgr print nothing at all where one field is newer than they are.
bool is_unknown_field(std::string_view standard_error);

// What a command that failed said, as the error to show: not allowed, out of reach, or a plain
// refusal. The program is named; the text is that of standard error, else of standard output.
Error command_error(std::string_view program, const CommandOutput& done);

// What sacctmgr and scontrol say to a change.
enum class ChangeAnswer : std::uint8_t {
  kDone,
  kAlreadySo,       // sacctmgr exits with 1 where what it is asked for is so already.
  kInUse,           // Jobs still use it; those that were just cancelled take their time to leave.
  kPreemptionLoop,  // Two QoS would preempt each other, as slurmdbd sees it.
  kRefused,         // Also where sacctmgr refuses a default QoS and exits with 0.
};
ChangeAnswer change_answer(const CommandOutput& done);

// A refusal with the rule that its word names, if any.
Refusal refusal_of(const std::string& standard_error);

tl::unexpected<Error> unreachable(std::string what, std::string hint = {});

}  // namespace sluice
