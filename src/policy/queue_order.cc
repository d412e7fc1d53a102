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

auto by_merit_and_number(const std::vector<QueueEntry>& entries) {
  return [before = by_number(entries)](const QueuePlace& a, const QueuePlace& b) {
    return a.merit != b.merit ? a.merit > b.merit : before(a, b);
  };
}

QueuePlace place_of(const std::vector<QueueEntry>& entries, std::size_t i) {
  return {entries[i].merit, entries[i].order, static_cast<std::uint32_t>(i)};
}

}  // namespace

// Where two neighbours are in the wrong order, it is either the one in front that fell back or the
// one behind that moved up, mostly with others of its user beside it. The smaller group is taken
// out. The first so many are in order.
void QueueOrder::take_out(const std::vector<QueueEntry>& entries, std::size_t in_order) {
  const auto before = by_merit_and_number(entries);
  places_.clear();
  taken_out_.clear();
  for (std::size_t i = 0; i < in_order; ++i) places_.push_back(place_of(entries, i));
  for (std::size_t i = in_order; i < entries.size(); ++i) {
    const QueuePlace place = place_of(entries, i);
    if (places_.empty() || before(places_.back(), place)) {
      places_.push_back(place);
      continue;
    }
    const auto fell = std::upper_bound(places_.begin(), places_.end(), place, before);
    const auto front = static_cast<std::size_t>(places_.end() - fell);
    std::size_t behind = 1;
    while (behind < front && i + behind < entries.size() &&
           before(place_of(entries, i + behind), places_.back()))
      ++behind;
    if (behind < front) {
      for (std::size_t k = 0; k < behind; ++k) taken_out_.push_back(place_of(entries, i + k));
      i += behind - 1;
    } else {
      taken_out_.insert(taken_out_.end(), fell, places_.end());
      places_.erase(fell, places_.end());
      places_.push_back(place);
    }
  }
}

void QueueOrder::mend(std::vector<QueueEntry>& entries) {
  std::size_t in_order = 1;
  while (in_order < entries.size() && goes_before(entries[in_order - 1], entries[in_order]))
    ++in_order;
  if (in_order >= entries.size()) return;
  take_out(entries, in_order);
  const auto before = by_merit_and_number(entries);
  std::sort(taken_out_.begin(), taken_out_.end(), before);
  other_places_.resize(entries.size());
  std::merge(places_.begin(), places_.end(), taken_out_.begin(), taken_out_.end(),
             other_places_.begin(), before);
  places_.swap(other_places_);
  move_to_places(entries);
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
  if (std::is_sorted(places_.begin(), places_.end(), by_merit_and_number(entries))) {
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].merit = places_[i].merit;
    return;
  }
  deal_by_merit();
  merge_equals(entries);
  move_to_places(entries);
}

void QueueOrder::move_to_places(std::vector<QueueEntry>& entries) {
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
