#include "shims/sacctmgr_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "model/limit_table.h"
#include "shims/words.h"
#include "text/duration.h"
#include "text/scan.h"
#include "text/tres.h"

namespace sluice {
namespace {

// A value that is wrong, or a name that is none: what was said about it.
struct Trouble {
  std::string what;
};
using Outcome = std::optional<Trouble>;

std::optional<std::int64_t> amount(const std::string& text) {
  const auto number = signed_number(text);
  return number && *number >= 0 ? number : std::nullopt;  // -1 lifts it.
}
std::optional<Duration> time_of(const std::string& text) {
  if (text == "-1") return std::nullopt;
  const auto limit = parse_duration(text);
  return limit ? limit->duration : std::nullopt;
}

Outcome set_tres(const Policy& policy, TresLimits& slot, const SacctmgrPair& it) {
  const auto edits = parse_tres_edits(it.value, policy.tres);
  if (!edits) return Trouble{" Bad " + it.word + ": " + edits.error().what};
  slot = edited(slot, *edits);
  return std::nullopt;
}

// Sets the limit that a word names, as sacctmgr and the policy file spell it.
class LimitSetter {
 public:
  LimitSetter(const Policy& policy, std::string_view name, const SacctmgrPair& pair)
      : policy_(policy), name_(name), pair_(pair) {}

  void operator()(const LimitRow& row, TresLimits& slot) {
    if (is_named(row)) outcome_ = set_tres(policy_, slot, pair_);
  }
  void operator()(const LimitRow& row, std::optional<std::int64_t>& slot) {
    if (is_named(row)) slot = amount(pair_.value);
  }
  void operator()(const LimitRow& row, std::optional<Duration>& slot) {
    if (is_named(row)) slot = time_of(pair_.value);
  }
  bool found() const { return found_; }
  Outcome outcome() const { return outcome_; }

 private:
  bool is_named(const LimitRow& row) {
    const bool named =
        same_ignoring_case(row.name, name_) || same_ignoring_case(row.column, name_) ||
        std::any_of(row.aliases.begin(), row.aliases.end(),
                    [&](std::string_view alias) { return same_ignoring_case(alias, name_); });
    found_ |= named;
    return named;
  }

