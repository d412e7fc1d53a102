#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/own_options.h"
#include "text/printable.h"
#include "text/sbatch_option_table.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct KindOfValue {
  std::string_view name;  // Of an option, or of what it or an operand takes.
  NameKind kind;
};
constexpr KindOfValue kKinds[] = {{"--account", NameKind::kAccounts},
                                  {"ACCOUNT", NameKind::kAccounts},
                                  {"ACCOUNTS", NameKind::kAccounts},
                                  {"--qos", NameKind::kQos},
                                  {"QOS", NameKind::kQos},
                                  {"--partition", NameKind::kPartitions},
                                  {"PARTITION", NameKind::kPartitions},
                                  {"--nodelist", NameKind::kNodes},
                                  {"--exclude", NameKind::kNodes},
                                  {"NODE", NameKind::kNodes},
                                  {"NODES", NameKind::kNodes},
                                  {"--user", NameKind::kUsers},
                                  {"USER", NameKind::kUsers},
                                  {"USERS", NameKind::kUsers},
                                  {"JOB", NameKind::kJobs},
                                  {"JOBS", NameKind::kJobs},
                                  {"--jobs", NameKind::kJobs},
                                  {"--jobid", NameKind::kJobs},
                                  {"ID", NameKind::kJobsAndChains},
                                  {"IDS", NameKind::kJobsAndChains},
                                  {"CHAIN", NameKind::kChains},
                                  {"CHAINS", NameKind::kChains},
                                  {"--reservation", NameKind::kReservations}};

NameKind kind_named(std::string_view name) {
  for (const KindOfValue& each : kKinds)
    if (each.name == name) return each.kind;
  return NameKind::kNone;
}

// "JOB...", "[JOB|last ...]" and "JOB | [SCRIPT]" begin with a job.
NameKind kind_of_operand(std::string_view words) {
  while (!words.empty() && !(words.front() >= 'A' && words.front() <= 'Z')) words.remove_prefix(1);
  std::size_t end = 0;
  while (end < words.size() && words[end] >= 'A' && words[end] <= 'Z') ++end;
  return kind_named(words.substr(0, end));
}

NameKind kind_of(const OptionPage& option) {
  for (const std::string& name : option.names)
    if (const NameKind kind = kind_named(name); kind != NameKind::kNone) return kind;
  return kind_of_operand(option.value);
}

NameKind kind_of_operands(const CommandPage& page) {
  for (const OptionPage& option : page.options)
    if (option.names.empty()) return kind_of(option);
  return kind_of_operand(page.operands);
}

