// Structs as numbered fields. Numbers are given once and for ever; see engine/codec.h.
//
//   struct := field* 0x00        in ascending order of number
//   field  := varint(number) value
//
// A field that is zero, empty, false or absent is not written, and reads as that whatever default
// the struct has in the code: defaults may change, journals may not. A new field therefore has to
// mean with its zero what journals without it mean. Every struct has one function
//
//   template <class Fields> void each_field(Fields& f, Like<Struct> auto& value)
//
// that names its members by a structured binding: it stops compiling when a member is added, and
// wants the next free number for it. A number whose member is gone is never given again.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/index_set.h"
#include "model/tres.h"
#include "storage/bytes.h"

namespace sluice {

// Array indices in a journal end here: Slurm's own MaxArraySize ends at 4,000,001.
inline constexpr std::uint32_t kJournalIndexEnd = 1U << 22;

template <class T, class U>
concept Like = std::is_same_v<std::remove_const_t<T>, U>;

// The last enumerator of every enum in a journal: what lies beyond cannot be read.
template <class Enum>
struct LastOf;  // Specialised in policy_fields.h, job_fields.h and event_body.h.

template <class T>
struct IsId : std::false_type {};
template <class Tag, class Rep>
struct IsId<Id<Tag, Rep>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// Numbers, and what is one: written alike into anything that takes bytes and numbers.
template <class T>
inline constexpr bool IsPlain = std::is_enum_v<T> || std::is_integral_v<T> || IsId<T>::value ||
                                std::is_same_v<T, Duration> || std::is_same_v<T, Instant>;
template <class Out, class T>
requires IsPlain<T>
void write_element(Out& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.byte(value ? 1 : 0);
  } else if constexpr (std::is_enum_v<T>) {
    out.varint(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_unsigned_v<T>) {
    out.varint(value);
  } else if constexpr (std::is_integral_v<T>) {
    out.zigzag(value);
  } else if constexpr (IsId<T>::value) {
    out.varint(value.value());
  } else if constexpr (std::is_same_v<T, Duration>) {
    out.zigzag(value.count());
  } else {
    out.zigzag(value.time_since_epoch().count());
  }
}

class PackedWriter {
 public:
  explicit PackedWriter(ByteWriter& out) : out_(out) {}

  template <class T>
  void operator()(std::uint32_t number, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (value) out_.varint(number);
    } else if constexpr (IsOptional<T>::value) {
      if (!value) return;
      out_.varint(number);
      element(*value);
    } else if constexpr (requires { value.empty(); }) {
      if (value.empty()) return;
      out_.varint(number);
      element(value);
    } else {
      const std::size_t mark = out_.size();
      out_.varint(number);
      const std::size_t start = out_.size();
      element(value);
      // Everything that is zero or empty is written as one zero byte.
      if (out_.size() == start + 1 && out_.view().back() == 0) out_.truncate(mark);
    }
  }

  template <class T>
  void element(const T& value) {
    if constexpr (IsPlain<T>) {
      write_element(out_, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      out_.text(value);
    } else if constexpr (IsVector<T>::value) {
      out_.varint(value.size());
      for (const auto& each : value) element(each);
    } else {
      custom(value);
    }
  }

 private:
  void custom(const TresRegistry& value);
  void custom(const TresLimits& value);
  void custom(const IndexSet& value);
  template <class T>
  void custom(const T& value) {
    each_field(*this, value);
    out_.byte(0);
  }
  ByteWriter& out_;
};

class PackedReader {
 public:
  explicit PackedReader(ByteReader& in) : in_(in) {}

  template <class T>
  void operator()(std::uint32_t number, T& value) {
    if (next_ != number) {
      clear(value);
      return;
    }
    const std::size_t start = in_.offset();
    if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (IsOptional<T>::value) {
      element(value.emplace());
    } else {
      const bool zero_comes = in_.next_is_zero();
      element(value);
      if (zero_comes && in_.offset() == start + 1)
        in_.fail_at(start, "field " + std::to_string(number) + " is zero and should be left out");
    }
    next_field();
  }

  template <class T>
  void element(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(static_cast<std::uint64_t>(LastOf<T>::value) + 1));
    } else if constexpr (std::is_unsigned_v<T>) {
      value = unsigned_number<T>();
    } else if constexpr (std::is_integral_v<T>) {
      value = signed_number<T>();
    } else if constexpr (IsId<T>::value) {
      value = T(unsigned_number<typename T::rep>());
    } else if constexpr (std::is_same_v<T, Duration>) {
      value = Duration(in_.zigzag());
    } else if constexpr (std::is_same_v<T, Instant>) {
      value = Instant(Duration(in_.zigzag()));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = in_.text();
    } else if constexpr (IsVector<T>::value) {
      value.clear();
      const std::uint64_t count = in_.varint();
      // Every element takes a byte at least.
      if (count > in_.left()) in_.fail("a list is longer than what is left");
      for (std::uint64_t i = 0; i < count && in_.ok(); ++i) element(value.emplace_back());
    } else {
      custom(value);
    }
  }

 private:
  template <class T>
  static void clear(T& value) {
    if constexpr (requires(PackedReader & f) { each_field(f, value); }) {
      ByteReader none("");
      PackedReader nothing(none);
      each_field(nothing, value);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(0);
    } else {
      value = T{};
    }
  }
  std::uint64_t below(std::uint64_t end) {
    const std::size_t start = in_.offset();
    const std::uint64_t value = in_.varint();
    if (value < end) return value;
    in_.fail_at(start, "a choice of " + std::to_string(value) + " is not known here");
    return 0;
  }
  template <class T>
  T unsigned_number() {
    const std::size_t start = in_.offset();
    const std::uint64_t value = in_.varint();
    if (value <= std::numeric_limits<T>::max()) return static_cast<T>(value);
    in_.fail_at(start, "the number " + std::to_string(value) + " is too large");
    return 0;
  }
  template <class T>
  T signed_number() {
    const std::size_t start = in_.offset();
    const std::int64_t value = in_.zigzag();
    if (value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max())
      return static_cast<T>(value);
    in_.fail_at(start, "the number " + std::to_string(value) + " is out of range");
    return 0;
  }
  void next_field() {
    const std::uint32_t before = next_;
    next_at_ = in_.offset();
    const std::uint64_t number = in_.varint();
    if (number != 0 && (number <= before || number > std::numeric_limits<std::uint32_t>::max()))
      in_.fail_at(next_at_, "field " + std::to_string(number) + " is out of order");
    next_ = in_.ok() ? static_cast<std::uint32_t>(number) : 0;
  }
  void custom(TresRegistry& value);
  void custom(TresLimits& value);
  void custom(IndexSet& value);
  template <class T>
  void custom(T& value) {
    // Fields of one struct inside the fields of another.
    const std::uint32_t outer = next_;
    next_ = 0;
    next_field();
    each_field(*this, value);
    if (in_.ok() && next_ != 0)
      in_.fail_at(next_at_, "field " + std::to_string(next_) + " is not known here");
    next_ = outer;
  }
  ByteReader& in_;
  std::uint32_t next_ = 0;  // The number of the field that comes next; 0: the struct ends.
  std::size_t next_at_ = 0;
};

}  // namespace sluice
