// The floor: EASY backfill as a bare loop over numbers, parsing included. It keeps nothing, has no
// journal, no nodes and no policy, and nothing but the benches uses it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <string_view>
#include <vector>

namespace sluice::bench {

struct FloorJob {
  std::int64_t submit, run, estimate, start;
  std::int32_t cpus;
};

inline std::vector<FloorJob> parse_floor(std::string_view text) {
  std::vector<FloorJob> jobs;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == ';') {
      while (at != end && *at++ != '\n') {
      }
      continue;
    }
    std::int64_t column[18] = {};
    int count = 0;
    for (; at != end && *at != '\n'; ++at) {
      if (*at == ' ') continue;
      const bool negative = *at == '-';
      std::int64_t value = 0;
      for (at += negative; at != end && *at >= '0' && *at <= '9'; ++at)
        value = value * 10 + (*at - '0');
      if (count < 18) column[count++] = negative ? -value : value;
      --at;
    }
    if (at != end) ++at;
    const std::int64_t cpus = column[7] > 0 ? column[7] : column[4];
    const std::int64_t estimate = column[8] > 0 ? column[8] : std::max<std::int64_t>(column[3], 1);
    if (count > 4)
      jobs.push_back({column[1], column[3], estimate, -1, static_cast<std::int32_t>(cpus)});
  }
  return jobs;
}

// Fills in every start. At one second: submissions, then ends in order of start, with a pass after
// each. Runs that reach their estimate free their processors before the first pass of the second,
// and nothing changes until their own turn, so only the first event of the second needs a pass.
class EasyFloor {
 public:
  EasyFloor(std::vector<FloorJob>& jobs, std::int64_t cpus) : jobs_(jobs), free_(cpus) {}

  void run() {
    std::size_t next = 0;
    while (next < jobs_.size() || !ends_.empty()) {
      const std::int64_t ended = ends_.empty() ? INT64_MAX : ends_.top().at;
      now_ = next < jobs_.size() ? std::min(jobs_[next].submit, ended) : ended;
      std::uint32_t first = UINT32_MAX;  // Of those at their estimate, while none had a pass.
      for (; !ends_.empty() && ends_.top().at == now_ && ends_.top().at_estimate; end())
        first = std::min(first, ends_.top().order);
      for (; next < jobs_.size() && jobs_[next].submit == now_; ++next) {
        waiting_.push_back(static_cast<std::uint32_t>(next));
        pass();
        first = UINT32_MAX;
      }
      while (!ends_.empty() && ends_.top().at == now_) {
        if (first < ends_.top().order) pass();
        first = UINT32_MAX;
        end();
        pass();
      }
      if (first != UINT32_MAX) pass();
    }
  }

 private:
  struct End {
    std::int64_t at;
    bool at_estimate;
    std::uint32_t order, job;
    bool operator<(const End& b) const {
      if (at != b.at) return at > b.at;
      return at_estimate != b.at_estimate ? b.at_estimate : order > b.order;
    }
  };
  struct Expected {
    std::int64_t at;
    std::uint32_t job;
  };

  void end() {
    const FloorJob& job = jobs_[ends_.top().job];
    auto expected = std::lower_bound(expected_.begin(), expected_.end(), job.start + job.estimate,
                                     [](const Expected& e, std::int64_t at) { return e.at < at; });
    while (expected->job != ends_.top().job) ++expected;
    expected_.erase(expected);
    free_ += job.cpus;
    ends_.pop();
  }
  void start(std::uint32_t index) {
    FloorJob& job = jobs_[index];
    job.start = now_;
    free_ -= job.cpus;
    ends_.push({now_ + std::min(job.run, job.estimate), job.run >= job.estimate, ++order_, index});
    expected_.insert(std::upper_bound(expected_.begin(), expected_.end(), now_ + job.estimate,
                                      [](std::int64_t at, const Expected& e) { return at < e.at; }),
                     {now_ + job.estimate, index});
  }
  void pass() {
    std::size_t i = 0;
    for (; i < waiting_.size() && jobs_[waiting_[i]].cpus <= free_; ++i) start(waiting_[i]);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    if (waiting_.empty()) return;
    std::int64_t extra = free_ - jobs_[waiting_[0]].cpus;
    std::int64_t shadow = INT64_MAX;
    for (const Expected& e : expected_) {
      if (extra >= 0 && e.at != shadow) break;
      extra += jobs_[e.job].cpus;
      shadow = e.at;
    }
    std::size_t kept = 1;
    for (i = 1; i < waiting_.size() && free_ > 0; ++i) {
      const FloorJob& job = jobs_[waiting_[i]];
      const bool in_time = now_ + job.estimate <= shadow;
      if (job.cpus <= free_ && (in_time || job.cpus <= extra)) {
        if (!in_time) extra -= job.cpus;
        start(waiting_[i]);
      } else {
        waiting_[kept++] = waiting_[i];
      }
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(kept),
                   waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::vector<FloorJob>& jobs_;
  std::int64_t free_, now_ = 0;
  std::uint32_t order_ = 0;
  std::vector<std::uint32_t> waiting_;
  std::vector<Expected> expected_;
  std::priority_queue<End> ends_;
};

}  // namespace sluice::bench
