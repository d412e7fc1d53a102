#include "pools/verbs/notify_verb.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cli/command.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "pools/notify.h"
#include "pools/routing_context.h"
#include "views/json.h"
#include "views/notice.h"

namespace sluice {
namespace {

std::string_view kind_word(HookKind kind) {
  return kind == HookKind::kCommand ? "command" : kind == HookKind::kWebhook ? "webhook" : "mail";
}

// The secret part of an address is not shown: somebody may look over a shoulder.
std::string shown_target(const Hook& hook) {
  if (hook.kind != HookKind::kWebhook) return hook.target;
  const std::size_t host = hook.target.find('/', hook.target.find("://") + 3);
  return host == std::string::npos ? hook.target : hook.target.substr(0, host) + "/…";
}

// A hook, and what came of trying it where it was tried.
struct HookLine {
  const Hook* hook = nullptr;
  std::optional<std::string> told;  // "" where it went well.
};

void print_json(std::span<const HookLine> lines) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.hooks/1");
  writer.key("file");
  writer.text(notify_file());
  writer.key("hooks");
  writer.begin_array();
  for (const HookLine& line : lines) {
    writer.begin_object();
    writer.key("kind");
    writer.text(kind_word(line.hook->kind));
    writer.key("target");
    writer.text(shown_target(*line.hook));
    writer.key("on");
    writer.begin_array();
    for (const auto& event : line.hook->on) writer.text(event);
    writer.end_array();
    if (line.told) {
      writer.key("told");
      writer.boolean(line.told->empty());
      writer.key("problem");
      writer.text(*line.told);
    }
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  fmt::print("{}\n", out);
}

Result<ExitCode> show(bool json) {
  TRY(const std::vector<Hook> hooks, load_hooks());
  if (json) {
    std::vector<HookLine> lines;
    for (const Hook& hook : hooks) lines.push_back({&hook, std::nullopt});
    print_json(lines);
    return ExitCode::kDone;
  }
  if (hooks.empty())
    fmt::print(
        "No hooks. Write {}, for example:\n"
        "  hooks:\n    - {{on: [chain-done, gave-up], mail: {}}}\n",
        notify_file(), own_user());
  for (const Hook& hook : hooks)
    fmt::print("{}: {}, on {}\n", kind_word(hook.kind), shown_target(hook),
               fmt::join(hook.on, ", "));
  return ExitCode::kDone;
}

// What a hook would get, of a chain that does not exist.
std::string example(std::string_view event) {
  if (event == notice_word(NoticeEvent::kPoolsFull))
    return pools_notice_json(own_user(), "a try of sluice notify test", now_here());
  if (event == notice_word(NoticeEvent::kJobEnd)) {
    JobNotice notice;
    QueueLine& line = notice.job.line;
    line.id = "0";
    line.name = "notify-test";
    line.user = own_user();
    line.state = JobState::kCompleted;
    line.submitted = now_here();
    notice.hooks = true;
    return job_notice_json(notice, "none");
  }
  ChainView chain;
  chain.id = "00000000-000000-notify";
  chain.name = "notify-test";
  chain.state = "ended";
  chain.sum.tasks = chain.sum.completed = 3;
  chain.created = chain.now = now_here();
  return chain_notice_json(
      event == notice_word(NoticeEvent::kGaveUp) ? NoticeEvent::kGaveUp : NoticeEvent::kChainDone,
      chain, 0);
}

Result<ExitCode> test(bool json) {
  TRY(const std::vector<Hook> hooks, load_hooks());
  if (hooks.empty()) return show(json);
  ExitCode out = ExitCode::kDone;
  std::vector<HookLine> lines;
  for (const Hook& hook : hooks) {
    const auto told = tell_hook(hook, example(hook.on.front()));
    lines.push_back({&hook, told ? "" : told.error().text()});
    if (!json)
      fmt::print("{} {}: {}\n", kind_word(hook.kind), shown_target(hook),
                 told ? "notified" : told.error().text());
    if (!told) out = ExitCode::kWorkFailed;
  }
  if (json) print_json(lines);
  return out;
}

// What the daemon starts as the job's owner.
Result<ExitCode> deliver() {
  const std::string json = environment_value("SLUICE_NOTICE");
  ::unsetenv("SLUICE_NOTICE");
  if (json.empty()) return bad_input("there is nothing to deliver (SLUICE_NOTICE)");
  return deliver_notice(json).empty() ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

void add_notify(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("notify", "See and try your hooks: command, webhook, mail");
  verb->footer(
      "Hooks are in ~/.config/sluice/notify.yaml: what to run, post or mail when a job or a chain\n"
      "has ended, tasks were given up, or every pool is full (docs/guide/notifications.md).\n\n"
      "Examples:\n  sluice notify\n  sluice notify test");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  verb->require_subcommand(0, 1);
  Command* try_out =
      verb->add_subcommand("test", "Send every hook a test event, and show what it did");
  try_out->add_flag("--json", *json, "As JSON");
  try_out->footer("Examples:\n  sluice notify test");
  Command* hand_over = verb->add_subcommand("deliver", "Deliver one notice; the daemon starts it");
  hand_over->group("");  // Not in the help.
  const auto done = [&exit_code](const Result<ExitCode>& result) {
    exit_code = result ? *result : report(result.error());
  };
  verb->callback([verb, json, done] {
    if (!verb->has_subcommand()) done(show(*json));
  });
  try_out->callback([json, done] { done(test(*json)); });
  hand_over->callback([done] { done(deliver()); });
}

}  // namespace sluice
