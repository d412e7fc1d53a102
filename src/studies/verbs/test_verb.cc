// sluice test: runs stories and shows where one went otherwise than expected.
#include "studies/verbs/test_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "lab/conformance.h"
#include "sim/chains/simulated_target.h"
#include "studies/story_files.h"

namespace sluice {
namespace {

struct Asked {
  std::vector<std::string> paths;
  std::string on = "simulated";
  std::string gates;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool show = false;
  bool sum = true;
  std::vector<std::string> tags;
};

struct Sum {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  std::string text() const {
    return fmt::format("{} passed, {} failed{}", passed, failed,
                       skipped > 0 ? fmt::format(", {} skipped", skipped) : "");
  }
};

class Test {
 public:
  explicit Test(const Asked& asked) : asked_(asked), colour_(colour_of_output()) {}

  ExitCode run() {
    // All are read before any runs: a mistake in one is not found after minutes.
    auto read = read_stories(asked_.paths);
    if (!read) return report(read.error());
    std::vector<Story> stories = std::move(*read);
    if (!asked_.gates.empty() && !any_has_job(stories, asked_.gates))
      return report(Error{ErrorKind::kBadInput,
                          fmt::format("no story submits a job '{}'", asked_.gates),
                          {},
                          "--gates takes the name of a job in the story"});
    std::erase_if(stories, [this](const Story& story) { return !is_wanted(story); });
    if (asked_.on == "slurm") return in_lab(std::move(stories), LabEngine::kSlurm);
    if (asked_.on == "embedded") return in_lab(std::move(stories), LabEngine::kEmbedded);
    for (const Story& story : stories) {
      if (story.has_tag("slurm-only")) {
        ++sum_.skipped;
        if (asked_.verbose) fmt::print("- {}  {}:{}\n", story.title, story.file, story.line);
        continue;
      }
      SimulatedTarget target;
      RunOptions options;
      if (!asked_.gates.empty()) options.gates_of = asked_.gates;
      auto done = run_story(story, target, options);
      if (!done) return report(done.error());
      done->passed() ? ++sum_.passed : ++sum_.failed;
      show(story, *done);
    }
    return finish();
  }

 private:
  ExitCode finish() {
    if (asked_.json) {
      json_.add("passed", Value::scalar(fmt::format("{}", sum_.passed)));
      json_.add("failed", Value::scalar(fmt::format("{}", sum_.failed)));
      json_.add("skipped", Value::scalar(fmt::format("{}", sum_.skipped)));
      json_.add("stories", std::move(list_));
      fmt::print("{}\n", print_json(json_));
    } else if (asked_.sum) {
      fmt::print("{}\n", sum_.text());
    }
    return sum_.failed == 0 ? ExitCode::kDone : ExitCode::kWorkFailed;
  }

  bool is_wanted(const Story& story) const {
    return asked_.tags.empty() ||
           std::any_of(asked_.tags.begin(), asked_.tags.end(),
                       [&](const std::string& tag) { return story.has_tag(tag); });
  }

  ExitCode in_lab(std::vector<Story> stories, LabEngine engine) {
    const auto before = stories.size();
    std::erase_if(stories, [&](const Story& story) {
      return story.has_tag("simulated-only") ||
             (engine == LabEngine::kEmbedded && !runs_on_daemon(story));
    });
    sum_.skipped = static_cast<int>(before - stories.size());
    auto lab = SlurmLab::find(engine);
    if (!lab) return report(lab.error());
    end_on_signals();
    const Conformance conformance(stories);
    for (const Story* story : conformance.order()) {
      const auto compared = conformance.run(*story, **lab);
      if (!compared) return report(compared.error());
      compared->equal() ? ++sum_.passed : ++sum_.failed;
      if (asked_.json)
        list_.items.push_back(compared_as_value(*compared));
      else if (!compared->equal() || !asked_.quiet)
        fmt::print("{}", compared_text(*compared, colour_));
      std::fflush(stdout);
    }
    return finish();
  }

  static bool any_has_job(const std::vector<Story>& stories, const std::string& name) {
    for (const Story& story : stories)
      for (const StoryStep& step : story.steps)
        if (const auto* submit = std::get_if<StorySubmit>(&step.action))
          if (submit->name == name) return true;
    return false;
  }

  void show(const Story& story, const StoryRun& done) {
    if (asked_.json) {
      list_.items.push_back(run_as_value(story, done));
      return;
    }
    if (asked_.show) {
      fmt::print("{}\n", timeline_text(story, done, colour_));
      return;
    }
    if (done.passed() && asked_.quiet) return;
    fmt::print("{}", verdict_line(story, done, colour_));
    if (!done.passed())
      fmt::print("{}", failure_text(story, done, colour_));
    else if (!asked_.gates.empty())
      fmt::print("{}", gates_text(done, colour_));
    if (done.passed() && asked_.verbose) fmt::print("{}\n", timeline_text(story, done, colour_));
  }

  const Asked& asked_;
  Colour colour_;
  Sum sum_;
  Value json_ = [] {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.test/1"));
    return value;
  }();
  Value list_ = Value::list();
};

}  // namespace

void add_test(Command& root, ExitCode& exit_code) {
  auto asked = std::make_shared<Asked>();
  Command* verb = root.add_subcommand("test", "Run stories: timed steps and what is expected");
  verb->add_option("FILE[:LINE]|FOLDER", asked->paths,
                   "*.story files, one story of a file, or folders that hold some")
      ->required();
  verb->add_option("--on", asked->on, "Where they run")
      ->one_of({"simulated", "embedded", "slurm"})
      ->capture_default_str();
  verb->add_option("--gates", asked->gates, "Show every gate on the way of this job while it waits")
      ->type_name("JOB");
  verb->add_option("--tag", asked->tags, "Only stories that have it")->type_name("TAG");
  verb->add_flag("--show", asked->show, "Show each story as a timeline");
  verb->add_flag("--json", asked->json, "Print one JSON value");
  verb->add_flag("-q,--quiet", asked->quiet, "Show only what failed");
  verb->add_flag("-v,--verbose", asked->verbose, "Show the timeline of those that passed too");
  verb->footer(
      "--on slurm brings up a Slurm of its own (as root; tests/slurm/install gets the packages)\n"
      "and shows where it does otherwise than sluice. --on embedded does the same with the daemon "
      "of\n"
      "this program (as root): jobs are processes that sleep, its clock is set forward.\n"
      "Exit code: 0 all passed, 1 some failed, 2 a file has a mistake, 69 there is no such "
      "engine.\n"
      "Examples:\n"
      "  sluice test tests/stories\n"
      "  sluice test --on slurm tests/stories/scheduling\n"
      "  sluice test tests/stories/limits/one_job.story:24\n"
      "  sluice test --gates A tests/stories/limits/one_job.story:5");
  verb->callback([asked, &exit_code] { exit_code = Test(*asked).run(); });
}

void add_story(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("story", "Show a story");
  verb->require_subcommand(1);
  Command* show = verb->add_subcommand("show", "Run a story and show it as a timeline");
  auto asked = std::make_shared<Asked>();
  asked->show = true;
  asked->sum = false;
  show->add_option("FILE", asked->paths, "A *.story file")->required();
  show->add_flag("--json", asked->json, "As JSON, as sluice test --json prints it");
  show->footer("Example:\n  sluice story show tests/stories/seeds/shared_gpu.story");
  show->callback([asked, &exit_code] { exit_code = Test(*asked).run(); });
}

}  // namespace sluice
