// Any bytes at all on the keeper's socket, in pieces: frames or an error, and what was understood
// is the same when written and read once more.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/keeper/keeper_protocol.h"

using namespace sluice;

namespace {

template <class Read>
void check(std::string_view frame, Read read) {
  const auto first = read(frame);
  if (!first) return;
  std::string bytes;
  append_frame(bytes, *first);
  if (std::string_view(bytes).substr(4) != frame) std::abort();
}

void read_all(std::string_view stream, std::size_t piece) {
  FrameReader reader;
  while (!stream.empty()) {
    reader.add(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
    for (;;) {
      const auto frame = reader.next();
      if (!frame) return;
      if (!*frame) break;
      check(**frame, read_order);
      check(**frame, read_report);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_all(text, 7);
  read_all(text, text.size() + 1);
  return 0;
}
