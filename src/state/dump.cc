// The whole state as lines of text, to compare a replay with the original.
#include <fmt/format.h>

#include "state/state.h"

namespace sluice {
namespace {

std::string nodes_text(const Allocation& allocation) {
  std::string out;
  for (const NodeShare& s : allocation.shares())
    out += fmt::format(" {}:{}:{}:{:x}:{}", s.node.value(), s.cpus, s.memory_mb, s.gpus, s.layer);
  return out;
}

std::string holding_text(const Holding& h, const TresRegistry& tres) {
  std::string out = fmt::format("jobs={} submitted={} nodes={}", h.jobs, h.submitted, h.nodes);
  for (std::size_t i = 0; i < tres.size(); ++i) {
    const TresIndex index(static_cast<std::uint8_t>(i));
    out += fmt::format(" {}={}/{}", tres.name(index), h.tres[index], h.tres_end[index]);
  }
  return out;
}

std::string past_text(const PastUsage& past) {
  std::string out = fmt::format("{:a} {:a}", past.billing_seconds, past.wall_seconds);
  for (double tres : past.tres_seconds) out += fmt::format(" {:a}", tres);
  return out;
}

std::int64_t ms(Instant t) { return t.time_since_epoch().count(); }

}  // namespace

std::vector<std::string> State::dump() const {
  std::vector<std::string> out;
  out.push_back(fmt::format("next job {} spec {} calculated {} pending {}", next_job_, next_spec_,
                            ms(last_calculated_), pending_));
  jobs_.for_each([&](const Job& j) {
    std::string line = fmt::format(
        "job {} spec {} array {} task {} attempt {} {} held {} dep {} record {} eligible {} line "
        "{} "
        "submitted {} begin {} since {} ages {} ended {} limit {}",
        j.id.value(), j.spec.value(), j.array.value(), j.task, j.attempt, slurm_name(j.state),
        static_cast<int>(j.held), static_cast<int>(j.dependency), j.is_array, j.eligible, j.in_line,
        ms(j.submitted), ms(j.begin), ms(j.eligible_since), ms(j.ages_since), ms(j.ended),
        j.limit.count());
    if (j.run != 0) {
      const Run& r = runs_[j.run - 1];
      line += fmt::format(
          " run p{}{} order {} started {} ended {} expected {} planned {} counted {} paused {}/{} "
          "as {} {}",
          r.partition.value(), nodes_text(r.allocation), r.order, ms(r.started), ms(r.ended),
          ms(r.expected_end), ms(r.planned_end), ms(r.counted_until), ms(r.suspended_at),
          r.suspended_for.count(), slurm_name(r.ending_as), slurm_name(r.outcome.state));
    }
    out.push_back(std::move(line));
  });
  for (const auto& [id, a] : arrays_)
    out.push_back(fmt::format("array {} waiting {} of {} holding {} unfinished {} remembered {} {}",
                              id.value(), a.waiting.size(), a.total, a.holding, a.unfinished,
                              a.remembered, a.failed));
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    out.push_back(fmt::format("node {} cpus {} memory {} gpus {:x} jobs {} state {}", i,
                              nodes_[i].cpus_taken, nodes_[i].memory_taken, nodes_[i].gpus_taken,
                              nodes_[i].jobs, static_cast<int>(nodes_[i].state)));
  for (std::size_t i = 0; i < assoc_usage_.size(); ++i)
    out.push_back(fmt::format("assoc {} {} {}", i, holding_text(assoc_usage_[i].now, policy_->tres),
                              past_text(assoc_past_.at(i))));
  for (std::size_t i = 0; i < qos_usage_.size(); ++i)
    out.push_back(fmt::format("qos {} {} {}", i, holding_text(qos_usage_[i].now, policy_->tres),
                              past_text(qos_usage_[i].past)));
  for (const ExpectedEnd& end : ends_)
    out.push_back(fmt::format("end {} {} {} {}", ms(end.at), end.order, end.job.value(), end.cpus));
  for (const auto& [at, id] : begins_)
    out.push_back(fmt::format("begin {} {}", ms(at), id.value()));
  for (const auto& [target, waiting] : dependents_)
    for (JobId id : waiting)
      out.push_back(fmt::format("depends {} {}", target.value(), id.value()));
  for (const KeptReservation& kept : reservations_) {
    const Reservation& r = kept.told;
    std::string line = fmt::format("reservation {} {} {} {} {}", r.name, ms(r.start), ms(r.end),
                                   r.ahead.count(), static_cast<int>(r.repeat));
    for (const std::string& node : r.nodes) line += " " + node;
    for (const std::string& user : r.users) line += " user " + user;
    for (const std::string& account : r.accounts) line += " account " + account;
    out.push_back(std::move(line));
  }
  return out;
}

std::string State::difference_from(const State& other) const {
  const std::vector<std::string> mine = dump();
  const std::vector<std::string> theirs = other.dump();
  for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
    const std::string a = i < mine.size() ? mine[i] : "(nothing)";
    const std::string b = i < theirs.size() ? theirs[i] : "(nothing)";
    if (a != b) return a + "\n  against\n" + b;
  }
  return {};
}

}  // namespace sluice
