// How far a long piece of work is, on standard error, and whether a person wants it to end.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace sluice {

// Silent for the first second. On a terminal one line that is written over, else a line now and
// then. While it lives Ctrl-C asks the work to end; a second Ctrl-C ends the program.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  // False where the person wants it to end.
  bool show(std::size_t done, std::size_t all, std::string_view noun = "jobs");
  // Whether the person wants it to end; says nothing.
  static bool interrupted();
  // Takes the line away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::seconds(1);
  std::chrono::seconds pause_{1};
  bool terminal_;
  bool shown_ = false;
};

}  // namespace sluice
