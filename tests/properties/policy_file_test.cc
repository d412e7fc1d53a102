// A policy written to a file and read back is the same policy, whatever it says.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "policyfile/read/policy_reader.h"
#include "policyfile/read/sections.h"
#include "policyfile/write/policy_writer.h"
#include "text/duration.h"

namespace sluice {
namespace {

std::int64_t draw(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}

bool coin() { return draw(0, 1) == 1; }

// Gives every field that the sections describe a value of its kind; a field added there is
// covered here without another line.
class RandomFields : public FieldVisitor {
 public:
  explicit RandomFields(const Policy& policy) : policy_(policy) {}

  using FieldVisitor::count;
  using FieldVisitor::whole;
  void text(const Key&, std::string& value) override {
    static constexpr std::string_view kPieces[] = {"a",  " ",  ":", "#",    "'", "\"",
                                                   "\n", "\\", "é", "-",    "{", "[",
                                                   ",",  "%",  "~", "null", "1", "\t"};
    value.clear();
    for (std::int64_t i = draw(0, 6); i > 0; --i)
      value += kPieces[static_cast<std::size_t>(draw(0, std::ssize(kPieces) - 1))];
  }
  void name(const Key&, std::string& value, Refers to) override {
    if (to == Refers::kNothing) value = fmt::format("x{}", draw(0, 99));
  }
  void names(const Key&, std::vector<std::string>& value, Refers to) override {
    for (std::int64_t i = draw(0, 3); i > 0; --i) {
      const std::string name = to == Refers::kQos       ? some_qos().name
                               : to == Refers::kAccount ? some_account()
                                                        : fmt::format("x{}", draw(0, 99));
      if (std::find(value.begin(), value.end(), name) == value.end()) value.push_back(name);
    }
  }
  void flag(const Key&, bool& value) override { value = coin(); }
  void whole(const Key&, std::int64_t& value, Range range) override {
    value = draw(range.least, std::min<std::int64_t>(range.most, 1'000'000));
  }
  void count(const Key&, std::optional<std::int64_t>& value, Range range) override {
    value.reset();
    if (coin()) value = draw(range.least, std::min<std::int64_t>(range.most, 1'000'000));
  }
  void factor(const Key&, std::int64_t& millionths) override { millionths = draw(0, 9'999'999); }
  void optional_factor(const Key&, std::optional<std::int64_t>& millionths) override {
    millionths.reset();
    if (coin()) millionths = draw(1, 9'999'999);
  }
  void span(const Key&, Duration& value) override { value = some_duration(); }
  void limit(const Key&, std::optional<Duration>& value) override {
    value.reset();
    if (coin()) value = some_duration();
  }
  void memory(const Key&, std::int64_t& megabytes) override { megabytes = some_memory(); }
  void memory_limit(const Key&, std::optional<std::int64_t>& megabytes) override {
    megabytes.reset();
    if (coin()) megabytes = some_memory();
  }
  void tres(const Key&, TresLimits& value) override {
    for (std::size_t i = 0; i < policy_.tres.size(); ++i)
      if (draw(0, 3) == 0) {
        const TresIndex index(static_cast<std::uint8_t>(i));
        value.put(index, index == kTresMem ? some_memory() : draw(0, 1'000'000'000));
      }
  }
  void weights(const Key&, TresWeights& value) override {
    for (std::size_t i = 0; i < policy_.tres.size(); ++i)
      if (draw(0, 3) == 0) {
        TresWeight weight{TresIndex(static_cast<std::uint8_t>(i)), draw(0, 9'999'999), 1};
        static constexpr std::int64_t kUnits[] = {1, 1024, 1024 * 1024};
        if (weight.tres == kTresMem) weight.per = kUnits[draw(0, 2)];
        value.push_back(weight);
      }
  }
  void qos(const Key&, std::optional<QosId>& value) override {
    if (coin()) value = some_qos_id();
  }
  void qos_list(const Key&, std::vector<QosId>& value) override {
    for (std::int64_t i = draw(0, 3); i > 0; --i) {
      const QosId id = some_qos_id();
      if (std::find(value.begin(), value.end(), id) == value.end()) value.push_back(id);
    }
  }
  void word(const Key&, std::size_t& value, const Words& words) override {
    value = static_cast<std::size_t>(draw(0, std::ssize(words) - 1));
  }
  void optional_word(const Key&, std::optional<std::size_t>& value, const Words& words) override {
    // The first word of a QoS's mode, off, means "as the cluster", which is nothing.
    value.reset();
    if (coin()) value = static_cast<std::size_t>(draw(1, std::ssize(words) - 1));
  }
  void flags(const Key&, std::vector<std::pair<std::string_view, bool*>> words) override {
    for (auto& [word, flag] : words) *flag = coin();
  }

 private:
  Duration some_duration() {
    switch (draw(0, 2)) {
      case 0:
        return Duration(0);
      case 1:
        return Duration(draw(0, 100'000));
      default:
        return Duration(draw(0, kLongestDuration.count()));
    }
  }
  std::int64_t some_memory() { return coin() ? draw(0, 5000) : draw(0, 5000) * 1024; }
  QosId some_qos_id() {
    return QosId(static_cast<QosId::rep>(draw(0, std::ssize(policy_.qos) - 1)));
  }
  const Qos& some_qos() { return policy_.qos[some_qos_id().index()]; }
  std::string some_account() {
    std::vector<std::string> accounts;
    for (const Association& a : policy_.associations)
      if (a.user.empty()) accounts.push_back(a.account);
    return accounts[static_cast<std::size_t>(draw(0, std::ssize(accounts) - 1))];
  }

  const Policy& policy_;
};

class RandomPolicy {
 public:
  Policy take() {
    policy_.cluster = fmt::format("c{}", draw(0, 9));
    add_nodes();
    for (std::int64_t i = draw(0, 2); i > 0; --i) {
      policy_.licenses.push_back({fmt::format("l{}", i), draw(0, 99)});
      add_tres("license/" + policy_.licenses.back().name);
    }
    add_qos();
    add_partition_names();
    add_associations();
    add_partitions();
    add_users();
    RandomFields random(policy_);
    describe_priority(random, policy_.priority);
    describe_preemption(random, policy_.preemption);
    describe_scheduler(random, policy_.scheduler);
    describe_jobs(random, policy_.jobs);
    describe_enforce(random, policy_.enforce);
    if (policy_.enforce.safe) policy_.enforce.limits = true;
    if (policy_.enforce.limits || policy_.enforce.qos) policy_.enforce.associations = true;
    return std::move(policy_);
  }

 private:
  void add_tres(const std::string& name) { RC_ASSERT(policy_.tres.add(name).has_value()); }

  void add_nodes() {
    static constexpr const char* kTypes[] = {"", "a100", "v100"};
    for (std::int64_t group = draw(0, 3); group > 0; --group) {
      Node node;
      RandomFields random(policy_);
      describe_node(random, node);
      node.sockets = static_cast<std::int32_t>(draw(1, 4));
      node.threads_per_core = static_cast<std::int32_t>(draw(1, 2));
      node.cpus = node.sockets * node.threads_per_core * static_cast<std::int32_t>(draw(1, 8));
      for (std::int64_t i = draw(0, 5); i > 0; --i) {
        Gpu gpu{kTypes[draw(0, 2)], coin() ? "" : fmt::format("/dev/g{}", draw(0, 2))};
        if (!gpu.type.empty()) add_tres("gres/gpu:" + gpu.type);
        node.gpus.push_back(gpu);
      }
      for (std::int64_t i = draw(1, 4); i > 0; --i) {
        node.name = fmt::format("n{}-{}", group, coin() ? i : i + 10);
        if (!policy_.find_node(node.name)) policy_.nodes.push_back(node);
      }
    }
  }

  void add_qos() {
    policy_.qos.resize(static_cast<std::size_t>(draw(1, 4)));
    for (std::size_t i = 0; i < policy_.qos.size(); ++i)
      policy_.qos[i].name = i == 0 ? "normal" : fmt::format("q{}", i);
    for (std::size_t i = 0; i < policy_.qos.size(); ++i) {
      Qos qos = policy_.qos[i];
      RandomFields random(policy_);
      if (coin()) describe_qos(random, qos);
      policy_.qos[i] = qos;
    }
  }

  void add_partition_names() {
    policy_.partitions.resize(static_cast<std::size_t>(draw(1, 3)));
    for (std::size_t i = 0; i < policy_.partitions.size(); ++i)
      policy_.partitions[i].name = fmt::format("p{}", i);
  }

  void add_partitions() {
    bool has_default = false;
    for (Partition& partition : policy_.partitions) {
      for (std::size_t i = 0; i < policy_.nodes.size(); ++i)
        if (coin()) partition.nodes.emplace_back(static_cast<NodeId::rep>(i));
      RandomFields random(policy_);
      describe_partition(random, partition);
      partition.is_default = partition.is_default && !has_default;
      has_default = has_default || partition.is_default;
      partition.oversubscribe = static_cast<OverSubscribe>(draw(0, 3));
      if (partition.oversubscribe == OverSubscribe::kYes ||
          partition.oversubscribe == OverSubscribe::kForce)
        partition.oversubscribe_jobs = static_cast<std::int32_t>(draw(1, 9));
    }
  }

  void fill(Association& association) {
    RandomFields random(policy_);
    if (coin()) describe_association(random, association);
    association.shares_of_parent = draw(0, 4) == 0;
    if (!association.shares_of_parent) association.shares = draw(0, 1000);
  }

  void add_associations() {
    policy_.associations.resize(2);
    Association& root = policy_.associations[0];
    root.account = "root";
    root.qos = {QosId(0)};
    if (draw(0, 3) == 0) root.group.jobs = draw(0, 100);
    Association& user = policy_.associations[1];
    user.account = user.user = "root";
    user.parent = AssocId(0);
    if (draw(0, 3) == 0) user.shares = 7;
    add_users_of("root", AssocId(0));
    for (std::int64_t i = draw(0, 3); i > 0; --i) add_account(AssocId(0), 0);
  }

  void add_account(AssocId parent, int depth) {
    Association account;
    account.account = fmt::format("a{}", ++accounts_);
    account.parent = parent;
    fill(account);
    const AssocId id(static_cast<AssocId::rep>(policy_.associations.size()));
    const std::string name = account.account;
    policy_.associations.push_back(std::move(account));
    add_users_of(name, id);
    if (depth < 2)
      for (std::int64_t i = draw(0, 2); i > 0; --i) add_account(id, depth + 1);
  }

  void add_users_of(const std::string& account, AssocId parent) {
    std::set<std::pair<std::string, std::string>> seen;
    for (std::int64_t i = draw(0, 3); i > 0; --i) {
      Association user;
      user.account = account;
      user.user = fmt::format("u{}", draw(0, 4));
      user.parent = parent;
      if (draw(0, 3) == 0)
        user.partition =
            policy_
                .partitions[static_cast<std::size_t>(draw(0, std::ssize(policy_.partitions) - 1))]
                .name;
      if (!seen.emplace(user.user, user.partition).second) continue;
      if (coin()) fill(user);
      policy_.associations.push_back(std::move(user));
    }
  }

  void add_users() {
    auto add = [&](const std::string& name, const std::string& account) {
      if (policy_.find_user(name)) return;
      User user;
      user.name = name;
      user.default_account = account;
      if (name == "root") user.admin_level = AdminLevel::kAdministrator;
      policy_.users.push_back(std::move(user));
    };
    for (const Association& a : policy_.associations)
      if (!a.user.empty()) add(a.user, a.account);
    for (std::int64_t i = draw(0, 2); i > 0; --i) add(fmt::format("v{}", i), "");
    for (User& user : policy_.users) {
      RandomFields random(policy_);
      if (coin()) describe_user(random, user);
    }
  }

  Policy policy_;
  int accounts_ = 0;
};

TEST(PolicyFile, WrittenAndReadBackIsTheSamePolicy) {
  const bool holds = rc::check([] {
    const Policy policy = RandomPolicy().take();
    const std::string text = write_policy(policy);
    const auto back = read_policy(text, "written.yaml");
    if (!back) RC_FAIL(back.error().text() + "\n" + text);
    if (*back != policy) RC_FAIL(text + "\nread back as\n" + write_policy(*back));
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace sluice
