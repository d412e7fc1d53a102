#include "cli/log_text.h"

#include "views/json.h"

namespace sluice {

std::string logs_json(std::span<const LogText> logs) {
  std::string out;
  JsonWriter writer(out);
  const auto field = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    writer.key(name);
    writer.text(value);
  };
  writer.begin_object();
  field("schema", "sluice.logs/1");
  writer.key("logs");
  writer.begin_array();
  for (const LogText& log : logs) {
    writer.begin_object();
    field("job", log.job);
    if (log.task) {
      writer.key("task");
      writer.number(*log.task);
    }
    field("state", log.state);
    field("file", log.file);
    field("problem", log.problem);
    if (log.with_text && log.problem.empty()) {
      writer.key("text");
      writer.text(log.text);
    }
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  return out;
}

}  // namespace sluice
