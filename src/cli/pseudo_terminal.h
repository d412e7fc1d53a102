// A terminal for a job: the job has one end, this process passes keys and output between the other
// and its own terminal.
#pragma once

#include <termios.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "base/result.h"

namespace sluice {

class PseudoTerminal {
 public:
  // Of the size of this process's terminal, where there is one.
  static Result<std::unique_ptr<PseudoTerminal>> open();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  // Passes on what was said last, and gives the terminal back as it was.
  ~PseudoTerminal();

  // The job's end, for its standard input, output and error.
  int job_end() const { return job_; }
  // From the job's first word, or the first line that is typed, keys go to it as they are typed, ^C
  // too. Until then ^C ends the wait.
  void begin();

 private:
  PseudoTerminal(int own, int job) : own_(own), job_(job) {}
  void pass();
  void take_keys();
  // False: the job's end is closed and nothing is left.
  bool pass_output();
  void pass_input(bool& open);
  void follow_size();

  int own_;
  int job_;
  std::optional<termios> before_;
  std::atomic<bool> over_{false};
  std::thread passing_;
};

}  // namespace sluice
