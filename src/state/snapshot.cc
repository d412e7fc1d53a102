// A state taken down and set up again.
#include "state/snapshot.h"

#include <algorithm>

#include "state/fold.h"

namespace sluice {

StateSnapshot State::snapshot() const {
  StateSnapshot out;
  out.policy = policy_;
  out.origin = origin_;
  out.last_calculated = last_calculated_;
  out.now = now_;
  out.next_job = next_job_;
  out.next_spec = next_spec_;
  out.starts = starts_;
  out.users = user_names_;
  for (std::uint32_t i = 1; i < next_spec_; ++i)
    if (const Shape* shape = shapes_.find(SpecId(i)))
      out.specs.push_back({SpecId(i), shape->request, shape->user, shape->keep});
  out.jobs.reserve(jobs_.size());
  jobs_.for_each([&](const Job& job) {
    Job& kept = out.jobs.emplace_back(job);
    if (job.run == 0) return;
    out.runs.push_back(runs_[job.run - 1]);
    kept.run = static_cast<std::uint32_t>(out.runs.size());
  });
  for (const auto& [id, array] : arrays_) out.arrays.push_back(array);
  for (const NodeUse& node : nodes_) out.nodes.push_back(node.state);
  out.past = assoc_past_.all();
  for (const QosUsage& usage : qos_usage_) out.qos_past.push_back(usage.past);
  for (const auto& [at, id] : ended_) out.ended.push_back({at, id});
  for (const auto& [at, id] : begins_) out.begins.push_back({at, id});
  out.awaiting_signal.assign(awaiting_signal_.begin(), awaiting_signal_.end());
  out.overstaying.assign(overstaying_.begin(), overstaying_.end());
  for (const KeptReservation& kept : reservations_) out.reservations.push_back(kept.told);
  return out;
}

void State::restore(const StateSnapshot& from) {
  CHECK(policy_ == nullptr, "a snapshot comes before every event");
  now_ = from.now;
  StateFold(*this, from.now).restore(from);
}

void StateFold::restore(const StateSnapshot& from) {
  for (const std::string& user : from.users) s_.user_id(user);
  (*this)(PolicyAdopted{from.policy});
  s_.origin_ = from.origin;
  s_.last_calculated_ = from.last_calculated;
  s_.next_job_ = from.next_job;
  s_.next_spec_ = from.next_spec;
  s_.starts_ = from.starts;
  for (const KeptSpec& kept : from.specs) {
    Shape shape = shape_of(*s_.policy_, s_.names_, kept.request, kept.user);
    shape.keep = kept.keep;
    s_.shapes_.insert(kept.id, std::move(shape));
  }
  for (const Array& array : from.arrays) {
    if (array.waiting.size() > 1) s_.in_records_ += array.waiting.size() - 1;
    s_.arrays_.emplace(array.id, array);
  }
  s_.runs_ = from.runs;
  for (std::size_t i = 0; i < from.nodes.size(); ++i) s_.nodes_[i].state = from.nodes[i];
  s_.assoc_past_ = PastTable(from.past, s_.policy_->tres.size());
  for (std::size_t i = 0; i < from.qos_past.size(); ++i) s_.qos_usage_[i].past = from.qos_past[i];
  for (const Job& kept : from.jobs) restore_job(s_.jobs_.insert(kept.id, kept));
  for (const KeptTime& each : from.ended) s_.ended_.emplace_back(each.at, each.job);
  for (const KeptTime& each : from.begins) s_.begins_.emplace(each.at, each.job);
  s_.awaiting_signal_.insert(from.awaiting_signal.begin(), from.awaiting_signal.end());
  s_.overstaying_.insert(from.overstaying.begin(), from.overstaying.end());
  for (const Reservation& kept : from.reservations) (*this)(ReservationMade{kept});
}

void StateFold::restore_job(const Job& j) {
  refer(j.spec);
  if (j.array != JobId{} && !j.is_array) s_.tasks_[{j.array, j.task}] = j.id;
  if (j.state == JobState::kPending) {
    ++s_.pending_;
    write_waiting(j);
    if (j.dependency == DependencyState::kWaiting) watch_dependencies(j);
  }
  if (!holds_nodes(j.state)) return;
  Run& r = run(j);
  write_run(j, r);
  if (j.state == JobState::kSuspended) s_.suspended_.insert(j.id);
  if (r.warned && j.state != JobState::kCompleting) s_.warned_.emplace(r.warned_until, j.id);
}

}  // namespace sluice
