// sshare: shares and usage along the tree of accounts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cli/own_user.h"
#include "shims/clusters.h"
#include "shims/field_table.h"
#include "shims/help.h"
#include "shims/shim.h"
#include "shims/site.h"
#include "shims/words.h"
#include "text/scan.h"
#include "text/tres.h"
#include "views/cluster_rows.h"
#include "views/share_text.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

constexpr OptionShape kOptions[] = {
    {"accounts", 'A', kRequired}, {"all", 'a', kNone},        {"cluster", '\0', kRequired},
    {"clusters", 'M', kRequired}, {"format", 'o', kRequired}, {"help", '\0', kNone},
    {"helpformat", 'e', kNone},   {"long", 'l', kNone},       {"noheader", 'n', kNone},
    {"noheader", 'h', kNone},     {"parsable", 'p', kNone},   {"parsable2", 'P', kNone},
    {"partition", 'm', kNone},    {"usage", '\0', kNone},     {"user", '\0', kRequired},
    {"users", 'u', kRequired},    {"Users", 'U', kNone},      {"verbose", 'v', kNone},
    {"version", 'V', kNone},
};

struct Row {
  const Association* assoc = nullptr;
  ShareLine share;
  ShareTexts texts;
  UseLine use;
  int depth = 0;
};

struct Context {
  const Policy* policy = nullptr;
  AnyUsage used = AnyUsage::kNone;
};

struct Field {
  std::string_view name;
  int width = 10;
  std::string (*text)(const Row&, const Context&) = nullptr;
  double (*real)(const Row&, const Context&) = nullptr;  // For what is too wide as a fraction.
};

std::string run_minutes(const Row& row, const Context& context) {
  const TresRegistry& registry = context.policy->tres;
  const TresVector amounts =
      parse_tres_amounts(row.use.tres_run_minutes, registry).value_or(TresVector{});
  std::string out =
      fmt::format("cpu={},mem={},energy=0,node={},billing={},fs/disk=0,vmem=0,pages=0",
                  amounts[kTresCpu], amounts[kTresMem], amounts[kTresNode], amounts[kTresBilling]);
  for (std::size_t i = 4; i < registry.size(); ++i) {
    const TresIndex index(static_cast<std::uint8_t>(i));
    if (registry.name(index).starts_with("license/")) continue;
    out += fmt::format(",{}={}", registry.name(index), amounts[index]);
  }
  return out;
}

// clang-format off
constexpr auto kFields = std::to_array<Field>({
    {"Account", -20, [](const Row& r, const Context&) { return std::string(static_cast<std::size_t>(r.depth), ' ') + r.assoc->account; }},
    {"User", 10, [](const Row& r, const Context&) { return r.assoc->user; }},
    {"Cluster", 10, [](const Row&, const Context& c) { return c.policy->cluster; }},
    {"ID", 6, [](const Row& r, const Context& c) { return std::to_string(r.assoc - c.policy->associations.data() + 1); }},
    {"Partition", 12, [](const Row& r, const Context&) { return r.assoc->partition; }},
    {"RawShares", 10, [](const Row& r, const Context&) { return r.texts.raw_shares; }},
    {"NormShares", 11, [](const Row& r, const Context&) { return r.texts.norm_shares; }},
    {"RawUsage", 11, [](const Row& r, const Context&) { return r.texts.raw_usage; }},
    {"NormUsage", 11, [](const Row& r, const Context&) { return r.texts.norm_usage; }},
    {"EffectvUsage", 13, [](const Row& r, const Context&) { return r.texts.effective_usage; }},
    {"FairShare", 10, [](const Row& r, const Context&) { return r.texts.factor; }, [](const Row& r, const Context&) { return r.share.factor; }},
    {"LevelFS", 10, [](const Row& r, const Context&) { return r.texts.level; }},
    {"GrpTRESMins", 30, [](const Row& r, const Context& c) { return format_tres_limits(r.assoc->group.tres_minutes, c.policy->tres); }},
    {"TRESRunMins", 30, run_minutes},
});
// clang-format on

const Field* field_of(std::string_view name) {
  for (const Field& field : kFields)
    if (!name.empty() && starts_ignoring_case(field.name, name)) return &field;
  return nullptr;
}

}  // namespace

