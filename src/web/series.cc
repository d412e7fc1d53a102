#include "web/series.h"

#include "views/json.h"

namespace sluice {
namespace {

// Four hours at one point in five seconds.
constexpr std::size_t kMostPoints = 2880;
// Pools of one user; nobody looks at more lines.
constexpr std::size_t kMostLines = 256;

std::int64_t whole(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr && found->is(JsonValue::Kind::kInteger) ? found->integer : 0;
}

std::string text(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr && found->is(JsonValue::Kind::kText) ? found->text : std::string();
}

}  // namespace

void WebSeries::add(const std::string& name, std::int64_t at, std::int64_t value) {
  if (!lines_.contains(name) && lines_.size() >= kMostLines) return;
  auto& points = lines_[name].points;
  if (!points.empty() && points.back().first >= at) return;
  points.emplace_back(at, value);
  if (points.size() > kMostPoints) points.pop_front();
}

void WebSeries::take_nodes(std::int64_t at, std::string_view json) {
  const auto value = parse_json(json);
  const JsonValue* lines = value ? value->find("lines") : nullptr;
  if (lines == nullptr) return;
  std::int64_t cpus = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
  for (const JsonValue& node : lines->items) {
    cpus += whole(node, "cpus") - whole(node, "cpus_free");
    memory += whole(node, "memory_mb") - whole(node, "memory_free_mb");
    gpus += whole(node, "gpus") - whole(node, "gpus_free");
  }
  add("cpus", at, cpus);
  add("memory_mb", at, memory);
  add("gpus", at, gpus);
}

// The root of the account tree counts everything, array tasks one by one.
void WebSeries::take_shares(std::int64_t at, std::string_view json) {
  const auto value = parse_json(json);
  const JsonValue* lines = value ? value->find("lines") : nullptr;
  if (lines == nullptr || lines->items.empty()) return;
  const JsonValue& root = lines->items.front();
  add("running", at, whole(root, "running"));
  add("waiting", at, whole(root, "submitted") - whole(root, "running"));
}

void WebSeries::take_pools(std::int64_t at, std::string_view json) {
  const auto value = parse_json(json);
  const JsonValue* pools = value ? value->find("pools") : nullptr;
  if (pools == nullptr) return;
  for (const JsonValue& pool : pools->items)
    add("pool " + text(pool, "account") + ":" + text(pool, "qos") + "/" + text(pool, "device"), at,
        whole(pool, "now"));
}

std::string WebSeries::json() const {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.web.series/1");
  writer.key("lines");
  writer.begin_object();
  for (const auto& [name, line] : lines_) {
    writer.key(name);
    writer.begin_array();
    for (const auto& [at, value] : line.points) {
      writer.begin_array();
      writer.number(at);
      writer.number(value);
      writer.end_array();
    }
    writer.end_array();
  }
  writer.end_object();
  writer.end_object();
  return out;
}

}  // namespace sluice
