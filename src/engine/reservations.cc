// Reservations: made, changed and removed by commands and by policies; begun and ended by time.
#include "policy/reservations.h"

#include <algorithm>

#include "engine/emit.h"
#include "engine/inputs.h"

namespace sluice {
namespace {

Reply refuse_with(std::string message) { return Refused{Refusal{{}, std::move(message)}}; }

Reply only_for_operators() {
  return Refused{Refusal{Reason{}, "Invalid user id"}, RefusedFor::kRights};
}

const ReservationRequest* find_declared(const Policy& policy, const std::string& name) {
  for (const ReservationRequest& declared : policy.reservations)
    if (declared.name == name) return &declared;
  return nullptr;
}

// Over before it was ever made: nothing to refuse a policy for.
bool is_past(const ReservationRequest& declared, Instant now) {
  if (declared.repeat != ReservationRepeat::kNever || !declared.start) return false;
  if (declared.duration) return *declared.start + *declared.duration <= now;
  return declared.end && *declared.end <= now;
}

}  // namespace

Reply InputHandler::operator()(const CreateReservation& input) {
  if (!is_operator(input.actor)) return only_for_operators();
  ReservationAnswer answer =
      make_reservation(state(), state().policy(), input.request, engine_.now_);
  if (auto* refusal = std::get_if<Refusal>(&answer)) return Refused{std::move(*refusal)};
  engine_.emit(ReservationMade{std::get<Reservation>(std::move(answer))});
  return Done{};
}

Reply InputHandler::operator()(const UpdateReservation& input) {
  if (!is_operator(input.actor)) return only_for_operators();
  const KeptReservation* kept = state().find_reservation(input.name);
  if (kept == nullptr) return refuse_with("Requested reservation is invalid");
  ReservationAnswer answer = change_reservation(state(), kept->told, input.change, engine_.now_);
  if (auto* refusal = std::get_if<Refusal>(&answer)) return Refused{std::move(*refusal)};
  engine_.emit(ReservationMade{std::get<Reservation>(std::move(answer))});
  return Done{};
}

Reply InputHandler::operator()(const DeleteReservation& input) {
  if (!is_operator(input.actor)) return only_for_operators();
  if (state().find_reservation(input.name) == nullptr)
    return refuse_with("Requested reservation is invalid");
  if (!engine_.jobs_of_reservation(input.name).empty())
    return refuse_with("Requested reservation is in use");
  engine_.emit(ReservationRemoved{input.name});
  return Done{};
}

InputHandler::Declared InputHandler::declared_by(const Policy& next) const {
  Declared out;
  BesidesThem besides;
  const bool first = !state().has_policy();
  if (!first)
    for (const ReservationRequest& before : state().policy().reservations)
      if (find_declared(next, before.name) == nullptr &&
          state().find_reservation(before.name) != nullptr)
        out.removed.push_back(before.name);
  besides.removed = out.removed;
  if (next.scheduler.type == SchedulerType::kEasy &&
      state().reservations().size() > out.removed.size()) {
    out.refusal = Refusal{{}, "there are reservations, and the scheduler easy knows none"};
    return out;
  }
  for (const ReservationRequest& wanted : next.reservations) {
    const ReservationRequest* before =
        first ? nullptr : find_declared(state().policy(), wanted.name);
    if ((before != nullptr && *before == wanted) || is_past(wanted, engine_.now_)) continue;
    besides.removed.push_back(wanted.name);
    ReservationAnswer answer = make_reservation(state(), next, wanted, engine_.now_, besides);
    if (auto* refusal = std::get_if<Refusal>(&answer)) {
      out.refusal = Refusal{{}, "reservation " + wanted.name + ": " + refusal->message};
      return out;
    }
    besides.added.push_back(std::get<Reservation>(std::move(answer)));
  }
  out.made = std::move(besides.added);
  return out;
}

std::vector<JobId> Engine::jobs_of_reservation(const std::string& name) const {
  std::vector<JobId> out;
  state_.for_each_job([&](const Job& job) {
    if (!has_ended(job.state) && state_.shape_of_job(job).request->reservation == name)
      out.push_back(job.id);
  });
  return out;
}

void Engine::handle_reservations() {
  if (state_.reservations().empty()) return;
  std::vector<std::string> over;
  for (const KeptReservation& kept : state_.reservations()) {
    if (kept.told.flags.time_float) continue;
    if (kept.told.end <= now_) over.push_back(kept.told.name);
    if (kept.told.start <= now_ && kept.told.start > reservations_at_) {
      changed_ = true;
      since_pass_ = SincePass::kAnything;
    }
  }
  reservations_at_ = now_;
  for (const std::string& name : over) end_reservation(name);
}

// Jobs that run in it end with it; those of one that repeats wait for its next time.
void Engine::end_reservation(const std::string& name) {
  const Reservation told = state_.find_reservation(name)->told;
  if (!told.flags.flex)
    for (const JobId id : jobs_of_reservation(name)) {
      const Job& job = state_.job(id);
      if (job.state == JobState::kRunning || job.state == JobState::kSuspended)
        end_job(job, JobState::kTimeout, false);
    }
  if (told.repeat == ReservationRepeat::kNever)
    remove_reservation(name);
  else
    emit(ReservationMade{advanced(told, now_)});
}

void Engine::remove_reservation(const std::string& name) {
  const bool hold = !state_.find_reservation(name)->told.flags.no_hold_after_end;
  emit(ReservationRemoved{name});
  // Jobs of one request share the one that takes its place.
  std::map<SpecId, SpecId> without;
  for (const JobId id : jobs_of_reservation(name)) {
    const Job& job = state_.job(id);
    if (job.state != JobState::kPending) continue;
    auto [known, is_new] = without.try_emplace(job.spec);
    if (is_new) {
      JobSpec request = *state_.shape_of_job(job).request;
      request.reservation.clear();
      known->second = state_.next_spec_id();
      emit(SpecDefined{known->second, std::make_shared<const JobSpec>(std::move(request)), false});
    }
    emit(JobChanged{id, known->second});
    if (explain_) explanations_.erase(id);
    if (hold)
      emit(JobHeld{id, HeldBy::kReservationGone});
    else
      settle(id);
  }
}

}  // namespace sluice
