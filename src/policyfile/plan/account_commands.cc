// QoS and associations in sacctmgr's words.
#include "policyfile/plan/account_commands.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "policyfile/read/sections.h"
#include "policyfile/write/field_writer.h"
#include "text/quoting.h"

namespace sluice {
namespace {

// Users with the same options in one command: sacctmgr takes a second for each it is called for.
constexpr std::size_t kUsersPerCommand = 200;

// One line: the command goes into a file of one command a line.
std::string sacctmgr_value(std::string text) {
  if (text == "unlimited") return "-1";
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text;
}

class Commands {
 public:
  explicit Commands(const Policy& policy) : policy_(policy) {}

  std::vector<Argv> take() {
    add_qos();
    add_accounts();
    add_users();
    return std::move(commands_);
  }

 private:
  void run(Argv words) {
    words.insert(words.begin(), {"sacctmgr", "-i"});
    commands_.push_back(std::move(words));
  }

  template <class T>
  Argv options(void (*describe)(FieldVisitor&, T&), const T& value, const T& usual) {
    Argv out;
    for (auto& [name, field] : changed_fields<T>(describe, value, usual, Notation::kSlurm, policy_))
      out.push_back(fmt::format("{}={}", sacctmgr_key(name), sacctmgr_value(field.text)));
    return out;
  }

  // Names before limits: slurmctld does not start without the QoS of a partition, and sacctmgr
  // does not know gres/gpu before slurmctld has started. The names can be added in between.
  void add_qos() {
    for (const Qos& qos : policy_.qos)
      if (qos.name != "normal") run({"add", "qos", qos.name});
    for (Qos qos : policy_.qos) {
      qos.preempt.clear();
      Argv set = options(describe_qos, qos, Qos{});
      if (set.empty()) continue;
      Argv words = {"modify", "qos", qos.name, "set"};
      words.insert(words.end(), set.begin(), set.end());
      run(std::move(words));
    }
    for (const Qos& qos : policy_.qos) {
      if (qos.preempt.empty()) continue;
      std::vector<std::string> names;
      for (QosId id : qos.preempt) names.push_back(policy_.qos[id.index()].name);
      run({"modify", "qos", qos.name, "set", fmt::format("Preempt={}", fmt::join(names, ","))});
    }
  }

  Argv association_options(const Association& association, const Association& usual) {
    Argv set;
    if (association.shares_of_parent)
      set.emplace_back("FairShare=parent");
    else if (association.shares != usual.shares)
      set.push_back(fmt::format("FairShare={}", association.shares));
    Association described = association;
    // Slurm keeps descriptions of accounts only.
    if (!association.user.empty()) described.description.clear();
    const Argv rest = options(describe_association, described, usual);
    set.insert(set.end(), rest.begin(), rest.end());
    return set;
  }

  void add_accounts() {
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      const Association& account = policy_.associations[i];
      if (!account.user.empty()) continue;
      if (!account.parent) {
        Association usual;
        usual.qos = {QosId(0)};
        Argv set = association_options(account, usual);
        if (set.empty()) continue;
        Argv words = {"modify", "account", "root", "set"};
        words.insert(words.end(), set.begin(), set.end());
        run(std::move(words));
        continue;
      }
      Argv words = {"add", "account", account.account,
                    "Parent=" + policy_.associations[account.parent->index()].account};
      const Argv set = association_options(account, Association{});
      words.insert(words.end(), set.begin(), set.end());
      run(std::move(words));
    }
  }

  void add_users() {
    std::map<std::string, std::string> first_account;
    std::vector<std::string> names;
    Argv last;  // Account and options of the users in `names`.
    auto flush = [&] {
      if (!names.empty()) {
        Argv words = {"add", "user", fmt::format("{}", fmt::join(names, ","))};
        words.insert(words.end(), last.begin(), last.end());
        run(std::move(words));
      }
      names.clear();
    };
    for (const Association& user : policy_.associations) {
      if (user.user.empty()) continue;
      first_account.emplace(user.user, user.account);
      Argv set = association_options(user, Association{});
      if (user.account == "root" && user.user == "root" && user.partition.empty()) {
        modify_root(set);
        continue;
      }
      Argv options = {"Account=" + user.account};
      if (!user.partition.empty()) options.push_back("Partition=" + user.partition);
      options.insert(options.end(), set.begin(), set.end());
      if (options != last || names.size() == kUsersPerCommand) flush();
      names.push_back(user.user);
      last = std::move(options);
    }
    flush();
    finish_users(first_account);
  }

  void modify_root(const Argv& set) {
    if (set.empty()) return;
    Argv words = {"modify", "user", "root", "where", "Account=root", "set"};
    words.insert(words.end(), set.begin(), set.end());
    run(std::move(words));
  }

  void finish_users(const std::map<std::string, std::string>& first_account) {
    for (const User& user : policy_.users) {
      auto first = first_account.find(user.name);
      if (first == first_account.end()) continue;  // sacctmgr has no users without an account.
      Argv set;
      if (!user.default_account.empty() && user.default_account != first->second)
        set.push_back("DefaultAccount=" + user.default_account);
      const AdminLevel usual = user.name == "root" ? AdminLevel::kAdministrator : AdminLevel::kNone;
      if (user.admin_level != usual) {
        static constexpr const char* kLevels[] = {"None", "Operator", "Administrator"};
        set.push_back(
            fmt::format("AdminLevel={}", kLevels[static_cast<std::size_t>(user.admin_level)]));
      }
      if (!set.empty()) {
        Argv words = {"modify", "user", user.name, "set"};
        words.insert(words.end(), set.begin(), set.end());
        run(std::move(words));
      }
      if (!user.coordinates.empty())
        run({"add", "coordinator", fmt::format("Accounts={}", fmt::join(user.coordinates, ",")),
             "Names=" + user.name});
    }
  }

  const Policy& policy_;
  std::vector<Argv> commands_;
};

}  // namespace

std::string sacctmgr_key(const std::string& key) {
  static const std::map<std::string, std::string> kNames = {
      {"description", "Description"},
      {"priority", "Priority"},
      {"qos", "QosLevel"},
      {"default_qos", "DefaultQOS"},
      // The longer name is refused for accounts.
      {"MinPrioThreshold", "MinPrioThres"},
      {"MaxTRESRunMinsPerUser", "MaxTRESRunMinsPU"},
      {"MaxTRESRunMinsPerAccount", "MaxTRESRunMinsPA"},
  };
  const auto found = kNames.find(key);
  return found == kNames.end() ? key : found->second;
}

std::vector<Argv> account_commands(const Policy& policy) { return Commands(policy).take(); }

std::string shell_quoted(const Argv& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += shell_argument(word);
  }
  return line;
}

}  // namespace sluice
