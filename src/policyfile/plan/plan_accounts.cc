// The account tree: no user loses an account or a QoS before having the next one.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "policyfile/plan/plan_parts.h"
#include "policyfile/read/sections.h"

namespace sluice {
namespace {

constexpr std::size_t kUsersPerCommand = 200;

using AssocKey = std::tuple<std::string, std::string, std::string>;

AssocKey key_of(const Association& a) { return {a.account, a.user, a.partition}; }

std::set<std::string> qos_names(const Policy& policy, const std::vector<QosId>& ids) {
  std::set<std::string> out;
  for (const QosId id : ids) out.insert(policy.qos[id.index()].name);
  return out;
}

std::string parent_of(const Policy& policy, const Association& a) {
  return a.parent ? policy.associations[a.parent->index()].account : std::string();
}

std::string shares_text(const Association& a) {
  return a.shares_of_parent ? "parent" : std::to_string(a.shares);
}

class TreePlan {
 public:
  explicit TreePlan(PlanContext& context)
      : c_(context), now_(context.live.policy), then_(context.wanted) {
    for (const Association& a : now_.associations) live_[key_of(a)] = &a;
    for (const Association& a : then_.associations) wanted_[key_of(a)] = &a;
  }

  void make() {
    // Users who go altogether go first: no default stands in the way then. The tree comes
    // next: what is inherited, and so what may be a default, depends on it.
    for (const Association& a : then_.associations) add_account(a);
    for (const Association& a : then_.associations) grow_qos(a);
    for (const Association& a : now_.associations) grow_leaving(a);
    flush();
    for (const Association& a : then_.associations) move_account(a);
    for (const Association& a : then_.associations) change_default_qos(a);
    flush();
    for (const Association& a : then_.associations) change(a);
    flush();
    for (const Association& a : then_.associations) add_user(a);
    flush();
  }

  // After removals: Slurm takes no QoS away that is still a default. Users before
  // accounts, the lowest accounts first.
  void restrict_all() {
    out_ = &c_.last;
    for (const Association& a : then_.associations)
      if (!a.user.empty()) restrict_qos(a);
    flush();
    for (auto a = then_.associations.rbegin(); a != then_.associations.rend(); ++a)
      if (a->user.empty()) restrict_qos(*a);
    flush();
  }

  // Slurm does not take away a default account, unless the user goes altogether; where the
  // database serves other clusters too, his default account here goes last.
  void remove_people() {
    const bool alone = c_.live.clusters == 1;
    std::map<std::string, std::string> defaults;
    for (const User& user : now_.users) defaults[user.name] = user.default_account;
    for (const Association& a : then_.associations) stay_.insert(a.user);
    std::vector<const Association*> late;
    for (const Association& a : now_.associations) {
      if (a.user.empty() || a.user == "root" || stay_.contains(a.user)) continue;
      if (!alone && defaults[a.user] == a.account)
        late.push_back(&a);
      else if (!alone)
        remove_one(a);
      else if (gone_.insert(a.user).second)
        remove_user(a.user);
    }
    for (const Association* a : late) remove_one(*a);
    flush_removals();
    for (PlanStep& step : c_.last) c_.plan.steps.push_back(std::move(step));
    c_.last.clear();
  }

  void remove() {
    for (const Association& a : now_.associations)
      if (!a.user.empty() && stay_.contains(a.user)) remove_one(a);
    flush_removals();
    for (auto a = now_.associations.rbegin(); a != now_.associations.rend(); ++a)
      if (a->user.empty()) remove_one(*a);
    flush_removals();
  }

 private:
  const Association* live(const Association& a) const {
    const auto found = live_.find(key_of(a));
    return found == live_.end() ? nullptr : found->second;
  }

  void emit(Argv words, StepKind kind, std::vector<std::string> subjects,
            std::vector<std::string> says) {
    words.insert(words.begin(), {"sacctmgr", "-i"});
    PlanStep& step = out_->emplace_back();
    step.argv = std::move(words);
    step.kind = kind;
    step.subjects = std::move(subjects);
    step.says = std::move(says);
  }

  // The same settings for several users of one account go in one command: sacctmgr takes its time
  // for each command, whatever is in it.
  struct Batch {
    Argv before;  // Up to the names.
    Argv after;
    StepKind kind = StepKind::kChange;
    std::vector<std::string> names;
    std::vector<std::string> subjects;
    std::vector<std::string> says;
    std::vector<std::string> hits;
    std::string needs;
  };

