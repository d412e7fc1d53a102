// Fair Tree and the classic fairshare formula, as priority/multifactor of Slurm 22.05 has them.
#include "policy/fairshare.h"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What Slurm puts down for the level of an account with FairShare=parent (NO_VAL): it has no
// children of its own, so its place among its siblings does not matter.
constexpr double kNoLevel = 4294967294.0;

double part_of(double usage, double of_all) { return of_all > 0 ? usage / of_all : 0; }

// An association among its siblings: LevelFS = norm shares / usage within the parent.
double level_of(const Fairshare::Sibling& sibling, double usage, double of_all) {
  if (sibling.uses_parent) return sibling.is_account ? kNoLevel : kInfinity;
  if (sibling.level_share == 0) return 0;
  const double used = part_of(usage, of_all);
  return used > 0 ? sibling.level_share / used : kInfinity;
}

// What people look at. Only whoever is ranked has a factor.
void fill_levels(Fairshare& out) {
  const FairshareTree& tree = out.tree;
  out.rows[0].effective_usage = 1;
  out.rows[0].level_fs = kNoLevel;
  for (const Fairshare::Sibling& sibling : out.siblings) {
    FairshareRow& row = out.rows[sibling.row];
    const std::uint32_t parent = tree.parent(sibling.row);
    row.norm_shares = tree.level_share(sibling.uses_parent ? parent : sibling.row);
    row.effective_usage = part_of(out.usage[sibling.row], out.usage[parent]);
    row.level_fs = level_of(sibling, out.usage[sibling.row], out.usage[parent]);
  }
}

bool comes_before(const Fairshare::Sibling& a, const Fairshare::Sibling& b) {
  if (a.level_fs != b.level_fs) return a.level_fs > b.level_fs;
  if (a.is_account != b.is_account) return b.is_account;
  return a.row < b.row;
}

// The children of one row, best first. They begin in the order they had the last time, which is
// nearly right: all usage shrinks alike.
void sort_children(Fairshare& out, std::size_t parent) {
  const FairshareTree& tree = out.tree;
  const auto begin = out.siblings.begin() + tree.first_child(parent);
  const auto end = out.siblings.begin() + tree.first_child(parent + 1);
  const double of_all = out.usage[parent];
  std::size_t moves = 0;
  for (auto at = begin; at != end; ++at) {
    at->level_fs = level_of(*at, out.usage[at->row], of_all);
    if (at == begin || !comes_before(*at, *(at - 1))) continue;
    // Far from sorted after all.
    if (moves > 8 * static_cast<std::size_t>(end - begin)) {
      for (auto rest = at + 1; rest != end; ++rest)
        rest->level_fs = level_of(*rest, out.usage[rest->row], of_all);
      std::sort(begin, end, comes_before);
      break;
    }
    const Fairshare::Sibling moved = *at;
    auto hole = at;
    for (; hole != begin && comes_before(moved, *(hole - 1)); --hole, ++moves) *hole = *(hole - 1);
    *hole = moved;
  }
}

void enter(Fairshare& out, std::uint32_t parent, bool first_is_tied) {
  if (out.sorted_in[parent] != out.noted) {
    sort_children(out, parent);
    out.sorted_in[parent] = out.noted;
  }
  out.levels.push_back(
      {out.tree.first_child(parent), out.tree.first_child(parent + 1), kNoLevel, first_is_tied});
}

