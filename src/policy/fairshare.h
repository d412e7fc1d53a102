// What each user association may still expect, from shares and past usage.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "state/state.h"

namespace sluice {

struct FairshareRow {
  double norm_shares = 0;      // sshare's NormShares
  double norm_usage = 0;       // NormUsage
  double effective_usage = 0;  // EffectvUsage
  double level_fs = 0;         // LevelFS (Fair Tree); infinity where nothing was used
  double factor = 0;           // FairShare, 0 to 1; of user associations
};

// The tree as fairshare sees it: what has FairShare=parent hands its children on to the nearest
// association above that has shares of its own. Depends on the policy alone.
class FairshareTree {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // False where the tree is that policy's already.
  bool set_policy(std::shared_ptr<const Policy> policy);

  std::size_t size() const { return parent_.size(); }
  std::uint32_t parent(std::size_t row) const { return parent_[row]; }
  bool is_user(std::size_t row) const { return is_user_[row] != 0; }
  bool uses_parent(std::size_t row) const { return uses_parent_[row] != 0; }
  // Own shares over those of all siblings; 0 where no sibling has any.
  double level_share(std::size_t row) const { return level_share_[row]; }
  // Whether any sibling (or the row itself) has shares.
  bool level_has_shares(std::size_t row) const { return level_has_shares_[row] != 0; }
  std::uint32_t user_count() const { return user_count_; }
  // Users of an account and of all accounts below it.
  std::uint32_t users_below(std::size_t row) const { return users_below_[row]; }
  // Whether all below it have shares, so that all are equally good where nothing was used.
  bool all_have_shares_below(std::size_t row) const { return plain_below_[row] != 0; }
  // The children of a row are children()[first_child(row)] up to first_child(row + 1), in the
  // policy's order.
  std::uint32_t first_child(std::size_t row) const { return first_child_[row]; }
  const std::vector<std::uint32_t>& children() const { return children_; }

 private:
  std::shared_ptr<const Policy> policy_;  // Held, so that no other policy gets its address.
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint8_t> is_user_;
  std::vector<std::uint8_t> uses_parent_;
  std::vector<std::uint8_t> level_has_shares_;
  std::vector<double> level_share_;
  std::vector<std::uint32_t> first_child_;
  std::vector<std::uint32_t> children_;
  std::uint32_t user_count_ = 0;
  std::vector<std::uint32_t> users_below_;
  std::vector<std::uint8_t> plain_below_;
};

// One row for each association of the policy, in its order.
struct Fairshare {
  std::vector<FairshareRow> rows;

  // Kept between calculations; nothing in here is a result.
  struct Sibling {
    double level_fs = 0;
    double level_share = 0;
    std::uint32_t row = 0;
    bool is_account = false;
    bool uses_parent = false;
  };
  struct Level {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    double previous = 0;
    bool first_is_tied = false;
  };
  FairshareTree tree;
  std::vector<double> usage;
  bool ranked = true;  // All rows are those of the usage.
  // Under Fair Tree most accounts have nobody waiting. Of such only the place among their siblings
  // matters to others, so the walk passes them by.
  std::uint32_t noted = 0;               // How often usage was taken down.
  std::vector<std::uint32_t> sorted_in;  // By parent: its children's levels are those of that time,
  std::vector<std::uint32_t> ranked_in;  // and they have their ranks.
  std::vector<std::uint8_t> open;        // By account: the next walk goes in.
  std::vector<std::uint32_t> opened;     // Those accounts.
  std::vector<double> factor_of_rank;
  std::vector<Sibling> siblings;
  std::vector<Level> levels;
};

// Fair Tree, or the classic formula where the policy says so. Reuses `out`'s memory.
void compute_fairshare(const State& state, Fairshare& out);

// The same in two steps: what was used is taken down now, and weighed when somebody asks.
void note_usage(const State& state, Fairshare& out);
void rank_noted_usage(const Policy& policy, Fairshare& out);
// Only the factors that are asked for: first say whose, one by one, then have them ranked.
void want_rank(std::size_t row, Fairshare& out);
void rank_wanted(const Policy& policy, Fairshare& out);
// What only people look at: each row's part of all usage.
void fill_norm_usage(Fairshare& out);

// The classic formula's factor, from a row's effective usage and shares.
double classic_factor(const PrioritySettings& settings, const FairshareRow& row);

// 2 to the power of x for x <= 0, from additions and multiplications alone: the same bits from
// every compiler and C library. Within two units in the last place of the true value.
double exp2_of_negative(double x);
// The logarithm to base 2 of x > 0, in the same way.
double log2_of_positive(double x);
// Fair Tree is what counts unless the policy takes the classic formula, as DEPTH_OBLIVIOUS does
// too.
bool uses_fair_tree(const PrioritySettings& settings);

}  // namespace sluice
