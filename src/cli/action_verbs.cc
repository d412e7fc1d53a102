// sluice hold, release, requeue, suspend, resume: one thing done to jobs.
#include <memory>

#include "cli/action.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/submission_notes.h"
#include "cli/verbs.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> jobs;
  bool json = false;
  bool quiet = false;
  bool hold = false;
  bool takes_chains = false;
};

Command* add(Command& root, ExitCode& exit_code, const std::shared_ptr<Options>& options,
             const char* name, const char* what, const char* done, const char* examples) {
  Command* verb = root.add_subcommand(name, what);
  verb->add_option("JOBS", options->jobs, "Jobs as 12, tasks as 12_3 or 12_[1-5]")->required();
  verb->add_flag("-Q,--quiet", options->quiet, "Print nothing on success");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(examples);
  verb->callback([options, name, done, &exit_code] {
    const auto run = [&]() -> Result<ExitCode> {
      TRY(options->jobs, meant_by(options->jobs));
      if (options->takes_chains) {
        TRY(const bool chains, are_chains(options->jobs));
        if (chains) return elsewhere().resume_chains({options->jobs, options->json});
      }
      Action action;
      TRY(action.jobs, joined_references(options->jobs));
      action.verb = name;
      action.done = done;
      action.json = options->json;
      action.quiet = options->quiet;
      if (options->hold) action.body = to_json(RequeueRequest{true});
      return carry_out(action);
    };
    const auto ended = run();
    exit_code = ended ? *ended : report(ended.error());
  });
  return verb;
}

}  // namespace

void add_hold(Command& root, ExitCode& exit_code) {
  add(root, exit_code, std::make_shared<Options>(), "hold", "Keep waiting jobs from starting",
      "held", "Examples:\n  sluice hold 12\n  sluice hold 12_[10-20]");
}
void add_release(Command& root, ExitCode& exit_code) {
  add(root, exit_code, std::make_shared<Options>(), "release", "Let held jobs go", "released",
      "Examples:\n  sluice release 12\n  sluice release 12 13 14");
}
void add_requeue(Command& root, ExitCode& exit_code) {
  auto options = std::make_shared<Options>();
  Command* verb =
      add(root, exit_code, options, "requeue", "End runs and put the jobs back into the queue",
          "requeued", "Examples:\n  sluice requeue 12\n  sluice requeue --hold 12_3");
  verb->add_flag("--hold", options->hold, "And hold them there");
}
void add_suspend(Command& root, ExitCode& exit_code) {
  add(root, exit_code, std::make_shared<Options>(), "suspend",
      "Stop running jobs for a while; others get their CPUs", "suspended",
      "Examples:\n  sluice suspend 12\n  sluice suspend 12_[1-3]");
}
void add_resume(Command& root, ExitCode& exit_code) {
  auto options = std::make_shared<Options>();
  options->takes_chains = true;
  add(root, exit_code, options, "resume", "Let suspended jobs continue, or continue chains",
      "resumed",
      "Examples:\n  sluice resume 12\n  sluice resume 12_[1-3]\n"
      "To continue a chain: sluice resume CHAIN, sluice resume last");
}

}  // namespace sluice
