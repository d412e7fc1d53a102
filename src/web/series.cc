#include "web/series.h"

#include "views/json.h"

namespace sluice {
namespace {

// An hour at one point in five seconds, and a day at one a minute.
constexpr std::size_t kMostPoints = 720;
constexpr std::size_t kMostOldPoints = 1440;
constexpr std::int64_t kBetweenOldPoints = 60;
// Pools of one user and accounts; more lines cannot be read.
constexpr std::size_t kMostLines = 512;

std::int64_t whole(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr && found->is(JsonValue::Kind::kInteger) ? found->integer : 0;
}

std::string text(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr && found->is(JsonValue::Kind::kText) ? found->text : std::string();
}

// In thousandths, of a number that may be whole.
std::int64_t thousandths(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  if (found == nullptr) return 0;
  if (found->is(JsonValue::Kind::kInteger)) return found->integer * 1000;
  return found->is(JsonValue::Kind::kReal) ? static_cast<std::int64_t>(found->real * 1000) : 0;
}

}  // namespace

void WebSeries::add(const std::string& name, std::int64_t at, std::int64_t value) {
  if (!lines_.contains(name) && lines_.size() >= kMostLines) return;
  auto& points = lines_[name].points;
  if (!points.empty() && points.back().first >= at) return;
  points.emplace_back(at, value);
  if (points.size() <= kMostPoints) return;
  auto& old = lines_[name].old;
  if (old.empty() || points.front().first - old.back().first >= kBetweenOldPoints)
    old.push_back(points.front());
  if (old.size() > kMostOldPoints) old.pop_front();
  points.pop_front();
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
  // Shares move slowly.
  if (at - last_shares_ < kBetweenOldPoints) return;
  last_shares_ = at;
  for (const JsonValue& line : lines->items) {
    const std::string account = text(line, "account");
    const std::string user = text(line, "user");
    if (user.empty())
      add("share " + account, at, thousandths(line, "norm_usage"));
    else
      add("fairshare " + account + "/" + user, at, thousandths(line, "factor"));
  }
}

void WebSeries::take_pools(std::int64_t at, std::string_view json) {
  const auto value = parse_json(json);
  const JsonValue* pools = value ? value->find("pools") : nullptr;
  if (pools == nullptr) return;
  for (const JsonValue& pool : pools->items) {
    const std::string key =
        text(pool, "account") + ":" + text(pool, "qos") + "/" + text(pool, "device");
    add("pool " + key, at, whole(pool, "now"));
    const JsonValue* limits = pool.find("limits");
    const JsonValue* mine = pool.find("mine");
    const JsonValue* others = pool.find("others");
    if (limits == nullptr || mine == nullptr || others == nullptr) continue;
    for (const std::string_view resource : {"gres/gpu", "cpu", "mem", "node"}) {
      if (limits->find(resource) == nullptr) continue;
      add("pool mine " + key, at, whole(*mine, resource));
      add("pool held " + key, at, whole(*mine, resource) + whole(*others, resource));
      add("pool limit " + key, at, whole(*limits, resource));
      break;
    }
  }
}

std::string WebSeries::json(std::string_view of) const {
  return written([of](const std::string& name) {
    return of.empty() ? name.find(' ') == std::string::npos
                      : name.starts_with(std::string(of) + " ");
  });
}

std::string WebSeries::saved() const {
  return written([](const std::string&) { return true; });
}

void WebSeries::restore(std::int64_t now, std::string_view saved) {
  const auto value = parse_json(saved);
  const JsonValue* lines = value ? value->find("lines") : nullptr;
  if (lines == nullptr) return;
  constexpr std::int64_t kDay = 86400;
  for (const auto& [name, points] : lines->members) {
    if (lines_.size() >= kMostLines) return;
    std::deque<Point> old;
    for (const JsonValue& point : points.items) {
      if (point.items.size() != 2) return;
      const Point one{point.items[0].integer, point.items[1].integer};
      // A point a minute, in their order, none from a clock that was wrong.
      if (one.first <= now - kDay || one.first >= now) continue;
      if (old.empty() || one.first - old.back().first >= kBetweenOldPoints) old.push_back(one);
    }
    if (!old.empty()) lines_[name].old = std::move(old);
  }
}

std::string WebSeries::written(const std::function<bool(const std::string& name)>& wanted) const {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.web.series/1");
  writer.key("lines");
  writer.begin_object();
  for (const auto& [name, line] : lines_) {
    if (!wanted(name)) continue;
    writer.key(name);
    writer.begin_array();
    for (const auto* points : {&line.old, &line.points})
      for (const auto& [at, value] : *points) {
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
