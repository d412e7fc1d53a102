// A plan is about what the file names: what it leaves unsaid stays as the cluster has it.
#include <algorithm>
#include <any>

#include "policyfile/plan/plan.h"
#include "policyfile/read/sections.h"

namespace sluice {
namespace {

// Two visits of the same section: the first takes the values of the live cluster down, the second
// puts them where the file says nothing.
class Unnamed final : public FieldVisitor {
 public:
  Unnamed(std::string section, const std::set<std::string>& named)
      : section_(std::move(section)), named_(named) {}

  void put() { putting_ = true; }

  using FieldVisitor::count;
  using FieldVisitor::whole;
  void text(const Key& key, std::string& value) override { visit(key, value); }
  void name(const Key& key, std::string& value, Refers) override { visit(key, value); }
  void names(const Key& key, std::vector<std::string>& value, Refers) override {
    visit(key, value);
  }
  void flag(const Key& key, bool& value) override { visit(key, value); }
  void whole(const Key& key, std::int64_t& value, Range) override { visit(key, value); }
  void count(const Key& key, std::optional<std::int64_t>& value, Range) override {
    visit(key, value);
  }
  void factor(const Key& key, std::int64_t& millionths) override { visit(key, millionths); }
  void optional_factor(const Key& key, std::optional<std::int64_t>& millionths) override {
    visit(key, millionths);
  }
  void span(const Key& key, Duration& value) override { visit(key, value); }
  void limit(const Key& key, std::optional<Duration>& value) override { visit(key, value); }
  void memory(const Key& key, std::int64_t& megabytes) override { visit(key, megabytes); }
  void memory_limit(const Key& key, std::optional<std::int64_t>& megabytes) override {
    visit(key, megabytes);
  }
  // What is counted has another number in each policy.
  void tres(const Key&, TresLimits&) override {}
  void weights(const Key&, TresWeights&) override {}
  void qos(const Key&, std::optional<QosId>&) override {}
  void qos_list(const Key&, std::vector<QosId>&) override {}
  void word(const Key& key, std::size_t& value, const Words&) override { visit(key, value); }
  void optional_word(const Key& key, std::optional<std::size_t>& value, const Words&) override {
    visit(key, value);
  }
  void flags(const Key& key, std::vector<std::pair<std::string_view, bool*>> words) override {
    std::vector<bool> all;
    for (const auto& [word, value] : words) all.push_back(*value);
    visit(key, all);
    for (std::size_t i = 0; i < words.size(); ++i) *words[i].second = all[i];
  }

 private:
  template <class T>
  void visit(const Key& key, T& value) {
    if (!putting_) {
      live_.emplace_back(value);
      return;
    }
    const std::any& live = live_[next_++];
    const std::string field =
        section_.empty() ? std::string(key.name) : section_ + "." + std::string(key.name);
    if (!named_.contains(field)) value = std::any_cast<const T&>(live);
  }

  std::string section_;
  const std::set<std::string>& named_;
  bool putting_ = false;
  std::vector<std::any> live_;
  std::size_t next_ = 0;
};

template <class T>
void take(const char* section, void (*describe)(FieldVisitor&, T&), T live, T& wanted,
          const std::set<std::string>& named) {
  Unnamed unnamed(section, named);
  describe(unnamed, live);
  unnamed.put();
  describe(unnamed, wanted);
}

bool same_names(const TresRegistry& a, const TresRegistry& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.name(TresIndex(static_cast<std::uint8_t>(i))) !=
        b.name(TresIndex(static_cast<std::uint8_t>(i))))
      return false;
  return true;
}

}  // namespace

void keep_unnamed(Policy& wanted, const Policy& live, const std::set<std::string>& named) {
  take("priority", describe_priority, live.priority, wanted.priority, named);
  take("preemption", describe_preemption, live.preemption, wanted.preemption, named);
  take("scheduler", describe_scheduler, live.scheduler, wanted.scheduler, named);
  take("jobs", describe_jobs, live.jobs, wanted.jobs, named);
  take("", describe_enforce, live.enforce, wanted.enforce, named);
  if (!named.contains("priority.weight_tres") && same_names(wanted.tres, live.tres))
    wanted.priority.weight_tres = live.priority.weight_tres;
  // A weight makes it multifactor, said or not.
  const bool weighs = std::any_of(named.begin(), named.end(), [](const std::string& field) {
    return field.starts_with("priority.weight_");
  });
  if (weighs && !named.contains("priority.type")) wanted.priority.type = PriorityType::kMultifactor;
  for (Node& node : wanted.nodes) {
    const auto found = live.find_node(node.name);
    if (!found) continue;
    const Node& now = live.nodes[found->index()];
    // Sockets and threads are those of so many CPUs.
    if (!named.contains("nodes.sockets") && node.cpus == now.cpus) node.sockets = now.sockets;
    if (!named.contains("nodes.threads_per_core") && node.cpus == now.cpus)
      node.threads_per_core = now.threads_per_core;
    if (!named.contains("nodes.weight")) node.weight = now.weight;
    if (!named.contains("nodes.features")) node.features = now.features;
  }
}

}  // namespace sluice