  const Policy& policy_;
  std::string_view name_;
  const SacctmgrPair& pair_;
  bool found_ = false;
  Outcome outcome_;
};

Outcome set_list(const Policy& policy, std::vector<QosId>& list, const SacctmgrPair& it) {
  if (it.sign == "=") list.clear();
  for (const std::string_view name : split(it.value, ',')) {
    if (name.empty()) continue;
    const auto id = policy.find_qos(name);
    if (!id) return Trouble{fmt::format(" You gave a bad qos '{}'.", name)};
    std::erase(list, *id);
    if (it.sign != "-=") list.push_back(*id);
  }
  return std::nullopt;
}

Outcome set_flags(QosFlags& flags, const SacctmgrPair& it) {
  if (it.sign == "=") flags = {};
  const bool on = it.sign != "-=";
  for (const std::string_view word : split(it.value, ',')) {
    const std::string name = to_lower(word);
    if (name == "denyonlimit")
      flags.deny_on_limit = on;
    else if (name == "overpartqos")
      flags.over_part_qos = on;
    else if (name == "partitiontimelimit")
      flags.partition_time_limit = on;
    else if (name == "partitionmaxnodes")
      flags.partition_max_nodes = on;
    else if (name == "partitionminnodes")
      flags.partition_min_nodes = on;
    else if (name == "nodecay")
      flags.no_decay = on;
    else if (name == "noreserve")
      flags.no_reserve = on;
    else if (name != "-1" && !name.empty())
      return Trouble{fmt::format(" Bad flag: {}", word)};
  }
  return std::nullopt;
}

Outcome set_qos(const Policy& policy, Qos& qos, const SacctmgrPair& it) {
  const auto starts = [&](std::string_view name) { return it.name == name; };
  // A QoS has no limit of one association's jobs: those of each user are meant.
  LimitSetter set(policy,
                  starts("maxjobs")         ? "MaxJobsPerUser"
                  : starts("maxsubmitjobs") ? "MaxSubmitJobsPerUser"
                                            : std::string_view(it.name),
                  it);
  each_limit_of_qos(qos, std::ref(set));
  if (set.found()) return set.outcome();
  if (starts("preempt")) return set_list(policy, qos.preempt, it);
  if (starts("flags")) return set_flags(qos.flags, it);
  if (starts("priority"))
    qos.priority = signed_number(it.value).value_or(0);
  else if (starts("description"))
    qos.description = it.value;
  else if (starts("gracetime"))
    qos.grace_time = time_of(it.value).value_or(Duration(0));
  else
    return Trouble{" Unknown option: " + it.word + "\n Use keyword 'where' to modify condition"};
  return std::nullopt;
}

Outcome set_association(const Policy& policy, Association& assoc, const SacctmgrPair& it) {
  LimitSetter set(policy, it.name, it);
  each_limit_of_association(assoc, std::ref(set));
  if (set.found()) return set.outcome();
  if (it.name == "fairshare" || it.name == "share" || it.name == "shares") {
    assoc.shares_of_parent = is_word(it.value, "parent");
    if (!assoc.shares_of_parent) assoc.shares = signed_number(it.value).value_or(1);
  } else if (it.name == "priority") {
    assoc.priority = amount(it.value);
  } else if (it.name == "qos" || it.name == "qoslevel") {
    if (assoc.qos.empty() && it.sign != "=") {
      const auto place = static_cast<std::uint32_t>(&assoc - policy.associations.data());
      if (place < policy.associations.size()) assoc.qos = policy.allowed_qos(AssocId(place));
    }
    return set_list(policy, assoc.qos, it);
  } else if (it.name == "defaultqos") {
    assoc.default_qos = policy.find_qos(it.value);
    if (!assoc.default_qos && it.value != "-1")
      return Trouble{fmt::format(" You gave a bad qos '{}'.", it.value)};
  } else if (it.name == "description") {
    assoc.description = it.value;
  } else if (it.name != "organization" && it.name != "cluster") {
    return Trouble{" Unknown option: " + it.word + "\n Use keyword 'where' to modify condition"};
  }
  return std::nullopt;
}

struct Request {
  std::vector<std::string> names;
  std::vector<std::string> accounts;
  std::vector<SacctmgrPair> set;
  std::string parent;
  std::optional<std::string> default_account;
  std::optional<std::string> admin;
};

void add_words(std::vector<std::string>& list, std::string_view words) {
  for (const std::string_view word : split(words, ','))
    if (!word.empty()) list.emplace_back(word);
}

Request read_request(const std::string& entity, const std::vector<std::string>& words,
                     bool modifies) {
  Request out;
  bool setting = !modifies;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (is_word(words[i], "set")) {
      setting = true;
      continue;
    }
    if (is_word(words[i], "where")) {
      setting = !modifies;
      continue;
    }
    SacctmgrPair pair = read_pair(words[i]);
    const bool names_it = pair.sign.empty() || pair.name == "name" || pair.name == "names" ||
                          (pair.name == entity || pair.name == entity + "s");
    if (names_it && !(modifies && setting)) {
      add_words(out.names, pair.sign.empty() ? words[i] : pair.value);
    } else if ((pair.name == "account" || pair.name == "accounts") && !(modifies && setting)) {
      add_words(out.accounts, pair.value);
    } else if (pair.name == "parent") {
      out.parent = pair.value;
    } else if (pair.name == "defaultaccount") {
      out.default_account = pair.value;
    } else if (pair.name == "adminlevel" || pair.name == "admin") {
      out.admin = pair.value;
    } else if (pair.name == "cluster" || pair.name == "clusters") {
      continue;
    } else {
      out.set.push_back(std::move(pair));
    }
  }
  return out;
}

class Change {
 public:
  Change(ShimCall& call, Policy policy) : call_(call), policy_(std::move(policy)) {}

