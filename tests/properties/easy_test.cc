// EASY by the engine gives the schedule of the rule written down plainly, whatever happens at one
// second.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "sim/workloads/swf.h"

namespace sluice {
namespace {

constexpr int kCpus = 8;

struct Line {
  int submit, run, cpus, estimate;
};

// The rule, with everything calculated again in every pass: at one second every submission, then
// every end in order of start, one pass each. A run whose estimate ends now holds nothing.
class PlainEasy {
 public:
  explicit PlainEasy(const std::vector<Line>& lines) : lines_(lines), start_(lines.size(), -1) {}

  std::vector<int> starts() {
    for (now_ = 0; now_ <= kLast; ++now_) {
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (lines_[i].submit != now_ || lines_[i].cpus > kCpus) continue;
        waiting_.push_back(i);
        pass();
      }
      while (end_one()) pass();
    }
    return start_;
  }

 private:
  static constexpr int kLast = 2000;

  bool end_one() {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const Line& line = lines_[running_[i]];
      if (start_[running_[i]] + std::min(line.run, line.estimate) != now_) continue;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  int estimated_end(std::size_t job) const { return start_[job] + lines_[job].estimate; }

  // What running jobs and the reservation leave at that time.
  int free_at(int time) const {
    int free = kCpus;
    for (std::size_t job : running_)
      if (estimated_end(job) > time) free -= lines_[job].cpus;
    return free;
  }

  void start(std::size_t place) {
    start_[waiting_[place]] = now_;
    running_.push_back(waiting_[place]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void pass() {
    while (!waiting_.empty() && lines_[waiting_[0]].cpus <= free_at(now_)) start(0);
    if (waiting_.empty()) return;
    const Line& head = lines_[waiting_[0]];
    int reserved = now_;
    while (free_at(reserved) < head.cpus) ++reserved;
    for (std::size_t i = 1; i < waiting_.size();) {
      const Line& line = lines_[waiting_[i]];
      const bool fits_now = line.cpus <= free_at(now_);
      const bool in_time = now_ + line.estimate <= reserved;
      const bool beside = line.cpus <= free_at(reserved) - head.cpus;
      if (fits_now && (in_time || beside))
        start(i);
      else
        ++i;
    }
  }

  const std::vector<Line>& lines_;
  std::vector<int> start_;
  std::vector<std::size_t> waiting_, running_;
  int now_ = 0;
};

std::string swf_of(const std::vector<Line>& lines) {
  std::string text = fmt::format("; MaxProcs: {}\n", kCpus);
  for (std::size_t i = 0; i < lines.size(); ++i)
    text +=
        fmt::format("{} {} -1 {} {} -1 -1 {} {} -1 1 1 1 -1 -1 -1 -1 -1\n", i + 1, lines[i].submit,
                    lines[i].run, lines[i].cpus, lines[i].cpus, lines[i].estimate);
  return text;
}

std::vector<int> starts_of_engine(const std::string& text) {
  const Workload workload = parse_swf(text, "trace").value();
  const Simulation simulation =
      simulate(std::make_shared<const Policy>(machine_of(workload, SchedulerType::kEasy)), workload)
          .value();
  std::vector<int> starts;
  for (const SimulatedJob& job : simulation.jobs)
    starts.push_back(job.started() ? static_cast<int>(to_seconds(job.start)) : -1);
  return starts;
}

// Few different times, so that many events share a second; runs shorter than, as long as and longer
// than their estimate, and of no length at all.
std::vector<Line> random_lines() {
  const int jobs = *rc::gen::inRange(1, 40);
  std::vector<Line> lines;
  int submit = 0;
  for (int i = 0; i < jobs; ++i) {
    if (*rc::gen::inRange(0, 2) == 0) submit += *rc::gen::inRange(0, 4);
    Line line;
    line.submit = submit;
    line.cpus = *rc::gen::inRange(1, kCpus + 2);
    line.estimate = *rc::gen::inRange(1, 9);
    line.run = *rc::gen::inRange(0, 3) == 0 ? line.estimate : *rc::gen::inRange(0, 10);
    lines.push_back(line);
  }
  return lines;
}

TEST(EasyProperties, TheEngineGivesThePlainRulesSchedule) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Line> lines = random_lines();
    const std::string text = swf_of(lines);
    RC_LOG(text);
    RC_ASSERT(starts_of_engine(text) == PlainEasy(lines).starts());
  }));
}

// The first of the two ends of second 4 started first and frees what the head misses: the run at
// its estimate has no pass before it in which the job behind the head could take its processors.
TEST(EasyProperties, ARunAtItsEstimateBringsNoPassBeforeAnEarlierOnesEnd) {
  const std::vector<Line> lines = {{0, 4, 4, 8}, {0, 4, 4, 4}, {1, 5, 8, 5}, {2, 4, 4, 4}};
  EXPECT_EQ(PlainEasy(lines).starts(), (std::vector<int>{0, 0, 4, 9}));
  EXPECT_EQ(starts_of_engine(swf_of(lines)), (std::vector<int>{0, 0, 4, 9}));
}

}  // namespace
}  // namespace sluice
