#include "shims/sacctmgr_change.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "shims/site.h"
#include "shims/words.h"
#include "text/scan.h"

namespace sluice {
namespace {

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

// "y" within half a minute, as sacctmgr asks without --immediate. Where there is nobody to answer
// that is a no.
bool is_confirmed(ShimCall& call) {
  call.out += "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ";
  call.flush();
  std::string answer;
  char c = 0;
  pollfd wait{STDIN_FILENO, POLLIN, 0};
  while (::poll(&wait, 1, 30'000) > 0) {
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == '\n') break;
    answer += c;
  }
  call.say("");
  return answer.starts_with('y') || answer.starts_with('Y');
}

class Change {
 public:
  Change(ShimCall& call, Policy policy, AskFirst ask)
      : call_(call), policy_(std::move(policy)), ask_(ask) {}

  int add(const std::string& entity, const Request& request) {
    if (entity == "qos") return add_qos(request);
    return entity == "account" ? add_accounts(request) : add_users(request);
  }
  int modify(const std::string& entity, const Request& request) {
    modifies_ = true;
    const bool users = entity == "user";
    const bool of_users = users && (request.default_account || request.admin);
    if (request.set.empty() && !of_users && (entity == "user" || request.parent.empty()))
      return call_.complain(" You didn't give me anything to set"), 1;
    std::vector<std::string> lines;
    std::string title = " Modified qos...";
    if (entity == "qos") {
      for (Qos& qos : policy_.qos) {
        if (!request.names.empty() && !has(request.names, qos.name)) continue;
        for (const SacctmgrPair& it : request.set)
          if (const auto bad = set_qos(policy_, qos, it)) return refuse(*bad, request);
        lines.push_back("  " + qos.name);
      }
    } else {
      title = users ? " Modified user associations..." : " Modified account associations...";
      for (Association& assoc : policy_.associations) {
        if (users != !assoc.user.empty()) continue;
        if (!request.names.empty() && !has(request.names, users ? assoc.user : assoc.account))
          continue;
        if (!request.accounts.empty() && !has(request.accounts, assoc.account)) continue;
        for (const SacctmgrPair& it : request.set)
          if (const auto bad = set_association(policy_, assoc, it)) return refuse(*bad, request);
        if (!request.set.empty() || !request.parent.empty()) lines.push_back(line_of(assoc));
      }
      if (!users && !request.parent.empty() && !move_accounts(request)) return 1;
      if (of_users && !change_users(request, lines, title)) return 1;
    }
    if (lines.empty()) return call_.say(" Nothing modified"), 1;
    return commit_with(title, lines);
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
    std::string title = entity == "qos"       ? " Deleting QOS(s)..."
                        : entity == "account" ? " Deleting accounts..."
                                              : " Deleting user associations...";
    // Users of whom nothing is left are named, not what they had.
    if (entity == "user" && request.accounts.empty()) {
      title = " Deleting users...";
      lines.clear();
      for (const std::string& name : request.names) lines.push_back("  " + name);
    }
    return commit_with(title, lines);
  }

 private:
  static bool has(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }
  std::string line_of(const Association& assoc) const {
    if (!assoc.user.empty())
      return fmt::format("  C = {:<10} A = {:<20} U = {:<9}", policy_.cluster, assoc.account,
                         assoc.user);
    return fmt::format("  C = {:<10} A = {} of {}", policy_.cluster, assoc.account,
                       assoc.parent ? policy_.associations[assoc.parent->index()].account : "root");
  }
  int refuse(const SacctmgrTrouble& bad, const Request& request) {
    const bool adds = !modifies_ && bad.what.starts_with(" Unknown option");
    if (adds || bad.what.starts_with(" Unknown QOS flag"))
      call_.say(bad.what);
    else
      call_.complain(bad.what);
    if (request.set.size() == 1 && bad.what.starts_with("sacctmgr: error: Invalid value"))
      call_.complain(" You didn't give me anything to set");
    return 1;
  }

