// What Ctrl-C on a command that only waits is answered with: what it waited for goes on.
#pragma once

#include <string>

namespace sluice {

// While it lives an interrupt prints the text to standard error and then ends the process as ever.
class InterruptNote {
 public:
  explicit InterruptNote(const std::string& text);
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;
};

// "62 goes on. Wait again: sluice wait 62".
std::string goes_on(const std::string& id);

}  // namespace sluice
