#include "apps/notify_verb.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "cli/command.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "pools/notify.h"
#include "pools/routing_context.h"
#include "views/notice.h"

namespace sluice {
namespace {

std::string_view kind_word(HookKind kind) {
  return kind == HookKind::kCommand ? "command" : kind == HookKind::kWebhook ? "webhook" : "mail";
}

// The secret part of an address is nobody's business who looks over a shoulder.
std::string shown_target(const Hook& hook) {
  if (hook.kind != HookKind::kWebhook) return hook.target;
  const std::size_t host = hook.target.find('/', hook.target.find("://") + 3);
  return host == std::string::npos ? hook.target : hook.target.substr(0, host) + "/…";
}

Result<ExitCode> show() {
  TRY(const std::vector<Hook> hooks, load_hooks());
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

Result<ExitCode> test() {
  TRY(const std::vector<Hook> hooks, load_hooks());
  if (hooks.empty()) return show();
  ExitCode out = ExitCode::kDone;
  for (const Hook& hook : hooks) {
    const auto told = tell_hook(hook, example(hook.on.front()));
    fmt::print("{} {}: {}\n", kind_word(hook.kind), shown_target(hook),
               told ? "was told" : told.error().text());
    if (!told) out = ExitCode::kWorkFailed;
  }
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
  verb->require_subcommand(0, 1);
  Command* try_out = verb->add_subcommand("test", "Tell every hook something, and say what it did");
  try_out->footer("Examples:\n  sluice notify test");
  Command* hand_over = verb->add_subcommand("deliver", "Deliver one notice; the daemon starts it");
  hand_over->group("");  // Not in the help.
  const auto done = [&exit_code](const Result<ExitCode>& result) {
    exit_code = result ? *result : report(result.error());
  };
  verb->callback([verb, done] {
    if (!verb->has_subcommand()) done(show());
  });
  try_out->callback([done] { done(test()); });
  hand_over->callback([done] { done(deliver()); });
}

}  // namespace sluice
