// Turns a simulation's events into a journal: its bytes, their digest, and how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/codec.h"
#include "sim/digest.h"

namespace sluice {

class Recorder {
 public:
  // Is given the journal piece by piece.
  using Sink = std::function<Result<void>(std::string_view)>;
  explicit Recorder(Sink sink = {});

  // One turn.
  Result<void> commit(std::span<const Event> events);
  // Hands over what is left.
  Result<void> finish();

  std::uint64_t events() const { return events_; }
  std::uint64_t bytes() const { return bytes_; }
  // Of the whole journal, once finished.
  std::uint64_t digest() const { return digest_.value(); }

 private:
  Result<void> hand_over();

  Sink sink_;
  std::string buffer_;
  JournalWriter writer_;
  Digest digest_;
  std::uint64_t events_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace sluice
