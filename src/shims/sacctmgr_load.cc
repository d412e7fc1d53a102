#include "shims/sacctmgr_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "shims/words.h"
#include "text/scan.h"

namespace sluice {
namespace {

// "User - 'ann':DefaultAccount='a':Fairshare=1" in its parts, without the quotes.
struct DumpLine {
  std::string kind;  // "User", "Account", "Parent", "Cluster" or another.
  std::string name;
  std::vector<std::string> options;
};

// At colons outside quotes.
std::vector<std::string> parts_of(std::string_view line) {
  std::vector<std::string> out(1);
  char quote = '\0';
  for (const char c : line) {
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        out.back() += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ':') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

DumpLine read_line(std::string_view line) {
  std::vector<std::string> parts = parts_of(line);
  DumpLine out;
  const std::size_t dash = parts.front().find('-');
  out.kind = std::string(without_blanks_around(parts.front().substr(0, dash)));
  if (dash != std::string::npos)
    out.name = std::string(without_blanks_around(parts.front().substr(dash + 1)));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    // A time such as 1:00:00 has colons of its own.
    if (!out.options.empty() && parts[i].find('=') == std::string::npos)
      out.options.back() += ":" + parts[i];
    else
      out.options.push_back(std::move(parts[i]));
  }
  return out;
}

class Load {
 public:
  explicit Load(Policy policy) : policy_(std::move(policy)) {}

  // Everything but the root and what the file names is gone then.
  void clean() {
    policy_.associations.resize(1);
    policy_.users.clear();
  }

  // An empty text, or what is wrong with the line.
  std::string read(std::string_view text) {
    const DumpLine line = read_line(text);
    if (line.name.empty()) return "no name is given";
    if (is_word(line.kind, "Cluster")) {
      if (line.name != policy_.cluster)
        return fmt::format("this cluster is '{}', not '{}'", policy_.cluster, line.name);
      return set(policy_.associations.front(), line.options);
    }
    if (is_word(line.kind, "Parent")) {
      parent_ = line.name;
      if (!policy_.find_account(parent_)) return fmt::format("no account '{}'", parent_);
      return {};
    }
    if (is_word(line.kind, "Account") || is_word(line.kind, "Project")) return add_account(line);
    if (is_word(line.kind, "User")) return add_user(line);
    return fmt::format("'{}' is none of Cluster, Parent, Account and User", line.kind);
  }

  const Policy& policy() const { return policy_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string set(Association& assoc, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
      SacctmgrPair pair = read_pair(option);
      // As sacctmgr dumps them.
      if (pair.name == "fairshare" && pair.value == "2147483647") pair.value = "parent";
      if (pair.name == "qos" && (pair.value.starts_with('+') || pair.value.starts_with('-'))) {
        pair.sign = pair.value.substr(0, 1) + "=";
        pair.value.erase(0, 1);
      }
      if (pair.name == "defaultaccount" || pair.name == "adminlevel" || pair.name == "coordinator")
        continue;
      if (const auto bad = set_association(policy_, assoc, pair)) return bad->what;
    }
    return {};
  }

  std::string change(Association& assoc, const DumpLine& line) {
    const Association before = assoc;
    const std::string problem = set(assoc, line.options);
    if (problem.empty() && !(before == assoc))
      lines_.push_back(fmt::format(" Changed {:<8} {:<10} of {}", line.kind, line.name,
                                   assoc.user.empty() ? parent_ : assoc.account));
    return problem;
  }

  std::string add_account(const DumpLine& line) {
    const auto above = policy_.find_account(parent_);
    if (!above) return fmt::format("no account '{}'", parent_);
    if (const auto known = policy_.find_account(line.name))
      return change(policy_.associations[known->index()], line);
    Association assoc;
    assoc.account = line.name;
    assoc.parent = above;
    std::string problem = set(assoc, line.options);
    policy_.associations.push_back(std::move(assoc));
    lines_.push_back(fmt::format(" Added   {:<8} {:<10} of {}", "Account", line.name, parent_));
    return problem;
  }

  std::string add_user(const DumpLine& line) {
    const auto above = policy_.find_account(parent_);
    if (!above) return fmt::format("no account '{}'", parent_);
    std::string problem;
    if (const auto known = policy_.find_association(parent_, line.name, "")) {
      problem = change(policy_.associations[known->index()], line);
    } else if (parent_ == "root" && line.name == "root") {
      return {};  // Root is always there.
    } else {
      Association assoc;
      assoc.account = parent_;
      assoc.user = line.name;
      assoc.parent = above;
      problem = set(assoc, line.options);
      policy_.associations.push_back(std::move(assoc));
      lines_.push_back(fmt::format(" Added   {:<8} {:<10} of {}", "User", line.name, parent_));
    }
    return problem.empty() ? set_user(line) : problem;
  }

  std::string set_user(const DumpLine& line) {
    auto user = std::find_if(policy_.users.begin(), policy_.users.end(),
                             [&](const User& each) { return each.name == line.name; });
    if (user == policy_.users.end()) {
      policy_.users.emplace_back();
      user = std::prev(policy_.users.end());
      user->name = line.name;
      user->default_account = parent_;
    }
    for (const std::string& option : line.options) {
      const SacctmgrPair pair = read_pair(option);
      if (pair.name == "defaultaccount") user->default_account = pair.value;
      if (pair.name == "adminlevel") user->admin_level = admin_level_of(pair.value);
      if (pair.name != "coordinator") continue;
      user->coordinates.clear();
      for (const std::string_view account : split(pair.value, ','))
        if (!account.empty()) user->coordinates.emplace_back(account);
    }
    return {};
  }

  Policy policy_;
  std::string parent_ = "root";
  std::vector<std::string> lines_;
};

}  // namespace

int load_accounts(ShimCall& call, const std::vector<std::string>& words, AskFirst ask) {
  std::string name;
  bool clean = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const SacctmgrPair pair = read_pair(words[i]);
    if (pair.sign.empty() && pair.name == "clean")
      clean = true;
    else if (pair.sign.empty() || pair.name == "file")
      name = pair.sign.empty() ? words[i] : pair.value;
    else if (pair.name != "cluster")
      return call.complain(" Unknown option: " + words[i]), 1;
  }
  if (name.empty()) return call.complain(" No filename given, specify one with file=''"), 1;
  std::ifstream file(name);
  if (!file)
    return call.complain(fmt::format(" Unable to read \"{}\": {}", name, std::strerror(errno))), 1;
  auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  Load load(std::move(*policy));
  if (clean) load.clean();
  call.say("For cluster " + load.policy().cluster);
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const std::string_view line = without_blanks_around(text);
    if (line.empty() || line.starts_with('#')) continue;
    if (const std::string problem = load.read(line); !problem.empty()) {
      call.complain(fmt::format(" error: Problem with line({}): {}", number, problem));
      call.complain(" Problem with requests: nothing was changed");
      return 1;
    }
  }
  if (load.lines().empty() && !clean) return call.say(" Nothing new added."), 0;
  for (const std::string& line : load.lines()) call.say(line);
  return commit_policy(call, load.policy(), ask);
}

}  // namespace sluice