  void batch(Argv before, const std::string& name, Argv after, StepKind kind, std::string subject,
             std::vector<std::string> says) {
    if (batch_.before != before || batch_.after != after || batch_.kind != kind ||
        batch_.names.size() == kUsersPerCommand)
      flush();
    batch_.before = std::move(before);
    batch_.after = std::move(after);
    batch_.kind = kind;
    batch_.names.push_back(name);
    batch_.subjects.push_back(std::move(subject));
    batch_.says.insert(batch_.says.end(), says.begin(), says.end());
  }

  Argv joined(const Batch& batch) const {
    Argv words = batch.before;
    words.back() += fmt::format("{}", fmt::join(batch.names, ","));
    words.insert(words.end(), batch.after.begin(), batch.after.end());
    return words;
  }

  void flush() {
    if (!batch_.names.empty())
      emit(joined(batch_), batch_.kind, std::move(batch_.subjects), std::move(batch_.says));
    batch_ = {};
  }

  void set(const Association& a, const Argv& settings, std::vector<std::string> says) {
    if (settings.empty()) return;
    if (a.user.empty()) {
      flush();
      Argv words = {"modify", "account", "where", "name=" + a.account, c_.of_cluster(), "set"};
      words.insert(words.end(), settings.begin(), settings.end());
      emit(std::move(words), StepKind::kChange, {subject_of(a)}, std::move(says));
      return;
    }
    // An empty partition is the association that holds in any.
    Argv after = {"account=" + a.account, c_.of_cluster(), "partition=" + a.partition, "set"};
    after.insert(after.end(), settings.begin(), settings.end());
    batch({"modify", "user", "where", "name="}, a.user, std::move(after), StepKind::kChange,
          subject_of(a), std::move(says));
  }

  std::vector<FieldChange> changes(Association before, const Association& after) const {
    before.description = slurm_description(before.description);
    std::vector<FieldChange> out =
        field_changes<Association>(describe_association, before, now_, after, then_);
    std::erase_if(out, [&](const FieldChange& change) {
      return change.name == "description" && (!after.user.empty() || !after.parent ||
                                              (after.description.empty() && !c_.options.restore));
    });
    return out;
  }

  std::vector<std::string> says(const Association& a, const std::string& text) const {
    return {fmt::format("{}: {}", subject_of(a), text)};
  }

  // Its list is said as a difference from the account above, and stays that.
  bool differs_alike(const Association& wanted) const {
    const auto difference = [&](const SlurmOnly& all) {
      const auto subject = all.find(subject_of(wanted));
      if (subject == all.end()) return std::string();
      const auto field = subject->second.find(kQosDifference);
      return field == subject->second.end() ? std::string() : field->second;
    };
    const std::string now = difference(c_.live.slurm_only);
    return !now.empty() && now == difference(c_.options.slurm_only);
  }

  static std::set<std::string> effective(const Policy& policy, const Association& a) {
    const AssocId id(static_cast<AssocId::rep>(&a - policy.associations.data()));
    return qos_names(policy, policy.allowed_qos(id));
  }

  // It, or an account above it, gets another parent.
  bool moves(const Association& wanted) const {
    for (const Association* a = &wanted; a->parent; a = &then_.associations[a->parent->index()]) {
      const Association* now = live(*a);
      if (now != nullptr && a->user.empty() && parent_of(now_, *now) != parent_of(then_, *a))
        return true;
    }
    return false;
  }

  // Every QoS that may be its default on the way, its own and the inherited one of each tree.
  std::set<std::string> defaults_of(const Association& wanted, const Association& now) const {
    std::set<std::string> out;
    const auto add = [&](const Policy& policy, const Association& a) {
      const AssocId id(static_cast<AssocId::rep>(&a - policy.associations.data()));
      if (const auto qos = policy.default_qos(id)) out.insert(policy.qos[qos->index()].name);
      if (!a.parent) return;
      if (const auto above = policy.default_qos(*a.parent))
        out.insert(policy.qos[above->index()].name);
    };
    add(then_, wanted);
    add(now_, now);
    for (const Association* a = &wanted; a->parent;) {
      a = &then_.associations[a->parent->index()];
      if (const Association* above = live(*a)) {
        add(now_, *above);
        break;
      }
    }
    return out;
  }

