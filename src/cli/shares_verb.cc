// sluice shares: the account tree with its shares and usage.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/listing.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "views/share_text.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  ListOptions list;
  bool long_report = false;
};

std::string indented(const ShareLine& line) {
  return std::string(static_cast<std::size_t>(line.depth), ' ') + line.account;
}

// The columns of sshare --long, by its names.
Result<void> print_long(const std::vector<ShareLine>& lines, const ListOptions& options) {
  TRY(ListTable table, ListTable::open({{"ACCOUNT", Align::kLeft, true},
                                        {"USER", Align::kLeft, true},
                                        {"RAWSHARES", Align::kRight, false},
                                        {"NORMSHARES", Align::kRight, false, Narrow::kGoesSecond},
                                        {"RAWUSAGE", Align::kRight, false, Narrow::kGoesLast},
                                        {"NORMUSAGE", Align::kRight, false, Narrow::kGoesFirst},
                                        {"EFFECTVUSAGE", Align::kRight, false},
                                        {"LEVELFS", Align::kRight, false},
                                        {"FAIRSHARE", Align::kRight, false}},
                                       options));
  const auto used = std::any_of(lines.begin(), lines.end(),
                                [](const ShareLine& line) { return line.raw_usage_seconds > 0; })
                        ? AnyUsage::kSome
                        : AnyUsage::kNone;
  for (const ShareLine& line : lines) {
    const ShareTexts texts = share_texts(line, used);
    table.add({indented(line), line.user, texts.raw_shares, texts.norm_shares, texts.raw_usage,
               texts.norm_usage, texts.effective_usage, texts.level, texts.factor},
              line);
  }
  table.print();
  return {};
}

Result<void> run(const Options& given) {
  const ListOptions& options = given.list;
  TRY(Connection daemon, Connection::open());
  TRY(const bool done, print_listing<ShareLine>(daemon, Target("/v1/shares"), options));
  if (done) return {};
  TRY(const auto lines, daemon.fetch<Lines<ShareLine>>("/v1/shares"));
  if (given.long_report) return print_long(lines.lines, options);
  TRY(ListTable table, ListTable::open({{"ACCOUNT", Align::kLeft, true},
                                        {"USER", Align::kLeft, false},
                                        {"SHARES", Align::kRight, false},
                                        {"NORM SHARES", Align::kRight, false, Narrow::kGoesLast},
                                        {"USAGE", Align::kRight, false},
                                        {"FAIRSHARE", Align::kRight, false},
                                        {"RUNNING", Align::kRight, false, Narrow::kGoesSecond},
                                        {"SUBMITTED", Align::kRight, false, Narrow::kGoesSecond},
                                        {"HOLDS", Align::kLeft, true, Narrow::kGoesFirst}},
                                       options));
  for (const ShareLine& line : lines.lines)
    table.add(
        {indented(line), line.user, line.shares_of_parent ? "parent" : std::to_string(line.shares),
         fmt::format("{:.6f}", line.norm_shares), fmt::format("{:.6f}", line.effective_usage),
         line.user.empty() ? "" : fmt::format("{:.6f}", line.factor), std::to_string(line.running),
         std::to_string(line.submitted), line.holds},
        line);
  table.print();
  return {};
}

}  // namespace

void add_shares(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("shares", "See the account tree: shares, usage, fairshare");
  auto options = std::make_shared<Options>();
  verb->add_flag("-l,--long", options->long_report,
                 "The columns of sshare --long: RawUsage, NormUsage, LevelFS and the others");
  add_list_options(*verb, options->list);
  verb->footer(
      "LevelFS is the share due at that level over the share used: above 1 is owed time, below 1\n"
      "has had more than its share, inf has used nothing. The root has no level.\n\n"
      "Examples:\n  sluice shares\n  sluice shares -l\n  sluice shares --json | jq '.lines[] | "
      ".factor'");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
