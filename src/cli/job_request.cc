#include "cli/job_request.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "cli/engine_choice.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "text/batch_script.h"
#include "text/export_mode.h"
#include "text/mail_types.h"
#include "text/own_options.h"
#include "text/quoting.h"
#include "text/sbatch_option_table.h"
#include "text/scan.h"

extern char** environ;

namespace sluice {
namespace {

constexpr std::size_t kLongestScript = std::size_t{4} << 20;

Result<std::string> read_descriptor(int descriptor, const std::string& name) {
  std::string text;
  char piece[16384];
  while (true) {
    const ssize_t got = ::read(descriptor, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return tl::unexpected<Error>(Error{ErrorKind::kBadInput, std::strerror(errno), name, {}});
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > kLongestScript)
      return tl::unexpected<Error>(
          Error{ErrorKind::kBadInput, "is longer than 4 MB, the most a script may have", name, {}});
  }
}

// The script's text; nothing where the file is a program of another kind.
Result<std::optional<std::string>> read_script(const std::string& path) {
  if (path.empty()) {
    TRY(std::string text, read_descriptor(STDIN_FILENO, "standard input"));
    return std::optional(std::move(text));
  }
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return tl::unexpected<Error>(Error{ErrorKind::kBadInput, std::strerror(errno), path,
                                       "name a script: sluice submit [options] SCRIPT [ARGS]"});
  struct stat facts {};
  char magic[4] = {};
  const bool is_elf = ::pread(file, magic, 4, 0) == 4 && std::memcmp(magic,
                                                                     "\x7f"
                                                                     "ELF",
                                                                     4) == 0;
  if (is_elf && ::fstat(file, &facts) == 0 && (facts.st_mode & 0111) != 0) {
    ::close(file);
    return std::optional<std::string>();
  }
  auto text = read_descriptor(file, path);
  ::close(file);
  TRY(std::string script, std::move(text));
  return std::optional(std::move(script));
}

// Whether this user's hooks may be for the ends of jobs. Which of them are is read when it has
// ended: the file may be another one by then.
bool may_have_hooks() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  const bool own = config != nullptr && config[0] == '/';
  if (!own && home == nullptr) return false;
  const std::string path =
      (own ? std::string(config) : std::string(home) + "/.config") + "/sluice/notify.yaml";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto text = read_descriptor(file, path);
  ::close(file);
  return text &&
         (text->find("job-end") != std::string::npos || text->find("all") != std::string::npos);
}

std::string current_folder() {
  // The shell's name for it, which may lead through links, where it is the same folder.
  const char* logical = std::getenv("PWD");
  struct stat a {};
  struct stat b {};
  if (logical != nullptr && logical[0] == '/' && ::stat(logical, &a) == 0 && ::stat(".", &b) == 0 &&
      a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    return logical;
  char* name = ::getcwd(nullptr, 0);
  std::string out = name != nullptr ? name : "/";
  std::free(name);
  return out;
}

std::string full_path(const std::string& path, const std::string& folder) {
  return path.starts_with('/') ? path : folder + "/" + path;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    // Most of it is ASCII, looked at eight bytes at a time.
    std::uint64_t eight = 0;
    while (text.size() - i >= sizeof eight) {
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if ((eight & 0x8080'8080'8080'8080U) != 0) break;
      i += sizeof eight;
    }
    if (i == text.size()) break;
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80) return false;
    i += length;
  }
  return true;
}

// --export-file: definitions NAME=value, each ended by a byte of zero, in a file or behind the
// number of an open descriptor. What is exported anyway stays as it is, as sbatch has it.
Result<void> add_export_file(SbatchRequest& request,
                             const std::vector<EnvironmentVariable>& environment) {
  const std::string& name = request.export_file;
  if (name.empty()) return {};
  const auto number = whole_number(name);
  const bool given = number && *number > 2;
  const int file = given ? static_cast<int>(*number) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const auto text = file < 0 ? Result<std::string>(bad_input("")) : read_descriptor(file, name);
  if (file >= 0 && !given) ::close(file);
  if (!text) return bad_input("Could not open user environment file " + name);
  const auto kept = exported(request.environment, environment);
  for (const std::string_view pair : split(*text, '\0')) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos || !is_utf8(pair)) continue;
    const std::string_view variable = pair.substr(0, equals);
    const bool there = std::any_of(kept.begin(), kept.end(), [&](const EnvironmentVariable& it) {
      return it.name == variable;
    });
    if (!there)
      request.spec.launch.environment.push_back(
          {std::string(variable), std::string(pair.substr(equals + 1))});
  }
  return {};
}

}  // namespace

