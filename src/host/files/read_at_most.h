// What an open file, pipe or device has, up to a bound.
#pragma once

#include <cstddef>
#include <string>

namespace sluice {

struct ReadText {
  std::string text;
  int problem = 0;  // As errno; then the text is what came before.
};

// Stops behind the first piece that goes beyond `most`: devices and pipes may have no end, and a
// file may grow while it is read. A text longer than `most` is for the caller to refuse.
ReadText read_at_most(int file, std::size_t most);

}  // namespace sluice
