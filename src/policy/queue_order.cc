// Deals places out by merit, digit by digit, then merges those of one merit by number.
#include "policy/queue_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice {
namespace {

constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
// More stretches than this that are each in order are no order.
constexpr std::size_t kMostStretches = 64;

using Place = std::vector<QueuePlace>::iterator;

// As goes_before has it, where nobody has to look further than the place in most cases.
auto by_number(const std::vector<QueueEntry>& entries) {
  return [&entries](const QueuePlace& a, const QueuePlace& b) {
    if (a.order != b.order) return a.order < b.order;
    const QueueEntry& x = entries[a.from];
    const QueueEntry& y = entries[b.from];
    return x.task != y.task ? x.task < y.task : x.nth < y.nth;
  };
}

}  // namespace

void sort_nearly_sorted(std::vector<QueueEntry>& entries) {
  std::size_t moves = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (!goes_before(entries[i], entries[i - 1])) continue;
    // They have, after all.
    if (moves > 4 * entries.size()) return std::sort(entries.begin(), entries.end(), goes_before);
    const QueueEntry moved = entries[i];
    std::size_t at = i;
    for (; at > 0 && goes_before(moved, entries[at - 1]); --at, ++moves)
      entries[at] = entries[at - 1];
    entries[at] = moved;
  }
}

// From the lowest digit up, keeping the order there was: digits that all have in common are left
// out.
void QueueOrder::deal_by_merit() {
  std::uint64_t differing = 0;
  for (const QueuePlace& place : places_) differing |= place.merit ^ places_.front().merit;
  other_places_.resize(places_.size());
  for (int shift = 0; shift < 64; shift += kDigitBits) {
    if ((differing >> shift & (kDigits - 1)) == 0) continue;
    // The largest comes first.
    const auto digit = [&](const QueuePlace& place) {
      return ~(place.merit >> shift) & (kDigits - 1);
    };
    std::array<std::uint32_t, kDigits> next{};
    for (const QueuePlace& place : places_) ++next[digit(place)];
    std::uint32_t before = 0;
    for (std::uint32_t& count : next) before += std::exchange(count, before);
    for (const QueuePlace& place : places_) other_places_[next[digit(place)]++] = place;
    places_.swap(other_places_);
  }
}

void QueueOrder::merge_equals(const std::vector<QueueEntry>& entries) {
  const auto before = by_number(entries);
  std::vector<Place> starts;
  for (auto begin = places_.begin(); begin != places_.end();) {
    starts.assign(1, begin);
    auto at = begin + 1;
    for (; at != places_.end() && at->merit == begin->merit; ++at)
      if (before(*at, *(at - 1))) starts.push_back(at);
    if (starts.size() > kMostStretches) {
      std::sort(begin, at, before);
      starts.resize(1);
    }
    while (starts.size() > 1) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < starts.size(); i += 2) {
        if (i + 1 < starts.size())
          std::inplace_merge(starts[i], starts[i + 1], i + 2 < starts.size() ? starts[i + 2] : at,
                             before);
        starts[kept++] = starts[i];
      }
      starts.resize(kept);
    }
    begin = at;
  }
}

void QueueOrder::arrange(std::vector<QueueEntry>& entries) {
  const auto in_order = [before = by_number(entries)](const QueuePlace& a, const QueuePlace& b) {
    return a.merit != b.merit ? a.merit > b.merit : before(a, b);
  };
  if (std::is_sorted(places_.begin(), places_.end(), in_order)) {
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].merit = places_[i].merit;
    return;
  }
  deal_by_merit();
  merge_equals(entries);
  constexpr std::size_t kAhead = 16;
  other_entries_.resize(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) {
      __builtin_prefetch(&entries[places_[i + kAhead].from]);
      __builtin_prefetch(&other_entries_[i + kAhead], 1);
    }
    other_entries_[i] = entries[places_[i].from];
    other_entries_[i].merit = places_[i].merit;
  }
  entries.swap(other_entries_);
}

}  // namespace sluice
