// Numbers and texts as bytes: what the journal's codec is made of.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

constexpr std::uint64_t to_zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// A growing buffer. Keeps its memory when cleared.
class ByteWriter {
 public:
  ByteWriter() = default;
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  void byte(std::uint8_t value) {
    if (at_ == end_) grow(1);
    *at_++ = static_cast<char>(value);
  }
  // Seven bits a byte, lowest first; the eighth says that more follow. Most numbers are small.
  [[gnu::always_inline]] void varint(std::uint64_t value) {
    if (end_ - at_ < 10) grow(10);
    if (value >= 0x80) return long_varint(value);
    *at_++ = static_cast<char>(value);
  }
  void zigzag(std::int64_t value) { varint(to_zigzag(value)); }
  void text(std::string_view value) {
    varint(value.size());
    bytes(value);
  }
  // As they are.
  void bytes(std::string_view value) {
    if (value.empty()) return;
    if (static_cast<std::size_t>(end_ - at_) < value.size()) grow(value.size());
    std::memcpy(at_, value.data(), value.size());
    at_ += value.size();
  }
  // Room for so many more bytes, of which those before `end` are then kept.
  char* room(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) grow(count);
    return at_;
  }
  void keep_until(char* end) { at_ = end; }
  std::size_t size() const { return static_cast<std::size_t>(at_ - buffer_.data()); }
  bool empty() const { return size() == 0; }
  // What was written, to be corrected in place.
  char* data() { return buffer_.data(); }
  void truncate(std::size_t size) { at_ = buffer_.data() + size; }
  void clear() { truncate(0); }
  std::string_view view() const { return {buffer_.data(), size()}; }

 private:
  void long_varint(std::uint64_t value) {
    char* at = at_;
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
    at_ = at;
  }
  [[gnu::noinline]] void grow(std::size_t count) {
    const std::size_t used = size();
    buffer_.resize(buffer_.size() * 2 + count + 64);
    at_ = buffer_.data() + used;
    end_ = buffer_.data() + buffer_.size();
  }
  std::string buffer_;
  char* at_ = buffer_.data();
  char* end_ = at_;
};

// Reads what a ByteWriter wrote, and nothing else: a number that is longer than it needs to be is
// an error. After the first error everything reads as zero; ask ok() before believing anything.
class ByteReader {
 public:
  // `origin` is where `bytes` begin in the journal; errors name offsets from there.
  explicit ByteReader(std::string_view bytes, std::size_t origin = 0)
      : bytes_(bytes), origin_(origin) {}

  std::uint8_t byte() {
    if (at_ == bytes_.size()) return fail("the bytes end too early"), std::uint8_t{0};
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      if (!ok()) return 0;
      if (shift == 63 && next > 1) break;
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) {
        if (next == 0 && shift > 0) return fail("a number is longer than it needs to be"), 0;
        return value;
      }
    }
    return fail("a number does not fit into 64 bits"), 0;
  }
  std::int64_t zigzag() { return from_zigzag(varint()); }
  std::string_view text() {
    const std::uint64_t size = varint();
    if (size > left()) return fail("a text is longer than what is left"), std::string_view();
    const std::string_view found = bytes_.substr(at_, size);
    at_ += size;
    return found;
  }

  bool ok() const { return error_.empty(); }
  bool next_is_zero() const { return at_ < bytes_.size() && bytes_[at_] == 0; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return origin_ + at_; }
  const std::string& error() const { return error_; }
  std::size_t error_offset() const { return error_offset_; }
  // Keeps the first.
  void fail(std::string what) { fail_at(offset(), std::move(what)); }
  void fail_at(std::size_t where, std::string what) {
    if (!ok()) return;
    error_ = std::move(what);
    error_offset_ = where;
    bytes_ = bytes_.substr(0, at_);
  }

 private:
  std::string_view bytes_;
  std::size_t origin_ = 0;
  std::size_t at_ = 0;
  std::string error_;
  std::size_t error_offset_ = 0;
};

}  // namespace sluice
