// sacctmgr: accounts, users and QoS of the policy.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/local_time.h"
#include "cli/own_user.h"
#include "shims/field_table.h"
#include "shims/help.h"
#include "shims/sacctmgr_change.h"
#include "shims/sacctmgr_dump.h"
#include "shims/sacctmgr_fields.h"
#include "shims/sacctmgr_load.h"
#include "shims/shim.h"
#include "shims/site.h"
#include "shims/words.h"
#include "text/scan.h"
#include "text/tres.h"

namespace sluice {
namespace {

using enum OptionArgument;

constexpr OptionShape kOptions[] = {
    {"associations", 's', kNone}, {"help", 'h', kNone},     {"immediate", 'i', kNone},
    {"noheader", 'n', kNone},     {"oneliner", 'o', kNone}, {"parsable", 'p', kNone},
    {"parsable2", 'P', kNone},    {"quiet", 'Q', kNone},    {"readonly", 'r', kNone},
    {"usage", '\0', kNone},       {"verbose", 'v', kNone},  {"version", 'V', kNone},
};

struct Wanted {
  std::string entity;
  TableStyle style;
  std::vector<std::string> names;
  std::string users;
  std::string accounts;
  std::string parents;
  std::string format;
  bool associations = false;
  bool coordinators = false;
  bool tree = false;
};

bool is(std::string_view word, std::string_view keyword, std::size_t least) {
  return word.size() >= least && starts_ignoring_case(keyword, word);
}

std::string entity_of(std::string_view word) {
  if (is(word, "associations", 2)) return "assoc";
  if (is(word, "accounts", 3)) return "account";
  if (is(word, "users", 1)) return "user";
  if (is(word, "qos", 1)) return "qos";
  if (is(word, "clusters", 2)) return "cluster";
  if (is(word, "tres", 2)) return "tres";
  if (is(word, "configuration", 3)) return "config";
  if (is(word, "events", 1)) return "event";
  if (is(word, "wckeys", 1)) return "wckey";
  if (is(word, "runawayjobs", 2) || is(word, "orphanjobs", 1)) return "runaway";
  if (is(word, "problems", 1)) return "problem";
  if (is(word, "transactions", 2)) return "transaction";
  if (is(word, "reservations", 4)) return "reservation";
  if (is(word, "resources", 3)) return "resource";
  if (is(word, "federations", 1)) return "federation";
  if (is(word, "stats", 1)) return "stats";
  return {};
}

void print_rows(ShimCall& call, const Wanted& wanted, std::string_view table,
                const std::vector<SacctmgrRow>& rows) {
  const std::string format =
      wanted.format.empty()
          ? std::string(sacctmgr_format(wanted.entity, wanted.associations, wanted.coordinators))
          : wanted.format;
  std::vector<TableColumn> columns;
  std::vector<const SacctmgrField*> fields;
  for (const std::string_view word : split(format, ',')) {
    if (word.empty()) continue;
    const std::size_t percent = word.find('%');
    const SacctmgrField* field = sacctmgr_field(table, word.substr(0, percent));
    if (field == nullptr) continue;
    int width = field->width;
    if (percent != std::string_view::npos)
      if (const auto asked = signed_number(word.substr(percent + 1)); asked && *asked != 0)
        width = static_cast<int>(std::clamp<std::int64_t>(*asked, -10'000, 10'000));
    fields.push_back(field);
    columns.push_back({std::string(field->title), width});
  }
  std::vector<std::vector<std::string>> cells;
  for (const SacctmgrRow& row : rows) {
    std::vector<std::string> line;
    for (const SacctmgrField* field : fields) line.push_back(field->text(row));
    cells.push_back(std::move(line));
  }
  print_table(call, wanted.style, columns, cells);
}

bool check_format(ShimCall& call, const Wanted& wanted, std::string_view table) {
  for (const std::string_view word : split(wanted.format, ',')) {
    const std::string_view name = word.substr(0, word.find('%'));
    if (!name.empty() && sacctmgr_field(table, name) == nullptr) {
      call.complain(fmt::format("Unknown field '{}'", name));
      return false;
    }
  }
  return true;
}

bool wants(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

int show_associations(ShimCall& call, const Wanted& wanted, const Policy& policy) {
  if (!check_format(call, wanted, "assoc")) return 1;
  std::vector<SacctmgrRow> rows;
  for (const TreePlace& each : tree_places(policy)) {
    const Association& it = policy.associations[each.place];
    if (!wanted.accounts.empty() && !in_list(wanted.accounts, it.account)) continue;
    if (!wanted.users.empty() && !in_list(wanted.users, it.user)) continue;
    if (!wanted.parents.empty() &&
        (!it.parent || !it.user.empty() ||
         !in_list(wanted.parents, policy.associations[it.parent->index()].account)))
      continue;
    rows.push_back({&policy, &it, user_named(policy, it.user), nullptr, nullptr, each.place,
                    wanted.tree ? each.depth : 0});
  }
  print_rows(call, wanted, "assoc", rows);
  return 0;
}

int show_users(ShimCall& call, Wanted wanted, const Policy& policy) {
  if (!check_format(call, wanted, "assoc")) return 1;
  // A field of associations asks for them.
  std::vector<const User*> users;
  for (const User& user : policy.users)
    if (wants(wanted.names, user.name) &&
        (wanted.users.empty() || in_list(wanted.users, user.name)))
      users.push_back(&user);
  std::sort(users.begin(), users.end(),
            [](const User* a, const User* b) { return a->name < b->name; });
  std::vector<SacctmgrRow> rows;
  for (const User* user : users) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < policy.associations.size(); ++i)
      if (policy.associations[i].user == user->name &&
          (wanted.accounts.empty() || in_list(wanted.accounts, policy.associations[i].account)))
        own.push_back(i);
    std::sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
      return policy.associations[a].account < policy.associations[b].account;
    });
    if (own.empty()) continue;
    if (!wanted.associations) own.resize(1);
    for (const std::size_t i : own)
      rows.push_back({&policy, &policy.associations[i], user, nullptr, nullptr, i, 0});
  }
  print_rows(call, wanted, "assoc", rows);
  return 0;
}

