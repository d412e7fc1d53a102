// What the screen shows, fetched by a thread of its own: a cluster that answers slowly must not
// make keys slow.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/time.h"
#include "top/views.h"
#include "web/sources.h"

namespace sluice {

// The tasks of an array, a chain and a job are opened from a list.
enum class TopView : std::uint8_t { kQueue, kPools, kChains, kNodes, kTasks, kChain, kJob };

struct TopSnapshot {
  TopView view = TopView::kQueue;
  std::string job;  // The job, array or chain that was opened.
  TopTable table;   // Of lists.
  std::vector<TopLine> lines;
  std::string log;            // The last of it; a chain's report.
  std::optional<Instant> at;  // When it was fetched.
  std::string problem;        // Why it is no newer.
};

class TopWatch {
 public:
  TopWatch(WebSources sources, Duration pause);
  TopWatch(const TopWatch&) = delete;
  TopWatch& operator=(const TopWatch&) = delete;
  ~TopWatch();

  // What is looked at from now on; the next snapshot comes as soon as it can.
  void look_at(TopView view, const std::string& job);
  void look_again();
  TopSnapshot latest();
  // Ends the job, tasks of it, or the chain; what came of it, in words.
  std::string cancel(TopView view, const std::string& key);

 private:
  void serve();
  Result<TopSnapshot> fetched(TopView view, const std::string& job);

  WebSources sources_;
  Duration pause_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  TopView view_ = TopView::kQueue;
  std::string job_;
  bool now_ = true;
  bool ended_ = false;
  TopSnapshot latest_;
  std::thread thread_;
};

}  // namespace sluice