  int add(const std::string& entity, const Request& request) {
    if (entity == "qos") return add_qos(request);
    return entity == "account" ? add_accounts(request) : add_users(request);
  }
  int modify(const std::string& entity, const Request& request) {
    std::vector<std::string> lines;
    std::string title = " Modified qos...";
    if (entity == "qos") {
      for (Qos& qos : policy_.qos) {
        if (!has(request.names, qos.name)) continue;
        for (const SacctmgrPair& it : request.set)
          if (const Outcome bad = set_qos(policy_, qos, it)) return refuse(*bad);
        lines.push_back("  " + qos.name);
      }
    } else {
      const bool users = entity == "user";
      title = users ? " Modified user associations..." : " Modified account associations...";
      for (Association& assoc : policy_.associations) {
        if (users != !assoc.user.empty()) continue;
        if (!request.names.empty() && !has(request.names, users ? assoc.user : assoc.account))
          continue;
        if (!request.accounts.empty() && !has(request.accounts, assoc.account)) continue;
        for (const SacctmgrPair& it : request.set)
          if (const Outcome bad = set_association(policy_, assoc, it)) return refuse(*bad);
        lines.push_back(line_of(assoc));
      }
      for (User& user : policy_.users) {
        if (!users || !has(request.names, user.name)) continue;
        if (request.default_account) user.default_account = *request.default_account;
        if (request.admin) user.admin_level = level_of(*request.admin);
      }
    }
    if (lines.empty()) return call_.say(" Nothing modified"), 1;
    if (const int code = commit(); code != 0) return code;
    call_.say(title);
    for (const std::string& line : lines) call_.say(line);
    return 0;
  }
  int remove(const std::string& entity, const Request& request) {
    std::vector<std::string> lines;
    if (entity == "qos") {
      for (const std::string& name : request.names)
        if (policy_.find_qos(name) && drop_qos(name)) lines.push_back("  " + name);
    } else {
      const bool users = entity == "user";
      std::vector<std::size_t> gone;
      for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
        const Association& assoc = policy_.associations[i];
        if (users) {
          if (assoc.user.empty() || !has(request.names, assoc.user)) continue;
          if (!request.accounts.empty() && !has(request.accounts, assoc.account)) continue;
          lines.push_back(fmt::format("  C = {:<10} A = {:<10} U = {:<9}", policy_.cluster,
                                      assoc.account, assoc.user));
          gone.push_back(i);
        } else if (has(request.names, assoc.account) && assoc.account != "root") {
          if (assoc.user.empty()) lines.push_back("  " + assoc.account);
          gone.push_back(i);
        }
      }
      drop_associations(gone);
    }
    if (lines.empty()) return call_.say(" Nothing deleted"), 1;
    if (const int code = commit(); code != 0) return code;
    call_.say(entity == "qos"       ? " Deleting QOS(s)..."
              : entity == "account" ? " Deleting accounts..."
                                    : " Deleting user associations...");
    for (const std::string& line : lines) call_.say(line);
    return 0;
  }

 private:
  static bool has(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }
  static AdminLevel level_of(const std::string& word) {
    if (starts_ignoring_case(word, "admin")) return AdminLevel::kAdministrator;
    return starts_ignoring_case(word, "oper") ? AdminLevel::kOperator : AdminLevel::kNone;
  }
  std::string line_of(const Association& assoc) const {
    if (!assoc.user.empty())
      return fmt::format("  C = {:<10} A = {:<20} U = {:<9}", policy_.cluster, assoc.account,
                         assoc.user);
    return fmt::format("  C = {:<10} A = {} of {}", policy_.cluster, assoc.account,
                       assoc.parent ? policy_.associations[assoc.parent->index()].account : "root");
  }
  int refuse(const Trouble& bad) {
    call_.say(bad.what);
    return 1;
  }
  int commit() {
    const auto done = call_.engine->change_policy(policy_);
    if (done) return 0;
    if (done.error().kind == ErrorKind::kNotAllowed) {
      call_.complain(" Error with request: Access/permission denied");
      return 1;
    }
    return call_.fail(done.error());
  }

