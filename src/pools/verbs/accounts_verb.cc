// sluice accounts: leaves an account out of routing, with the reason and a date to look again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/files/routing_file.h"
#include "policyfile/read/value.h"
#include "pools/routing_context.h"
#include "pools/verbs/pools_verb.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

struct Options {
  std::string account;
  std::string reason;
  std::string review;
  bool json = false;
};

// Those that `block` keeps; routing.yaml and .sluice.yaml have blocks of their own.
Result<std::vector<Block>> kept_blocks() {
  const std::string path = config_folder() + "/blocked.yaml";
  RoutingSettings out;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    TRY(const std::string text, read_file(path));
    TRY_VOID(read_routing_file(text, path, out));
  }
  return out.blocked;
}

Result<void> keep(const std::vector<Block>& blocks) {
  return write_files(config_folder(), {{"blocked.yaml", write_blocks(blocks)}});
}

ExitCode list(const Options& options);

ExitCode block(const Options& options) {
  if (!options.review.empty() && !is_date(options.review))
    return report(Error{ErrorKind::kBadInput, fmt::format("'{}' is not a date", options.review),
                        "--review", "write it as 2026-12-01"});
  auto blocks = kept_blocks();
  if (!blocks) return report(blocks.error());
  const Block added{options.account, options.reason, today(), options.review};
  std::erase_if(*blocks, [&](const Block& old) { return old.account == options.account; });
  blocks->push_back(added);
  if (const auto done = keep(*blocks); !done) return report(done.error());
  if (options.json) return list(options);
  fmt::print("{}: {}\n", options.account, block_text(added, today()));
  return ExitCode::kDone;
}

ExitCode unblock(const Options& options) {
  auto blocks = kept_blocks();
  if (!blocks) return report(blocks.error());
  const auto gone =
      std::erase_if(*blocks, [&](const Block& old) { return old.account == options.account; });
  if (gone == 0) {
    const auto settings = load_routing_settings();
    const bool elsewhere = settings && settings->block_of(options.account) != nullptr;
    return report(
        Error{ErrorKind::kBadInput,
              fmt::format("'{}' is not blocked by `sluice accounts block`", options.account),
              {},
              elsewhere ? "it is blocked in routing.yaml or .sluice.yaml: edit that file"
                        : "type: sluice accounts list"});
  }
  if (const auto done = keep(*blocks); !done) return report(done.error());
  if (options.json) return list(options);
  fmt::print("{}: used again\n", options.account);
  return ExitCode::kDone;
}

ExitCode list(const Options& options) {
  const auto settings = load_routing_settings();
  if (!settings) return report(settings.error());
  if (options.json) {
    std::vector<Value> items;
    for (const Block& one : settings->blocked) {
      Value item = Value::map();
      item.add("account", Value::quoted_text(one.account));
      item.add("reason", Value::quoted_text(one.reason));
      item.add("since", Value::quoted_text(one.since));
      item.add("review", Value::quoted_text(one.review));
      item.add("review_due",
               Value::scalar(!one.review.empty() && one.review < today() ? "true" : "false"));
      items.push_back(std::move(item));
    }
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice.accounts.v1"));
    out.add("blocked", Value::list(std::move(items)));
    fmt::print("{}", print_json(out));
    return ExitCode::kDone;
  }
  if (settings->blocked.empty()) fmt::print("No account is blocked.\n");
  for (const Block& one : settings->blocked)
    fmt::print("{}: {}\n", one.account, block_text(one, today()));
  return ExitCode::kDone;
}

}  // namespace

void add_accounts(Command& root, ExitCode& exit_code) {
  Command* accounts =
      root.add_subcommand("accounts", "Leave accounts out of routing, with a reason");
  accounts->require_subcommand(0, 1);
  auto options = std::make_shared<Options>();
  accounts->add_flag("--json", options->json, "As JSON");
  accounts->footer("Without a verb: those that are blocked, as sluice accounts list.");
  accounts->callback([accounts, options, &exit_code] {
    if (!accounts->has_subcommand()) exit_code = list(*options);
  });

  Command* add = accounts->add_subcommand("block", "No task goes to this account any more");
  add->add_option("ACCOUNT", options->account)->required();
  add->add_option("--reason", options->reason, "Why, for a later review")->required();
  add->add_option("--review", options->review, "When to look again: 2026-12-01");
  add->add_flag("--json", options->json, "Those that are blocked then, as JSON");
  add->footer(
      "Example:\n  sluice accounts block brusko --reason 'burst only, OOM kills' --review "
      "2026-12-01");
  add->callback([options, &exit_code] { exit_code = block(*options); });

  Command* remove = accounts->add_subcommand("unblock", "Use this account again");
  remove->add_option("ACCOUNT", options->account)->required();
  remove->add_flag("--json", options->json, "Those that are blocked then, as JSON");
  remove->footer("Example:\n  sluice accounts unblock brusko");
  remove->callback([options, &exit_code] { exit_code = unblock(*options); });

  Command* show = accounts->add_subcommand("list", "The blocked accounts, why, and since when");
  show->add_flag("--json", options->json, "As JSON");
  show->footer("Example:\n  sluice accounts list");
  show->callback([options, &exit_code] { exit_code = list(*options); });
}

}  // namespace sluice
