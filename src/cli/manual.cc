#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/completion.h"

namespace sluice {
namespace {

using EachCommand = std::function<void(const CommandPage&, const std::string& path)>;
void each_command(const CommandPage& page, const std::string& path, const EachCommand& tell) {
  tell(page, path);
  for (const CommandPage& command : page.commands)
    each_command(command, path + " " + command.name, tell);
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

std::string operands_of(const CommandPage& page) {
  std::string out = page.operands.empty() ? "" : " " + page.operands;
  for (const OptionPage& option : page.options)
    if (option.names.empty()) out += " " + option.value;
  return out;
}

std::string man_page(const CommandPage& page, const std::string& path, std::string_view version) {
  std::string title = path;
  std::replace(title.begin(), title.end(), ' ', '-');
  const std::string first(page.description.substr(0, page.description.find('\n')));
  std::string out =
      fmt::format(".TH \"{}\" 1 \"\" \"sluice {}\" \"sluice\"\n", roff(title), version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", roff(title), roff(first));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n{}{}{}\n", roff(path),
                     page.options.empty() ? "" : "[OPTIONS]",
                     page.commands.empty() ? "" : " COMMAND", roff(operands_of(page)));
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

// "[FILE...]" is FILE.
std::string name_of(std::string_view operand) {
  const std::size_t begin = std::min(operand.find_first_not_of('['), operand.size());
  const std::size_t end = operand.find_last_not_of(".]");
  return std::string(operand.substr(begin, end + 1 - begin));
}

// In a table of Markdown.
std::string cell(std::string_view text) {
  std::string out;
  for (const char letter : text)
    if (letter == '|' || letter == '<' || letter == '*' || letter == '_')
      (out += '\\') += letter;
    else
      out += letter == '\n' ? ' ' : letter;
  return out;
}

void append_reference(const CommandPage& page, const std::string& path, std::string& out) {
  out +=
      fmt::format("\n{} {}\n\n{}\n\n", std::count(path.begin(), path.end(), ' ') > 1 ? "###" : "##",
                  path, page.description);
  if (page.commands.empty())
    out += fmt::format("`{}{}{}`\n\n", path, page.options.empty() ? "" : " [OPTIONS]",
                       operands_of(page));
  std::string rows;
  for (const OptionPage& option : page.options) {
    if (option.names.empty() ? option.description.empty() : option.names.back() == "--help")
      continue;
    rows += fmt::format("| `{}{}` | {} |\n", fmt::join(option.names, "`, `"),
                        option.names.empty()   ? name_of(option.value)
                        : option.value.empty() ? ""
                                               : " " + option.value,
                        cell(option.description));
  }
  if (!rows.empty()) out += "| option | does |\n|---|---|\n" + rows;
  if (!page.notes.empty()) out += fmt::format("\n```\n{}\n```\n", page.notes);
}

}  // namespace

std::string command_reference(const CommandPage& root) {
  std::string out =
      "# Every command and option\n\n"
      "What `sluice COMMAND --help` and the man pages say, on one page; `sluice manual --markdown` "
      "prints it.\nExit codes are [the same for all](../index.md#exit-codes). `submit`, `run` and "
      "`route` take\n[the options of sbatch](slurm-compatibility.md), too.\n";
  each_command(root, root.name, [&](const CommandPage& page, const std::string& path) {
    if (path != root.name) append_reference(page, path, out);
  });
  return out;
}

std::vector<ManPage> man_pages(const CommandPage& root, std::string_view version) {
  std::vector<ManPage> pages;
  each_command(with_sbatch_options(root), root.name,
               [&](const CommandPage& page, const std::string& path) {
                 std::string file = path + ".1";
                 std::replace(file.begin(), file.end(), ' ', '-');
                 pages.push_back({std::move(file), man_page(page, path, version)});
               });
  return pages;
}

}  // namespace sluice
