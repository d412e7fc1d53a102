#include "web/series.h"

#include <gtest/gtest.h>

#include "views/json.h"

namespace sluice {
namespace {

std::string nodes_with(int used) {
  return R"({"lines":[{"cpus":8,"cpus_free":)" + std::to_string(8 - used) +
         R"(,"memory_mb":10,"memory_free_mb":10,"gpus":0,"gpus_free":0}]})";
}

std::vector<std::int64_t> times_of(const WebSeries& series, const char* line) {
  std::vector<std::int64_t> out;
  const auto value = parse_json(series.json(""));
  const JsonValue* points = value->find("lines")->find(line);
  if (points == nullptr) return out;
  for (const JsonValue& point : points->items) out.push_back(point.items[0].integer);
  return out;
}

TEST(WebSeries, TheNextRunGoesOnWhereTheLastOneEnded) {
  constexpr std::int64_t kNow = 1'000'000;
  WebSeries before;
  for (std::int64_t at = kNow - 600; at < kNow - 300; at += 5) before.take_nodes(at, nodes_with(3));
  WebSeries after;
  after.restore(kNow, before.saved());
  after.take_nodes(kNow, nodes_with(5));
  // A point a minute of what was before, and the new one.
  EXPECT_EQ(times_of(after, "cpus"), (std::vector<std::int64_t>{kNow - 600, kNow - 540, kNow - 480,
                                                                kNow - 420, kNow - 360, kNow}));
}

TEST(WebSeries, WhatIsOldOrFromTheFutureIsNotKept) {
  WebSeries series;
  series.restore(1'000'000, R"({"lines":{"cpus":[[900000,1],[999000,2],[998000,3],[1000001,4]]}})");
  EXPECT_EQ(times_of(series, "cpus"), (std::vector<std::int64_t>{999000}));
}

TEST(WebSeries, AFileThatIsDamagedIsNone) {
  for (const char* text :
       {"", "{", "[]", "{\"lines\":3}", "{\"lines\":{\"cpus\":[[1],2,\"x\"]}}"}) {
    WebSeries series;
    series.restore(1'000'000, text);
    EXPECT_TRUE(times_of(series, "cpus").empty()) << text;
  }
}

}  // namespace
}  // namespace sluice