  // What may be used before and after: between the two no user is without a default.
  void grow_qos(const Association& wanted) {
    const Association* now = live(wanted);
    if (now == nullptr || differs_alike(wanted)) return;
    const bool lists = !wanted.qos.empty() || !now->qos.empty();
    const bool own_default = wanted.default_qos || now->default_qos;
    const bool moving = moves(wanted);
    if (!lists && !(moving && own_default)) return;
    std::set<std::string> then = effective(then_, wanted);
    const std::set<std::string> had = effective(now_, *now);
    const bool same = had == then && wanted.qos.empty() == now->qos.empty();
    if (moving || !same) then.merge(defaults_of(wanted, *now));
    if (!now->qos.empty() && std::includes(had.begin(), had.end(), then.begin(), then.end()))
      return;
    std::set<std::string> both = had;
    both.insert(then.begin(), then.end());
    grown_[key_of(wanted)] = both;
    set(wanted, {fmt::format("QosLevel={}", fmt::join(both, ","))},
        says(wanted, fmt::format("may use {}", fmt::join(both, ", "))));
  }

  // A user who leaves an account for another still inherits its default until then.
  void grow_leaving(const Association& now) {
    if (now.user.empty() || now.qos.empty() || wanted_.contains(key_of(now)) ||
        !stay_.contains(now.user))
      return;
    const auto account = then_.find_account(now.account);
    const auto usual = account ? then_.default_qos(*account) : std::nullopt;
    if (!usual) return;
    std::set<std::string> may = effective(now_, now);
    if (!may.insert(then_.qos[usual->index()].name).second) return;
    set(now, {fmt::format("QosLevel={}", fmt::join(may, ","))},
        says(now, fmt::format("may use {} until it goes", fmt::join(may, ", "))));
  }

  void restrict_qos(const Association& wanted) {
    const Association* now = live(wanted);
    if (now == nullptr || differs_alike(wanted)) return;
    const std::set<std::string> then = qos_names(then_, wanted.qos);
    const auto grown = grown_.find(key_of(wanted));
    const std::set<std::string> had =
        grown == grown_.end() ? qos_names(now_, now->qos) : grown->second;
    if (had == then) return;
    set(wanted, {fmt::format("QosLevel={}", fmt::join(then, ","))},
        says(wanted, then.empty() ? "may use the QoS of the account above"
                                  : fmt::format("may use {} only", fmt::join(then, ", "))));
  }

  void change_default_qos(const Association& wanted) {
    const Association* now = live(wanted);
    if (now == nullptr) return;
    for (const FieldChange& change : changes(*now, wanted))
      if (change.name == "default_qos")
        set(wanted, {change.settings}, says(wanted, change_text(change, c_.options.tense)));
  }

  Argv settings_of(const Association& wanted) const {
    Argv out;
    if (wanted.shares_of_parent || wanted.shares != 1)
      out.push_back("FairShare=" + shares_text(wanted));
    for (const FieldChange& change : changes(Association{}, wanted)) {
      if (change.name == "qos")
        out.push_back(fmt::format("QosLevel={}", fmt::join(qos_names(then_, wanted.qos), ",")));
      else
        out.push_back(change.settings);
    }
    return out;
  }

  void add_account(const Association& wanted) {
    if (!wanted.user.empty() || !wanted.parent || live(wanted) != nullptr) return;
    Argv words = {"add", "account", wanted.account, c_.of_cluster(),
                  "Parent=" + parent_of(then_, wanted)};
    const Argv more = settings_of(wanted);
    words.insert(words.end(), more.begin(), more.end());
    std::map<std::string, std::string> organizations = c_.options.organizations;
    if (const auto said = c_.options.slurm_only.find(subject_of(wanted));
        said != c_.options.slurm_only.end() && said->second.contains("Organization"))
      organizations[wanted.account] = said->second.at("Organization");
    const auto organization = organizations.find(wanted.account);
    if (organization != organizations.end())
      words.push_back("Organization=" + organization->second);
    emit(std::move(words), StepKind::kAdd, {subject_of(wanted)},
         {fmt::format("new account {} below {}", wanted.account, parent_of(then_, wanted))});
    // The account itself may be left from before: then only the association is new.
    if (!c_.live.account_records.contains(wanted.account)) return;
    Argv again;
    if (!wanted.description.empty()) again.push_back("Description=" + wanted.description);
    if (organization != organizations.end())
      again.push_back("Organization=" + organization->second);
    if (!again.empty()) set(wanted, again, says(wanted, "description and organization"));
  }

