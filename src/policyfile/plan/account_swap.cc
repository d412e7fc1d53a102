// Clears what was set on QoS, deletes users and accounts, then makes the new ones.
#include "policyfile/plan/account_swap.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice {
namespace {

bool begins(const Argv& argv, std::initializer_list<std::string_view> words) {
  return argv.size() > words.size() && std::equal(words.begin(), words.end(), argv.begin());
}

// "GrpTRES=cpu=4,mem=8" to "GrpTRES=cpu=-1,mem=-1"; nothing for what cannot be taken back so.
std::optional<std::string> cleared(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  if (key == "Priority") return "Priority=0";
  if (key == "Flags" || key == "MaxWall" || key == "GrpWall") return key + "=-1";
  if (!key.starts_with("Grp") && !key.starts_with("Max") && !key.starts_with("Min"))
    return std::nullopt;
  std::string out = key + "=";
  std::string_view rest = std::string_view(setting).substr(equals + 1);
  if (rest.find('=') == std::string_view::npos) return out + "-1";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    if (!out.ends_with('=')) out += ',';
    out += item.substr(0, item.find('='));
    out += "=-1";
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return out;
}

}  // namespace

std::optional<std::vector<Argv>> swap_commands(const std::vector<Argv>& before,
                                               const std::vector<Argv>& after) {
  std::vector<Argv> out;
  std::vector<Argv> accounts;
  for (const Argv& argv : before) {
    if (begins(argv, {"sacctmgr", "-i", "add", "user"})) {
      out.push_back({"sacctmgr", "-i", "delete", "user", "name=" + argv[4]});
    } else if (begins(argv, {"sacctmgr", "-i", "add", "account"})) {
      accounts.insert(accounts.begin(), {"sacctmgr", "-i", "delete", "account", "name=" + argv[4]});
    } else if (begins(argv, {"sacctmgr", "-i", "modify", "qos"}) && argv.size() > 6) {
      Argv clear(argv.begin(), argv.begin() + 6);
      for (std::size_t i = 6; i < argv.size(); ++i) {
        const auto setting = cleared(argv[i]);
        if (!setting) return std::nullopt;
        clear.push_back(*setting);
      }
      out.push_back(std::move(clear));
    } else if (begins(argv, {"sacctmgr", "-i", "modify", "account", "root", "set"}) &&
               argv.size() == 7 && argv[6].starts_with("QosLevel=")) {
      Argv clear = argv;
      clear[6] = "QosLevel=normal";  // As in a cluster that was just added.
      out.push_back(std::move(clear));
    } else if (!begins(argv, {"sacctmgr", "-i", "add", "qos"})) {
      return std::nullopt;
    }
  }
  out.insert(out.end(), accounts.begin(), accounts.end());
  out.insert(out.end(), after.begin(), after.end());
  return out;
}

}  // namespace sluice
