// Frames out and in. A message's kind is its place in its variant, counted from 1.
#include "host/keeper_protocol.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/check.h"
#include "engine/bytes.h"
#include "host/keeper_fields.h"

namespace sluice {
namespace {

constexpr std::size_t kHead = 4;

template <class Message>
void append(std::string& out, const Message& message) {
  // One buffer for the life of the process: a frame costs no allocation.
  static ByteWriter body;
  body.clear();
  body.byte(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&](const auto& part) { PackedWriter(body).element(part); }, message);
  const auto size = static_cast<std::uint32_t>(body.size());
  char head[kHead];
  for (std::size_t i = 0; i < kHead; ++i) head[i] = static_cast<char>(size >> (8 * i) & 0xff);
  out.append(head, kHead);
  out.append(body.view());
}

template <class Message, std::size_t kIndex = 0>
Result<Message> read(std::string_view frame) {
  if constexpr (kIndex == std::variant_size_v<Message>) {
    return bad_input("a message of an unknown kind came over the keeper's socket",
                     "Daemon and keeper are of different versions: restart both.");
  } else {
    if (static_cast<std::uint8_t>(frame.front()) != kIndex + 1) {
      return read<Message, kIndex + 1>(frame);
    }
    ByteReader in(frame.substr(1));
    Message message(std::in_place_index<kIndex>);
    PackedReader(in).element(std::get<kIndex>(message));
    if (in.ok() && !in.at_end()) in.fail("something follows its end");
    if (in.ok()) return message;
    return bad_input(fmt::format("a message on the keeper's socket cannot be read: {} at byte {}",
                                 in.error(), in.error_offset()),
                     "Daemon and keeper are of different versions: restart both.");
  }
}

}  // namespace

void append_frame(std::string& out, const KeeperOrder& order) { append(out, order); }
void append_frame(std::string& out, const KeeperReport& report) { append(out, report); }

void FrameReader::add(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(bytes);
}

Result<std::optional<std::string_view>> FrameReader::next() {
  const std::string_view left = std::string_view(buffer_).substr(at_);
  if (left.size() < kHead) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kHead; ++i) {
    size |= static_cast<std::size_t>(static_cast<std::uint8_t>(left[i])) << (8 * i);
  }
  if (size == 0 || size > kLongestFrame) {
    return bad_input(
        fmt::format("a message of {} bytes came over the keeper's socket; 1 to {} "
                    "are possible",
                    size, kLongestFrame));
  }
  if (left.size() - kHead < size) return std::nullopt;
  at_ += kHead + size;
  return left.substr(kHead, size);
}

Result<KeeperOrder> read_order(std::string_view frame) { return read<KeeperOrder>(frame); }
Result<KeeperReport> read_report(std::string_view frame) { return read<KeeperReport>(frame); }

}  // namespace sluice
