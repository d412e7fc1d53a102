// sluice shares: the account tree with its shares and usage.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/listing.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

Result<void> run(const ListOptions& options) {
  TRY(Connection daemon, Connection::open());
  TRY(const bool done, print_listing<ShareLine>(daemon, Target("/v1/shares"), options));
  if (done) return {};
  TRY(const auto lines, daemon.fetch<Lines<ShareLine>>("/v1/shares"));
  TRY(ListTable table, ListTable::open({{"ACCOUNT", Align::kLeft, false},
                                        {"USER", Align::kLeft, false},
                                        {"SHARES", Align::kRight, false},
                                        {"NORM SHARES", Align::kRight, false},
                                        {"USAGE", Align::kRight, false},
                                        {"FAIRSHARE", Align::kRight, false},
                                        {"RUNNING", Align::kRight, false},
                                        {"SUBMITTED", Align::kRight, false},
                                        {"HOLDS", Align::kLeft, true}},
                                       options));
  for (const ShareLine& line : lines.lines)
    table.add({std::string(static_cast<std::size_t>(line.depth), ' ') + line.account, line.user,
               line.shares_of_parent ? "parent" : std::to_string(line.shares),
               fmt::format("{:.6f}", line.norm_shares), fmt::format("{:.6f}", line.effective_usage),
               line.user.empty() ? "" : fmt::format("{:.6f}", line.factor),
               std::to_string(line.running), std::to_string(line.submitted), line.holds},
              line);
  table.print();
  return {};
}

}  // namespace

void add_shares(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("shares", "See the account tree: shares, usage, fairshare");
  auto options = std::make_shared<ListOptions>();
  add_list_options(*verb, *options);
  verb->footer("Examples:\n  sluice shares\n  sluice shares --json | jq '.lines[] | .factor'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
