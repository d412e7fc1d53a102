// Answers that many viewers want at once: asked for once, and told to all of them.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"

namespace sluice {

struct WebAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string packed;  // The same with gzip; "" where that is not worth it.
  std::string tag;     // Changes with the body.
};

// Packs the body and gives it its tag.
WebAnswer packed_answer(int status, std::string content_type, std::string body);

class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;
  using Take = std::function<void(const std::shared_ptr<const WebAnswer>&)>;

  // Calls `take` with the answer to `key`: at once where there is one no older than `freshness`,
  // else when the answer comes that has been asked for. True: the caller has to ask, and to tell
  // give().
  bool wants(const std::string& key, Duration freshness, Take take);
  void give(const std::string& key, WebAnswer answer);

 private:
  struct Entry {
    std::shared_ptr<const WebAnswer> answer;
    Clock::time_point at;
    std::vector<Take> waiting;
    bool asked = false;
  };
  void drop_old(Clock::time_point now);

  std::map<std::string, Entry> entries_;
};

}  // namespace sluice
