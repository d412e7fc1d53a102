// All that is said to CLI11.
#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

// The usage line of a verb whose operands CLI11 does not know.
class OwnOperands : public CLI::Formatter {
 public:
  explicit OwnOperands(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App*, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] {}\n", name, words_);
  }
  const std::string& words() const { return words_; }

 private:
  std::string words_;
};

// The headings of `sluice --help`, in this order.
struct VerbGroup {
  std::string_view verb;
  std::string_view group;
};
constexpr std::string_view kJobs = "Jobs";
constexpr std::string_view kPools = "Several accounts, and tasks that are retried";
constexpr std::string_view kCluster = "The cluster";
constexpr std::string_view kPolicies = "Policies";
constexpr std::string_view kProgram = "Watching, and setting up";
constexpr VerbGroup kGroups[] = {
    {"nodes", kCluster},    {"reservations", kCluster}, {"shares", kCluster},
    {"limits", kCluster},   {"qos", kCluster},          {"partitions", kCluster},
    {"usage", kCluster},    {"priority", kCluster},     {"reasons", kCluster},
    {"pools", kPools},      {"accounts", kPools},       {"route", kPools},
    {"rebalance", kPools},  {"chain", kPools},          {"list", kPools},
    {"report", kPools},     {"audit", kPools},          {"policy", kPolicies},
    {"test", kPolicies},    {"story", kPolicies},       {"sim", kPolicies},
    {"journal", kPolicies}, {"top", kProgram},          {"web", kProgram},
    {"metrics", kProgram},  {"notify", kProgram},       {"daemon", kProgram},
    {"doctor", kProgram},   {"config", kProgram},       {"shims", kProgram},
    {"api", kProgram},      {"completion", kProgram},   {"manual", kProgram},
};

std::string group_of(std::string_view verb) {
  for (const VerbGroup& each : kGroups)
    if (each.verb == verb) return std::string(each.group);
  return std::string(kJobs);
}

}  // namespace

CommandOption* CommandOption::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

CommandOption* CommandOption::required() {
  option_->required();
  return this;
}

CommandOption* CommandOption::capture_default_str() {
  option_->capture_default_str();
  return this;
}

CommandOption* CommandOption::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

CommandOption* CommandOption::expected(int count) {
  option_->expected(count);
  return this;
}

CommandOption* CommandOption::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

CommandOption* CommandOption::excludes(CommandOption* other) {
  option_->excludes(other->option_);
  return this;
}

CommandOption* CommandOption::needs(CommandOption* other) {
  option_->needs(other->option_);
  return this;
}

CommandOption* CommandOption::take_all() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

CommandOption* CommandOption::one_of(std::vector<std::string> words) {
  std::string known;
  for (const std::string& word : words) known += (known.empty() ? "" : ", ") + word;
  const auto check = [words = std::move(words), known](const std::string& given) -> std::string {
    if (std::find(words.begin(), words.end(), given) != words.end()) return {};
    return fmt::format("{} is not one of {}", sluice::quoted(std::string_view(given)), known);
  };
  std::string set = known;
  std::erase(set, ' ');
  option_->check(CLI::Validator(check, "{" + set + "}"));
  return this;
}

CommandOption* CommandOption::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return this;
}

Command::Command(CLI::App& app) : app_(app) {}
Command::~Command() = default;

CommandOption* Command::keep(CLI::Option* option) {
  return options_.emplace_back(std::make_unique<CommandOption>(option)).get();
}

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* verb = app_.add_subcommand(name, description);
  // CLI11 would list the verbs of a verb below the heading of that.
  verb->group(app_.get_parent() == nullptr ? group_of(name) : "Subcommands");
  return commands_.emplace_back(std::make_unique<Command>(*verb)).get();
}

template <class T>
CommandOption* Command::add_option(const std::string& name, T& value,
                                   const std::string& description) {
  return keep(app_.add_option(name, value, description));
}

#define SLUICE_OPTION(T) \
  template CommandOption* Command::add_option<T>(const std::string&, T&, const std::string&)
SLUICE_OPTION(std::string);
SLUICE_OPTION(std::vector<std::string>);
SLUICE_OPTION(std::optional<std::string>);
SLUICE_OPTION(std::int32_t);
SLUICE_OPTION(std::uint32_t);
SLUICE_OPTION(std::int64_t);
SLUICE_OPTION(std::uint64_t);
SLUICE_OPTION(std::optional<std::int32_t>);
SLUICE_OPTION(std::optional<std::uint32_t>);
SLUICE_OPTION(std::optional<std::int64_t>);
SLUICE_OPTION(std::optional<double>);
#undef SLUICE_OPTION

CommandOption* Command::add_flag(const std::string& name, bool& value,
                                 const std::string& description) {
  return keep(app_.add_flag(name, value, description));
}

void Command::callback(std::function<void()> run) { app_.callback(std::move(run)); }
void Command::footer(const std::string& text) { app_.footer(text); }
void Command::operands(const std::string& words) {
  app_.formatter(std::make_shared<OwnOperands>(words));
}
void Command::group(const std::string& name) { app_.group(name); }
void Command::require_subcommand(int least, int most) {
  app_.require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
}
void Command::prefix_command() { app_.prefix_command(); }
void Command::no_help_flag() { app_.set_help_flag(); }

