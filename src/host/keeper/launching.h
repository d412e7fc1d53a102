// What a child needs until it runs its program.
#pragma once

#include <string>
#include <vector>

#include "host/keeper/script_spool.h"
#include "host/machine/spawn.h"

namespace sluice {

// The words of one command, and the pointers that execve wants.
class Words {
 public:
  void clear() { pointers_.clear(); }
  void add(const std::string& word) { pointers_.push_back(const_cast<char*>(word.c_str())); }
  void add_block(const std::string& block) {
    for (std::size_t at = 0; at < block.size();) {
      pointers_.push_back(const_cast<char*>(block.data() + at));
      const std::size_t end = block.find('\0', at);
      if (end == std::string::npos) break;  // The string's own NUL ends it.
      at = end + 1;
    }
  }
  char* const* finish() {
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<char*> pointers_;
};

struct Launching {
  SpawnPlan plan;
  Words arguments;
  Words environment;
  Interpreter interpreter;
  std::string program;
  std::string run_mark;
  std::string task_pid;
  ChildStack stack;  // Last: it waits for the child before the rest goes.
};

}  // namespace sluice