std::vector<EnvironmentVariable> own_environment() {
  std::vector<EnvironmentVariable> out;
  std::size_t count = 0;
  while (environ[count] != nullptr) ++count;
  out.reserve(count);
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const std::size_t equals = text.find('=');
    // A value that is no text cannot travel as one; nothing but accidents has such values.
    if (equals == 0 || equals == std::string_view::npos || !is_utf8(text)) continue;
    out.push_back({std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
  }
  return out;
}

Result<SbatchRequest> request_of(const SbatchCommandLine& line) {
  return request_of(line, SbatchVariables::kTaken);
}

Result<SbatchRequest> request_of(const SbatchCommandLine& line, SbatchVariables variables) {
  std::vector<EnvironmentVariable> environment = own_environment();
  if (variables == SbatchVariables::kIgnored)
    std::erase_if(environment, [](const EnvironmentVariable& variable) {
      return variable.name.starts_with("SBATCH_");
    });
  const SbatchContext context{environment, now_here(), &local_offset};
  const std::string folder = current_folder();
  if (line.wrap) {
    TRY(SbatchRequest request, make_sbatch_request(line, "", context));
    if (request.spec.launch.command.empty()) request.spec.launch.command = "(null)";
    TRY_VOID(add_export_file(request, environment));
    return request;
  }
  auto read = read_script(line.script);
  if (!read) {
    // A mistake among the options comes first.
    SbatchCommandLine options = line;
    options.wrap = "";
    options.script.clear();
    TRY_VOID(make_sbatch_request(options, "", context));
    return tl::unexpected<Error>(std::move(read.error()));
  }
  const std::optional<std::string> script = *std::move(read);
  if (!script) {
    // A program: what sbatch wants of a script does not hold for it.
    TRY(SbatchRequest request, make_sbatch_request(line, "#!/bin/sh\n", context));
    request.spec.launch.script.clear();
    request.spec.launch.program = full_path(line.script, folder);
    request.spec.launch.arguments = line.arguments;
    request.spec.launch.command = request.spec.launch.program;
    TRY_VOID(add_export_file(request, environment));
    return request;
  }
  const std::string& text = *script;
  if (!is_utf8(text))
    return tl::unexpected<Error>(Error{
        ErrorKind::kBadInput, "is not UTF-8 text", line.script,
        fmt::format("convert it: iconv -f latin1 -t utf-8 {} > NEW", shell_argument(line.script))});
  TRY(SbatchRequest request, make_sbatch_request(line, text, context));
  request.spec.launch.command = line.script.empty() ? "(null)" : full_path(line.script, folder);
  TRY_VOID(add_export_file(request, environment));
  return request;
}

Result<SbatchCommandLine> with_last_named(SbatchCommandLine line) {
  std::string asked;
  for (const GivenOption& option : line.own)
    if (own_option_shapes()[option.row].name == "on") asked = option.value.value_or("");
  TRY(const std::string engine, chosen_engine(asked));
  for (GivenOption& option : line.options)
    if (option.value && sbatch_option_shapes()[option.row].name == "dependency") {
      TRY(option.value, dependencies_meant_by(*option.value, engine));
    }
  return line;
}

Result<SbatchRequest> request_as_typed(const SbatchCommandLine& line) {
  auto request = request_of(line);
  if (request || line.wrap || line.script.empty() || !request.error().where.empty()) return request;
  Error& error = request.error();
  const auto script = read_script(line.script);
  if (!script || !*script) return request;
  if (!check_batch_script(**script)) {
    error.where = line.script;
    constexpr std::string_view kAnyScript = " SCRIPT";
    if (error.hint.ends_with(kAnyScript))
      error.hint.replace(error.hint.size() - kAnyScript.size(), kAnyScript.size(),
                         " " + shell_argument(line.script));
    return request;
  }
  const std::vector<EnvironmentVariable> environment = own_environment();
  const SbatchContext context{environment, now_here(), &local_offset};
  if (const auto number = line_of_mistake(**script, context)) {
    error.where = fmt::format("{}:{}", line.script, *number);
    if (error.hint.find("sbatch --help") != std::string::npos)
      error.hint = "for all options, type: sluice submit --help";
  }
  return request;
}

Result<SbatchRequest> request_of_text(const SbatchCommandLine& line, const std::string& script) {
  if (!is_utf8(script)) return bad_input("the command is not UTF-8 text");
  const std::vector<EnvironmentVariable> environment = own_environment();
  const SbatchContext context{environment, now_here(), &local_offset};
  TRY(SbatchRequest request, make_sbatch_request(line, script, context));
  request.spec.launch.command = line.script;
  return request;
}

Result<void> check_folder_of(const SbatchRequest& request) {
  if (request.spec.launch.working_directory.starts_with('/')) return {};
  char* name = ::getcwd(nullptr, 0);
  if (name == nullptr)
    return failed(fmt::format("getcwd failed: {}", std::strerror(errno)),
                  "this folder was removed: go to another, or name one with --chdir");
  std::free(name);
  return {};
}

void add_surroundings(SbatchRequest& request) {
  Launch& launch = request.spec.launch;
  if (launch.working_directory.empty())
    launch.working_directory = current_folder();
  else
    launch.working_directory = full_path(launch.working_directory, current_folder());
  // What the options of sbatch have put there wins; what a job around this one wanted is not ours.
  const std::vector<EnvironmentVariable> wanted = std::move(launch.environment);
  launch.environment = exported(request.environment, own_environment());
  std::erase_if(launch.environment, [](const EnvironmentVariable& variable) {
    return variable.name == kMailTypeVariable || variable.name == kMailUserVariable ||
           variable.name == kHooksVariable || variable.name.starts_with("SLURM_SUBMIT_") ||
           variable.name == "SLURM_EXPORT_ENV" || variable.name == "SLURM_PRIO_PROCESS" ||
           variable.name == "SLURM_GPUS_PER_NODE" || variable.name == "SLURM_WORKING_CLUSTER";
  });
  launch.environment.insert(launch.environment.end(), wanted.begin(), wanted.end());
  if (may_have_hooks()) set_variable(launch.environment, kHooksVariable, "job-end");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  launch.environment.push_back({"SLURM_UMASK", fmt::format("{:04o}", mask)});
  // Where it was submitted, which scripts look for.
  launch.environment.push_back({"SLURM_SUBMIT_DIR", current_folder()});
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0)
    launch.environment.push_back({"SLURM_SUBMIT_HOST", host});
  launch.environment.push_back(
      {"SLURM_PRIO_PROCESS", std::to_string(::getpriority(PRIO_PROCESS, 0))});
}

Result<std::string> find_command(const std::string& name) {
  const auto runs = [](const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    const std::string path = full_path(name, current_folder());
    if (runs(path)) return path;
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, "is not a program that can be run", name, {}});
  }
  const char* folders = std::getenv("PATH");
  for (const std::string_view folder : split(folders == nullptr ? "/usr/bin:/bin" : folders, ':')) {
    const std::string path = (folder.empty() ? current_folder() : std::string(folder)) + "/" + name;
    if (runs(path)) return path;
  }
  return tl::unexpected<Error>(
      Error{ErrorKind::kBadInput, "there is no such command", name, "see that it is in PATH"});
}

}  // namespace sluice
