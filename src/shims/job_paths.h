// Where a job's input and outputs are, as each of Slurm's commands shows it.
#pragma once

#include <string>

#include "views/record_line.h"

namespace sluice {

struct JobPaths {
  std::string in;
  std::string out;
  std::string err;
};

// squeue leaves patterns as they were typed.
JobPaths typed_paths(const RecordLine& record);
// scontrol fills in some of them.
JobPaths filled_paths(const RecordLine& record);

}  // namespace sluice
