// How the values without numbered fields are written: the TRES registry, TRES limits, index sets.
#include "storage/fields.h"

#include <utility>

namespace sluice {

void PackedWriter::custom(const TresRegistry& value) {
  // All names, those that every registry has too: indices in old journals mean what they say.
  out_.varint(value.size());
  for (std::size_t i = 0; i < value.size(); ++i)
    out_.text(value.name(TresIndex(static_cast<std::uint8_t>(i))));
}

void PackedReader::custom(TresRegistry& value) {
  value = TresRegistry();
  const std::uint64_t count = in_.varint();
  if (count < kStandardTres || count > kMaxTres)
    return in_.fail("a registry of " + std::to_string(count) + " kinds of resources");
  for (std::size_t i = 0; i < count && in_.ok(); ++i) {
    const std::size_t start = in_.offset();
    const std::string_view name = in_.text();
    const auto added = value.add(name);
    if (!added || added->index() != i || value.name(*added) != name)
      in_.fail_at(start, "'" + std::string(name) + "' is not resource number " + std::to_string(i));
  }
}

void PackedWriter::custom(const TresLimits& value) {
  std::uint64_t count = 0;
  for (std::uint32_t bits = value.bits(); bits != 0; bits &= bits - 1) ++count;
  out_.varint(count);
  for (std::uint8_t i = 0; i < kMaxTres; ++i) {
    if (!value.has(TresIndex(i))) continue;
    out_.byte(i);
    out_.zigzag(value[TresIndex(i)]);
  }
}

void PackedReader::custom(TresLimits& value) {
  value = TresLimits();
  const std::uint64_t count = in_.varint();
  std::uint8_t least = 0;
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
    const std::size_t start = in_.offset();
    const std::uint8_t index = in_.byte();
    const std::int64_t amount = in_.zigzag();
    if (index < least || index >= kMaxTres)
      return in_.fail_at(start, "resource " + std::to_string(index) + " is out of order");
    value.put(TresIndex(index), amount);
    least = static_cast<std::uint8_t>(index + 1);
  }
}

// Runs of equal steps, as --array spells them: number of runs, then for each run the gap from the
// index before, the number of indices less one, and the step where there are several.
void PackedWriter::custom(const IndexSet& value) {
  ByteWriter runs;
  std::uint64_t count = 0;
  std::uint64_t from = 0;
  for (auto first = value.first(); first;) {
    const IndexRun run = value.run_from(*first);
    CHECK(run.last < kJournalIndexEnd, "an array index is too large for the journal");
    runs.varint(run.first - from);
    runs.varint(run.more());
    if (run.more() > 0) runs.varint(run.step);
    from = run.last;
    ++count;
    first = value.first(run.last + 1);
  }
  out_.varint(count);
  for (char byte : runs.view()) out_.byte(static_cast<std::uint8_t>(byte));
}

void PackedReader::custom(IndexSet& value) {
  value = IndexSet();
  const std::uint64_t count = in_.varint();
  std::uint64_t from = 0;
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
    const std::size_t start = in_.offset();
    const std::uint64_t gap = in_.varint();
    const std::uint64_t more = in_.varint();
    const std::uint64_t step = more > 0 ? in_.varint() : 1;
    if (!in_.ok()) return;
    const bool small = gap < kJournalIndexEnd && more < kJournalIndexEnd && step < kJournalIndexEnd;
    if (!small || step == 0 || (i > 0 && gap == 0) || from + gap + more * step >= kJournalIndexEnd)
      return in_.fail_at(start, "a run of array indices that cannot be");
    const std::uint64_t first = from + gap;
    from = first + more * step;
    value.insert_range(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(from),
                       static_cast<std::uint32_t>(step));
  }
}

}  // namespace sluice
