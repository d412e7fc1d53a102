// What the page's server answers: its files, the daemon's and the commands' JSON, and a pulse.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "web/answer_cache.h"
#include "web/guard.h"
#include "web/series.h"
#include "web/sources.h"
#include "web/workers.h"
#include "wire/http.h"

namespace sluice {

struct WebSettings {
  WebAccess access;
  WebSources sources;
  std::string user;
  std::string version;
  // What a browser exchanges for the cookie, once; then the next one counts.
  std::string token;
  std::function<std::string()> next_token;
  std::string policy_file;  // Whose plan is shown.
  // What was seen over the last hours: as an earlier run left it, and where this one leaves it.
  std::string series_before;
  std::function<void(const std::string& series)> keep_series;
};

class WebFront {
 public:
  WebFront(Loop& loop, WebSettings settings);

  void answer(HttpRequest request, std::shared_ptr<HttpReply> reply);
  // Begins to look after the cluster: the series, and the pulse of viewers.
  void start();
  // Leaves the series for the next run.
  void end() const;

 private:
  using Reply = std::shared_ptr<HttpReply>;

  void log_in(const HttpRequest& request, const Reply& reply);
  bool send_file(const HttpRequest& request, const Reply& reply);
  void route(const HttpRequest& request, const Reply& reply);
  void plan(const HttpRequest& request, const Reply& reply);
  void slurm_route(const HttpRequest& request, const Reply& reply);
  void daemon_route(const HttpRequest& request, const Reply& reply);
  void change(const HttpRequest& request, const Reply& reply);
  void cancel_on_slurm(const std::string& job, const Reply& reply);
  void log(const HttpRequest& request, const std::string& job, const Reply& reply);
  void chain_logs(const std::string& chain, const HttpRequest& request, const Reply& reply);
  void follow(const Reply& reply);

  // The answer to `key`, asked for by `ask` in a thread where there is none that is fresh.
  void shared_answer(const std::string& key, Duration freshness, std::function<WebAnswer()> ask,
                     AnswerCache::Take take);
  void send_shared(const HttpRequest& request, const Reply& reply, const std::string& key,
                   Duration freshness, std::function<WebAnswer()> ask);
  void send_command(const HttpRequest& request, const Reply& reply, const std::string& key,
                    Duration freshness, std::vector<std::string> words);

  void look();
  void pulse(const WebAnswer& daemon);
  void sample();

  Loop& loop_;
  WebSettings settings_;
  AnswerCache cache_;
  WebSeries series_;
  std::vector<Reply> viewers_;
  std::string last_pulse_;
  unsigned looks_ = 0;
  unsigned looks_since_pulse_ = 0;
  Workers workers_;
};

}  // namespace sluice