  int add_qos(const Request& request) {
    std::vector<std::string> fresh;
    for (const std::string& name : request.names) {
      if (policy_.find_qos(name)) continue;
      Qos qos;
      qos.name = to_lower(name);
      for (const SacctmgrPair& it : request.set)
        if (const Outcome bad = set_qos(policy_, qos, it)) return refuse(*bad);
      policy_.qos.push_back(std::move(qos));
      fresh.push_back(to_lower(name));
    }
    if (fresh.empty()) return call_.say(" Nothing new added."), 1;
    call_.say(" Adding QOS(s)");
    for (const std::string& name : fresh) call_.say("  " + name);
    call_.say(" Settings");
    call_.say("  Description    = " + fresh.front());
    for (const SacctmgrPair& it : request.set)
      call_.say(fmt::format("  {:<24} = {}", it.word.substr(0, it.word.find('=')), it.value));
    const auto done = call_.engine->change_policy(policy_);
    if (done) return 0;
    call_.complain(" Problem adding QOS: " + std::string(done.error().kind == ErrorKind::kNotAllowed
                                                             ? "Access/permission denied"
                                                             : done.error().what));
    return 1;
  }

  int add_accounts(const Request& request) {
    const std::string parent = request.parent.empty() ? "root" : request.parent;
    const auto above = policy_.find_account(parent);
    if (!above) {
      call_.complain(fmt::format(" This account '{}' doesn't exist.", parent));
      return 1;
    }
    std::vector<std::string> fresh;
    for (const std::string& name : request.names) {
      if (policy_.find_account(name)) continue;
      Association assoc;
      assoc.account = name;
      assoc.parent = above;
      for (const SacctmgrPair& it : request.set)
        if (const Outcome bad = set_association(policy_, assoc, it)) return refuse(*bad);
      policy_.associations.push_back(std::move(assoc));
      fresh.push_back(name);
    }
    if (fresh.empty()) return call_.say(" Nothing new added."), 1;
    call_.say(" Adding Account(s)");
    for (const std::string& name : fresh) call_.say("  " + name);
    call_.say(" Settings");
    call_.say("  Description     = Account Name");
    call_.say("  Organization    = Parent/Account Name");
    call_.say(" Associations");
    for (const std::string& name : fresh)
      call_.say(fmt::format("  A = {:<10} C = {:<10}", name, policy_.cluster));
    if (!request.set.empty() || !request.parent.empty()) call_.say(" Settings");
    for (const SacctmgrPair& it : request.set)
      call_.say(fmt::format("  {:<13} = {}", it.word.substr(0, it.word.find('=')), it.value));
    if (!request.parent.empty()) call_.say("  Parent        = " + request.parent);
    return commit();
  }

  int add_users(const Request& request) {
    std::vector<std::string> lines;
    std::vector<std::string> accounts = request.accounts;
    if (accounts.empty() && request.default_account) accounts.push_back(*request.default_account);
    if (accounts.empty()) {
      call_.complain(" Need name of account to add user to");
      return 1;
    }
    for (const std::string& account : accounts) {
      const auto above = policy_.find_account(account);
      if (!above) {
        call_.say(" Nothing new added.");
        call_.complain(fmt::format(
            " This account '{}' doesn't exist.\n        Contact your admin to add this account.",
            account));
        return 1;
      }
      for (const std::string& name : request.names) {
        if (policy_.find_association(account, name, "")) continue;
        Association assoc;
        assoc.account = account;
        assoc.user = name;
        assoc.parent = above;
        for (const SacctmgrPair& it : request.set)
          if (const Outcome bad = set_association(policy_, assoc, it)) return refuse(*bad);
        policy_.associations.push_back(std::move(assoc));
        if (!policy_.find_user(name)) {
          User user;
          user.name = name;
          user.default_account = request.default_account.value_or(account);
          if (request.admin) user.admin_level = level_of(*request.admin);
          policy_.users.push_back(std::move(user));
        }
        lines.push_back(
            fmt::format("  U = {:<9} A = {:<10} C = {:<10}", name, account, policy_.cluster));
      }
    }
    if (lines.empty()) return call_.say(" Nothing new added."), 1;
    call_.say(" Associations =");
    for (const std::string& line : lines) call_.say(line);
    call_.say(" Non Default Settings");
    for (const SacctmgrPair& it : request.set)
      call_.say(fmt::format("  {:<13} = {}", it.word.substr(0, it.word.find('=')), it.value));
    return commit();
  }

