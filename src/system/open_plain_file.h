// A file whose path another user may have chosen, opened to be read.
#pragma once

#include <string>

namespace sluice {

struct OpenedFile {
  int descriptor = -1;
  int problem = 0;  // As errno; 0 where it is there and is no plain file.
  bool is_open() const { return descriptor >= 0; }
};

// Looked at before it is opened: to open a device may be to use it (a tape winds back, a watchdog
// begins to count), and to open a FIFO wakes who waits at its other end. Links are followed.
OpenedFile open_plain_file(const std::string& path);

}  // namespace sluice
