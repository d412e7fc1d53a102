// The keys of docs/reference/routing-file.md.
#include "policyfile/files/routing_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/yaml.h"
#include "text/spelling.h"

namespace sluice {
namespace {

std::vector<std::string> texts(FieldReader& fields, const Key& key) {
  std::vector<std::string> out;
  for (const Value& item : fields.listed(key)) out.push_back(item.text);
  return out;
}

void read_device(FieldReader& file, const Key& key, Reading& reading, DeviceSettings& device) {
  const Value* value = file.raw(key);
  if (value == nullptr) return;
  FieldReader fields(*value, file.field(key), reading);
  if (fields.has({"partitions", "", {"partition"}}))
    device.partitions = texts(fields, {"partitions", "", {"partition"}});
  fields.count({"cpus", "CPUs of one task"}, device.cpus, Range{1, INT32_MAX});
  fields.memory_limit({"memory", "Memory of one task", {"mem"}}, device.memory_mb);
  fields.count({"gpus", "GPUs of one task"}, device.gpus, Range{0, INT32_MAX});
  fields.text({"gpu-type", "Which GPUs"}, device.gpu_type);
  fields.limit({"time", "Time limit of one task"}, device.time_limit);
  fields.finish();
}

// shapes: {decon: {gpu: {…}, cpu: {…}}}
void read_shapes(FieldReader& file, const Key& key, Reading& reading, RoutingSettings& out) {
  const Value* value = file.raw(key);
  if (value == nullptr) return;
  if (!value->is_map()) {
    file.error(*value, key, "is not a map", "write: shapes: {NAME: {gpu: {…}, cpu: {…}}}");
    return;
  }
  for (const Entry& entry : value->entries) {
    ShapeSettings& shape = out.shapes[entry.key];
    FieldReader both(entry.value, fmt::format("{}.{}", file.field(key), entry.key), reading);
    read_device(both, {"gpu", ""}, reading, shape.gpu);
    read_device(both, {"cpu", ""}, reading, shape.cpu);
    both.finish();
  }
}

void read_block(const Value& item, std::size_t number, Reading& reading, RoutingSettings& out) {
  Block block;
  const std::string path = fmt::format("blocked[{}]", number);
  FieldReader fields(item, path, reading);
  fields.text({"account", ""}, block.account);
  fields.text({"reason", ""}, block.reason);
  fields.text({"since", ""}, block.since);
  fields.text({"review", ""}, block.review);
  fields.finish();
  if (block.account.empty())
    reading.error(item.place, path, "names no account", "write: account: NAME");
  if (block.reason.empty())
    reading.error(item.place, path, "has no reason", "write why, for a later review: reason: …");
  for (const std::string* date : {&block.since, &block.review})
    if (!date->empty() && !is_date(*date))
      reading.error(item.place, path, fmt::format("'{}' is not a date", *date),
                    "write it as 2026-04-08");
  std::erase_if(out.blocked, [&](const Block& old) { return old.account == block.account; });
  out.blocked.push_back(std::move(block));
}

void read_percent(FieldReader& fields, const Key& key, std::int64_t& percent) {
  const Value* value = fields.scalar(key);
  if (value == nullptr) return;
  std::string text = value->text;
  if (text.ends_with('%')) text.pop_back();
  const bool whole =
      !text.empty() && text.size() <= 3 &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  const std::int64_t read = whole ? std::stoll(text) : 0;
  if (read < 1 || read > 100)
    fields.error(*value, key, fmt::format("'{}' is not a share", value->text), "write 85%");
  else
    percent = read;
}

void read_qos(FieldReader& fields, const Key& key, Reading& reading, RoutingSettings& out) {
  const Value* value = fields.raw(key);
  if (value == nullptr) return;
  FieldReader accounts(*value, fields.field(key), reading);
  for (const Entry& entry : value->entries)
    out.qos[entry.key] = texts(accounts, Key{entry.key, ""});
  accounts.finish();
}

}  // namespace

// A project's file without the section says nothing of routing. What stands beside it and is
// plainly meant would be overlooked.
static Result<void> check_not_meant(const Value& whole) {
  static constexpr std::array<std::string_view, 5> kOurs = {
      "burst-suffixes", "cpu-share", "cpu-time-factor", "stuck-after", "blocked"};
  for (const Entry& entry : whole.entries)
    for (const std::string_view key : kOurs)
      if (folded(entry.key) == folded(key))
        return tl::unexpected<Error>(Error{
            ErrorKind::kBadInput,
            fmt::format("'{}' is outside of the section routing, where it is not read", entry.key),
            entry.place.text(), fmt::format("write: routing: {{{}: …}}", key)});
  return {};
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i != 4 && i != 7 && std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  const std::string_view month = text.substr(5, 2);
  const std::string_view day = text.substr(8, 2);
  return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

Result<void> read_routing_file(std::string_view text, std::string_view file_name,
                               RoutingSettings& settings) {
  TRY(const Value whole, parse_yaml(text, file_name));
  const Value* map = &whole;
  for (const Entry& entry : whole.entries)
    if (folded(entry.key) == "routing") map = &entry.value;
  if (map == &whole && file_name.ends_with(".sluice.yaml")) return check_not_meant(whole);
  RoutingSettings out = settings;
  Reading reading;
  FieldReader fields(*map, "routing", reading);
  if (fields.has({"accounts", ""})) out.accounts = texts(fields, {"accounts", ""});
  read_qos(fields, {"qos", ""}, reading, out);
  if (fields.has({"burst-suffixes", ""}))
    out.burst_suffixes = texts(fields, {"burst-suffixes", ""});
  read_percent(fields, {"cpu-share", ""}, out.cpu_percent);
  fields.whole({"cpu-time-factor", ""}, out.cpu_time_factor, Range{1, 1000});
  fields.span({"stuck-after", ""}, out.stuck_after);
  if (const Value* devices = fields.raw({"devices", ""}); devices != nullptr) {
    FieldReader both(*devices, "routing.devices", reading);
    read_device(both, {"gpu", ""}, reading, out.gpu);
    read_device(both, {"cpu", ""}, reading, out.cpu);
    both.finish();
  }
  read_shapes(fields, {"shapes", ""}, reading, out);
  if (const Value* blocked = fields.raw({"blocked", ""}); blocked != nullptr) {
    if (!blocked->is_list() && !blocked->is_null())
      fields.error(*blocked, {"blocked", ""}, "is not a list",
                   "write: blocked: [{account: …, reason: …}]");
    for (std::size_t i = 0; i < blocked->items.size(); ++i)
      read_block(blocked->items[i], i, reading, out);
  }
  fields.finish();
  if (!reading.errors.empty()) return tl::unexpected<Error>(reading.errors.front());
  settings = std::move(out);
  return {};
}

std::string write_blocks(const std::vector<Block>& blocks) {
  std::vector<Value> items;
  for (const Block& block : blocks) {
    Value item = Value::map();
    item.add("account", Value::quoted_text(block.account));
    item.add("reason", Value::quoted_text(block.reason));
    if (!block.since.empty()) item.add("since", Value::quoted_text(block.since));
    if (!block.review.empty()) item.add("review", Value::quoted_text(block.review));
    items.push_back(std::move(item));
  }
  Value file = Value::map();
  file.add("blocked", Value::list(std::move(items)));
  return "# Written by `sluice accounts block` and `unblock`.\n" + print_yaml(file);
}

}  // namespace sluice
