// Seats (a user in an account) get habits that the policy lets start; jobs are drawn from those.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

#include "sim/chains/room_probe.h"
#include "sim/reports/share_due.h"
#include "sim/workloads/generated.h"
#include "sim/workloads/generated_parts.h"
#include "sim/workloads/habit_balance.h"
#include "sim/workloads/lublin.h"
#include "sim/workloads/request_table.h"

namespace sluice {
namespace {

using namespace generated;

// A busy cluster that still keeps up: whole nodes, priorities and preemption cost some of it.
constexpr std::int64_t kPolicyLoad = 700;

// Each is asked about in a cluster of its own; more add nothing to a workload but time.
constexpr std::int64_t kMostPeople = 20'000;

// What a user may name when submitting.
struct Seat {
  std::string user;
  std::string account;
  std::vector<std::string> qos;         // "": the default.
  std::vector<std::string> partitions;  // "": the default.
};

// What one partition has.
struct Site {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int32_t node_cpus = 0;  // Of its largest node,
  std::int32_t node_gpus = 0;
  std::int64_t cpu_memory_mb = 0;  // and the memory of the poorest node for each CPU.
};

Site site_of(const Policy& policy, const Partition& partition) {
  Site out;
  for (const NodeId id : partition.nodes) {
    const Node& node = policy.nodes[id.index()];
    out.cpus += node.cpus;
    out.gpus += std::ssize(node.gpus);
    out.node_cpus = std::max(out.node_cpus, node.cpus);
    out.node_gpus = std::max(out.node_gpus, static_cast<std::int32_t>(node.gpus.size()));
    const std::int64_t each = node.memory_mb / std::max(node.cpus, 1);
    out.cpu_memory_mb = out.cpu_memory_mb == 0 ? each : std::min(out.cpu_memory_mb, each);
  }
  return out;
}

std::vector<std::string> usable_partitions(const Policy& policy) {
  std::vector<std::string> out;
  for (const Partition& partition : policy.partitions)
    if (partition.state == PartitionState::kUp && !partition.nodes.empty())
      out.push_back(partition.name);
  return out;
}

std::vector<Seat> seats_of(const Policy& policy) {
  std::vector<Seat> out;
  const std::vector<std::string> partitions = usable_partitions(policy);
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& assoc = policy.associations[i];
    if (assoc.user.empty() || assoc.user == "root") continue;
    Seat seat{assoc.user, assoc.account, {}, partitions};
    if (!assoc.partition.empty()) seat.partitions = {assoc.partition};
    for (const QosId qos : policy.allowed_qos(AssocId(static_cast<std::uint32_t>(i))))
      seat.qos.push_back(policy.qos[qos.index()].name);
    if (seat.qos.empty()) seat.qos.emplace_back();
    out.push_back(std::move(seat));
  }
  return out;
}

// Users of a policy that has none.
std::vector<Seat> anonymous_seats(const Policy& policy, std::int64_t users) {
  std::vector<Seat> out;
  for (std::int64_t i = 1; i <= users; ++i)
    out.push_back({fmt::format("u{}", i), {}, {std::string()}, usable_partitions(policy)});
  return out;
}

class Generator {
 public:
  Generator(const GeneratorSettings& settings, std::shared_ptr<const Policy> policy)
      : settings_(settings),
        policy_(std::move(policy)),
        room_(policy_),
        due_(shares_due(policy_)),
        requests_(out_.requests) {}

  Result<Workload> make() {
    out_.name = fmt::format("generated-{}", settings_.seed);
    for (const Node& node : policy_->nodes) out_.machine_cpus += node.cpus;
    for (const Partition& partition : policy_->partitions) {
      partitions_(partition.name);
      sites_.push_back(site_of(*policy_, partition));
    }
    std::vector<Seat> seats = seats_of(*policy_);
    if (seats.empty())
      seats = anonymous_seats(*policy_, settings_.users > 0 ? settings_.users : 100);
    if (settings_.users > kMostPeople && settings_.users > std::ssize(seats))
      return bad_input(fmt::format("--generate: users is {}", settings_.users),
                       fmt::format("for a policy, give at most {} people", kMostPeople));
    draw_habits(seats);
    if (habits_.empty())
      return bad_input(fmt::format("no user of the policy can start a job of one CPU: {}",
                                   room_.why().empty() ? "no partition is up" : room_.why()),
                       "see what the policy allows: sluice policy check FILE");
    balance_habits(*policy_, out_, habits_);
    draw_jobs();
    draw_failures(settings_, out_);
    const std::int64_t over = span();
    spread_over(over, settings_, out_);
    add_neighbours(neighbours(), over, requests_, out_);
    return std::move(out_);
  }

 private:
  // Names keep the number they got first.
  class Numbers {
   public:
    explicit Numbers(std::vector<std::string>& names) : names_(names) {}
    std::uint32_t operator()(const std::string& name) {
      const auto [at, is_new] =
          numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
      if (is_new) names_.push_back(name);
      return at->second;
    }

   private:
    std::vector<std::string>& names_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
  };