int show_accounts(ShimCall& call, const Wanted& wanted, const Policy& policy) {
  if (!check_format(call, wanted, "assoc")) return 1;
  std::vector<std::size_t> accounts;
  for (std::size_t i = 0; i < policy.associations.size(); ++i)
    if (policy.associations[i].user.empty() &&
        wants(wanted.names, policy.associations[i].account) &&
        (wanted.accounts.empty() || in_list(wanted.accounts, policy.associations[i].account)))
      accounts.push_back(i);
  std::sort(accounts.begin(), accounts.end(), [&](std::size_t a, std::size_t b) {
    return policy.associations[a].account < policy.associations[b].account;
  });
  std::vector<SacctmgrRow> rows;
  for (const std::size_t i : accounts) {
    const Association& account = policy.associations[i];
    rows.push_back({&policy, &account, nullptr, &account, nullptr, i, 0});
    if (!wanted.associations) continue;
    // Its users, those that were added last first.
    for (std::size_t k = policy.associations.size(); k-- > 0;)
      if (policy.associations[k].account == account.account && !policy.associations[k].user.empty())
        rows.push_back({&policy, &policy.associations[k], nullptr, &account, nullptr, k, 0});
  }
  print_rows(call, wanted, "assoc", rows);
  return 0;
}

int show_qos(ShimCall& call, const Wanted& wanted, const Policy& policy) {
  if (!check_format(call, wanted, "qos")) return 1;
  std::vector<SacctmgrRow> rows;
  for (std::size_t i = 0; i < policy.qos.size(); ++i)
    if (wants(wanted.names, policy.qos[i].name))
      rows.push_back({&policy, nullptr, nullptr, nullptr, &policy.qos[i], i, 0});
  print_rows(call, wanted, "qos", rows);
  return 0;
}

