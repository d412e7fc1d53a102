// sluice policy check FILE: mistakes, impossible limits, and settings that mean something else.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "host/files/files.h"
#include "policyfile/check/check.h"
#include "sim/intents/intent.h"
#include "sim/intents/intent_search.h"
#include "targets/plan_file.h"
#include "targets/verbs/policy_verb.h"
#include "text/plural.h"

namespace sluice {
namespace {

struct Options {
  std::string file;
  std::string out;
  std::uint64_t seed = 1;
  std::size_t tries = 200;
  bool json = false;
  bool intents = false;
};

std::string indented(const std::string& text, std::string_view by) {
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += fmt::format("{}{}\n", by, text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

struct Checked {
  Intent intent;
  std::string where;
  IntentVerdict verdict;
};

Result<std::vector<Checked>> search_all(const PolicyText& text, const Options& options) {
  std::vector<Checked> out;
  for (const IntentText& said : text.intents) {
    auto intent = parse_intent(said.text, text.policy);
    if (!intent) {
      intent.error().where = said.place.text() + ": intents";
      return tl::unexpected(std::move(intent.error()));
    }
    TRY(IntentVerdict verdict, search_intent(*intent, text.policy, options.file, read_included,
                                             {options.seed, options.tries}));
    out.push_back({std::move(*intent), said.place.text(), std::move(verdict)});
  }
  return out;
}

// Where a story in that folder finds the policy.
std::string seen_from(const std::string& folder, const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code problem;
  // The folder may not be there yet: both paths are compared as they are written.
  const fs::path from = fs::absolute(folder, problem).lexically_normal();
  const fs::path to = fs::absolute(file, problem).lexically_normal();
  const fs::path path = to.lexically_relative(from);
  return problem || path.empty() ? file : path.string();
}

Result<std::vector<std::string>> write_stories(const std::vector<Checked>& checked,
                                               const Options& options) {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> files;
  for (const Checked& one : checked) {
    if (!one.verdict.broken) continue;
    std::string story = one.verdict.broken->story;
    const std::string line = "policy " + options.file + "\n";
    if (const std::size_t at = story.find(line); at != std::string::npos)
      story.replace(at, line.size(),
                    fmt::format("policy {}\n", seen_from(options.out, options.file)));
    files.emplace_back(fmt::format("intent-{}.story", files.size() + 1), story);
    names.push_back(options.out + "/" + files.back().first);
  }
  if (!files.empty()) TRY_VOID(write_files(options.out, files));
  return names;
}

Value verdict_value(const Checked& checked) {
  Value one = Value::map();
  one.add("intent", Value::quoted_text(checked.intent.text));
  one.add("where", Value::quoted_text(checked.where));
  one.add("holds", Value::scalar(checked.verdict.holds() ? "true" : "false"));
  if (!checked.verdict.untried.empty())
    one.add("untried", Value::quoted_text(checked.verdict.untried));
  one.add("stories", Value::scalar(std::to_string(checked.verdict.stories)));
  if (const auto& broken = checked.verdict.broken) {
    one.add("expected", Value::quoted_text(broken->expected));
    one.add("happened", Value::quoted_text(broken->happened));
    one.add("story", Value::quoted_text(broken->story));
  }
  return one;
}

Result<ExitCode> check_intents(const PolicyText& text, const Options& options) {
  TRY(const std::vector<Checked> checked, search_all(text, options));
  std::vector<std::string> written;
  if (!options.out.empty()) {
    TRY(written, write_stories(checked, options));
  }
  const auto broken = std::count_if(checked.begin(), checked.end(), [](const Checked& one) {
    return one.verdict.broken.has_value();
  });
  const auto untried = std::count_if(checked.begin(), checked.end(), [](const Checked& one) {
    return !one.verdict.untried.empty();
  });
  if (options.json) {
    Value value = Value::map();
    value.add("schema", Value::quoted_text("sluice.policy.intents/1"));
    value.add("file", Value::quoted_text(options.file));
    Value list = Value::list();
    for (const Checked& one : checked) list.items.push_back(verdict_value(one));
    value.add("intents", std::move(list));
    fmt::print("{}", print_json(value));
  } else {
    for (const Checked& one : checked) {
      if (!one.verdict.untried.empty()) {
        fmt::print("untried {}  ({}; {})\n", one.intent.text, one.where, one.verdict.untried);
        continue;
      }
      if (!one.verdict.broken) {
        fmt::print("holds   {}  ({} stories)\n", one.intent.text, one.verdict.stories);
        continue;
      }
      fmt::print("BROKEN  {}  ({})\n", one.intent.text, one.where);
      fmt::print("    expected  {}\n    but       {}\n", one.verdict.broken->expected,
                 one.verdict.broken->happened);
      fmt::print("{}", indented(one.verdict.broken->story, "    | "));
    }
    for (const std::string& name : written) fmt::print("sluice test {}\n", name);
    fmt::print("{}: {} of {} intents broken{}\n", options.file, broken, checked.size(),
               untried > 0 ? fmt::format(", {} untried", untried) : "");
  }
  return broken + untried > 0 ? ExitCode::kWorkFailed : ExitCode::kDone;
}

ExitCode check(const Options& options) {
  const auto text = read_policy_document(options.file);
  if (!text) return report(text.error());
  const PolicyText read = read_policy_text(*text, options.file, read_included);
  const auto findings = check_policy(read);
  auto number = [&](Severity severity) {
    return static_cast<std::uint64_t>(
        std::count_if(findings.begin(), findings.end(),
                      [&](const Finding& finding) { return finding.severity == severity; }));
  };
  const auto errors = number(Severity::kError);
  if (options.intents && errors == 0) {
    const auto done = check_intents(read, options);
    return done ? *done : report(done.error());
  }
  if (options.json) {
    fmt::print("{}", findings_json(options.file, findings));
  } else {
    for (const Finding& finding : findings) fmt::print("{}", finding_text(finding));
    fmt::print("{}: {}, {}, {}\n", options.file, plural(errors, "error"),
               plural(number(Severity::kWarning), "warning"),
               plural(number(Severity::kNote), "note"));
  }
  return errors == 0 ? ExitCode::kDone : ExitCode::kUsage;
}

}  // namespace

void add_policy_check(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand(
      "check", "Find mistakes, impossible limits and settings that mean something else");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "The policy file; - for standard input")->required();
  verb->add_flag("--json", options->json, "Findings as JSON");
  CommandOption* intents = verb->add_flag(
      "--intents", options->intents,
      "Try to break the sentences under intents: with made-up submissions in virtual time");
  verb->add_option("--tries", options->tries, "Stories for each sentence")
      ->capture_default_str()
      ->needs(intents);
  verb->add_option("--seed", options->seed, "Another number, other stories")
      ->capture_default_str()
      ->needs(intents);
  verb->add_option("--out", options->out, "Write the stories that break one here")
      ->type_name("DIR")
      ->needs(intents);
  verb->footer(
      "Exit code 0 without errors (there may be warnings), 2 with errors; with --intents 1 where\n"
      "one is broken, or could not be tried. That none is broken is not a proof.\n"
      "Examples:\n  sluice policy check policy.yaml\n"
      "  sluice policy check policy.yaml --intents --out broken && sluice test broken\n"
      "  sluice policy check policy.yaml --json | jq '.findings[].rule'");
  verb->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace sluice
