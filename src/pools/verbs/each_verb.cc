// The commands stand in the array's script, a line each: a task runs the line of its own number.
#include "pools/verbs/each_verb.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/job_ends.h"
#include "cli/job_request.h"
#include "cli/submission_notes.h"
#include "cli/wait.h"
#include "host/files/files.h"
#include "pools/verbs/chain_wait.h"
#include "pools/verbs/submit_verb.h"
#include "text/array_spec.h"
#include "text/each_script.h"
#include "text/printable.h"
#include "text/replacement.h"
#include "text/scan.h"
#include "views/json.h"

namespace sluice {
namespace {

constexpr const char* kUsage =
    "type: sluice each [OPTIONS] COMMAND ::: a b c, or sluice each -f list.txt 'COMMAND {}'";

struct EachLine {
  std::vector<std::string> words;  // sbatch's options, the command and its arguments.
  std::vector<std::string> files;  // -f
  std::optional<std::uint32_t> at_once;
  bool returns_at_once = false;  // --no-wait, which elsewhere is an option of chains.
  std::vector<std::vector<std::string>> sources;
};

Result<std::vector<std::string>> lines_of_file(const std::string& path) {
  auto text = read_file(path);
  if (!text)
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, std::move(text.error().what), {}, "name a file of lines"});
  std::vector<std::string> out;
  for (std::string_view line : split(*text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) out.emplace_back(line);
  }
  return out;
}

// ::: words, :::: files; each is one more list.
Result<void> read_sources(std::span<const std::string> words, EachLine& out) {
  bool files = false;
  for (const std::string& word : words) {
    if (word == ":::" || word == "::::") {
      files = word == "::::";
      out.sources.emplace_back();
    } else if (word == ":::+" || word == "::::+") {
      return bad_input(word + " is not known here",
                       "join the lists first, for instance with paste");
    } else if (files) {
      TRY(const auto lines, lines_of_file(word));
      out.sources.back().insert(out.sources.back().end(), lines.begin(), lines.end());
    } else {
      out.sources.back().push_back(word);
    }
  }
  return {};
}

// Takes our own options out of those before the command; sbatch has none of these names.
Result<EachLine> read_words(std::span<const std::string> given) {
  EachLine out;
  const auto mark = std::find_if(given.begin(), given.end(),
                                 [](const std::string& word) { return word.starts_with(":::"); });
  const std::vector<std::string> words(given.begin(), mark);
  TRY_VOID(read_sources(std::span(mark, given.end()), out));
  bool in_options = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_value =
        i > 0 && words[i - 1].starts_with('-') && words[i - 1].find('=') == std::string::npos;
    if (word == "--" || (!word.starts_with('-') && !is_value)) in_options = false;
    const auto value_of = [&](std::string_view brief,
                              std::string_view full) -> std::optional<std::string> {
      if (!in_options) return std::nullopt;
      if ((word == brief || word == full) && i + 1 < words.size()) return words[++i];
      if (word.starts_with(std::string(full) + "=")) return word.substr(full.size() + 1);
      if (word.starts_with(brief) && !word.starts_with("--") && word.size() > brief.size())
        return word.substr(brief.size());
      return std::nullopt;
    };
    if (in_options && word == "--no-wait") {
      out.returns_at_once = true;
    } else if (const auto file = value_of("-f", "--file")) {
      out.files.push_back(*file);
    } else if (const auto count = value_of("-j", "--jobs")) {
      const auto number = whole_number(*count);
      if (!number || *number < 1 || *number > 1'000'000)
        return bad_input(fmt::format("-j: {} is not a number of tasks", sluice::quoted(*count)),
                         "write it as -j 8");
      out.at_once = static_cast<std::uint32_t>(*number);
    } else {
      out.words.push_back(word);
    }
  }
  for (const std::string& file : out.files) {
    TRY(auto lines, lines_of_file(file));
    out.sources.push_back(std::move(lines));
  }
  return out;
}

