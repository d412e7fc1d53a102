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

enum class TopView : std::uint8_t { kQueue, kPools, kChains, kNodes, kJob };

struct TopSnapshot {
  TopView view = TopView::kQueue;
  std::string job;  // Of the view of a job.
  TopTable table;   // Of the other views.
  std::vector<TopLine> lines;
  std::string log;            // The last of it.
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
  // Ends the job, or the chain; what came of it, in words.
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