  void move_account(const Association& wanted) {
    const Association* now = live(wanted);
    if (!wanted.user.empty() || now == nullptr) return;
    const std::string to = parent_of(then_, wanted);
    if (to.empty() || to == parent_of(now_, *now)) return;
    set(wanted, {"Parent=" + to},
        says(wanted, fmt::format("moves below {}, was below {}", to, parent_of(now_, *now))));
  }

  void change(const Association& wanted) {
    const Association* now = live(wanted);
    if (now == nullptr) return;
    Argv settings;
    std::vector<std::string> text;
    if (shares_text(*now) != shares_text(wanted)) {
      settings.push_back("FairShare=" + shares_text(wanted));
      text.push_back(fmt::format("{}: shares {}, was {}", subject_of(wanted), shares_text(wanted),
                                 shares_text(*now)));
    }
    for (const FieldChange& change : changes(*now, wanted)) {
      if (change.name == "qos" || change.name == "default_qos") continue;
      settings.push_back(change.settings);
      text.push_back(
          fmt::format("{}: {}", subject_of(wanted), change_text(change, c_.options.tense)));
    }
    set(wanted, settings, std::move(text));
  }

  void add_user(const Association& wanted) {
    if (wanted.user.empty() || live(wanted) != nullptr) return;
    Argv after = {c_.of_cluster(), "account=" + wanted.account};
    if (!wanted.partition.empty()) after.push_back("partition=" + wanted.partition);
    const Argv more = settings_of(wanted);
    after.insert(after.end(), more.begin(), more.end());
    batch({"add", "user", "name="}, wanted.user, std::move(after), StepKind::kAdd,
          subject_of(wanted), {"new " + subject_of(wanted)});
    // The first association is the default one too.
    batch_.subjects.push_back("user " + wanted.user);
  }

  std::vector<std::string> hits(const Association& a) const {
    std::vector<std::string> out;
    for (const LiveHolder& job : c_.options.jobs)
      if (job.account == a.account && (a.user.empty() || job.user == a.user) &&
          (a.partition.empty() || job.partition == a.partition))
        out.push_back(job.job);
    return out;
  }

  void remove_user(const std::string& name) {
    std::vector<std::string> jobs;
    for (const LiveHolder& job : c_.options.jobs)
      if (job.user == name) jobs.push_back(job.job);
    std::vector<std::string> subjects = {"user " + name};
    std::vector<std::string> says;
    for (const Association& a : now_.associations)
      if (a.user == name) {
        subjects.push_back(subject_of(a));
        says.push_back(subject_of(a) + " goes");
      }
    PlanStep step = c_.removal({}, {}, {}, name, std::move(jobs));
    step.subjects = subjects;
    if (removed_.needs != step.needs || removed_.names.size() == kUsersPerCommand ||
        !step.needs.empty())
      flush_removals();
    c_.cancel_first(step, {"--user=" + name});
    removed_.after = {};
    removed_.needs = step.needs;
    removed_.names.push_back(name);
    removed_.subjects.insert(removed_.subjects.end(), subjects.begin(), subjects.end());
    removed_.says.insert(removed_.says.end(), says.begin(), says.end());
    removed_.hits.insert(removed_.hits.end(), step.hits.begin(), step.hits.end());
  }

  void remove_one(const Association& a) {
    if (wanted_.contains(key_of(a)) || !a.parent) return;
    if (a.account == "root" && a.user == "root") return;
    const std::string& name = a.user.empty() ? a.account : a.user;
    PlanStep step = c_.removal({}, subject_of(a), subject_of(a) + " goes", name, hits(a));
    if (a.user.empty()) {
      flush_removals();
      c_.cancel_first(step, {"--account=" + name});
      step.argv = {"sacctmgr", "-i", "delete", "account", "where", "name=" + name, c_.of_cluster()};
      c_.last.push_back(std::move(step));
      return;
    }
    if (stands_in_default(a)) return remove_beside_default(a, std::move(step));
    const Argv after = {"account=" + a.account, c_.of_cluster(), "partition=" + a.partition};
    if (removed_.after != after || removed_.needs != step.needs ||
        removed_.names.size() == kUsersPerCommand || !step.needs.empty())
      flush_removals();
    Argv which = {"--user=" + name, "--account=" + a.account};
    if (!a.partition.empty()) which.push_back("--partition=" + a.partition);
    c_.cancel_first(step, std::move(which));
    removed_.after = after;
    removed_.needs = step.needs;
    removed_.names.push_back(name);
    removed_.subjects.push_back(step.subjects.front());
    removed_.subjects.push_back("user " + name);
    removed_.says.push_back(step.says.front());
    removed_.hits.insert(removed_.hits.end(), step.hits.begin(), step.hits.end());
  }

