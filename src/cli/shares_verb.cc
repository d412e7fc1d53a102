// sluice shares: the account tree with its shares and usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/connection.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

Result<void> run(bool json) {
  TRY(Connection daemon, Connection::open());
  TRY(const std::string body, daemon.get("/v1/shares"));
  if (json) {
    fmt::print("{}", body);
    return {};
  }
  TRY(const auto lines, from_json<Lines<ShareLine>>(body));
  Table table({{"ACCOUNT", Align::kLeft, false},
               {"USER", Align::kLeft, false},
               {"SHARES", Align::kRight, false},
               {"NORM SHARES", Align::kRight, false},
               {"USAGE", Align::kRight, false},
               {"FAIRSHARE", Align::kRight, false},
               {"RUNNING", Align::kRight, false},
               {"SUBMITTED", Align::kRight, false},
               {"HOLDS", Align::kLeft, true}});
  for (const ShareLine& line : lines.lines)
    table.add({std::string(static_cast<std::size_t>(line.depth), ' ') + line.account, line.user,
               line.shares_of_parent ? "parent" : std::to_string(line.shares),
               fmt::format("{:.6f}", line.norm_shares), fmt::format("{:.6f}", line.effective_usage),
               line.user.empty() ? "" : fmt::format("{:.6f}", line.factor),
               std::to_string(line.running), std::to_string(line.submitted), line.holds});
  fmt::print("{}", table.text(Display::of_stdout()));
  return {};
}

}  // namespace

void add_shares(CLI::App& root, ExitCode& exit_code) {
  CLI::App* verb = root.add_subcommand("shares", "See the account tree: shares, usage, fairshare");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  verb->footer("Examples:\n  sluice shares\n  sluice shares --json | jq '.lines[] | .factor'");
  verb->callback([json, &exit_code] {
    const auto done = run(*json);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