  // Places behind it move up by one: everything that names a QoS by its place follows.
  bool drop_qos(const std::string& name) {
    const auto id = policy_.find_qos(name);
    if (!id || id->index() == 0) return false;
    const auto moved = [&](QosId other) { return other > *id ? QosId(other.value() - 1) : other; };
    const auto fix = [&](std::vector<QosId>& list) {
      std::erase(list, *id);
      for (QosId& each : list) each = moved(each);
    };
    for (Partition& partition : policy_.partitions)
      if (partition.qos && *partition.qos == *id) return false;
    for (Partition& partition : policy_.partitions)
      if (partition.qos) partition.qos = moved(*partition.qos);
    for (Association& assoc : policy_.associations) {
      fix(assoc.qos);
      if (assoc.default_qos && *assoc.default_qos == *id) assoc.default_qos.reset();
      if (assoc.default_qos) assoc.default_qos = moved(*assoc.default_qos);
    }
    for (Qos& qos : policy_.qos) fix(qos.preempt);
    policy_.qos.erase(policy_.qos.begin() + static_cast<std::ptrdiff_t>(id->index()));
    return true;
  }

  void drop_associations(const std::vector<std::size_t>& gone) {
    std::vector<std::optional<AssocId>> places(policy_.associations.size());
    std::vector<Association> kept;
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      if (std::find(gone.begin(), gone.end(), i) != gone.end()) continue;
      Association assoc = policy_.associations[i];
      // What stands below an account that goes, goes too.
      if (assoc.parent && !places[assoc.parent->index()]) continue;
      if (assoc.parent) assoc.parent = places[assoc.parent->index()];
      places[i] = AssocId(static_cast<std::uint32_t>(kept.size()));
      kept.push_back(std::move(assoc));
    }
    policy_.associations = std::move(kept);
    std::erase_if(policy_.users, [&](const User& user) {
      return std::none_of(policy_.associations.begin(), policy_.associations.end(),
                          [&](const Association& assoc) { return assoc.user == user.name; });
    });
    for (User& user : policy_.users) {
      if (policy_.find_association(user.default_account, user.name, "")) continue;
      for (const Association& assoc : policy_.associations)
        if (assoc.user == user.name) user.default_account = assoc.account;
    }
  }

  ShimCall& call_;
  Policy policy_;
};

}  // namespace

SacctmgrPair read_pair(const std::string& word) {
  SacctmgrPair out;
  out.word = word;
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    out.name = to_lower(word);
    return out;
  }
  std::size_t end = equals;
  out.sign = "=";
  if (end > 0 && (word[end - 1] == '+' || word[end - 1] == '-')) {
    --end;
    out.sign = std::string(1, word[end]) + "=";
  }
  out.name = to_lower(std::string_view(word).substr(0, end));
  out.value = word.substr(equals + 1);
  return out;
}

int change_accounts(ShimCall& call, const std::vector<std::string>& words) {
  const std::string verb = to_lower(words[0]);
  std::string entity = words.size() > 1 ? to_lower(words[1]) : "";
  for (const std::string_view known : {"qos", "account", "user"})
    if (entity == known || entity == std::string(known) + "s") entity = known;
  if (entity != "qos" && entity != "account" && entity != "user") {
    call.complain(fmt::format("sacctmgr {} {} is not done here; change the policy: sluice policy",
                              verb, entity));
    return 1;
  }
  const bool modifies = verb.starts_with("modify") || verb.starts_with("update");
  const Request request = read_request(entity, words, modifies);
  auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  Change change(call, std::move(*policy));
  if (modifies) return change.modify(entity, request);
  if (verb.starts_with("del") || verb.starts_with("remove")) return change.remove(entity, request);
  return change.add(entity, request);
}

}  // namespace sluice
