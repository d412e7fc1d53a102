// A message as a frame, and back. Its kind is its place in its variant, counted from 1.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"
#include "storage/bytes.h"
#include "storage/fields.h"

namespace sluice {

inline constexpr std::size_t kFrameHead = 4;

// How long kind and body of the first frame are, by its head; the head must be there.
inline std::size_t frame_length(std::string_view bytes) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < kFrameHead; ++i) {
    size |= static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  }
  return size;
}

template <class Message>
void append_message(std::string& out, const Message& message) {
  // One buffer for the life of the process: a frame costs no allocation.
  static ByteWriter body;
  body.clear();
  body.byte(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&](const auto& part) { PackedWriter(body).element(part); }, message);
  const auto size = static_cast<std::uint32_t>(body.size());
  char head[kFrameHead];
  for (std::size_t i = 0; i < kFrameHead; ++i) head[i] = static_cast<char>(size >> (8 * i) & 0xff);
  out.append(head, kFrameHead);
  out.append(body.view());
}

template <class Message, std::size_t kIndex = 0>
Result<Message> read_message(std::string_view frame) {
  if constexpr (kIndex == std::variant_size_v<Message>) {
    return bad_input("a message of an unknown kind came over the keeper's socket",
                     "Daemon and keeper are of different versions: restart both.");
  } else {
    if (static_cast<std::uint8_t>(frame.front()) != kIndex + 1) {
      return read_message<Message, kIndex + 1>(frame);
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

}  // namespace sluice
