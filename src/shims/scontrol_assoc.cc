// scontrol show assoc_mgr: every limit with what counts against it, as limit(used).
#include <fmt/format.h>

#include <algorithm>

#include "shims/scontrol_show.h"
#include "shims/site.h"
#include "shims/words.h"
#include "text/scan.h"
#include "text/tres.h"
#include "views/cluster_rows.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Wanted {
  bool users = true;
  bool associations = true;
  bool qos = true;
  std::string account;
  std::string user;
  std::string qos_name;
};

class AssocText {
 public:
  AssocText(const Policy& policy, const ClusterCard& use, const std::vector<ShareLine>& shares,
            bool one_line)
      : policy_(policy), use_(use), shares_(shares), one_line_(one_line) {}

  std::string association(std::size_t i) const {
    const Association& it = policy_.associations[i];
    const UseLine use = use_of(it);
    const ShareLine share = share_of(it);
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "ClusterName={} Account={} UserName={} Partition={} Priority={} ID={}", policy_.cluster,
        it.account, named(it.user), it.partition, it.priority.value_or(0), i + 1));
    lines.push_back(fmt::format("SharesRaw/Norm/Level/Factor={}/{:.2f}/{}/{:.2f}",
                                it.shares_of_parent ? "parent" : std::to_string(it.shares),
                                share.norm_shares, level_shares(i), share.factor));
    lines.push_back(fmt::format("UsageRaw/Norm/Efctv={:.2f}/{:.2f}/{:.2f}", share.raw_usage_seconds,
                                share.effective_usage, share.effective_usage));
    const bool is_default = !it.user.empty() && is_default_of(it);
    lines.push_back(fmt::format("ParentAccount={} Lft={} DefAssoc={}", parent(it), i + 1,
                                is_default ? "Yes" : "No"));
    lines.push_back(fmt::format("GrpJobs={} GrpJobsAccrue={}", count(it.group.jobs, use.jobs),
                                count(it.group.jobs_accrue, use.ageing)));
    lines.push_back(fmt::format("GrpSubmitJobs={} GrpWall={}",
                                count(it.group.submit_jobs, use.submitted),
                                wall(it.group.wall, use.wall)));
    group(lines, it.group, use);
    lines.push_back(fmt::format("MaxJobs={} MaxJobsAccrue={} MaxSubmitJobs={} MaxWallPJ={}",
                                it.max_jobs ? count(it.max_jobs, use.jobs) : "",
                                it.max_jobs_accrue ? count(it.max_jobs_accrue, use.ageing) : "",
                                it.max_submit_jobs ? count(it.max_submit_jobs, use.submitted) : "",
                                minutes(it.job.max_wall)));
    job_limits(lines, it.job);
    lines.push_back("MinPrioThresh=");
    return joined(lines);
  }

  std::string qos(std::size_t i) const {
    const Qos& it = policy_.qos[i];
    UseLine use;
    for (const UseLine& line : use_.qos)
      if (line.qos == it.name) use = line;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("QOS={}({})", it.name, i + 1));
    lines.push_back("UsageRaw=0.000000");
    lines.push_back(
        fmt::format("GrpJobs={} GrpJobsAccrue={} GrpSubmitJobs={} GrpWall={}",
                    count(it.group.jobs, use.jobs), count(it.group.jobs_accrue, use.ageing),
                    count(it.group.submit_jobs, use.submitted), wall(it.group.wall, use.wall)));
    group(lines, it.group, use);
    lines.push_back("MaxWallPJ=" + minutes(it.job.max_wall));
    job_limits(lines, it.job);
    lines.push_back("MinPrioThresh= ");
    lines.push_back("MinTRESPJ=" + format_tres_limits(it.job.min_tres, policy_.tres));
    lines.push_back("PreemptMode=OFF");
    lines.push_back(fmt::format("Priority={}", it.priority));
    std::string out = joined(lines);
    holders(out, it, "Account Limits", "PA", it.account, &UseLine::account);
    holders(out, it, "User Limits", "PU", it.user, &UseLine::user);
    return out;
  }

 private:
  std::string joined(const std::vector<std::string>& lines) const {
    std::string out;
    for (const std::string& line : lines)
      out += (out.empty() ? "" : one_line_ ? " " : "\n    ") + line;
    return out + "\n";
  }
  static std::string named(const std::string& user) {
    return user.empty() ? "" : fmt::format("{}({})", user, uid_text(user));
  }
  UseLine use_of(const Association& it) const {
    for (const UseLine& line : use_.associations)
      if (line.account == it.account && line.user == it.user && line.partition == it.partition)
        return line;
    return {};
  }
  ShareLine share_of(const Association& it) const {
    for (const ShareLine& line : shares_)
      if (line.account == it.account && line.user == it.user) return line;
    return {};
  }
  // The shares of all that have the same parent.
  std::int64_t level_shares(std::size_t i) const {
    const auto& own = policy_.associations[i].parent;
    if (!own) return 1;
    std::int64_t sum = 0;
    for (const Association& it : policy_.associations)
      if (it.parent && *it.parent == *own) sum += it.shares;
    return sum;
  }
  bool is_default_of(const Association& it) const {
    for (const User& user : policy_.users)
      if (user.name == it.user) return user.default_account == it.account;
    return false;
  }
  std::string parent(const Association& it) const {
    if (!it.user.empty() || !it.parent) return "";
    return fmt::format("{}({})", policy_.associations[it.parent->index()].account,
                       it.parent->index() + 1);
  }
  static std::string count(const std::optional<std::int64_t>& limit, std::int64_t used) {
    return fmt::format("{}({})", limit ? std::to_string(*limit) : "N", used);
  }
  static std::string wall(const std::optional<Duration>& limit, Duration used) {
    return fmt::format("{}({:.2f})", limit ? std::to_string(to_seconds(*limit) / 60) : "N",
                       static_cast<double>(used.count()) / 60000.0);
  }
  static std::string minutes(const std::optional<Duration>& limit) {
    return limit ? std::to_string(to_seconds(*limit) / 60) : "";
  }
  // "cpu=6(4),mem=N(0),…", with the dimensions that nothing here counts.
  std::string tres(const TresLimits& limits, const std::string& used) const {
    const TresVector amounts = parse_tres_amounts(used, policy_.tres).value_or(TresVector{});
    std::string out;
    const auto add = [&](std::string_view name, std::optional<TresIndex> index) {
      const auto limit = index ? limits.get(*index) : std::nullopt;
      out += fmt::format("{}{}={}({})", out.empty() ? "" : ",", name,
                         limit ? std::to_string(*limit) : "N", index ? amounts[*index] : 0);
    };
    add("cpu", kTresCpu);
    add("mem", kTresMem);
    add("energy", std::nullopt);
    add("node", kTresNode);
    add("billing", kTresBilling);
    for (const std::string_view name : {"fs/disk", "vmem", "pages"}) add(name, std::nullopt);
    for (std::size_t i = 4; i < policy_.tres.size(); ++i) {
      const TresIndex index(static_cast<std::uint8_t>(i));
      if (!policy_.tres.name(index).starts_with("license/")) add(policy_.tres.name(index), index);
    }
    return out;
  }
  void group(std::vector<std::string>& lines, const GroupLimits& limits, const UseLine& use) const {
    lines.push_back("GrpTRES=" + tres(limits.tres, use.tres));
    lines.push_back("GrpTRESMins=" + tres(limits.tres_minutes, use.tres_minutes));
    lines.push_back("GrpTRESRunMins=" + tres(limits.tres_run_minutes, use.tres_run_minutes));
  }
  void job_limits(std::vector<std::string>& lines, const JobLimits& limits) const {
    lines.push_back("MaxTRESPJ=" + format_tres_limits(limits.max_tres, policy_.tres));
    lines.push_back("MaxTRESPN=" + format_tres_limits(limits.max_tres_node, policy_.tres));
    lines.push_back("MaxTRESMinsPJ=" + format_tres_limits(limits.max_tres_minutes, policy_.tres));
  }
  void holders(std::string& out, const Qos& it, std::string_view title, std::string_view mark,
               const HolderLimits& limits, std::string UseLine::*name) const {
    std::string text;
    for (const UseLine& line : use_.holders) {
      if (line.qos != it.name || (line.*name).empty()) continue;
      const std::string who = mark == "PU" ? uid_text(line.*name) : line.*name;
      const std::string counts = fmt::format("MaxJobs{}={} MaxJobsAccrue{}={} MaxSubmitJobs{}={}",
                                             mark, count(limits.max_jobs, line.jobs), mark,
                                             count(limits.max_jobs_accrue, line.ageing), mark,
                                             count(limits.max_submit_jobs, line.submitted));
      const std::string amounts =
          fmt::format("MaxTRES{}={}", mark, tres(limits.max_tres, line.tres));
      text += one_line_ ? fmt::format(" {} {} {}", who, counts, amounts)
                        : fmt::format("      {}\n        {}\n        {}\n", who, counts, amounts);
    }
    if (one_line_) {
      if (out.ends_with('\n')) out.pop_back();
      out += fmt::format(" {}{}{}\n", title, text.empty() ? " No " : "",
                         text.empty() ? std::string(title.substr(0, title.find(' '))) + "s" : text);
    } else {
      out += fmt::format(
          "    {}\n{}", title,
          text.empty() ? fmt::format("        No {}s\n", title.substr(0, title.find(' '))) : text);
    }
  }

  const Policy& policy_;
  const ClusterCard& use_;
  const std::vector<ShareLine>& shares_;
  bool one_line_;
};