bool Command::has_subcommand() const { return !app_.get_subcommands().empty(); }
std::size_t Command::count(const std::string& option) const { return app_.count(option); }
std::vector<std::string> Command::remaining() const { return app_.remaining(); }
std::string Command::help() const {
  std::string before;
  for (const CLI::App* above = app_.get_parent(); above != nullptr; above = above->get_parent())
    before = above->get_name() + (before.empty() ? "" : " ") + before;
  return app_.help(before);
}

namespace {

// "ENGINE:{slurm,embedded}" has the words in it.
std::vector<std::string> words_of_type(const std::string& type) {
  std::vector<std::string> words;
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return words;
  for (const std::string_view word :
       split(std::string_view(type).substr(open + 1, close - open - 1), ','))
    words.emplace_back(word);
  return words;
}

OptionPage page_of(const CLI::Option& option) {
  OptionPage page;
  for (const std::string& name : option.get_snames()) page.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) page.names.push_back("--" + name);
  page.description = option.get_description();
  if (option.get_expected_max() == 0) return page;
  const std::string type = option.get_type_name();
  page.words = words_of_type(type);
  page.value = page.names.empty() ? option.get_name() : type.substr(0, type.find(':'));
  if (!page.names.empty()) return page;
  // As the usage line has it.
  if (option.get_expected_max() > 1) page.value += "...";
  if (!option.get_required()) page.value = "[" + page.value + "]";
  return page;
}

CommandPage page_of(const CLI::App& app) {
  CommandPage page;
  page.name = app.get_name();
  page.description = app.get_description();
  page.notes = app.get_footer();
  if (const auto* own = dynamic_cast<const OwnOperands*>(app.get_formatter().get()))
    page.operands = own->words();
  for (const CLI::Option* option : app.get_options({})) page.options.push_back(page_of(*option));
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) page.commands.push_back(page_of(*command));
  return page;
}

const CLI::App& reached_app(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

// Those that begin with what was typed, where it is more than the dashes: "'--since' or '--state'".
std::string begun_words(const std::string& typed, const std::vector<std::string>& known) {
  if (typed.find_first_not_of('-') == std::string::npos) return {};
  std::vector<std::string> begun;
  for (const std::string& word : known)
    if (word.starts_with(typed)) begun.push_back(fmt::format("'{}'", word));
  constexpr std::size_t kMost = 5;
  return begun.size() <= kMost ? fmt::format("{}", fmt::join(begun, " or ")) : std::string();
}

std::string unknown_word(const CLI::App& root, const std::string& word) {
  const CLI::App& app = reached_app(root);
  std::vector<std::string> known;
  if (word.starts_with("-"))
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  else
    for (const CLI::App* command : app.get_subcommands(nullptr))
      if (!command->get_group().empty()) known.push_back(command->get_name());
  const std::string typed = word.substr(0, word.find('='));
  std::string meant = begun_words(typed, known);
  if (meant.empty())
    if (const auto near = nearest_word(typed, known)) meant = fmt::format("'{}'", *near);
  return fmt::format("unknown {} {}{}",
                     word.starts_with("-") ? "option"
                     : known.empty()       ? "argument"
                                           : "command",
                     sluice::quoted(std::string_view(typed)),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

std::string missing_word(const CLI::App& root) {
  std::string all;
  for (const CLI::App* command : reached_app(root).get_subcommands(nullptr))
    if (!command->get_group().empty()) all += (all.empty() ? "" : ", ") + command->get_name();
  return fmt::format("no command given; {} takes {}", reached_app(root).get_name(), all);
}

// "Could not convert: --tail = -1", as CLI11 says it.
std::string plain_problem(const std::string& problem) {
  constexpr std::string_view kCould = "Could not convert: ";
  const std::size_t equals = problem.find(" = ");
  if (!problem.starts_with(kCould) || equals == std::string::npos) return problem;
  return fmt::format("{}: {} is not a number it takes",
                     problem.substr(kCould.size(), equals - kCould.size()),
                     sluice::quoted(std::string_view(problem).substr(equals + 3)));
}

}  // namespace

CommandPage Command::page() const { return page_of(app_); }

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)), root_(std::make_unique<Command>(*app_)) {
  app_->set_version_flag("--version", version, "Print the version");
  app_->set_help_flag("-h,--help", "Print this help");
}

CommandLine::~CommandLine() = default;

std::optional<std::string> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& request) {
    // --help and --version arrive as exceptions; CLI11 prints what was asked for.
    app_->exit(request);
  } catch (const CLI::ParseError& error) {
    // A misspelt verb is first of all a missing one to CLI11; the person wants the word back.
    const std::vector<std::string> unknown = app_->remaining(true);
    if (!unknown.empty()) return unknown_word(*app_, unknown.front());
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
        reached_app(*app_).get_require_subcommand_min() > 0)
      return missing_word(*app_);
    return plain_problem(error.what());
  }
  return std::nullopt;
}

std::string CommandLine::reached() const {
  std::string command = app_->get_name();
  const CLI::App* app = app_.get();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  return command;
}

}  // namespace sluice
