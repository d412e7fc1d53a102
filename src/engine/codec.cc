// Batches of events: framing, checksums, and what a damaged journal says.
#include "engine/codec.h"

#include <utility>

#include "engine/event_body.h"
#include "storage/checksum.h"

namespace sluice {
namespace {

constexpr std::uint8_t kLater = 0x80;  // In an event's head: time has passed since the last.
// Longer than any turn; a length beyond this is damage.
constexpr std::uint64_t kLongestBatch = std::uint64_t{1} << 30;
// How long a batch may be to be found behind damage.
constexpr std::uint64_t kLongestSearched = 1 << 16;
constexpr std::size_t kChecksumBytes = 4;
// What is kept free before a payload for its length and checksum: five bytes hold any length.
constexpr std::size_t kFrameRoom = 5 + kChecksumBytes;

struct Frame {
  std::size_t begin = 0;  // Of the payload.
  std::size_t end = 0;
};

// The batch at `at`, if it is whole and its checksum right.
std::optional<Frame> sound_frame(std::string_view bytes, std::size_t at, std::uint64_t longest) {
  ByteReader in(bytes.substr(at));
  const std::uint64_t length = in.varint();
  if (!in.ok() || length < 2 || length > longest || in.left() < kChecksumBytes + length)
    return std::nullopt;
  std::uint32_t stored = 0;
  for (unsigned i = 0; i < kChecksumBytes; ++i) stored |= std::uint32_t{in.byte()} << (8 * i);
  const std::size_t begin = at + in.offset();
  if (crc32c(bytes.substr(begin, length)) != stored) return std::nullopt;
  return Frame{begin, begin + length};
}

tl::unexpected<Error> damaged(std::size_t offset, std::string what, std::string hint = {}) {
  return tl::unexpected<Error>(Error{ErrorKind::kBadInput, std::move(what),
                                     "journal, byte " + std::to_string(offset), std::move(hint)});
}

template <std::size_t... I>
bool read_body(std::uint8_t kind, EventReader& reader, EventBody& out, std::index_sequence<I...>) {
  auto read = [&]<class Body>(Body* made) {
    body(reader, *made);
    return true;
  };
  return ((kind == kKind<std::variant_alternative_t<I, EventBody>> && read(&out.emplace<I>())) ||
          ...);
}

void read_event(ByteReader& in, Instant& now, std::uint32_t& last_job, Event& event) {
  const std::size_t start = in.offset();
  const std::uint8_t head = in.byte();
  if ((head & kLater) != 0) {
    const std::uint64_t delta = in.varint();
    if (delta == 0 || delta > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      in.fail_at(start, "time does not pass as it should");
    now = later(in, now, static_cast<std::int64_t>(in.ok() ? delta : 0));
  }
  if (!in.ok()) return;
  event.at = now;
  EventReader reader(in, now, last_job);
  const auto kind = static_cast<std::uint8_t>(head & ~kLater);
  if (!read_body(kind, reader, event.body,
                 std::make_index_sequence<std::variant_size_v<EventBody>>()))
    in.fail_at(start, "event kind " + std::to_string(kind) + " is not known here");
}

}  // namespace

std::string journal_header() {
  ByteWriter out;
  out.varint(kJournalVersion);
  return std::string(kJournalMagic) + std::string(out.view());
}

void JournalWriter::append(const Event& event) {
  CHECK(!started_ || event.at >= last_, "time runs backwards");
  const bool first = batch_.empty();
  if (first) {
    batch_.bytes(std::string_view("\0\0\0\0\0\0\0\0\0", kFrameRoom));
    batch_.zigzag(event.at.time_since_epoch().count());
    last_job_ = 0;
  }
  const std::int64_t delta = first ? 0 : (event.at - last_).count();
  started_ = true;
  last_ = event.at;
  const auto write = [&]<class Body>(auto& out, const Body& it) {
    static_assert(kKind<Body> != 0, "every kind of event has a number");
    out.byte(static_cast<std::uint8_t>(kKind<Body> | (delta != 0 ? kLater : 0)));
    if (delta != 0) out.varint(static_cast<std::uint64_t>(delta));
    EventWriter writer(out, event.at, last_job_);
    body(writer, it);
  };
  std::visit(
      [&]<class Body>(const Body& it) {
        if constexpr (kMayBeShort<Body>) {
          if (is_short(it)) {
            ShortWriter out(batch_.room(ShortWriter::kRoom));
            write(out, it);
            return batch_.keep_until(out.end());
          }
        }
        write(batch_, it);
      },
      event.body);
}

// The length and the checksum go into the room before the payload, so that all is copied once.
void JournalWriter::end_batch() {
  if (batch_.empty()) return;
  const std::string_view payload = batch_.view().substr(kFrameRoom);
  CHECK(payload.size() <= kLongestBatch, "a batch is too long for the journal");
  const std::uint32_t checksum = crc32c(payload);
  char* at = batch_.data() + kFrameRoom;
  for (unsigned i = kChecksumBytes; i-- > 0;) *--at = static_cast<char>(checksum >> (8 * i));
  unsigned groups = 1;
  while (payload.size() >> (7 * groups) != 0) ++groups;
  at -= groups;
  for (unsigned i = 0; i < groups; ++i)
    at[i] = static_cast<char>(((payload.size() >> (7 * i)) & 0x7f) | (i + 1 < groups ? 0x80 : 0));
  out_.append(at, static_cast<std::size_t>(payload.data() + payload.size() - at));
  batch_.clear();
}

Result<JournalReader> JournalReader::of_journal(std::string_view bytes) {
  if (!bytes.starts_with(kJournalMagic))
    return damaged(0, "this is not a journal of sluice", "a journal begins with 'sluice journal'");
  ByteReader in(bytes.substr(kJournalMagic.size()), kJournalMagic.size());
  const std::uint64_t version = in.varint();
  if (!in.ok()) return damaged(in.error_offset(), "the journal's version is missing");
  if (version != kJournalVersion)
    return damaged(kJournalMagic.size(),
                   "the journal has format " + std::to_string(version) +
                       ", this program reads format " + std::to_string(kJournalVersion),
                   "use the version of sluice that wrote it, or a newer one");
  return of_batches(bytes.substr(in.offset()), in.offset());
}

JournalReader JournalReader::of_batches(std::string_view bytes, std::size_t origin) {
  return JournalReader(bytes, origin);
}

bool JournalReader::anything_sound_after(std::size_t at) const {
  for (++at; at < bytes_.size(); ++at)
    if (sound_frame(bytes_, at, kLongestSearched)) return true;
  return false;
}

Result<bool> JournalReader::next(std::vector<Event>& events) {
  events.clear();
  cut_off_ = false;
  if (at_ == bytes_.size()) return false;
  const std::optional<Frame> frame = sound_frame(bytes_, at_, kLongestBatch);
  if (!frame) {
    if (anything_sound_after(at_))
      return damaged(offset(),
                     "a batch is damaged, and sound ones follow: nothing was cut off here",
                     "take the journal from a copy");
    cut_off_ = true;
    return false;
  }
  ByteReader in(bytes_.substr(frame->begin, frame->end - frame->begin), origin_ + frame->begin);
  Instant now(Duration(in.zigzag()));
  if (started_ && now < last_) in.fail_at(origin_ + frame->begin, "time runs backwards");
  std::uint32_t last_job = 0;
  do {
    read_event(in, now, last_job, events.emplace_back());
  } while (in.ok() && !in.at_end());
  if (!in.ok()) {
    events.clear();
    return damaged(in.error_offset(), in.error());
  }
  started_ = true;
  last_ = now;
  at_ = frame->end;
  return true;
}

}  // namespace sluice
