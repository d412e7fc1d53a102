// Which reservations stand in the way of a job.
#include "policy/job_windows.h"

namespace sluice {
namespace {

bool lies_over(const ReservationFlags& other, const KeptReservation* own) {
  if (own == nullptr) return true;
  if (own->told.flags.maint) return false;
  return !own->told.flags.overlap || other.maint;
}

}  // namespace

void JobWindows::read(const State& state, const Shape& shape, Instant now) {
  clear();
  if (state.reservations().empty() && !shape.in_reservation) return;
  if (shape.in_reservation) {
    own_ = state.find_reservation(shape.request->reservation);
    missing_ = own_ == nullptr;
    bound_ = own_ != nullptr && !own_->told.flags.flex;
  }
  for (const KeptReservation& other : state.reservations())
    if (&other != own_ && !other.nodes.empty() && lies_over(other.told.flags, own_))
      bars_.push_back({other.from(now), other.until(), &other});
  std::stable_sort(bars_.begin(), bars_.end(),
                   [](const Bar& a, const Bar& b) { return a.until < b.until; });
}

}  // namespace sluice