  // slurmdbd takes every association of the default account for the default one, and removes none
  // of them while the user stays.
  bool stands_in_default(const Association& a) const {
    if (a.partition.empty() || c_.options.tense == Tense::kHistory) return false;
    const auto user = then_.find_user(a.user);
    return user && then_.users[user->index()].default_account == a.account;
  }

  // Another account is the default meanwhile; root, where the user has no other.
  void remove_beside_default(const Association& a, PlanStep step) {
    flush_removals();
    c_.cancel_first(step,
                    {"--user=" + a.user, "--account=" + a.account, "--partition=" + a.partition});
    std::string other;
    for (const Association& each : then_.associations)
      if (each.user == a.user && each.account != a.account && other.empty()) other = each.account;
    const bool lent = other.empty();
    if (lent) other = "root";
    const auto also = [&](Argv words, StepKind kind, std::string says) {
      PlanStep& more = c_.last.emplace_back();
      more.argv = {"sacctmgr", "-i"};
      more.argv.insert(more.argv.end(), words.begin(), words.end());
      more.kind = kind;
      more.subjects = {"user " + a.user, subject_of(a)};
      if (lent) more.subjects.push_back(fmt::format("user {} of root", a.user));
      more.says = {std::move(says)};
      more.needs = step.needs;
    };
    const auto default_is = [&](const std::string& account, const char* until) {
      also({"modify", "user", "where", "name=" + a.user, c_.of_cluster(), "set",
            "DefaultAccount=" + account},
           StepKind::kChange, fmt::format("user {}: default account {}{}", a.user, account, until));
    };
    if (lent)
      also({"add", "user", "name=" + a.user, c_.of_cluster(), "account=root"}, StepKind::kAdd,
           fmt::format("user {} of root, for a moment", a.user));
    default_is(other, ", for a moment");
    step.argv = {"sacctmgr",
                 "-i",
                 "delete",
                 "user",
                 "where",
                 "name=" + a.user,
                 "account=" + a.account,
                 c_.of_cluster(),
                 "partition=" + a.partition};
    step.subjects.push_back("user " + a.user);
    c_.last.push_back(step);
    default_is(a.account, " again");
    if (lent)
      also({"delete", "user", "where", "name=" + a.user, "account=root", c_.of_cluster(),
            "partition="},
           StepKind::kRemove, fmt::format("user {} of root goes again", a.user));
  }

  void flush_removals() {
    if (!removed_.names.empty()) {
      removed_.before = {"sacctmgr", "-i", "delete", "user", "where", "name="};
      PlanStep& step = c_.last.emplace_back();
      step.argv = joined(removed_);
      step.kind = StepKind::kRemove;
      step.subjects = std::move(removed_.subjects);
      step.says = std::move(removed_.says);
      step.hits = std::move(removed_.hits);
      step.needs = std::move(removed_.needs);
    }
    removed_ = {};
  }

  PlanContext& c_;
  std::vector<PlanStep>* out_ = &c_.plan.steps;
  const Policy& now_;
  const Policy& then_;
  std::map<AssocKey, const Association*> live_;
  std::map<AssocKey, const Association*> wanted_;
  std::map<AssocKey, std::set<std::string>> grown_;
  std::set<std::string> gone_;
  std::set<std::string> stay_;
  Batch batch_;
  Batch removed_;
};

}  // namespace

void plan_associations(PlanContext& context) {
  // QoS go last of all: associations may still name them.
  std::vector<PlanStep> qos = std::move(context.last);
  context.last.clear();
  TreePlan tree(context);
  tree.remove_people();
  tree.make();
  tree.remove();
  tree.restrict_all();
  for (PlanStep& step : qos) context.last.push_back(std::move(step));
}

}  // namespace sluice
