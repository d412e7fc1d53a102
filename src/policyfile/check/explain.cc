// A person's questions: what may I use, what stops me, who goes first.
#include "policyfile/check/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "policyfile/read/sections.h"
#include "policyfile/write/field_writer.h"
#include "text/spelling.h"

namespace sluice {
namespace {

using Texts = std::vector<std::string>;

std::string in_words(const Value& value) {
  if (value.is_scalar()) return value.text;
  Texts out;
  for (const Value& item : value.items) out.push_back(item.text);
  for (const Entry& entry : value.entries)
    out.push_back(fmt::format("{} {}", entry.value.text, entry.key));
  return fmt::format("{}", fmt::join(out, ", "));
}

class Explanation {
 public:
  explicit Explanation(const Policy& policy) : policy_(policy) {}

  void qos(const Qos& qos) {
    line("QoS {}{}", qos.name, qos.description.empty() ? "" : ": " + qos.description);
    fields<Qos>(describe_qos, qos, Qos{}, {"description", "Preempt"});
    Texts victims;
    for (const QosId id : qos.preempt) victims.push_back(policy_.qos[id.index()].name);
    Texts above;
    for (const Qos& other : policy_.qos)
      if (std::any_of(other.preempt.begin(), other.preempt.end(),
                      [&](QosId id) { return policy_.qos[id.index()].name == qos.name; }))
        above.push_back(other.name);
    const bool pushes = policy_.preemption.type == PreemptType::kQos;
    if (!victims.empty())
      line("  its jobs preempt those of {}{}", fmt::join(victims, ", "),
           pushes ? "" : " (not now: preemption.type is not qos)");
    if (!above.empty() && pushes)
      line("  its jobs make room for those of {}", fmt::join(above, ", "));
    for (const Partition& partition : policy_.partitions)
      if (partition.qos && policy_.qos[partition.qos->index()].name == qos.name)
        line("  it binds every job in partition {}", partition.name);
    Texts holders;
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      const Association& a = policy_.associations[i];
      if (a.user.empty()) continue;
      const auto& allowed = policy_.allowed_qos(AssocId(static_cast<AssocId::rep>(i)));
      if (std::any_of(allowed.begin(), allowed.end(),
                      [&](QosId id) { return policy_.qos[id.index()].name == qos.name; }))
        holders.push_back(fmt::format("{} of {}", a.user, a.account));
    }
    list("  may be used by", holders);
    if (!qos.flags.deny_on_limit && policy_.enforce.limits)
      line(
          "  a job that can never meet its limits waits instead of being refused (no DenyOnLimit)");
  }

  void account(AssocId id) {
    const Association& a = policy_.associations[id.index()];
    line("Account {}{}", a.account, a.description.empty() ? "" : ": " + a.description);
    Texts path;
    for (auto above = a.parent; above; above = policy_.associations[above->index()].parent)
      path.push_back(policy_.associations[above->index()].account);
    if (!path.empty()) line("  below {}", fmt::join(path, ", below "));
    share(id);
    limits_up(id);
    allowed(id);
    Texts users;
    Texts children;
    for (const Association& other : policy_.associations) {
      if (other.parent != id) continue;
      (other.user.empty() ? children : users)
          .push_back(other.user.empty() ? other.account : other.user);
    }
    list("  users", users);
    list("  accounts below it", children);
    for (const Partition& partition : policy_.partitions) {
      const auto names = [&](const Texts& list) {
        return std::find(list.begin(), list.end(), a.account) != list.end();
      };
      if (!partition.allow_accounts.empty() && !names(partition.allow_accounts))
        line("  may not use partition {} (allow_accounts)", partition.name);
      if (partition.allow_accounts.empty() && names(partition.deny_accounts))
        line("  may not use partition {} (deny_accounts)", partition.name);
    }
  }

  void user(const std::string& name) {
    line("User {}", name);
    if (const auto id = policy_.find_user(name)) {
      const User& user = policy_.users[id->index()];
      if (!user.default_account.empty())
        line("  jobs that name no account go to {}", user.default_account);
      if (user.admin_level != AdminLevel::kNone)
        line("  is {} of the cluster",
             user.admin_level == AdminLevel::kOperator ? "operator" : "administrator");
      list("  is coordinator of", user.coordinates);
    }
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      const Association& a = policy_.associations[i];
      if (a.user != name) continue;
      const AssocId id(static_cast<AssocId::rep>(i));
      line("  in account {}{}:", a.account,
           a.partition.empty() ? "" : ", in partition " + a.partition + " only");
      indent_ = "  ";
      share(id);
      limits_up(id);
      allowed(id);
      indent_.clear();
    }
  }