  // Each person has habits of their own under one seat; all of a seat's QoS come up in turn.
  void draw_habits(const std::vector<Seat>& seats) {
    Draws draws(settings_.seed, kHabitStream);
    const std::size_t people =
        settings_.users > 0 ? static_cast<std::size_t>(settings_.users) : seats.size();
    std::vector<double> shares(people, 0.0);
    double above = 0;
    for (std::size_t k = people; k > 0; --k) shares[k - 1] = above += 1 / static_cast<double>(k);
    for (std::size_t person = 0; person < people; ++person) {
      const Seat& seat = seats[person % seats.size()];
      if (seat.partitions.empty()) continue;
      std::vector<WorkRequest> own;
      const std::size_t wanted = std::max<std::size_t>(kHabits, seat.qos.size());
      for (std::size_t i = 0; i < wanted; ++i) {
        const std::string& partition = seat.partitions[(person + i) % seat.partitions.size()];
        if (const auto habit = draw_habit(seat, seat.qos[i % seat.qos.size()], partition, draws))
          own.push_back(*habit);
      }
      // The first people submit most: each one's share falls with the logarithm of its number.
      const double share = shares[person];
      for (const WorkRequest& request : own)
        habits_.push_back({request, share / static_cast<double>(own.size())});
    }
    share_out();
  }

  // Users together ask for what their shares make them due, so that none waits for ever.
  void share_out() {
    std::vector<double> work(out_.users.size(), 0.0);
    for (const Habit& habit : habits_)
      work[habit.request.user] += habit.weight * work_of(habit.request);
    for (Habit& habit : habits_) {
      const auto due = due_.users.find(out_.users[habit.request.user]);
      const double part = due == due_.users.end() ? 1 : std::max(due->second, 0.001);
      habit.weight *= part / work[habit.request.user];
    }
  }

  // What a job of it takes of the partition, in seconds of all of it.
  double work_of(const WorkRequest& request) const {
    const Site& site = sites_[request.partition - 1];
    double part = static_cast<double>(request.cpus) / static_cast<double>(site.cpus);
    if (site.gpus > 0)
      part = std::max(part, static_cast<double>(request.gpus) / static_cast<double>(site.gpus));
    return part * static_cast<double>(to_seconds(request.limit));
  }

  std::optional<WorkRequest> draw_habit(const Seat& seat, const std::string& qos,
                                        const std::string& partition, Draws& draws) {
    WorkRequest habit;
    habit.user = users_(seat.user);
    habit.account = accounts_(seat.account);
    habit.qos = qos.empty() ? 0 : qos_(qos) + 1;
    habit.partition = partitions_(partition) + 1;
    const Site& site = sites_[habit.partition - 1];
    const bool wants_gpus = site.gpus > 0 && next_wants_gpus(qos);
    if (wants_gpus) {
      const auto sizes =
          std::bit_width(static_cast<std::uint32_t>(std::max(site.node_gpus / 2, 1)));
      // Small ones are more frequent.
      const auto many = static_cast<std::uint64_t>(sizes);
      habit.gpus = std::int32_t{1} << std::min(draws.below(many), draws.below(many));
      habit.nodes = 1;
      habit.cpus = std::max(site.node_cpus / site.node_gpus / 2, 1) * habit.gpus;
    } else {
      // Half of a node, or an eighth of a large partition; small ones are more frequent.
      const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(
          {machine(site) / 8, std::min<std::int64_t>(machine(site), site.node_cpus) / 2, 1}));
      const auto sizes = static_cast<std::uint64_t>(std::bit_width(most));
      habit.cpus = std::int32_t{1} << std::min(draws.below(sizes), draws.below(sizes));
    }
    if (policy_->jobs.memory_is_consumable && site.cpu_memory_mb > 3) {
      habit.memory_per = MemoryPer::kCpu;
      habit.memory_mb = std::max<std::int64_t>(site.cpu_memory_mb >> (1 + draws.below(3)), 1);
    }
    habit.limit = minutes(kLimits[draws.below(kLimits.size())]);
    return fitted(habit);
  }

  // Evenly over the habits of each QoS: with few users no QoS is left without GPUs by chance.
  bool next_wants_gpus(const std::string& qos) {
    const std::int64_t nth = habits_of_qos_[qos]++;
    return (nth + 1) * settings_.gpu_permille / 1000 > nth * settings_.gpu_permille / 1000;
  }

  // CPUs that sizes and load are scaled to.
  std::int64_t machine(const Site& site) const {
    return settings_.cpus > 0 ? std::min(settings_.cpus, site.cpus) : site.cpus;
  }

  static constexpr Duration kShortest = minutes(1);

  bool starts(const WorkRequest& habit) { return room_.starts(spec_of(out_, habit)); }

