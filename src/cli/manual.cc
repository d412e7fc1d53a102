#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "text/own_options.h"
#include "text/sbatch_option_table.h"
#include "text/scan.h"

namespace sluice {
namespace {

// Options whose value is a name that the daemon or a ledger knows.
struct NamedValue {
  std::string_view option;
  std::string_view names;
};
constexpr NamedValue kNamedValues[] = {
    {"-A", "accounts"}, {"--account", "accounts"}, {"--job", "jobs"}, {"--chain-id", "chains"}};

void add_shapes(CommandPage& page, std::span<const OptionShape> shapes) {
  for (const OptionShape& shape : shapes) {
    OptionPage option;
    if (shape.letter != '\0') option.names.push_back(fmt::format("-{}", shape.letter));
    option.names.push_back(fmt::format("--{}", shape.name));
    if (shape.argument != OptionArgument::kNone) option.value = "VALUE";
    page.options.push_back(std::move(option));
  }
}

// Submissions read sbatch's options, which are a table of their own.
CommandPage whole(CommandPage page) {
  for (CommandPage& command : page.commands) {
    if (command.name != "submit" && command.name != "run" && command.name != "route") continue;
    add_shapes(command, sbatch_option_shapes());
    add_shapes(command, own_option_shapes());
  }
  return page;
}

using EachCommand = std::function<void(const CommandPage&, const std::string& path)>;
void each_command(const CommandPage& page, const std::string& path, const EachCommand& tell) {
  tell(page, path);
  for (const CommandPage& command : page.commands)
    each_command(command, path + " " + command.name, tell);
}

std::vector<std::string> option_names(const CommandPage& page) {
  std::vector<std::string> names;
  for (const OptionPage& option : page.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> command_names(const CommandPage& page) {
  std::vector<std::string> names;
  for (const CommandPage& command : page.commands) names.push_back(command.name);
  return names;
}

// What the operands are called: JOB, CHAIN.
std::string_view operand_names(const CommandPage& page) {
  for (const OptionPage& option : page.options)
    if (option.names.empty()) {
      if (option.value.starts_with("CHAIN")) return "chains";
      if (option.value.starts_with("JOB")) return "jobs";
    }
  return "";
}

// In single quotes of any of the shells.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char letter : text)
    if (letter == '\'')
      out += "'\\''";
    else
      out += letter == '\n' ? ' ' : letter;
  return out + "'";
}

// A daemon that does not run is not started for a completion.
constexpr std::string_view kNames = R"sh(_sluice_names() {
  case $1 in
    chains) sluice list 2>/dev/null | awk 'NR > 1 && $1 ~ /^[0-9]+-[0-9]+-/ {print $1}'; echo last ;;
    *)
      sluice daemon status >/dev/null 2>&1 || return
      case $1 in
        jobs) sluice queue --format=id --noheader 2>/dev/null ;;
        accounts) sluice shares --format=account --noheader 2>/dev/null | sort -u ;;
      esac ;;
  esac
}
)sh";

// The part that bash and zsh share: from `path`, `cur` and `prev` to `options`, `commands`,
// `names`.
std::string tables(const CommandPage& root) {
  std::string paths;
  std::string rows;
  std::string values;
  each_command(root, root.name, [&](const CommandPage& page, const std::string& path) {
    if (path != root.name) paths += (paths.empty() ? "" : "|") + shell_word(path);
    rows += fmt::format("    {}) options={} commands={} names={} ;;\n", shell_word(path),
                        shell_word(fmt::format("{}", fmt::join(option_names(page), " "))),
                        shell_word(fmt::format("{}", fmt::join(command_names(page), " "))),
                        shell_word(operand_names(page)));
    for (const OptionPage& option : page.options)
      if (!option.words.empty())
        for (const std::string& name : option.names)
          values += fmt::format("    {}) words={} ;;\n", shell_word(path + " " + name),
                                shell_word(fmt::format("{}", fmt::join(option.words, " "))));
  });
  std::string named;
  for (const NamedValue& value : kNamedValues)
    named += fmt::format("    {}) words=$(_sluice_names {}) ;;\n", value.option, value.names);
  return fmt::format(R"sh(  for ((i = 1; i < at; i++)); do
    case "$path ${{typed[i]}}" in
      {}) path="$path ${{typed[i]}}" ;;
    esac
  done
  case $path in
{}  esac
  case $prev in
{}  esac
  case "$path $prev" in
{}  esac
)sh",
                     paths, rows, named, values);
}

std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) out += "\\&";
    if (letter == '\\')
      out += "\\e";
    else if (letter == '-')
      out += "\\-";
    else
      out += letter;
    line_begins = letter == '\n';
  }
  return out;
}

constexpr std::string_view kExitStatus = R"sh(.SH EXIT STATUS
.TP
.B 0
It was done.
.TP
.B 1
The work failed.
.TP
.B 2
The command line or a file is wrong.
.TP
.B 69
The daemon or Slurm cannot be reached.
.TP
.B 75
Every pool is full.
.TP
.B 76
Whether it was done is not known.
.TP
.B 77
It is not allowed.
)sh";