bool is_file(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// How a shell runs a file of this folder that PATH does not have; empty where it is none.
std::string runnable(const std::string& word) {
  if (!is_file(word) || (word.find('/') == std::string::npos && find_command(word)))
    return std::string();
  const std::string path = one_line_word(std::filesystem::absolute(word).string());
  if (::access(word.c_str(), X_OK) == 0) return path;
  const std::string line = first_line(word);
  return (line.starts_with("#!") ? line.substr(2) : std::string("bash")) + " " + path;
}

// What a script says to sbatch holds for its tasks.
std::string directives_of(const std::string& path) {
  std::ifstream file(path);
  std::string out;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#SBATCH") || line.starts_with("#SLUICE"))
      out += line + "\n";
    else if (!line.empty() && !line.starts_with('#'))
      break;
  }
  return out;
}

Result<std::vector<std::string>> commands_of(const std::vector<std::string>& command,
                                             const EachLine& each) {
  std::string joined;
  for (const std::string& word : command) {
    const std::string shown = joined.empty() && command.size() >= 1 ? runnable(word) : "";
    joined += (joined.empty() ? "" : " ") + (shown.empty() ? word : shown);
  }
  if (joined.find('\n') != std::string::npos)
    return bad_input("the command has more than one line", "write a script and name that");
  if (!has_replacement(joined) && !joined.empty()) joined += " {}";
  const auto lines = combined(each.sources);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (joined.empty()) {
      // Every item is a command of its own, or a script.
      const std::string& item = lines[i].front();
      const std::string shown = runnable(item);
      if (item.find('\n') != std::string::npos)
        return bad_input(
            fmt::format("input {} has more than one line: {}", i + 1, sluice::quoted(item)),
            "a command has one line: write a script, and name it without line breaks");
      out.push_back(shown.empty() ? item : shown);
      continue;
    }
    TRY(std::string filled, filled_in(joined, lines[i], i + 1));
    out.push_back(std::move(filled));
  }
  return out;
}

// What the tasks that did not complete were to do, as a person would look for them.
std::string commands_that_failed(const JobEnds& ends, const std::vector<std::string>& commands) {
  constexpr std::size_t kMost = 10;
  std::string out;
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const auto& [task, end] : ends.tasks) {
    if (end.state == JobState::kCompleted || task == 0 || task > commands.size()) continue;
    if (shown == kMost) {
      ++more;
      continue;
    }
    ++shown;
    out += fmt::format("  {}: {}: {}\n", task, end.text(), printable(commands[task - 1]));
  }
  if (more > 0) out += fmt::format("  and {} more\n", more);
  return out;
}

Result<ExitCode> wait_and_sum_up(const std::vector<std::string>& commands) {
  const auto last = last_submission();
  if (!last || last->as == SubmittedAs::kOnSlurm) return ExitCode::kDone;
  if (last->as == SubmittedAs::kChain) return wait_for_chain(last->id);
  const auto job = whole_number(last->id);
  if (!job) return ExitCode::kDone;
  TRY(Connection daemon, Connection::open());
  daemon.wait_through_restarts();
  const auto number = static_cast<std::uint32_t>(*job);
  TRY_VOID(wait_until_ended(daemon, number, std::nullopt).map([](bool) {}));
  TRY(const JobEnds ends, ends_of(daemon, number));
  fmt::print("{}{}", ends.summary(), commands_that_failed(ends, commands));
  if (ends.worst() == 0) fmt::print("  their output:   sluice logs {}\n", ends.job);
  return ends.worst() == 0 ? ExitCode::kDone : ExitCode::kWorkFailed;
}