// -1: go on; else the exit code.
int read_words(ShimCall& call, const std::vector<std::string>& words, Wanted& wanted) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = to_lower(std::string_view(word).substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (value.empty()) return call.complain("No value given for option " + word), 0;
    if (name.starts_with("flag")) {
      const std::string flags = to_lower(value);
      const auto has = [&](std::string_view flag) { return flags.find(flag) != std::string::npos; };
      wanted.users = has("users");
      wanted.associations = has("assoc");
      wanted.qos = has("qos");
      if (!wanted.users && !wanted.associations && !wanted.qos)
        return call.complain(fmt::format(
                   "invalid flag '{}', valid options are 'Assoc, QOS, and/or Users'", value)),
               0;
    } else if (name.starts_with("account")) {
      wanted.account = value;
    } else if (name.starts_with("user")) {
      wanted.user = value;
    } else if (name == "qos") {
      wanted.qos_name = value;
    } else {
      return call.complain(fmt::format("invalid entity: {} for keyword:show assoc_mgr", word)), 1;
    }
  }
  return -1;
}

}  // namespace

int show_assoc_mgr(ShimCall& call, const ScontrolFlags& flags,
                   const std::vector<std::string>& words) {
  Wanted wanted;
  if (const int code = read_words(call, words, wanted); code >= 0) return code;
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  const auto use = call.engine->fetch<ClusterCard>("/v1/cluster");
  if (!use) return call.fail(use.error());
  const auto shares = call.engine->fetch<Lines<ShareLine>>("/v1/shares");
  if (!shares) return call.fail(shares.error());
  const AssocText text(*policy, *use, shares->lines, flags.one_line);
  const std::string gap = flags.one_line ? "" : "\n";
  call.out += "Current Association Manager state\n" + gap;
  if (wanted.users) {
    call.out += "User Records\n" + gap;
    for (const User& user : policy->users) {
      if (!wanted.user.empty() && !in_list(wanted.user, user.name)) continue;
      const char* levels[] = {"Not Set", "Operator", "Administrator"};
      call.say(fmt::format("UserName={}({}) DefAccount={} DefWckey={} AdminLevel={}", user.name,
                           uid_text(user.name), user.default_account,
                           user.name == "root" ? "" : "(null)",
                           levels[static_cast<std::size_t>(user.admin_level)]));
    }
    call.out += gap;
  }
  if (wanted.associations) {
    call.out += "Association Records\n" + gap;
    for (const std::size_t i : tree_order(*policy)) {
      const Association& it = policy->associations[i];
      if (!wanted.account.empty() && !in_list(wanted.account, it.account)) continue;
      if (!wanted.user.empty() && !it.user.empty() && !in_list(wanted.user, it.user)) continue;
      call.out += text.association(i);
    }
    if (wanted.qos) call.out += gap;
  }
  if (wanted.qos) {
    call.out += "QOS Records\n" + gap;
    for (std::size_t i = 0; i < policy->qos.size(); ++i)
      if (wanted.qos_name.empty() || in_list(wanted.qos_name, policy->qos[i].name))
        call.out += text.qos(i);
  }
  return 0;
}

}  // namespace sluice