// Users get their ranks in the order in which a walk from the root, best first, meets them. Ties:
// a user as good as the sibling before gets the same rank, and the first met inside an account that
// is as good as the sibling before gets the rank given last. The documentation says that the
// children of equally good accounts are ranked together; slurmctld 22.05 looks for users where it
// means accounts, finds none, and ranks one account after the other. So do we.
//
// Accounts that are not open are passed by. False where somebody behind one shares a rank that was
// given inside it.
bool rank_users(Fairshare& out) {
  const FairshareTree& tree = out.tree;
  std::uint32_t rank = tree.user_count();
  std::uint32_t rank_without_ties = rank;
  bool rank_is_known = true;
  out.levels.clear();
  enter(out, 0, false);
  while (!out.levels.empty()) {
    Fairshare::Level& level = out.levels.back();
    if (level.next == level.end) {
      out.levels.pop_back();
      continue;
    }
    const Fairshare::Sibling& sibling = out.siblings[level.next++];
    const bool tied = level.first_is_tied || level.previous == sibling.level_fs;
    level.first_is_tied = false;
    level.previous = sibling.level_fs;
    const std::uint32_t users = sibling.is_account ? tree.users_below(sibling.row) : 1;
    if (users == 0) continue;
    if (tied && !rank_is_known) return false;
    if (sibling.is_account && out.open[sibling.row] != 0) {
      enter(out, sibling.row, tied);
      continue;
    }
    if (!tied) rank = rank_without_ties;
    rank_without_ties -= users;
    if (!sibling.is_account) out.rows[sibling.row].factor = out.factor_of_rank[rank];
    // Where nothing was used all below are as good as each other, and get the rank of the first.
    rank_is_known = !sibling.is_account ||
                    (out.usage[sibling.row] == 0 && tree.all_have_shares_below(sibling.row));
  }
  return true;
}

void open_row(Fairshare& out, std::uint32_t row) {
  out.open[row] = 1;
  out.opened.push_back(row);
}

void open_all(Fairshare& out) {
  for (std::uint32_t i = 0; i < out.open.size(); ++i)
    if (!out.tree.is_user(i) && out.open[i] == 0) open_row(out, i);
}

void walk_open(Fairshare& out) {
  const std::uint32_t users = out.tree.user_count();
  if (out.factor_of_rank.size() != users + 1) {
    out.factor_of_rank.resize(users + 1);
    for (std::uint32_t i = 0; i <= users; ++i)
      out.factor_of_rank[i] = i / static_cast<double>(users);
  }
  if (!rank_users(out)) {
    open_all(out);
    CHECK(rank_users(out));
  }
  for (const std::uint32_t row : out.opened) {
    out.open[row] = 0;
    out.ranked_in[row] = out.noted;
  }
  out.opened.clear();
}

// DEPTH_OBLIVIOUS: R = (R of the account above) * (own use against own shares, over the same of all
// siblings)^k, where k falls as the account above is further from its due and the second factor
// would make up for that. The effective usage is R * norm shares.
double depth_oblivious_usage(const Fairshare& out, std::size_t i) {
  const FairshareRow& row = out.rows[i];
  const FairshareTree& tree = out.tree;
  const std::uint32_t parent = tree.parent(i);
  const FairshareRow& above = out.rows[parent];
  if (row.norm_shares == 0 || above.norm_shares == 0 || above.effective_usage == 0 ||
      row.norm_usage == 0)
    return row.norm_usage;
  const double of_parent = above.effective_usage / above.norm_shares;
  double of_level = 0;
  for (std::uint32_t at = tree.first_child(parent); at < tree.first_child(parent + 1); ++at)
    if (const std::uint32_t sibling = tree.children()[at]; !tree.uses_parent(sibling))
      of_level += out.rows[sibling].norm_usage;
  of_level /= above.norm_shares;
  const double own = row.norm_usage / row.norm_shares / of_level;
  const double log_parent = log2_of_positive(of_parent);
  const double log_own = log2_of_positive(own);
  double power = 1;
  if (log_parent * log_own < 0) {
    constexpr double kWeightOfParent = 5 * 0.693147180559945309417;  // 5, of natural logarithms
    const double away = kWeightOfParent * log_parent;
    power = 1 / (1 + away * away);
  }
  const double exponent = log_own * power;
  const double factor =
      exponent <= 0 ? exp2_of_negative(exponent) : 1 / exp2_of_negative(-exponent);
  return of_parent * factor * row.norm_shares;
}

