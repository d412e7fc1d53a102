#include "sim/forks/learnt_run_times.h"

#include <algorithm>

#include "state/shape.h"

namespace sluice {
namespace {

// Fewer runs than these say little: three of one job, more where jobs differ.
constexpr std::size_t kEnoughOfOne = 3;
constexpr std::size_t kEnoughOfUser = 5;
constexpr std::size_t kEnoughOfAll = 20;

constexpr std::int64_t kWhole = 1000;

}  // namespace

LearntRunTimes::LearntRunTimes(std::span<const RanBefore> past) {
  for (const RanBefore& each : past) {
    if (each.limit <= Duration(0) || each.run < Duration(0)) continue;
    if (!each.name.empty()) by_name_[{each.user, each.name}].push_back(each.run);
    by_limit_[{each.user, each.limit}].push_back(each.run);
    const Duration part(std::min(kWhole, each.run.count() * kWhole / each.limit.count()));
    by_user_[each.user].push_back(part);
    everybody_.push_back(part);
  }
  for (auto& [key, times] : by_name_) std::sort(times.begin(), times.end());
  for (auto& [key, times] : by_limit_) std::sort(times.begin(), times.end());
  for (auto& [key, times] : by_user_) std::sort(times.begin(), times.end());
  std::sort(everybody_.begin(), everybody_.end());
}

LearntRunTimes::Choice LearntRunTimes::of(const std::string& user, const std::string& name,
                                          Duration limit) const {
  Choice out;
  out.limit_ = limit;
  if (const auto found = by_name_.find({user, name});
      found != by_name_.end() && found->second.size() >= kEnoughOfOne) {
    out.times_ = &found->second;
    out.same_name_ = true;
    return out;
  }
  if (const auto found = by_limit_.find({user, limit});
      found != by_limit_.end() && found->second.size() >= kEnoughOfOne) {
    out.times_ = &found->second;
    return out;
  }
  // A part of no limit is no time.
  if (limit >= kForever) return out;
  out.scaled_ = true;
  if (const auto found = by_user_.find(user);
      found != by_user_.end() && found->second.size() >= kEnoughOfUser)
    out.times_ = &found->second;
  else if (everybody_.size() >= kEnoughOfAll)
    out.times_ = &everybody_;
  return out;
}

Duration LearntRunTimes::Choice::at(std::size_t i) const {
  const Duration time = (*times_)[i];
  if (!scaled_) return std::min(time, limit_);
  // In this order: a limit may be as long as for ever.
  return Duration(limit_.count() / kWhole * time.count());
}

Duration LearntRunTimes::Choice::pick(Duration so_far, std::uint64_t draw) const {
  if (times_ == nullptr) return limit_;
  std::size_t first = 0;
  std::size_t end = times_->size();
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (at(middle) > so_far)
      end = middle;
    else
      first = middle + 1;
  }
  if (first == times_->size()) return limit_;
  return at(first + draw % (times_->size() - first));
}

Duration LearntRunTimes::Choice::long_one() const {
  return times_ == nullptr ? limit_ : at((times_->size() * 95 + 99) / 100 - 1);
}

}  // namespace sluice
