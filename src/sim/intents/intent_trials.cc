// Submissions that try to break a sentence: who fills the cluster with what, and who comes then.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/intents/intent_search.h"
#include "sim/workloads/splitmix.h"
#include "text/duration.h"

namespace sluice {
namespace {

// A person who may use a QoS through an account.
struct Way {
  std::string user;
  std::string account;
  std::string qos;
  friend auto operator<=>(const Way&, const Way&) = default;
};

struct Machine {
  std::string resource;    // What is scarce: gpus where there are any, else cpus.
  std::int64_t nodes = 0;  // Of the default partition.
  std::int64_t each = 0;   // Of the smallest node that has any.
  std::int64_t total = 0;
  std::int64_t unit = 1;       // CPUs come by whole cores.
  std::int64_t memory_mb = 0;  // For one unit, so that memory is never what lacks; 0: not counted.
};

class Trials {
 public:
  Trials(const Intent& intent, const Policy& policy, std::uint64_t seed, std::uint64_t number)
      : intent_(intent), policy_(policy), number_(number), draws_(seed, number) {
    find_ways();
    find_machine();
  }

  std::optional<Trial> draw() {
    if (ways_.empty() || machine_.total == 0) return std::nullopt;
    bool drawn = false;
    switch (intent_.kind) {
      case IntentKind::kCap:
        drawn = cap();
        break;
      case IntentKind::kGets:
        drawn = gets();
        break;
      case IntentKind::kShare:
        drawn = share();
        break;
      case IntentKind::kStarts:
        drawn = starts();
        break;
      case IntentKind::kWaitsMost:
        drawn = waits();
        break;
    }
    if (!drawn) return std::nullopt;
    return std::move(trial_);
  }

 private:
  void find_ways() {
    std::set<Way> found;
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      const Association& a = policy_.associations[i];
      if (a.user.empty() || a.user == "root" || !a.partition.empty()) continue;
      for (const QosId id : policy_.allowed_qos(AssocId(static_cast<AssocId::rep>(i))))
        found.insert({a.user, a.account, policy_.qos[id.index()].name});
    }
    ways_.assign(found.begin(), found.end());
  }