std::string man_page(const CommandPage& page, const std::string& path, std::string_view version) {
  std::string title = path;
  std::replace(title.begin(), title.end(), ' ', '-');
  const std::string first(page.description.substr(0, page.description.find('\n')));
  std::string out =
      fmt::format(".TH \"{}\" 1 \"\" \"sluice {}\" \"sluice\"\n", roff(title), version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", roff(title), roff(first));
  std::string operands = page.operands.empty() ? "" : " " + page.operands;
  for (const OptionPage& option : page.options)
    if (option.names.empty()) operands += " " + option.value;
  out += fmt::format(".SH SYNOPSIS\n.B {}\n{}{}{}\n", roff(path),
                     page.options.empty() ? "" : "[OPTIONS]",
                     page.commands.empty() ? "" : " COMMAND", roff(operands));
  out += fmt::format(".SH DESCRIPTION\n{}\n", roff(page.description));
  if (!page.commands.empty()) {
    out += ".SH COMMANDS\n";
    for (const CommandPage& command : page.commands)
      out += fmt::format(".TP\n.B {}\n{}\n", roff(command.name), roff(command.description));
  }
  std::string options;
  for (const OptionPage& option : page.options)
    if (!option.names.empty())
      options +=
          fmt::format(".TP\n.B {}{}\n{}\n", roff(fmt::format("{}", fmt::join(option.names, ", "))),
                      option.value.empty() ? "" : " " + roff(option.value),
                      option.description.empty() ? "As in sbatch(1)." : roff(option.description));
  if (!options.empty()) out += ".SH OPTIONS\n" + options;
  if (!page.notes.empty()) out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(page.notes));
  out += kExitStatus;
  if (path != "sluice") out += ".SH SEE ALSO\n.BR sluice (1)\n";
  return out;
}

}  // namespace

std::string bash_completion(const CommandPage& root) {
  std::string out = R"sh(# Completion of sluice for bash; made by `sluice completion bash`.
)sh";
  out += kNames;
  out += R"sh(_sluice() {
  local path=sluice i options='' commands='' names='' words=''
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local -a typed=("${COMP_WORDS[@]}")
  local at=$COMP_CWORD
)sh";
  out += tables(whole(root));
  return out + R"sh(  if [[ -z $words ]]; then
    if [[ $cur == -* ]]; then
      words=$options
    else
      words=$commands
      [[ -z $names ]] || words="$words $(_sluice_names "$names")"
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _sluice sluice
)sh";
}

std::string zsh_completion(const CommandPage& root) {
  std::string out = R"sh(#compdef sluice
# Completion of sluice for zsh; made by `sluice completion zsh`.
)sh";
  out += kNames;
  out += R"sh(_sluice() {
  local path_=sluice i options='' commands='' names='' words_=''
  local cur=${words[CURRENT]} prev=${words[CURRENT-1]}
  local -a typed=("${words[@]:1}")
  _sluice_find() {
    emulate -L zsh -o ksharrays
    local path=sluice words='' at=$1
    shift
    local -a typed=("$@")
)sh";
  out += tables(whole(root));
  return out + R"sh(    path_=$path words_=$words
  }
  _sluice_find $((CURRENT - 1)) "${words[@]}"
  if [[ -z $words_ ]]; then
    if [[ $cur == -* ]]; then
      words_=$options
    else
      words_=$commands
      [[ -z $names ]] || words_="$words_ $(_sluice_names $names)"
    fi
  fi
  compadd -- ${=words_} || _files
}
}
compdef _sluice sluice
)sh";
}

std::string fish_completion(const CommandPage& root) {
  std::string out = "# Completion of sluice for fish; made by `sluice completion fish`.\n";
  const CommandPage page = whole(root);
  for (const CommandPage& command : page.commands)
    out += fmt::format("complete -c sluice -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       shell_word(command.description));
  const auto options = [&](const CommandPage& command, const std::string& when) {
    for (const OptionPage& option : command.options) {
      if (option.names.empty()) continue;
      out += fmt::format("complete -c sluice -n {}", shell_word(when));
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) out += " -r";
      if (!option.words.empty())
        out += " -f -a " + shell_word(fmt::format("{}", fmt::join(option.words, " ")));
      if (!option.description.empty()) out += " -d " + shell_word(option.description);
      out += '\n';
    }
  };
  for (const CommandPage& command : page.commands) {
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    options(command, seen);
    for (const CommandPage& inner : command.commands) {
      out += fmt::format("complete -c sluice -f -n {} -a {} -d {}\n", shell_word(seen), inner.name,
                         shell_word(inner.description));
      options(inner, seen + "; and __fish_seen_subcommand_from " + inner.name);
    }
    if (operand_names(command) == "jobs")
      out += fmt::format(
          "complete -c sluice -n {} -a '(sluice daemon status >/dev/null 2>&1; and sluice queue "
          "--format=id --noheader 2>/dev/null)'\n",
          shell_word(seen));
  }
  return out;
}

std::vector<ManPage> man_pages(const CommandPage& root, std::string_view version) {
  std::vector<ManPage> pages;
  each_command(whole(root), root.name, [&](const CommandPage& page, const std::string& path) {
    std::string file = path + ".1";
    std::replace(file.begin(), file.end(), ' ', '-');
    pages.push_back({std::move(file), man_page(page, path, version)});
  });
  return pages;
}

}  // namespace sluice
