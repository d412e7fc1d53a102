// Frames out and in.
#include "host/keeper/keeper_protocol.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/check.h"
#include "host/keeper/keeper_fields.h"
#include "host/keeper/keeper_frames.h"

namespace sluice {

void append_frame(std::string& out, const KeeperOrder& order) { append_message(out, order); }
void append_frame(std::string& out, const KeeperReport& report) { append_message(out, report); }

void FrameReader::add(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(bytes);
}

Result<std::optional<std::string_view>> FrameReader::next() {
  const std::string_view left = std::string_view(buffer_).substr(at_);
  if (left.size() < kFrameHead) return std::nullopt;
  const std::size_t size = frame_length(left);
  if (size == 0 || size > kLongestFrame) {
    return bad_input(
        fmt::format("a message of {} bytes came over the keeper's socket; 1 to {} "
                    "are possible",
                    size, kLongestFrame));
  }
  if (left.size() - kFrameHead < size) return std::nullopt;
  at_ += kFrameHead + size;
  return left.substr(kFrameHead, size);
}

Result<KeeperOrder> read_order(std::string_view frame) { return read_message<KeeperOrder>(frame); }
Result<KeeperReport> read_report(std::string_view frame) {
  return read_message<KeeperReport>(frame);
}

}  // namespace sluice
