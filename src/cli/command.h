// Verbs and their options. CLI11 reads the command line; only command.cc includes it: its headers
// cost every file seconds to compile and every start of the program memory to touch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice {

// An option as a manual or a shell needs it.
struct OptionPage {
  std::vector<std::string> names;  // "-o", "--output"; empty for an operand.
  std::string value;               // What it takes: "FILE"; empty for a flag.
  std::string description;
  std::vector<std::string> words;  // All that it takes, where these are few.
};

// A verb with its options and its own verbs, as data.
struct CommandPage {
  std::string name;
  std::string description;
  std::string operands;  // "SCRIPT [ARGUMENTS...]", where it reads its words itself.
  std::string notes;     // What stands below the options, examples included.
  std::vector<OptionPage> options;
  std::vector<CommandPage> commands;
};

// One option, flag or operand. The functions are CLI11's of the same name.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption* type_name(const std::string& name);
  CommandOption* required();
  CommandOption* capture_default_str();
  CommandOption* default_str(const std::string& text);
  CommandOption* expected(int count);
  CommandOption* expected(int least, int most);
  CommandOption* excludes(CommandOption* other);
  CommandOption* needs(CommandOption* other);
  // All of those given count, not the last alone.
  CommandOption* take_all();
  CommandOption* one_of(std::vector<std::string> words);
  CommandOption* between(int least, int most);

 private:
  CLI::Option* option_;
};

// A verb, or the program itself. It owns what was added to it.
class Command {
 public:
  explicit Command(CLI::App& app);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  Command* add_subcommand(const std::string& name, const std::string& description = "");
  // For what command.cc names: words, numbers, and several or none of these.
  template <class T>
  CommandOption* add_option(const std::string& name, T& value, const std::string& description = "");
  CommandOption* add_flag(const std::string& name, bool& value,
                          const std::string& description = "");
  void callback(std::function<void()> run);
  void footer(const std::string& text);
  // What follows the options, of a verb that reads its words itself: "SCRIPT [ARGUMENTS...]".
  void operands(const std::string& words);
  void group(const std::string& name);
  void require_subcommand(int least = 1, int most = 1);
  // The words after the first that is no option are not ours: remaining() has them.
  void prefix_command();
  void no_help_flag();

  // Of what was read.
  bool has_subcommand() const;
  std::size_t count(const std::string& option) const;
  std::vector<std::string> remaining() const;
  std::string help() const;
  CommandPage page() const;

 private:
  CommandOption* keep(CLI::Option* option);

  CLI::App& app_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::unique_ptr<CommandOption>> options_;
};

// What a whole command line is read by.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();

  Command& root() { return *root_; }
  // Reads it and runs the verb's callback, or prints the help or version that was asked for. What
  // was wrong with it comes back.
  std::optional<std::string> parse(int argc, char** argv);
  // The command as the person would type it, down to the verb that was reached: "sluice sim".
  std::string reached() const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Command> root_;
};

}  // namespace sluice
