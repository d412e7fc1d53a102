// A job as sbatch's command line.
#pragma once

#include <string>
#include <vector>

#include "model/job.h"

namespace sluice {

// The options that ask for it, each in one element of argv; times as UTC. Without the script, its
// arguments, what launch holds and the user: the user is the one that calls sbatch.
std::vector<std::string> sbatch_arguments(const JobSpec& spec);

// What sbatch, scontrol or scancel said when it refused: a word where a rule has one
// ("QOSGrpGRES"), and everything in one line without the marks of the program.
struct SaidNo {
  std::string word;
  std::string message;
};
SaidNo read_refusal(const std::string& standard_error);

}  // namespace sluice
