// What was used over the last hours, as the page's server has seen it.
#pragma once

#include <cstdint>
#include <deque>
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
  std::string json() const;

 private:
  // A line has its own times: what began later, or was not seen, has a gap.
  struct Line {
    std::deque<std::pair<std::int64_t, std::int64_t>> points;
  };
  void add(const std::string& name, std::int64_t at, std::int64_t value);

  std::map<std::string, Line> lines_;
};

}  // namespace sluice