int show_tres(ShimCall& call, const Wanted& wanted, const Policy& policy) {
  std::vector<std::vector<std::string>> rows = {
      {"cpu", "", "1"},     {"mem", "", "2"},    {"energy", "", "3"}, {"node", "", "4"},
      {"billing", "", "5"}, {"fs", "disk", "6"}, {"vmem", "", "7"},   {"pages", "", "8"}};
  for (std::size_t i = 4; i < policy.tres.size(); ++i) {
    const std::string& name = policy.tres.name(TresIndex(static_cast<std::uint8_t>(i)));
    const std::size_t slash = name.find('/');
    if (name.starts_with("license/")) continue;
    rows.push_back({name.substr(0, slash), slash == std::string::npos ? "" : name.substr(slash + 1),
                    std::to_string(997 + i)});
  }
  std::erase_if(rows, [&](const auto& row) { return !wants(wanted.names, row.front()); });
  const std::vector<TableColumn> all = {{"Type", 8}, {"Name", 15}, {"ID", 6}};
  if (wanted.format.empty()) return print_table(call, wanted.style, all, rows), 0;
  std::vector<TableColumn> columns;
  std::vector<std::size_t> places;
  for (const std::string_view word : split(wanted.format, ',')) {
    const std::size_t percent = word.find('%');
    const std::string_view name = word.substr(0, percent);
    const auto found = std::find_if(all.begin(), all.end(), [&](const TableColumn& it) {
      return name.size() >= least_letters(it.title) && starts_ignoring_case(it.title, name);
    });
    if (found == all.end()) return call.complain(fmt::format("Unknown field '{}'", name)), 1;
    columns.push_back(*found);
    if (percent != std::string_view::npos)
      columns.back().width = static_cast<int>(std::clamp<std::int64_t>(
          signed_number(word.substr(percent + 1)).value_or(columns.back().width), -10'000, 10'000));
    places.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  std::vector<std::vector<std::string>> shown_rows;
  for (const auto& row : rows) {
    auto& line = shown_rows.emplace_back();
    for (const std::size_t place : places) line.push_back(row[place]);
  }
  print_table(call, wanted.style, columns, shown_rows);
  return 0;
}

// Keys are kept with their jobs alone. Slurm shows its list to operators only.
int show_wckeys(ShimCall& call, const Wanted& wanted, const Policy& policy) {
  const std::string own = own_user();
  const User* user = user_named(policy, own);
  if (own != "root" && (user == nullptr || user->admin_level == AdminLevel::kNone)) {
    call.error("Your user doesn't have privilege to perform this action");
    call.complain(" Error with request: Access/permission denied");
    return 1;
  }
  print_table(call, wanted.style, {{"WCKey"}, {"Cluster"}, {"User"}}, {});
  return 0;
}

int show(ShimCall& call, Wanted wanted, const std::vector<std::string>& words) {
  wanted.entity = words.size() > 1 ? entity_of(words[1].substr(0, words[1].find('='))) : "";
  if (wanted.entity.empty()) {
    call.complain(
        "No valid entity in list command\n"
        "Input line must include \"Account\", \"Association\", \"Cluster\", \"Configuration\",\n"
        "\"Event\", \"Federation\", \"Problem\", \"QOS\", \"Resource\", \"Reservation\",\n"
        "\"RunAwayJobs\", \"Stats\", \"Transaction\", \"TRES\", \"User\", or \"WCKey\"");
    return 1;
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (is_word(words[i], "where") || is_word(words[i], "set")) continue;
    const SacctmgrPair pair = read_pair(words[i]);
    const auto names = [&](std::string_view list) {
      for (const std::string_view word : split(list, ','))
        if (!word.empty()) wanted.names.emplace_back(word);
    };
    if (pair.sign.empty()) {
      if (is(pair.name, "withassoc", 5))
        wanted.associations = true;
      else if (is(pair.name, "withcoordinators", 5))
        wanted.coordinators = true;
      else if (is(pair.name, "tree", 4))
        wanted.tree = true;
      else if (!pair.name.starts_with("with") && !pair.name.starts_with("wo"))
        names(words[i]);
    } else if (is(pair.name, "format", 1)) {
      wanted.format = pair.value;
    } else if (is(pair.name, "users", 1)) {
      wanted.users = pair.value;
    } else if (is(pair.name, "accounts", 3)) {
      wanted.accounts = pair.value;
    } else if (is(pair.name, "parents", 4) && wanted.entity == "assoc") {
      wanted.parents = pair.value;
    } else if (is(pair.name, "names", 1) || (wanted.entity == "qos" && is(pair.name, "qos", 1))) {
      names(pair.value);
    } else if (!is(pair.name, "clusters", 2) && !is(pair.name, "partitions", 1) &&
               !is(pair.name, "qos", 1) && !is(pair.name, "start", 2) && !is(pair.name, "end", 2)) {
      call.complain(" Unknown condition: " + words[i]);
      call.complain(" Use keyword 'set' to modify SLURM_PRINT_VALUE");
      return 1;
    }
  }
  if (wanted.entity == "assoc" && !wanted.names.empty())
    return call.error(fmt::format("Invalid value for AssocId ({})", wanted.names.front())), 1;
  if (wanted.entity == "event" || wanted.entity == "runaway" || wanted.entity == "problem" ||
      wanted.entity == "transaction" || wanted.entity == "reservation" ||
      wanted.entity == "resource" || wanted.entity == "federation" || wanted.entity == "stats" ||
      wanted.entity == "config") {
    call.error("there is no list of these here");
    return 1;
  }
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  if (wanted.entity == "assoc") return show_associations(call, wanted, *policy);
  if (wanted.entity == "user") return show_users(call, wanted, *policy);
  if (wanted.entity == "account") return show_accounts(call, wanted, *policy);
  if (wanted.entity == "qos") return show_qos(call, wanted, *policy);
  if (wanted.entity == "tres") return show_tres(call, wanted, *policy);
  if (wanted.entity == "wckey") return show_wckeys(call, wanted, *policy);
  if (!wants(wanted.names, policy->cluster)) return print_rows(call, wanted, "cluster", {}), 0;
  print_rows(call, wanted, "cluster",
             {{&*policy, &policy->associations.front(), nullptr, nullptr, nullptr, 0, 0}});
  return 0;
}

}  // namespace