const OptionPage* option_named(const CommandPage& page, std::string_view name) {
  for (const OptionPage& option : page.options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
      return &option;
  return nullptr;
}

const CommandPage* command_named(const CommandPage& page, std::string_view name) {
  for (const CommandPage& command : page.commands)
    if (command.name == name) return &command;
  return nullptr;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void offer_value(const OptionPage& option, std::string_view typed, Completion& out) {
  for (const std::string& word : option.words) out.words.push_back({word, ""});
  out.names = kind_of(option);
  // One of several: "lab,dep".
  const std::size_t comma =
      out.names == NameKind::kNone ? std::string_view::npos : typed.rfind(',');
  if (comma != std::string_view::npos) out.before += typed.substr(0, comma + 1);
  out.begun = typed.substr(comma == std::string_view::npos ? 0 : comma + 1);
}

void offer_options(const CommandPage& page, Completion& out) {
  for (const OptionPage& option : page.options)
    for (const std::string& name : option.names)
      // A letter is typed quicker than completed; it is offered where it is all there is.
      if (name.starts_with("--") || option.names.size() == 1)
        out.words.push_back({name, first_line(option.description)});
}

void offer_operands(const CommandPage& page, bool is_first, Completion& out) {
  if (is_first)
    for (const CommandPage& command : page.commands)
      out.words.push_back({command.name, first_line(command.description)});
  for (const OptionPage& option : page.options)
    if (option.names.empty())
      for (const std::string& word : option.words) out.words.push_back({word, ""});
  out.names = kind_of_operands(page);
}

ClusterNames cluster_names = nullptr;

void add_shapes(CommandPage& page, std::span<const OptionShape> shapes) {
  for (const OptionShape& shape : shapes) {
    OptionPage option;
    if (shape.letter != '\0') option.names.push_back(fmt::format("-{}", shape.letter));
    option.names.push_back(fmt::format("--{}", shape.name));
    if (shape.argument != OptionArgument::kNone) option.value = "VALUE";
    page.options.push_back(std::move(option));
  }
}

}  // namespace

CommandPage with_sbatch_options(CommandPage root) {
  for (CommandPage& command : root.commands) {
    if (command.name != "submit" && command.name != "run" && command.name != "route") continue;
    add_shapes(command, sbatch_option_shapes());
    add_shapes(command, own_option_shapes());
  }
  return root;
}

Completion completion_at(const CommandPage& root, const std::vector<std::string>& typed) {
  Completion out;
  const CommandPage* page = &root;
  const OptionPage* waiting = nullptr;  // An option whose value comes next.
  bool is_first = true;                 // No operand of this command yet.
  const bool is_help = typed.size() > 1 && typed.front() == "help";
  for (std::size_t i = is_help ? 1 : 0; i + 1 < typed.size(); ++i) {
    const std::string& word = typed[i];
    // What follows is another program's.
    if (word == "--" || word == ":::") return out;
    if (waiting != nullptr) {
      waiting = nullptr;
    } else if (word.size() > 1 && word.front() == '-') {
      const OptionPage* option = option_named(*page, word);
      if (option != nullptr && !option->value.empty()) waiting = option;
    } else if (const CommandPage* inner = is_first ? command_named(*page, word) : nullptr) {
      page = inner;
    } else {
      // After a script or a command come its own words.
      if (!page->operands.empty() && kind_of_operands(*page) == NameKind::kNone) return out;
      is_first = false;
    }
  }
  const std::string at = typed.empty() ? "" : typed.back();
  const std::size_t equals = at.find('=');
  if (waiting != nullptr) {
    offer_value(*waiting, at, out);
  } else if (at.starts_with("--") && equals != std::string::npos) {
    out.before = at.substr(0, equals + 1);
    if (const OptionPage* option = option_named(*page, at.substr(0, equals)))
      offer_value(*option, std::string_view(at).substr(equals + 1), out);
  } else {
    out.begun = at;
    if (at.starts_with("-"))
      offer_options(*page, out);
    else
      offer_operands(*page, is_first, out);
  }
  std::sort(out.words.begin(), out.words.end(),
            [](const CompletionWord& a, const CompletionWord& b) { return a.word < b.word; });
  out.words.erase(std::unique(out.words.begin(), out.words.end(),
                              [](const CompletionWord& a, const CompletionWord& b) {
                                return a.word == b.word;
                              }),
                  out.words.end());
  std::erase_if(out.words,
                [&](const CompletionWord& word) { return !word.word.starts_with(out.begun); });
  return out;
}

void use_cluster_names(ClusterNames names) { cluster_names = names; }

void print_completion(const CommandPage& root, const std::vector<std::string>& typed) {
  Completion found = completion_at(with_sbatch_options(root), typed);
  if (found.names != NameKind::kNone && cluster_names != nullptr)
    for (CompletionWord& word : cluster_names(found.names, typed))
      if (word.word.starts_with(found.begun)) found.words.push_back(std::move(word));
  for (const CompletionWord& word : found.words) {
    const std::string description = printable(word.description);
    fmt::print("{}{}{}{}\n", found.before, printable(word.word), description.empty() ? "" : "\t",
               description);
  }
}

// bash splits words at '=', and replaces what stands after it.
std::string bash_completion() {
  return R"sh(# Completion of sluice for bash; made by `sluice completion bash`.
_sluice() {
  local -a typed=()
  local i word line
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#typed[@]})) && [[ $word == = && ${typed[-1]} == --* ]]; then
      typed[-1]+==
    elif ((${#typed[@]})) && [[ ${typed[-1]} == --*= && ${COMP_WORDS[i - 1]} == = ]]; then
      typed[-1]+=$word
    else
      typed+=("$word")
    fi
  done
  local before=''
  if [[ $COMP_WORDBREAKS == *=* && ${typed[-1]} == --*=* ]]; then before=${typed[-1]%%=*}=; fi
  COMPREPLY=()
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    COMPREPLY+=("${line#"$before"}")
  done < <("${COMP_WORDS[0]}" complete -- "${typed[@]}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _sluice sluice
)sh";
}

std::string zsh_completion() {
  return R"sh(#compdef sluice
# Completion of sluice for zsh; made by `sluice completion zsh`.
_sluice() {
  local -a found described
  local line
  found=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z ${found[1]} ]]; then
    _files
    return
  fi
  for line in "${found[@]}"; do
    described+=("${line//$'\t'/  -- }")
  done
  compadd -d described -l -- "${(@)found%%$'\t'*}"
}
if [[ ${funcstack[1]} == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
)sh";
}

std::string fish_completion() {
  return R"sh(# Completion of sluice for fish; made by `sluice completion fish`.
function __sluice_complete
    set -l typed (commandline --tokenize --cut-at-cursor --current-process)
    set -l last (commandline --current-token --cut-at-cursor)
    sluice complete -- $typed[2..-1] "$last" 2>/dev/null
end
# A file is offered only where sluice has nothing to offer.
complete -c sluice -f -n 'count (__sluice_complete) >/dev/null' -a '(__sluice_complete)'
complete -c sluice -F -n 'not count (__sluice_complete) >/dev/null'
)sh";
}

}  // namespace sluice