  void find_machine() {
    const auto partition = policy_.default_partition();
    if (!partition) return;
    const std::vector<NodeId>& nodes = policy_.partitions[partition->index()].nodes;
    const bool gpus = std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return !policy_.nodes[id.index()].gpus.empty();
    });
    machine_.resource = gpus ? "gpus" : "cpus";
    machine_.nodes = static_cast<std::int64_t>(nodes.size());
    std::int64_t memory = INT64_MAX;
    machine_.each = INT64_MAX;
    for (const NodeId id : nodes) {
      const Node& node = policy_.nodes[id.index()];
      machine_.unit = std::max<std::int64_t>(machine_.unit, node.threads_per_core);
      const auto has = gpus ? static_cast<std::int64_t>(node.gpus.size()) : node.cpus;
      most_cpus_ = std::max<std::int64_t>(most_cpus_, node.cpus);
      most_gpus_ = std::max(most_gpus_, static_cast<std::int64_t>(node.gpus.size()));
      memory = std::min(memory, node.memory_mb / std::max(1, node.cpus));
      if (has == 0) continue;
      // A GPU job takes a core as well.
      const std::int64_t units =
          gpus ? std::min<std::int64_t>(has, node.cpus / std::max(1, node.threads_per_core)) : has;
      machine_.total += units;
      machine_.each = std::min(machine_.each, units);
    }
    machine_.each = machine_.total == 0 ? 0 : std::max<std::int64_t>(1, machine_.each);
    if (policy_.jobs.memory_is_consumable && memory > 0 && memory != INT64_MAX)
      machine_.memory_mb = std::min<std::int64_t>(memory, 1024);
  }

  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[draws_.below(list.size())];
  }

  // In the account or below it.
  bool is_in(const std::string& account, const std::string& above) const {
    auto id = policy_.find_account(account);
    while (id) {
      const Association& a = policy_.associations[id->index()];
      if (a.account == above) return true;
      id = a.parent;
    }
    return false;
  }

  std::vector<Way> ways_of(const std::string& name) const {
    std::vector<Way> out;
    const bool is_qos = policy_.find_qos(name).has_value();
    for (const Way& way : ways_)
      if (is_qos ? way.qos == name : is_in(way.account, name)) out.push_back(way);
    return out;
  }

  // The longest time limit that is allowed, a week at most.
  Duration longest(const Way& way) const {
    Duration out = std::chrono::hours(24 * 7);
    const auto bound = [&](const std::optional<Duration>& limit) {
      if (limit) out = std::min(out, *limit);
    };
    bound(policy_.qos[policy_.find_qos(way.qos)->index()].job.max_wall);
    bound(policy_.partitions[policy_.default_partition()->index()].max_time);
    for (auto id = policy_.find_association(way.account, way.user, ""); id;
         id = policy_.associations[id->index()].parent)
      bound(policy_.associations[id->index()].job.max_wall);
    return out;
  }

  std::string next_name() { return fmt::format("J{}", ++jobs_); }

  // gpus=4, cpus=4 or nodes=2, and little of everything else.
  std::string asks(const std::string& resource, std::int64_t amount) const {
    const std::string memory =
        machine_.memory_mb == 0 ? "" : fmt::format(" mem={}M", machine_.memory_mb);
    if (resource == "nodes") return fmt::format("nodes={}{}", amount, memory);
    if (resource == "cpus") return fmt::format("tasks={} nodes=1{}", amount, memory);
    return fmt::format("gres=gpu:{}{}", amount, memory);
  }

  // The most of it that one job can ask for.
  std::int64_t of_one_job(const std::string& resource) const {
    if (resource == "nodes") return machine_.nodes;
    return std::max<std::int64_t>(1, resource == "cpus" ? most_cpus_ : most_gpus_);
  }

  std::int64_t unit_of(const std::string& resource) const {
    return resource == "cpus" ? machine_.unit : 1;
  }

  std::string submission(const Way& way, const std::string& name, const std::string& what,
                         Duration limit) const {
    return fmt::format("{} submits {} {} limit={} account={} qos={}", way.user, name, what,
                       format_duration(limit), way.account, way.qos);
  }

  void add(Duration at, std::string what, std::string expects = {}) {
    trial_.push_back({at, std::move(what), std::move(expects), false, false});
  }

  // Jobs of one shape that could take the whole cluster: single ones, halves, whole nodes.
  void fill(Duration at, const Way& way) {
    const std::int64_t unit = unit_of(machine_.resource);
    const std::vector<std::int64_t> sizes = {unit, std::max(unit, machine_.each / 2 / unit * unit),
                                             std::max(unit, machine_.each)};
    const std::int64_t size = one_of(sizes);
    const std::int64_t count = std::max<std::int64_t>(1, machine_.total / size);
    const Duration limit =
        draws_.below(2) == 0 ? longest(way) : std::min(longest(way), minutes(240));
    std::string what = asks(machine_.resource, size);
    if (count > 1) what += fmt::format(" array=0-{}", count - 1);
    add(at, submission(way, next_name(), what, limit));
    trial_.back().others = true;
  }

  // More than the limit, by one user (of one account): one by one, or in jobs of any size.
  bool cap() {
    std::vector<Way> ways;
    for (const Way& way : ways_)
      if (way.qos == intent_.qos) ways.push_back(way);
    if (ways.empty()) return false;
    const Way first = one_of(ways);
    std::erase_if(ways, [&](const Way& way) {
      return intent_.account ? way.account != first.account : way.user != first.user;
    });
    const std::int64_t unit = unit_of(intent_.resource);
    const std::int64_t most = std::min(of_one_job(intent_.resource), intent_.amount + unit);
    if (number_ % 4 == 3) return whole_nodes(ways);
    constexpr std::int64_t kSingleJobs = 8;
    // One that leaves the rest to the next, any sizes, one by one.
    const std::uint64_t shape = number_ % 3;
    const bool one_by_one = shape == 2;
    std::int64_t asked = 0;
    Duration at{0};
    for (int i = 0; i < kSingleJobs && asked <= intent_.amount; ++i) {
      const Way way = one_of(ways);
      // The last of so many has to be an array where the limit is high.
      const std::int64_t left = intent_.amount + 1 - asked;
      std::int64_t size = unit;
      if (shape == 0 && i > 0) size = std::min(most, left);
      if (shape == 1 || (shape == 0 && i == 0))
        size = 1 + static_cast<std::int64_t>(draws_.below(static_cast<std::uint64_t>(most)));
      size = std::max(unit, size / unit * unit);
      std::string what = asks(intent_.resource, size);
      if (i + 1 == kSingleJobs || (one_by_one && left > kSingleJobs * unit)) {
        const std::int64_t tasks = (left + size - 1) / size;
        if (tasks > 1) what += fmt::format(" array=0-{}", tasks - 1);
        size *= std::max<std::int64_t>(1, tasks);
      }
      add(at, submission(way, next_name(), what, longest(way)));
      asked += size;
      at += seconds(1);
    }
    return asked > intent_.amount;
  }

  // Few jobs that take as much as there is: a limit on their number does not save the sum.
  bool whole_nodes(const std::vector<Way>& ways) {
    std::vector<std::int64_t> sizes;
    for (const NodeId id : policy_.partitions[policy_.default_partition()->index()].nodes) {
      const Node& node = policy_.nodes[id.index()];
      const auto has = intent_.resource == "gpus" ? static_cast<std::int64_t>(node.gpus.size())
                                                  : std::int64_t{node.cpus};
      if (has > 0) sizes.push_back(intent_.resource == "nodes" ? 1 : has);
    }
    std::sort(sizes.rbegin(), sizes.rend());
    std::int64_t asked = 0;
    Duration at{0};
    for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 8); ++i) {
      if (asked > intent_.amount) break;
      const Way way = one_of(ways);
      const std::int64_t size = std::max<std::int64_t>(
          1, draws_.below(2) == 0 ? sizes[i] : std::min(sizes[i], intent_.amount + 1 - asked));
      add(at, submission(way, next_name(), asks(intent_.resource, size), longest(way)));
      asked += size;
      at += seconds(1);
    }
    return asked > intent_.amount;
  }

  // In as few jobs as the nodes allow, and piece by piece.
  bool gets() {
    std::vector<Way> ways;
    std::set<std::string> seen;
    std::vector<Way> all;
    for (const Way& way : ways_)
      if (way.qos == intent_.qos) all.push_back(way);
    while (!all.empty() && static_cast<std::int64_t>(ways.size()) < intent_.users) {
      const std::size_t at = draws_.below(all.size());
      if (seen.insert(all[at].user).second) ways.push_back(all[at]);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (static_cast<std::int64_t>(ways.size()) < intent_.users) return false;
    const std::int64_t unit = unit_of(intent_.resource);
    const std::int64_t largest = std::max(unit, of_one_job(intent_.resource) / unit * unit);
    const bool smallest = number_ % 4 == 3;
    Duration at{0};
    for (const Way& way : ways) {
      for (std::int64_t left = intent_.amount; left > 0;) {
        const std::int64_t size = smallest ? unit : std::min(left, largest);
        const std::int64_t tasks = smallest ? (left + unit - 1) / unit : 1;
        const std::string name = next_name();
        std::string what = asks(intent_.resource, size);
        if (tasks > 1) what += fmt::format(" array=0-{}", tasks - 1);
        add(at, submission(way, name, what, longest(way)),
            tasks > 1 ? fmt::format("{} of {} run", tasks, name) : name + " starts");
        trial_.back().smallest = smallest;
        left -= size * tasks;
        at += seconds(1);
      }
    }
    return true;
  }

  // An hour is enough for grace times and requeues; a job that waits longer has no claim.
  static constexpr Duration kSettled = minutes(60);

  bool share() {
    std::vector<Way> ours = ways_of(intent_.who);
    std::vector<Way> others;
    for (const Way& way : ways_)
      if (!is_in(way.account, intent_.who)) others.push_back(way);
    std::erase_if(ours, [&](const Way& way) { return longest(way) <= kSettled * 2; });
    if (ours.empty() || others.empty()) return false;
    const std::string qos = one_of(ours).qos;
    std::erase_if(ours, [&](const Way& way) { return way.qos != qos; });
    const std::int64_t unit = unit_of(machine_.resource);
    const std::int64_t least = (machine_.total / unit * intent_.percent + 99) / 100;
    const std::size_t fillers = 1 + draws_.below(3);
    for (std::size_t i = 0; i < fillers; ++i)
      fill(seconds(static_cast<std::int64_t>(i)), one_of(others));
    const Duration come = seconds(10);
    // One at a time, so that nothing but the policy keeps them out.
    std::set<std::string> users;
    std::vector<Way> people;
    for (const Way& way : ours)
      if (users.insert(way.user).second) people.push_back(way);
    std::string wanted;
    std::int64_t left = least;
    for (std::size_t i = 0; i < people.size(); ++i) {
      const auto rest = static_cast<std::int64_t>(people.size() - i);
      const std::int64_t count = (left + rest - 1) / rest;
      left -= count;
      if (count == 0) continue;
      const std::string name = next_name();
      std::string what = asks(machine_.resource, unit);
      if (count > 1) what += fmt::format(" array=0-{}", count - 1);
      add(come, submission(people[i], name, what, longest(people[i])));
      wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ",
                            count > 1 ? fmt::format("{} of {} run", count, name) : name + " runs");
    }
    add(come + kSettled, {}, wanted);
    return true;
  }

  // A job comes and must run in time.
  void come_and_run(Duration at, const Way& way, std::int64_t size, Duration within) {
    const std::string name = next_name();
    std::string what = asks(machine_.resource, std::min(size, machine_.each));
    if (size > machine_.each)
      what += fmt::format(" nodes={}", (size + machine_.each - 1) / machine_.each);
    const Duration limit = longest(way);
    if (limit > within + minutes(1)) {
      add(at, submission(way, name, what, limit));
      add(at + within, {}, name + " runs");
      return;
    }
    // Its limit is shorter than the time it may wait: a minute's work is done by then.
    add(at, submission(way, name, what + " runs=30s", std::min(limit, minutes(1))));
    add(at + within + minutes(1), {}, name + " ended COMPLETED");
  }

  bool starts() {
    const std::vector<Way> who = ways_of(intent_.who);
    const std::vector<Way> fillers = ways_of(intent_.filler);
    if (who.empty() || fillers.empty()) return false;
    const std::size_t rounds = 1 + draws_.below(2);
    for (std::size_t i = 0; i < rounds; ++i)
      fill(seconds(static_cast<std::int64_t>(i)), one_of(fillers));
    const std::vector<std::int64_t> sizes = {unit_of(machine_.resource), machine_.each,
                                             machine_.total};
    come_and_run(minutes(1 + static_cast<std::int64_t>(draws_.below(60))), one_of(who),
                 one_of(sizes), intent_.within);
    return true;
  }

  bool waits() {
    const Way victim = one_of(ways_);
    const std::size_t streams = 1 + draws_.below(4);
    for (std::size_t i = 0; i < streams; ++i)
      fill(seconds(static_cast<std::int64_t>(i)), one_of(ways_));
    // More of the same keeps coming.
    const std::size_t later = draws_.below(4);
    const std::vector<std::int64_t> sizes = {unit_of(machine_.resource), machine_.each};
    come_and_run(seconds(10), victim, one_of(sizes), intent_.within);
    for (std::size_t i = 0; i < later; ++i)
      fill(seconds(20 + static_cast<std::int64_t>(i)), one_of(ways_));
    std::stable_sort(trial_.begin(), trial_.end(),
                     [](const TrialLine& a, const TrialLine& b) { return a.at < b.at; });
    return true;
  }

  const Intent& intent_;
  const Policy& policy_;
  std::uint64_t number_;
  Draws draws_;
  std::vector<Way> ways_;
  Machine machine_;
  std::int64_t most_cpus_ = 0;  // Of the largest node.
  std::int64_t most_gpus_ = 0;
  Trial trial_;
  std::size_t jobs_ = 0;
};

}  // namespace

std::optional<Trial> draw_trial(const Intent& intent, const Policy& policy, std::uint64_t seed,
                                std::uint64_t number) {
  return Trials(intent, policy, seed, number).draw();
}

}  // namespace sluice
