// Submissions that try to break a sentence: who fills the cluster with what, and who comes then.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/intent_search.h"
#include "sim/splitmix.h"
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
  std::int64_t each = 0;   // Of the smallest node.
  std::int64_t total = 0;
};

class Trials {
 public:
  Trials(const Intent& intent, const Policy& policy, std::uint64_t seed, std::uint64_t number)
      : intent_(intent), policy_(policy), draws_(seed, number) {
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
    std::int64_t gpus = 0;
    std::int64_t cpus = 0;
    std::int64_t least_gpus = INT64_MAX;
    std::int64_t least_cpus = INT64_MAX;
    const std::vector<NodeId>& nodes = policy_.partitions[partition->index()].nodes;
    for (const NodeId id : nodes) {
      const Node& node = policy_.nodes[id.index()];
      const auto of_node = static_cast<std::int64_t>(node.gpus.size());
      gpus += of_node;
      cpus += node.cpus;
      least_gpus = std::min(least_gpus, of_node);
      least_cpus = std::min(least_cpus, std::int64_t{node.cpus});
    }
    machine_.nodes = static_cast<std::int64_t>(nodes.size());
    machine_.resource = gpus > 0 ? "gpus" : "cpus";
    machine_.total = gpus > 0 ? gpus : cpus;
    machine_.each = std::max<std::int64_t>(1, gpus > 0 ? least_gpus : least_cpus);
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
  static std::string asks(const std::string& resource, std::int64_t amount) {
    if (resource == "nodes") return fmt::format("nodes={} mem=1G", amount);
    if (resource == "cpus") return fmt::format("tasks={} nodes=1 mem=1G", amount);
    return fmt::format("gres=gpu:{} mem=1G", amount);
  }

  std::string submission(const Way& way, const std::string& name, const std::string& what,
                         Duration limit) const {
    return fmt::format("{} submits {} {} limit={} account={} qos={}", way.user, name, what,
                       format_duration(limit), way.account, way.qos);
  }

  void add(Duration at, std::string what, std::string expects = {}) {
    trial_.push_back({at, std::move(what), std::move(expects)});
  }

  // Jobs of one shape that could take the whole cluster: single ones, halves, whole nodes.
  void fill(Duration at, const Way& way) {
    const std::vector<std::int64_t> sizes = {1, std::max<std::int64_t>(1, machine_.each / 2),
                                             machine_.each};
    const std::int64_t size = one_of(sizes);
    const std::int64_t count = std::max<std::int64_t>(1, machine_.total / size);
    const Duration limit =
        draws_.below(2) == 0 ? longest(way) : std::min(longest(way), minutes(240));
    std::string what = asks(machine_.resource, size);
    if (count > 1) what += fmt::format(" array=0-{}", count - 1);
    add(at, submission(way, next_name(), what, limit));
  }

  bool cap() {
    std::vector<Way> ways;
    for (const Way& way : ways_)
      if (way.qos == intent_.qos) ways.push_back(way);
    if (ways.empty()) return false;
    const Way first = one_of(ways);
    std::int64_t held = 0;
    Duration at{0};
    for (int i = 0; i < 6 && held <= intent_.amount; ++i) {
      Way way = first;
      for (int tries = 0; tries < 8; ++tries) {
        way = one_of(ways);
        if (intent_.account ? way.account == first.account : way.user == first.user) break;
        way = first;
      }
      const std::int64_t size =
          1 + static_cast<std::int64_t>(draws_.below(static_cast<std::uint64_t>(intent_.amount)));
      const std::string name = next_name();
      held += size;
      add(at, submission(way, name, asks(intent_.resource, size), longest(way)),
          held > intent_.amount ? name + " waits" : "");
      at += seconds(1);
    }
    return held > intent_.amount;
  }

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
    const bool single = draws_.below(2) == 0;
    Duration at{0};
    for (const Way& way : ways) {
      const std::int64_t jobs = single ? 1 : std::min<std::int64_t>(2, intent_.amount);
      std::int64_t left = intent_.amount;
      for (std::int64_t i = 0; i < jobs; ++i) {
        const std::int64_t size = i + 1 == jobs ? left : left / (jobs - i);
        left -= size;
        const std::string name = next_name();
        add(at, submission(way, name, asks(intent_.resource, size), longest(way)),
            name + " starts");
        at += seconds(1);
      }
    }
    return true;
  }

  // An hour is enough for grace times and requeues; whoever waits longer has no claim.
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
    const std::int64_t least = (machine_.total * intent_.percent + 99) / 100;
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
      std::string what = asks(machine_.resource, 1);
      if (count > 1) what += fmt::format(" array=0-{}", count - 1);
      add(come, submission(people[i], name, what, longest(people[i])));
      wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ",
                            count > 1 ? fmt::format("{} of {} run", count, name) : name + " runs");
    }
    add(come + kSettled, {}, wanted);
    return true;
  }

  // Somebody comes and must run in time.
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
    const std::vector<std::int64_t> sizes = {1, machine_.each, machine_.total};
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
    const std::vector<std::int64_t> sizes = {1, machine_.each};
    come_and_run(seconds(10), victim, one_of(sizes), intent_.within);
    for (std::size_t i = 0; i < later; ++i)
      fill(seconds(20 + static_cast<std::int64_t>(i)), one_of(ways_));
    std::stable_sort(trial_.begin(), trial_.end(),
                     [](const TrialLine& a, const TrialLine& b) { return a.at < b.at; });
    return true;
  }

  const Intent& intent_;
  const Policy& policy_;
  Draws draws_;
  std::vector<Way> ways_;
  Machine machine_;
  Trial trial_;
  std::size_t jobs_ = 0;
};

}  // namespace

std::optional<Trial> draw_trial(const Intent& intent, const Policy& policy, std::uint64_t seed,
                                std::uint64_t number) {
  return Trials(intent, policy, seed, number).draw();
}

}  // namespace sluice