  // As large and as long as drawn where the policy lets it start, else the next smaller.
  std::optional<WorkRequest> fitted(WorkRequest habit) {
    if (starts(habit)) return habit;
    WorkRequest least = habit;
    least.cpus = 1;
    least.gpus = 0;
    least.nodes = 0;
    const auto key = std::tuple(habit.user, habit.account, habit.qos, habit.partition);
    auto known = longest_.find(key);
    if (known == longest_.end()) {
      std::optional<Duration> longest;
      for (std::size_t i = kLimits.size() + 2; i > 0 && !longest; --i) {
        least.limit = minutes(i > 2 ? kLimits[i - 3] : static_cast<std::int64_t>(i));
        if (starts(least)) longest = least.limit;
      }
      known = longest_.emplace(key, longest).first;
    }
    if (!known->second) return std::nullopt;
    habit.limit = std::min(habit.limit, *known->second);
    while (!starts(habit)) {
      if (habit.cpus == 1 && habit.gpus <= 1 && habit.limit <= kShortest) {
        // A GPU is not to be had here at all.
        if (habit.gpus == 0) return std::nullopt;
        habit.gpus = habit.nodes = 0;
        habit.limit = *known->second;
        continue;
      }
      if (habit.cpus == 1 && habit.gpus <= 1) {
        habit.limit = std::max(habit.limit / 2, kShortest);
        continue;
      }
      habit.cpus = std::max(habit.cpus / 2, 1);
      if (habit.gpus > 1) habit.gpus /= 2;
    }
    return habit;
  }

  void draw_jobs() {
    std::vector<double> up_to;
    double all = 0;
    for (const Habit& habit : habits_) up_to.push_back(all += habit.weight);
    Draws draws(settings_.seed, kJobStream);
    out_.items.resize(static_cast<std::size_t>(settings_.jobs));
    std::uint32_t number = 0;
    for (WorkItem& item : out_.items) {
      const auto at = std::upper_bound(up_to.begin(), up_to.end() - 1, draws.unit() * all);
      WorkRequest request = habits_[static_cast<std::size_t>(at - up_to.begin())].request;
      item.number = ++number;
      item.log_line = number;
      if (settings_.model == WorkModel::kLublin) {
        if (request.gpus == 0) request.cpus = lublin_size(draws, request.cpus);
        item.run = lublin_run(draws, request.cpus);
        request.limit = roomy_limit(item.run, request.limit);
      } else {
        item.run = draw_run(draws, request.limit);
      }
      item.request = requests_.number_of(request);
    }
  }

  // The last people that the policy names, each with their largest habit, as long as it may be.
  std::vector<Neighbour> neighbours() const {
    std::vector<Neighbour> out;
    std::vector<bool> taken(out_.users.size(), false);
    for (auto habit = habits_.rbegin(); habit != habits_.rend(); ++habit) {
      const std::uint32_t user = habit->request.user;
      if (std::ssize(out) >= settings_.neighbours || taken[user]) continue;
      taken[user] = true;
      const WorkRequest* largest = &habit->request;
      for (const Habit& other : habits_)
        if (other.request.user == user && work_of(other.request) > work_of(*largest))
          largest = &other.request;
      out.push_back({*largest, machine(sites_[largest->partition - 1])});
    }
    return out;
  }

  // Long enough that no partition's CPUs or GPUs have more than the load that was asked for.
  std::int64_t span() const {
    struct Work {
      std::int64_t cpu = 0;
      std::int64_t gpu = 0;
    };
    std::vector<Work> by_partition(sites_.size());
    Work all;
    for (const WorkItem& item : out_.items) {
      const WorkRequest& request = out_.request_of(item);
      const std::int64_t run = to_seconds(std::min(item.run, request.limit));
      for (Work* work : {&by_partition[request.partition - 1], &all}) {
        work->cpu += run * request.cpus;
        work->gpu += run * request.gpus;
      }
    }
    std::int64_t cpus = 0;
    std::int64_t gpus = 0;
    for (const Node& node : policy_->nodes) {
      cpus += node.cpus;
      gpus += std::ssize(node.gpus);
    }
    if (settings_.cpus > 0) cpus = std::min(cpus, settings_.cpus);
    std::int64_t longest = 1;
    const auto add = [&](std::int64_t work, std::int64_t capacity) {
      if (capacity > 0)
        longest = std::max(longest, work / capacity * 1000 / settings_.load_permille);
    };
    add(all.cpu, cpus);
    add(all.gpu, gpus);
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      add(by_partition[i].cpu, machine(sites_[i]));
      add(by_partition[i].gpu, sites_[i].gpus);
    }
    return longest;
  }

  const GeneratorSettings& settings_;
  std::shared_ptr<const Policy> policy_;
  RoomProbe room_;
  SharesDue due_;
  Workload out_;
  RequestTable requests_;
  Numbers users_{out_.users};
  Numbers accounts_{out_.accounts};
  Numbers qos_{out_.qos};
  Numbers partitions_{out_.partitions};
  std::map<std::string, std::int64_t> habits_of_qos_;
  std::vector<Site> sites_;  // As the partitions.
  std::vector<Habit> habits_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
           std::optional<Duration>>
      longest_;
};

}  // namespace

Result<Workload> generate_for(const GeneratorSettings& asked,
                              std::shared_ptr<const Policy> policy) {
  GeneratorSettings settings = asked;
  if (settings.load_permille == 0) settings.load_permille = kPolicyLoad;
  return Generator(settings, std::move(policy)).make();
}

}  // namespace sluice