void classic(const PrioritySettings& settings, Fairshare& out) {
  const FairshareTree& tree = out.tree;
  const auto factor = [&](const FairshareRow& row) { return classic_factor(settings, row); };
  // Parents come before their children, so what is inherited is there already.
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    FairshareRow& row = out.rows[i];
    row.level_fs = 0;
    const std::uint32_t parent = tree.parent(i);
    if (parent == FairshareTree::kNone) {
      row.norm_shares = 1;
      row.effective_usage = 1;
      row.factor = factor(row);
      continue;
    }
    const FairshareRow& above = out.rows[parent];
    if (tree.uses_parent(i))
      row.norm_shares = above.norm_shares;
    else
      row.norm_shares = above.norm_shares * tree.level_share(i);
    if (tree.parent(parent) == FairshareTree::kNone)
      row.effective_usage = row.norm_usage;
    else if (settings.depth_oblivious && !tree.uses_parent(i))
      row.effective_usage = depth_oblivious_usage(out, i);
    else if (tree.uses_parent(i) || !tree.level_has_shares(i))
      row.effective_usage = above.effective_usage;
    else
      row.effective_usage =
          row.norm_usage + (above.effective_usage - row.norm_usage) * tree.level_share(i);
    row.factor = tree.uses_parent(i) ? above.factor : factor(row);
  }
}

}  // namespace

bool FairshareTree::set_policy(std::shared_ptr<const Policy> policy) {
  if (policy_ == policy) return false;
  policy_ = std::move(policy);
  const std::vector<Association>& table = policy_->associations;
  const std::size_t count = table.size();
  parent_.assign(count, kNone);
  is_user_.assign(count, 0);
  uses_parent_.assign(count, 0);
  first_child_.assign(count + 1, 0);
  user_count_ = 0;
  users_below_.assign(count, 0);
  plain_below_.assign(count, 1);
  std::vector<std::int64_t> level_shares(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    is_user_[i] = table[i].user.empty() ? 0 : 1;
    user_count_ += is_user_[i];
    if (!table[i].parent) continue;
    uses_parent_[i] = table[i].shares_of_parent ? 1 : 0;
    std::size_t above = table[i].parent->index();
    CHECK(above < i, "parents come before their children");
    while (uses_parent_[above] != 0) above = parent_[above];
    parent_[i] = static_cast<std::uint32_t>(above);
    ++first_child_[above + 1];
    if (uses_parent_[i] == 0) level_shares[above] += table[i].shares;
  }
  for (std::size_t i = 0; i < count; ++i) first_child_[i + 1] += first_child_[i];
  children_.assign(first_child_[count], 0);
  level_share_.assign(count, 0);
  level_has_shares_.assign(count, 0);
  std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (parent_[i] == kNone) continue;
    children_[next[parent_[i]]++] = static_cast<std::uint32_t>(i);
    const std::int64_t all = level_shares[parent_[i]];
    level_has_shares_[i] = all != 0 ? 1 : 0;
    if (uses_parent_[i] == 0 && all != 0)
      level_share_[i] = static_cast<double>(table[i].shares) / static_cast<double>(all);
  }
  // Children come after their parents.
  for (std::size_t i = count; i-- > 0;) {
    if (parent_[i] == kNone) continue;
    users_below_[parent_[i]] += is_user_[i] != 0 ? 1 : users_below_[i];
    const bool has_level = is_user_[i] != 0 ? uses_parent_[i] != 0 || level_share_[i] > 0
                                            : uses_parent_[i] == 0 && level_share_[i] > 0;
    if (!has_level || plain_below_[i] == 0) plain_below_[parent_[i]] = 0;
  }
  return true;
}