  std::string take() { return std::move(out_); }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    out_ += indent_ + fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  void list(std::string_view what, const Texts& names) {
    constexpr std::size_t kNamed = 12;
    if (names.empty()) return;
    const Texts first(names.begin(),
                      names.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, names.size())));
    line("{} {}{}", what, fmt::join(first, ", "),
         names.size() > kNamed ? fmt::format(" and {} more", names.size() - kNamed) : "");
  }

  template <class T>
  void fields(void (*describe)(FieldVisitor&, T&), T value, T usual,
              std::initializer_list<std::string_view> without, const std::string& whose = {}) {
    FieldWriter now(Notation::kFile, policy_);
    FieldWriter before(Notation::kFile, policy_);
    describe(now, value);
    describe(before, usual);
    for (std::size_t i = 0; i < now.fields.size(); ++i) {
      const auto& [name, set] = now.fields[i];
      if (same_content(set, before.fields[i].second) ||
          std::find(without.begin(), without.end(), name) != without.end())
        continue;
      line("  {} {}{}: {}", name, in_words(set), whose, now.helps[i]);
    }
  }

  void share(AssocId id) {
    const Association& a = policy_.associations[id.index()];
    if (!a.parent) return;
    if (a.shares_of_parent) {
      line("  shares: those of the account above");
      return;
    }
    std::int64_t all = 0;
    for (const Association& other : policy_.associations)
      if (other.parent == a.parent && !other.shares_of_parent) all += other.shares;
    if (all > 0)
      line("  {} of {} shares below {}: {}% of what is handed out there, when all want it",
           a.shares, all, policy_.associations[a.parent->index()].account, 100 * a.shares / all);
  }

  // Its own limits, and those of every account above: a group limit of each of them binds.
  void limits_up(AssocId id) {
    if (!policy_.enforce.limits) line("  limits are not enforced (enforce)");
    for (std::optional<AssocId> at = id; at; at = policy_.associations[at->index()].parent) {
      const Association& a = policy_.associations[at->index()];
      fields<Association>(describe_association, a, Association{},
                          {"description", "qos", "default_qos"},
                          *at == id ? "" : " of account " + a.account);
    }
  }

  void allowed(AssocId id) {
    Texts names;
    for (const QosId qos : policy_.allowed_qos(id)) names.push_back(policy_.qos[qos.index()].name);
    list("  may use QoS", names);
    if (const auto usual = policy_.default_qos(id))
      line("  a job that names no QoS gets {}", policy_.qos[usual->index()].name);
    for (const QosId qos : policy_.allowed_qos(id)) {
      const Qos& one = policy_.qos[qos.index()];
      const std::string before = indent_;
      indent_ += "  ";
      fields<Qos>(describe_qos, one, Qos{},
                  {"description", "Preempt", "Priority", "Flags", "UsageFactor", "PreemptMode",
                   "GraceTime", "PreemptExemptTime"},
                  " in " + one.name);
      indent_ = before;
    }
  }

  const Policy& policy_;
  std::string out_;
  std::string indent_;
};

}  // namespace

Result<std::string> explain_policy(const Policy& policy, std::string_view name) {
  Explanation out(policy);
  if (const auto qos = policy.find_qos(name)) out.qos(policy.qos[qos->index()]);
  if (const auto account = policy.find_account(name)) out.account(*account);
  if (policy.find_user(name)) out.user(std::string(name));
  std::string text = out.take();
  if (!text.empty()) return text;
  Texts known;
  for (const Qos& qos : policy.qos) known.push_back(qos.name);
  for (const Association& a : policy.associations)
    if (a.user.empty()) known.push_back(a.account);
  for (const User& user : policy.users) known.push_back(user.name);
  return bad_input(fmt::format("there is no QoS, account or user '{}'", name),
                   allowed_words(name, known));
}

}  // namespace sluice
