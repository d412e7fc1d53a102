// squeue --steps: what runs inside the jobs that run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shims/shim.h"
#include "views/record_line.h"

namespace sluice {

struct StepListing {
  std::string steps;    // "12.0,13_1.2"; "": all.
  std::string letters;  // As --format has it; "" for squeue's own.
  std::string names;    // As --Format has it.
  std::string sort = "P,i";
  bool header = true;
  bool long_report = false;
};

// Whether each word has a job and a step; squeue's error otherwise.
bool names_steps(ShimCall& call, std::string_view list);

int print_steps(ShimCall& call, const std::vector<RecordLine>& records, const StepListing& wanted);

}  // namespace sluice
