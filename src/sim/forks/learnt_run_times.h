// How long jobs really run, learnt from those that ran before.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace sluice {

// One run that ended by itself or at its limit.
struct RanBefore {
  std::string user;
  std::string name;  // Empty where the cluster does not say.
  Duration limit{0};
  Duration run{0};
};

class LearntRunTimes {
 public:
  LearntRunTimes() = default;
  explicit LearntRunTimes(std::span<const RanBefore> past);

  // Run times that a job may have, sorted; those of its own name, of its user with the same limit,
  // of its user, or of everybody, whichever is the first of which there are enough. Times of other
  // limits are scaled to this one.
  class Choice {
   public:
    // Of one that has already run so long; `draw` is any number. The limit where none of those
    // before ran so long, or there are none.
    Duration pick(Duration so_far, std::uint64_t draw) const;
    bool is_known() const { return times_ != nullptr; }
    std::size_t runs() const { return times_ == nullptr ? 0 : times_->size(); }
    // The time that 95 of 100 did not exceed.
    Duration long_one() const;
    // Whether they are runs of the same name.
    bool same_name() const { return same_name_; }

   private:
    friend class LearntRunTimes;
    const std::vector<Duration>* times_ = nullptr;
    bool scaled_ = false;  // Thousandths of the limit in place of times.
    bool same_name_ = false;
    Duration limit_{0};
    Duration at(std::size_t i) const;
  };
  Choice of(const std::string& user, const std::string& name, Duration limit) const;

  std::size_t runs() const { return everybody_.size(); }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Duration>> by_name_;
  std::map<std::pair<std::string, Duration>, std::vector<Duration>> by_limit_;
  std::map<std::string, std::vector<Duration>> by_user_;
  std::vector<Duration> everybody_;
};

}  // namespace sluice
