#include "views/share_view.h"

#include "policy/fairshare.h"
#include "text/tres.h"

namespace sluice {

std::vector<ShareLine> share_lines(const Engine& engine) {
  std::vector<ShareLine> out;
  const State& state = engine.state();
  if (!state.has_policy()) return out;
  const Policy& policy = state.policy();
  Fairshare shares;
  compute_fairshare(state, shares);
  if (policy.associations.empty()) return out;
  const double of_all = state.past(AssocId(0)).billing_seconds;
  std::vector<std::int64_t> depth(policy.associations.size(), 0);
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& assoc = policy.associations[i];
    if (assoc.parent) depth[i] = depth[assoc.parent->index()] + 1;
    const AccountUsage& usage = state.usage(AssocId(static_cast<std::uint32_t>(i)));
    ShareLine line;
    line.account = assoc.account;
    line.user = assoc.user;
    if (assoc.parent) line.parent = policy.associations[assoc.parent->index()].account;
    line.depth = depth[i];
    line.shares = assoc.shares;
    line.shares_of_parent = assoc.shares_of_parent;
    line.norm_shares = shares.rows[i].norm_shares;
    line.effective_usage = shares.rows[i].effective_usage;
    line.raw_usage_seconds = state.past(AssocId(static_cast<std::uint32_t>(i))).billing_seconds;
    line.norm_usage = of_all > 0 ? line.raw_usage_seconds / of_all : 0;
    if (assoc.parent) line.level = shares.rows[i].level_fs;
    line.factor = shares.rows[i].factor;
    line.running = usage.now.jobs;
    line.submitted = usage.now.submitted;
    line.holds = format_tres(usage.now.tres, policy.tres);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace sluice