int run_sshare(ShimCall& call) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  TableStyle style;
  bool long_report = false;
  bool all = false;
  bool only_users = false;
  std::string accounts;
  std::string users;
  std::string format;
  std::string header;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    const std::string value = option.value.value_or("");
    if (name == "help") return call.say(shim_help("sshare")), 0;
    if (name == "usage") return call.say(shim_usage("sshare")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "helpformat") {
      std::vector<std::string_view> names;
      for (const Field& field : kFields) names.push_back(field.name);
      std::sort(names.begin(), names.end());
      for (std::size_t i = 0; i < names.size(); ++i) {
        append_cell(call.out, names[i], 17, false);
        call.out += i % 4 == 3 || i + 1 == names.size() ? '\n' : ' ';
      }
      return 0;
    }
    if (name == "accounts") accounts = value;
    if (name == "all") all = true;
    if (name == "format") format = value;
    if (name == "long") long_report = true;
    if (name == "noheader") style.header = false;
    if (name == "parsable" || name == "parsable2") {
      style.parsable = true;
      style.trailing = name == "parsable";
    }
    if (name == "user" || name == "users") {
      for (const std::string_view word : split(value, ',')) {
        if (word.empty()) continue;
        const auto known = user_name(word);
        if (!known && whole_number(word))
          return call.complain(fmt::format("Invalid user id: {}", word)), 1;
        users += (users.empty() ? "" : ",") + known.value_or(std::string(word));
      }
    }
    if (name == "Users") only_users = true;
    if (name == "cluster" || name == "clusters") {
      const auto cluster = pick_cluster(call, value);
      if (!cluster) return 1;
      header = "CLUSTER: " + *cluster;
    }
  }
  if (format.empty())
    format = long_report ? "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,"
                           "FairShare,LevelFS,GrpTRESMins,TRESRunMins"
                         : "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare";
  std::vector<TableColumn> columns;
  std::vector<const Field*> fields;
  for (const std::string_view word : split(format, ',')) {
    if (word.empty()) continue;
    const std::size_t percent = word.find('%');
    const Field* field = field_of(word.substr(0, percent));
    if (field == nullptr)
      return call.error(fmt::format("Invalid field requested: \"{}\"", word)), 1;
    int width = field->width;
    if (percent != std::string_view::npos)
      if (const auto asked = signed_number(word.substr(percent + 1)))
        width = static_cast<int>(std::clamp<std::int64_t>(*asked, -10'000, 10'000));
    fields.push_back(field);
    columns.push_back({std::string(field->name), width});
  }
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  const auto shares = call.engine->fetch<Lines<ShareLine>>("/v1/shares");
  if (!shares) return call.fail(shares.error());
  const auto use = call.engine->fetch<ClusterCard>("/v1/cluster");
  if (!use) return call.fail(use.error());
  if (users.empty() && !all) users = own_user();
  if (!header.empty() && style.header) call.say(header);
  std::vector<Row> rows;
  Context context{&*policy};
  std::map<std::size_t, int> depths;  // Of those that are shown.
  const auto add = [&](std::size_t i) {
    Row row;
    row.assoc = &policy->associations[i];
    // What one may not see has no usage here.
    row.share.account = row.assoc->account;
    row.share.user = row.assoc->user;
    if (row.assoc->parent)
      row.share.parent = policy->associations[row.assoc->parent->index()].account;
    row.share.shares = row.assoc->shares;
    row.share.shares_of_parent = row.assoc->shares_of_parent;
    for (const ShareLine& line : shares->lines)
      if (line.account == row.assoc->account && line.user == row.assoc->user) row.share = line;
    for (const UseLine& line : use->associations)
      if (line.account == row.assoc->account && line.user == row.assoc->user) row.use = line;
    if (i == 0 && row.share.raw_usage_seconds > 0) context.used = AnyUsage::kSome;
    row.texts = share_texts(row.share, context.used);
    if (!accounts.empty() && !in_list(accounts, row.assoc->account)) return;
    if (!row.assoc->user.empty() && !users.empty() && !in_list(users, row.assoc->user)) return;
    if (only_users && row.assoc->user.empty()) return;
    // What is shown without what it belongs to stands at the left.
    const auto above = row.assoc->parent ? depths.find(row.assoc->parent->index()) : depths.end();
    row.depth = above == depths.end() ? 0 : above->second + 1;
    depths[i] = row.depth;
    rows.push_back(std::move(row));
  };
  for (const TreePlace& each : tree_places(*policy)) add(each.place);
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    std::vector<std::string> line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::string text = fields[i]->text(row, context);
      const auto width = static_cast<std::size_t>(std::abs(columns[i].width));
      if (!style.parsable && fields[i]->real != nullptr && !text.empty() && text.size() > width)
        text = fmt::format("{:e}", fields[i]->real(row, context));
      line.push_back(std::move(text));
    }
    cells.push_back(std::move(line));
  }
  print_table(call, style, columns, cells);
  return 0;
}

}  // namespace sluice
