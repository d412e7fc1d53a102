// Gathers batches until they are worth handing over.
#include "sim/recorder.h"

namespace sluice {
namespace {

// Large enough that a write costs nothing beside making what is written, small enough for a cache.
constexpr std::size_t kPiece = 256 * 1024;

}  // namespace

Recorder::Recorder(Sink sink)
    : sink_(std::move(sink)), buffer_(journal_header()), writer_(buffer_) {
  buffer_.reserve(kPiece + kPiece / 4);
}

Result<void> Recorder::commit(std::span<const Event> events) {
  for (const Event& event : events) writer_.append(event);
  writer_.end_batch();
  events_ += events.size();
  if (buffer_.size() >= kPiece) return finish();
  return {};
}

Result<void> Recorder::finish() {
  digest_.add(buffer_);
  bytes_ += buffer_.size();
  Result<void> taken = sink_ ? sink_(buffer_) : Result<void>{};
  buffer_.clear();
  return taken;
}

}  // namespace sluice
