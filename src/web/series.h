// What was used over the last hours, as the page's server has seen it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sluice {

class WebSeries {
 public:
  // Answers of /v1/nodes, /v1/shares and of `sluice pools --json`, seen at that second.
  void take_nodes(std::int64_t at, std::string_view json);
  void take_shares(std::int64_t at, std::string_view json);
  void take_pools(std::int64_t at, std::string_view json);
  // The lines whose names begin with that word: "pool", "share"; none: those of the cluster as a
  // whole.
  std::string json(std::string_view of) const;
  // All lines, for the next run of the server, and what an earlier run left: of the last day.
  std::string saved() const;
  void restore(std::int64_t now, std::string_view saved);

 private:
  using Point = std::pair<std::int64_t, std::int64_t>;
  // A line has its own times: what began later, or was not seen, has a gap. Of what is long ago a
  // point a minute is kept.
  struct Line {
    std::deque<Point> old;
    std::deque<Point> points;
  };
  std::string written(const std::function<bool(const std::string& name)>& wanted) const;
  void add(const std::string& name, std::int64_t at, std::int64_t value);

  std::map<std::string, Line> lines_;
  std::int64_t last_shares_ = 0;
};

}  // namespace sluice