int run_sacctmgr(ShimCall& call) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  Wanted wanted;
  bool read_only = false;
  AskFirst ask = AskFirst::kYes;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    if (name == "help") return call.say(shim_help("sacctmgr")), 0;
    if (name == "usage") return call.say(shim_usage("sacctmgr")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "associations") wanted.associations = true;
    if (name == "noheader") wanted.style.header = false;
    if (name == "parsable" || name == "parsable2") {
      wanted.style.parsable = true;
      wanted.style.trailing = name == "parsable";
    }
    if (name == "readonly") read_only = true;
    if (name == "immediate") ask = AskFirst::kNo;
  }
  const std::vector<std::string>& words = given->operands;
  if (words.empty())
    return call.complain("sacctmgr: the dialogue is not done here; type a command"), 1;
  const std::string& verb = words.front();
  if (is(verb, "show", 3) || is(verb, "list", 2)) return show(call, wanted, words);
  const bool changes = is(verb, "add", 3) || is(verb, "create", 2) || is(verb, "modify", 1) ||
                       is(verb, "update", 1) || is(verb, "delete", 3) || is(verb, "remove", 3);
  if (changes && read_only) return call.complain("Can't run this command in readonly mode."), 1;
  if (changes) return change_accounts(call, words, ask);
  if (is(verb, "dump", 2)) return dump_accounts(call, words);
  if (is(verb, "version", 4)) return call.say(kShimVersion), 0;
  if (is(verb, "ping", 4)) {
    const auto card = call.engine->get("/v1/daemon");
    return call.say(fmt::format("slurmdbd(primary) at localhost is {}", card ? "UP" : "DOWN")),
           card ? 0 : 1;
  }
  if (is(verb, "load", 2)) {
    if (read_only) return call.complain("Can't run this command in readonly mode."), 1;
    return load_accounts(call, words, ask);
  }
  if (is(verb, "archive", 2) || is(verb, "clear", 5) || is(verb, "reconfigure", 4) ||
      is(verb, "shutdown", 8)) {
    call.complain(
        fmt::format("sacctmgr {} is not done here; change the policy: sluice policy", verb));
    return 1;
  }
  call.complain("invalid keyword: " + verb);
  return 1;
}

}  // namespace sluice
