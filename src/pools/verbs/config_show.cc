#include "pools/verbs/config_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/table.h"
#include "host/files/folders.h"
#include "policyfile/files/routing_file.h"
#include "policyfile/read/value.h"
#include "policyfile/read/yaml.h"
#include "pools/routing_context.h"
#include "text/spelling.h"

namespace sluice {
namespace {

struct Setting {
  std::string name;
  std::string value;
  std::string origin;
};

std::string one_line(const Value& value) {
  if (value.is_scalar()) return value.text;
  std::string out;
  for (const Value& item : value.items) out += (out.empty() ? "" : ", ") + one_line(item);
  for (const Entry& entry : value.entries)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", entry.key, one_line(entry.value));
  return value.is_list() ? "[" + out + "]" : value.is_map() ? "{" + out + "}" : "";
}

// A later file counts; a map is laid over key by key, so its parts are settings of their own.
void lay_over(const std::string& name, const Value& value, std::vector<Setting>& out) {
  if (value.is_map()) {
    for (const Entry& entry : value.entries)
      lay_over((name.empty() ? "" : name + ".") + entry.key, entry.value, out);
    return;
  }
  std::erase_if(out, [&](const Setting& one) { return folded(one.name) == folded(name); });
  out.push_back({name, one_line(value), value.place.text()});
}

Result<std::vector<Setting>> settings() {
  std::vector<Setting> out;
  std::error_code ignored;
  for (const std::string& file : routing_files()) {
    if (!std::filesystem::exists(file, ignored)) continue;
    TRY(const std::string text, read_routing_text(file));
    RoutingSettings checked;
    TRY_VOID(read_routing_file(text, file, checked));
    TRY(const Value document, parse_yaml(text, file));
    const Value* section = &document;
    for (const Entry& entry : document.entries)
      if (folded(entry.key) == "routing") section = &entry.value;
    lay_over("routing", *section, out);
  }
  for (const std::string& word : process_environment()) {
    const auto end = word.find('=');
    if (end != std::string::npos && word.starts_with("SLUICE_"))
      out.push_back({word.substr(0, end), word.substr(end + 1), "environment"});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Setting& a, const Setting& b) { return a.name < b.name; });
  return out;
}

Result<ExitCode> show(bool origin, bool json) {
  TRY(const std::vector<Setting> all, settings());
  TRY(const Folders folders, client_folders(FolderSetting::of_this_process()));
  if (json) {
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.config-show.v1"));
    out.add("state", Value::quoted_text(folders.state));
    out.add("policy", Value::quoted_text(folders.policy_file));
    std::vector<Value> files;
    for (const std::string& file : routing_files()) files.push_back(Value::quoted_text(file));
    out.add("files", Value::list(std::move(files)));
    std::vector<Value> rows;
    for (const Setting& one : all) {
      Value row = Value::map();
      row.add("name", Value::quoted_text(one.name));
      row.add("value", Value::quoted_text(one.value));
      row.add("origin", Value::quoted_text(one.origin));
      rows.push_back(std::move(row));
    }
    out.add("settings", Value::list(std::move(rows)));
    fmt::print("{}", print_json(out));
    return ExitCode::kDone;
  }
  fmt::print("State in {}, policy in {}\n", printable(folders.state),
             printable(folders.policy_file));
  if (origin) {
    fmt::print("Read in this order, the last one counts:\n");
    std::error_code ignored;
    for (const std::string& file : routing_files())
      fmt::print("  {}{}\n", printable(file),
                 std::filesystem::exists(file, ignored) ? "" : " (not there)");
    fmt::print("  variables SLUICE_*, then options of the command\n");
  }
  if (all.empty()) {
    fmt::print("Nothing is set: all defaults apply.\n");
    return ExitCode::kDone;
  }
  std::vector<Column> columns = {{"SETTING", Align::kLeft, false}, {"VALUE", Align::kLeft, true}};
  if (origin) columns.push_back({"FROM", Align::kLeft, false});
  Table table(std::move(columns));
  for (const Setting& one : all) {
    table.cell(one.name);
    table.cell(one.value);
    if (origin) table.cell(one.origin);
  }
  table.print(Display::of_stdout(), stdout);
  return ExitCode::kDone;
}

}  // namespace

void add_config_show(Command& config, ExitCode& exit_code) {
  Command* verb = config.add_subcommand("show", "See every setting of files and environment");
  auto origin = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--origin", *origin, "With the file and line, or variable, that sets it");
  verb->add_flag("--json", *json, "As JSON, origins included");
  verb->footer("Examples:\n  sluice config show\n  sluice config show --origin");
  verb->callback([origin, json, &exit_code] {
    const auto done = show(*origin, *json);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