  // Accounts stand before what is below them: where one moves, the tree is laid out anew.
  bool move_accounts(const Request& request) {
    const auto above = policy_.find_account(request.parent);
    if (!above) {
      call_.complain(fmt::format(" This account '{}' doesn't exist.", request.parent));
      return false;
    }
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      Association& assoc = policy_.associations[i];
      if (!assoc.user.empty() || !has(request.names, assoc.account) || !assoc.parent) continue;
      for (auto at = std::optional(*above); at; at = policy_.associations[at->index()].parent)
        if (at->index() == i) {
          call_.complain(fmt::format(" Can't move '{}' below itself", assoc.account));
          return false;
        }
      assoc.parent = above;
    }
    std::vector<std::size_t> order;
    for (const std::size_t place : tree_order(policy_)) order.push_back(place);
    std::vector<AssocId> places(policy_.associations.size(), AssocId(0));
    for (std::size_t i = 0; i < order.size(); ++i)
      places[order[i]] = AssocId(static_cast<std::uint32_t>(i));
    std::vector<Association> moved;
    for (const std::size_t place : order) {
      moved.push_back(policy_.associations[place]);
      if (moved.back().parent) moved.back().parent = places[moved.back().parent->index()];
    }
    policy_.associations = std::move(moved);
    return true;
  }

  bool change_users(const Request& request, std::vector<std::string>& lines, std::string& title) {
    std::vector<std::string> strangers;
    for (User& user : policy_.users) {
      if (!request.names.empty() && !has(request.names, user.name)) continue;
      if (request.default_account &&
          !policy_.find_association(*request.default_account, user.name, ""))
        strangers.push_back(fmt::format("  U = {} C = {}", user.name, policy_.cluster));
      if (request.default_account) user.default_account = *request.default_account;
      if (request.admin) user.admin_level = admin_level_of(*request.admin);
      if (request.set.empty()) lines.push_back("  " + user.name);
    }
    if (request.set.empty()) title = " Modified users...";
    if (strangers.empty()) return true;
    call_.say(fmt::format(
        " Can't modify because these users aren't associated with new default account '{}'...",
        *request.default_account));
    for (const std::string& line : strangers) call_.say(line);
    return false;
  }

  // What was changed is said before a question, and after a change that was not asked about.
  int commit_with(const std::string& title, const std::vector<std::string>& lines) {
    const auto say = [&] {
      call_.say(title);
      for (const std::string& line : lines) call_.say(line);
    };
    if (ask_ == AskFirst::kYes) {
      say();
      return commit();
    }
    const int code = commit();
    if (code == 0) say();
    return code;
  }
  int commit() { return commit_policy(call_, policy_, ask_); }

  int add_qos(const Request& request) {
    std::vector<std::string> fresh;
    for (const std::string& name : request.names) {
      if (policy_.find_qos(name)) continue;
      Qos qos;
      qos.name = to_lower(name);
      for (const SacctmgrPair& it : request.set)
        if (const auto bad = set_qos(policy_, qos, it)) return refuse(*bad, request);
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
    if (ask_ == AskFirst::kYes && !is_confirmed(call_)) return call_.say(" Changes Discarded"), 0;
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
        if (const auto bad = set_association(policy_, assoc, it)) return refuse(*bad, request);
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
    std::vector<std::string> fresh;
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
          if (const auto bad = set_association(policy_, assoc, it)) return refuse(*bad, request);
        policy_.associations.push_back(std::move(assoc));
        if (!policy_.find_user(name)) {
          User user;
          user.name = name;
          user.default_account = request.default_account.value_or(account);
          if (request.admin) user.admin_level = admin_level_of(*request.admin);
          policy_.users.push_back(std::move(user));
          fresh.push_back("  " + name);
        }
        lines.push_back(
            fmt::format("  U = {:<9} A = {:<10} C = {:<10}", name, account, policy_.cluster));
      }
    }
    if (lines.empty()) return call_.say(" Nothing new added."), 1;
    if (!fresh.empty()) call_.say(" Adding User(s)");
    for (const std::string& line : fresh) call_.say(line);
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
  AskFirst ask_;
  bool modifies_ = false;
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

AdminLevel admin_level_of(std::string_view word) {
  if (starts_ignoring_case(word, "admin")) return AdminLevel::kAdministrator;
  return starts_ignoring_case(word, "oper") ? AdminLevel::kOperator : AdminLevel::kNone;
}

int commit_policy(ShimCall& call, const Policy& policy, AskFirst ask) {
  if (ask == AskFirst::kYes && !is_confirmed(call)) return call.say(" Changes Discarded"), 0;
  const auto done = call.engine->change_policy(policy);
  if (done) return 0;
  if (done.error().kind == ErrorKind::kNotAllowed) {
    call.complain(" Error with request: Access/permission denied");
    return 1;
  }
  return call.fail(done.error());
}

int change_accounts(ShimCall& call, const std::vector<std::string>& words, AskFirst ask) {
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
  Change change(call, std::move(*policy), ask);
  if (modifies) return change.modify(entity, request);
  if (verb.starts_with("del") || verb.starts_with("remove")) return change.remove(entity, request);
  return change.add(entity, request);
}

}  // namespace sluice
