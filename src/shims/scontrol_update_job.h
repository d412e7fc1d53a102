// scontrol update of jobs: which of them, and what was said.
#pragma once

#include <string>
#include <vector>

#include "shims/shim.h"

namespace sluice {

// One word of the command line: "TimeLimit+=30".
struct UpdateWord {
  std::string name;  // In lower case.
  std::string value;
  std::string word;
  char sign = '=';  // Of "+=" and "-=" the first.
};

// JobId=… or JobName=…: which jobs are meant.
bool names_jobs(const UpdateWord& word);
int update_jobs(ShimCall& call, const std::vector<UpdateWord>& words);

}  // namespace sluice
