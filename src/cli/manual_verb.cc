// sluice completion and sluice manual: the command tree for shells and for man.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/version.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/verbs.h"
#include "text/scan.h"
#include "views/json.h"

namespace sluice {
namespace {

struct ManualOptions {
  std::string folder;
  bool json = false;
  bool markdown = false;
};

Result<ExitCode> write_pages(const CommandPage& root, const ManualOptions& options) {
  if (options.markdown) {
    fmt::print("{}", command_reference(root));
    return ExitCode::kDone;
  }
  if (options.folder.empty())
    return bad_input("no folder is named", "type: sluice manual ~/.local/share/man/man1");
  const std::string& folder = options.folder;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const std::vector<ManPage> pages = man_pages(root, kVersion);
  for (const ManPage& page : pages) {
    const std::string path = folder + "/" + page.file;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page.text;
    file.close();
    if (!file)
      return tl::unexpected<Error>(
          Error{ErrorKind::kFailed,
                fmt::format("{} cannot be written: {}", path, std::strerror(errno)),
                {},
                "name a folder that you may write to"});
  }
  if (options.json) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("schema");
    writer.text("sluice.manual/1");
    writer.key("folder");
    writer.text(folder);
    writer.key("pages");
    writer.begin_array();
    for (const ManPage& page : pages) writer.text(page.file);
    writer.end_array();
    writer.end_object();
    fmt::print("{}\n", out);
    return ExitCode::kDone;
  }
  fmt::print("{} pages are in {}; see one: man -l {}/sluice-submit.1\n", pages.size(), folder,
             folder);
  return ExitCode::kDone;
}

}  // namespace

void add_completion(Command& root, ExitCode& exit_code) {
  Command* verb =
      root.add_subcommand("completion", "Print what a shell needs to complete sluice's words");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->one_of({"bash", "zsh", "fish"});
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  verb->footer(
      "Examples:\n  eval \"$(sluice completion bash)\"\n"
      "  sluice completion fish > ~/.config/fish/completions/sluice.fish");
  verb->callback([shell, json, &exit_code] {
    exit_code = ExitCode::kDone;
    const std::string script = *shell == "bash"  ? bash_completion()
                               : *shell == "zsh" ? zsh_completion()
                                                 : fish_completion();
    if (!*json) {
      fmt::print("{}", script);
      return;
    }
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("schema");
    writer.text("sluice.completion/1");
    writer.key("shell");
    writer.text(*shell);
    writer.key("script");
    writer.text(script);
    writer.end_object();
    fmt::print("{}\n", out);
  });
}

void add_manual(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("manual", "Write the man pages of all commands");
  auto options = std::make_shared<ManualOptions>();
  verb->add_option("FOLDER", options->folder, "Where to; it is made if it is not there");
  verb->add_flag("--markdown", options->markdown, "Print all of it as one page of Markdown");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer("Examples:\n  sluice manual ~/.local/share/man/man1 && man sluice-submit");
  verb->callback([options, &root, &exit_code] {
    const auto done = write_pages(root.page(), *options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