Result<ExitCode> run(std::span<const std::string> arguments, bool& wants_help) {
  TRY(EachLine each, read_words(arguments));
  TRY(SbatchCommandLine typed, read_submit_arguments(each.words));
  TRY(SbatchCommandLine line, with_last_named(std::move(typed)));
  wants_help = line.action != SbatchAction::kSubmit;
  if (wants_help) return ExitCode::kDone;
  if (line.wrap) return bad_input("each takes the command itself, not --wrap", kUsage);
  if (each.sources.empty()) {
    if (::isatty(STDIN_FILENO) != 0) return bad_input("no inputs are given", kUsage);
    TRY(auto lines, lines_of_file("-"));
    each.sources.push_back(std::move(lines));
  }
  std::vector<std::string> command;
  if (!line.script.empty()) command.push_back(line.script);
  command.insert(command.end(), line.arguments.begin(), line.arguments.end());
  TRY(const std::vector<std::string> commands, commands_of(command, each));
  if (commands.empty()) return bad_input("the list of inputs is empty", kUsage);
  const std::string first = !command.empty() ? command.front() : each.sources.front().front();
  const bool is_script = !runnable(first).empty();
  const std::string name = first.substr(0, first.find(' '));
  line.script = name.substr(name.rfind('/') + 1);
  line.arguments.clear();
  TRY(SbatchRequest request,
      request_of_text(line, each_script(commands, is_script ? directives_of(first) : "")));
  if (request.own.dry_run) {
    if (request.own.json) {
      std::string out;
      JsonWriter writer(out);
      writer.begin_object();
      writer.key("schema");
      writer.text("sluice.commands/1");
      writer.key("commands");
      writer.begin_array();
      for (const std::string& one : commands) writer.text(one);
      writer.end_array();
      writer.end_object();
      fmt::print("{}\n", out);
      return ExitCode::kDone;
    }
    for (const std::string& one : commands) fmt::print("{}\n", one);
    return ExitCode::kDone;
  }
  if (request.spec.array) return bad_input("each makes the array itself", "leave out --array");
  ArraySpec array;
  array.indices.insert_range(1, static_cast<std::uint32_t>(commands.size()));
  array.throttle = each.at_once;
  request.spec.array = array;
  const bool waits = !each.returns_at_once && !request.parsable && !request.own.json;
  // The jobs that pools were given are looked at together, as one submission.
  TRY(const bool to_pools, goes_to_pools(request));
  request.wait = waits && to_pools;
  const bool chain = request.own.starts_chain();
  TRY(const ExitCode code, submit_request(std::move(request)));
  if (code != ExitCode::kDone || !waits || to_pools) return code;
  if (!chain && ::isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "sluice: interrupting this leaves them running; later: sluice wait last\n");
  return wait_and_sum_up(commands);
}

constexpr const char* kHelp =
    "Runs the command once for each input, as one array, waits for it and says how the tasks "
    "ended.\n"
    "In the command, as in GNU parallel:\n"
    "  {}     the input; where the command has none, it is added at the end\n"
    "  {.}    without its extension            {/}    without its folder\n"
    "  {//}   its folder                       {/.}   without both\n"
    "  {#}    the task's number, from 1        {1} {2.}  of the first, the second list\n"
    "  ::: a b      inputs; two such lists: every combination\n"
    "  :::: FILE    the lines of a file, as -f FILE; without any list: of standard input\n"
    "A command that is a script of this folder may have #SBATCH lines. Without a command every\n"
    "input is one: sluice each ::: *.sh\n\n"
    "Options, beside those of sbatch (see sluice submit --help), before the command:\n"
    "  -f, --file FILE          a list of inputs, a line each; - is standard input\n"
    "  -j, --jobs N             at most N tasks at once\n"
    "  --dry-run                print the commands; nothing is submitted\n"
    "  --no-wait                return at once; later: sluice wait last (also with --parsable)\n"
    "  --json                   return at once, with the reply as JSON\n\n"
    "Exit code 1 where tasks failed.\n\n"
    "Examples:\n"
    "  sluice each job.sh ::: a b c\n"
    "  sluice each -f list.txt 'wc -l {} > {/.}.count'\n"
    "  sluice each --dry-run -c 2 --mem=1G convert {} {.}.png ::: a.jpg b.jpg\n"
    "  seq 10 | sluice each -j 4 'echo {}'\n"
    "  sluice each --no-wait ::: ./a.sh ./b.sh";

}  // namespace

std::optional<ExitCode> run_each(std::span<const std::string> arguments) {
  bool wants_help = false;
  const auto ended = run(arguments, wants_help);
  if (wants_help) return std::nullopt;
  return ended ? *ended : report(ended.error());
}

void add_each(Command& root, ExitCode&) {
  Command* verb =
      root.add_subcommand("each", "Run a command for each of many inputs, as one array");
  verb->operands("COMMAND ::: INPUTS...");
  verb->footer(kHelp);
}

}  // namespace sluice
