#include "policyfile/files/notify_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/yaml.h"
#include "text/spelling.h"

namespace sluice {
namespace {

void read_hook(const Value& item, std::size_t number, const std::vector<std::string>& events,
               Reading& reading, std::vector<Hook>& out) {
  const std::string path = fmt::format("hooks[{}]", number + 1);
  FieldReader fields(item, path, reading);
  Hook hook;
  hook.where = item.place.text();
  for (const Value& word : fields.listed({"on", ""})) {
    if (word.text == "all") {
      hook.on = events;
    } else if (std::find(events.begin(), events.end(), word.text) != events.end()) {
      hook.on.push_back(word.text);
    } else {
      reading.error(word.place, path + ".on", fmt::format("'{}' is not an event", word.text),
                    allowed_words(word.text, events));
    }
  }
  std::array<std::string, 3> targets;
  fields.text({"command", ""}, targets[0]);
  fields.text({"webhook", ""}, targets[1]);
  fields.text({"mail", ""}, targets[2]);
  fields.finish();
  const auto given = std::count_if(targets.begin(), targets.end(),
                                   [](const std::string& one) { return !one.empty(); });
  if (given != 1)
    return reading.error(item.place, path, "must have one of command, webhook and mail",
                         "write: {on: chain-done, command: ~/bin/tell-me}");
  if (hook.on.empty() && reading.errors.empty())
    return reading.error(item.place, path, "is for no event", "write: on: [chain-done, gave-up]");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].empty()) continue;
    hook.kind = static_cast<HookKind>(i);
    hook.target = targets[i];
  }
  const auto begins = [&](std::string_view with) { return hook.target.starts_with(with); };
  if (hook.kind == HookKind::kWebhook && !begins("http://") && !begins("https://"))
    return reading.error(item.place, path + ".webhook", "is not an address of the web",
                         "write https://… or http://…");
  if (hook.target.find_first_of("\n\r") != std::string::npos)
    return reading.error(item.place, path, "has a line break");
  out.push_back(std::move(hook));
}

}  // namespace

bool Hook::is_for(std::string_view event) const {
  return std::find(on.begin(), on.end(), event) != on.end();
}

Result<std::vector<Hook>> read_notify_file(std::string_view text, std::string_view file_name,
                                           const std::vector<std::string>& events) {
  TRY(const Value whole, parse_yaml(text, file_name));
  Reading reading;
  FieldReader fields(whole, "", reading);
  std::vector<Hook> out;
  if (const Value* hooks = fields.raw({"hooks", ""}); hooks != nullptr) {
    if (!hooks->is_list() && !hooks->is_null())
      fields.error(*hooks, {"hooks", ""}, "is not a list",
                   "write: hooks: [{on: chain-done, command: …}]");
    for (std::size_t i = 0; i < hooks->items.size(); ++i)
      read_hook(hooks->items[i], i, events, reading, out);
  }
  fields.finish();
  if (!reading.errors.empty()) return tl::unexpected<Error>(reading.errors.front());
  return out;
}

}  // namespace sluice