void note_usage(const State& state, Fairshare& out) {
  if (out.tree.set_policy(state.shared_policy())) {
    const std::vector<std::uint32_t>& children = out.tree.children();
    out.siblings.resize(children.size());
    for (std::size_t i = 0; i < children.size(); ++i)
      out.siblings[i] = {0, out.tree.level_share(children[i]), children[i],
                         !out.tree.is_user(children[i]), out.tree.uses_parent(children[i])};
    out.rows.assign(out.tree.size(), {});
    out.sorted_in.assign(out.tree.size(), 0);
    out.ranked_in.assign(out.tree.size(), 0);
    out.open.assign(out.tree.size(), 0);
    out.opened.clear();
    out.noted = 0;
  }
  const std::vector<double>& used = state.billing_seconds();
  out.usage.assign(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(out.tree.size()));
  ++out.noted;
  out.ranked = false;
}

void rank_noted_usage(const Policy& policy, Fairshare& out) {
  out.ranked = true;
  if (out.rows.empty()) return;
  if (!uses_fair_tree(policy.priority)) {
    fill_norm_usage(out);
    classic(policy.priority, out);
    return;
  }
  open_all(out);
  walk_open(out);
  fill_levels(out);
}

void want_rank(std::size_t row, Fairshare& out) {
  if (row >= out.rows.size()) return;
  std::uint32_t above = out.tree.parent(row);
  if (above == FairshareTree::kNone || out.ranked_in[above] == out.noted) return;
  for (; above != FairshareTree::kNone && out.open[above] == 0; above = out.tree.parent(above))
    open_row(out, above);
}

void rank_wanted(const Policy& policy, Fairshare& out) {
  if (out.ranked || out.rows.empty()) return;
  if (!uses_fair_tree(policy.priority)) return rank_noted_usage(policy, out);
  // The root is open where anybody is wanted.
  if (out.open[0] != 0) walk_open(out);
}

double classic_factor(const PrioritySettings& settings, const FairshareRow& row) {
  if (row.norm_shares <= 0) return 0;
  const auto dampening = static_cast<double>(std::max<std::int64_t>(1, settings.dampening));
  return exp2_of_negative(-((row.effective_usage / row.norm_shares) / dampening));
}

void compute_fairshare(const State& state, Fairshare& out) {
  note_usage(state, out);
  rank_noted_usage(state.policy(), out);
  fill_norm_usage(out);
}

void fill_norm_usage(Fairshare& out) {
  const double total = out.usage.empty() ? 0 : out.usage[0];
  for (std::size_t i = 0; i < out.rows.size(); ++i)
    out.rows[i].norm_usage = total > 0 ? std::min(out.usage[i] / total, 1.0) : 0;
}

bool uses_fair_tree(const PrioritySettings& settings) {
  return settings.fair_tree && !settings.depth_oblivious;
}

double log2_of_positive(double x) {
  if (!(x > 0)) return -1075;
  // x = m * 2^e with m around 1; ln m = 2 atanh((m-1)/(m+1)), whose 21st term is below 2^-60.
  int exponent = 0;
  while (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent -= 54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffff) | std::uint64_t{1023} << 52);
  if (m > 1.41421356237309504880) {
    m /= 2;
    ++exponent;
  }
  const double y = (m - 1) / (m + 1);
  double sum = 0;
  for (int k = 21; k > 0; --k) sum = sum * y * y + 1.0 / (2 * k - 1);
  return exponent + 2 * y * sum / 0.693147180559945309417;
}

double exp2_of_negative(double x) {
  if (!(x < 0)) return 1;
  if (x < -1074) return 0;
  // x = whole + part with part in (-1, 0]; the power of the whole is a bit pattern, that of the
  // part is Taylor's series of e^(part ln 2), whose term of degree 18 is below 2^-60.
  const auto whole = static_cast<std::int64_t>(x);
  const double y = (x - static_cast<double>(whole)) * 0.693147180559945309417;
  double sum = 1;
  for (int k = 18; k > 0; --k) sum = 1 + sum * y / k;
  // Two halves, because 2^-1074 has no pattern of its own.
  auto power = [](std::int64_t exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  };
  return sum * power(whole / 2) * power(whole - whole / 2);
}

}  // namespace sluice
