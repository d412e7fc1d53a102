#include "shims/shims_verb.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "cli/attached_job.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/submission.h"
#include "cli/submission_notes.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"
#include "pools/daemon_connection.h"
#include "shims/attached_side.h"
#include "shims/shim.h"
#include "text/scan.h"
#include "text/spelling.h"
#include "views/json.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// The daemon behind the door, reached when first asked.
class DaemonDoor final : public EngineDoor {
 public:
  Result<std::string> get(std::string_view target) override {
    TRY(Connection * daemon, connection());
    return daemon->get(target);
  }
  Result<std::string> send(std::string_view method, std::string_view target,
                           std::string_view body) override {
    TRY(Connection * daemon, connection());
    return daemon->send(method, target, body);
  }
  Result<SubmitReply> submit(const SubmitRequest& request) override {
    TRY(Connection * daemon, connection());
    TRY(const std::string body, send_submission(*daemon, request));
    TRY(SubmitReply reply, from_json<SubmitReply>(body));
    if (!request.test_only) remember_request(request, reply);
    return reply;
  }
  Result<Policy> policy() override {
    TRY(const std::string body, get("/v1/policy"));
    return read_policy(body, "the daemon's policy");
  }
  Result<void> change_policy(const Policy& wanted) override {
    TRY(const PolicySource source, fetch<PolicySource>("/v1/policy/source"));
    PolicyRequest request;
    request.text = write_policy(wanted);
    request.name = "sacctmgr";
    request.expect = source.mark;
    TRY_VOID(send("PUT", "/v1/policy", to_json(request)));
    return {};
  }

 private:
  Result<Connection*> connection() {
    if (!connection_) {
      TRY(Connection opened, Connection::open());
      connection_.emplace(std::move(opened));
    }
    return &*connection_;
  }
  std::optional<Connection> connection_;
};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

constexpr std::string_view kOwnVerbs[] = {"install", "env", "run", "list"};
constexpr const char* kUsage = "sluice shims install DIR | env | run -- COMMAND… | list";

Result<std::string> own_folder() {
  TRY(const Folders folders, client_folders(FolderSetting::of_this_process()));
  const std::string base = folders.scope == FolderScope::kMachine && ::geteuid() != 0
                               ? FolderSetting::of_this_process().user_state() + "/sluice"
                               : folders.state;
  return base + "/shims";
}

// What stands after the name of one of our own verbs.
struct Words {
  std::vector<std::string> operands;
  bool json = false;
};

// Options are refused by name; help was asked for elsewhere.
Result<Words> read_words(std::string_view verb, std::span<const std::string> given,
                         std::size_t operands) {
  Words out;
  bool options = true;
  for (const std::string& word : given) {
    if (options && word == "--") {
      options = false;
    } else if (options && word == "--json") {
      out.json = true;
    } else if (options && word.size() > 1 && word.starts_with('-')) {
      return bad_input(fmt::format("shims {}: unknown option '{}'", verb, word), kUsage);
    } else {
      out.operands.push_back(word);
    }
  }
  if (out.operands.size() > operands)
    return bad_input(
        fmt::format("shims {}: '{}' is one word too many", verb, out.operands[operands]), kUsage);
  return out;
}

void print_for_programs(std::string_view schema, std::string_view folder) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text(schema);
  if (!folder.empty()) {
    writer.key("folder");
    writer.text(folder);
  }
  writer.key("commands");
  writer.begin_array();
  for (const std::string_view name : shim_names()) writer.text(name);
  writer.end_array();
  writer.end_object();
  fmt::print("{}\n", out);
}

Result<ExitCode> install(std::span<const std::string> given) {
  TRY(const Words words, read_words("install", given, 1));
  if (words.operands.empty() || words.operands[0].empty())
    return bad_input("install needs a folder", "sluice shims install DIR");
  TRY(const std::string program, own_program());
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(words.operands[0], error);
  // A real Slurm's commands are never replaced.
  for (const std::string_view name : shim_names()) {
    const std::filesystem::path path = folder / std::string(name);
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error)) &&
        !std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)))
      return bad_input(fmt::format("{} is there already, and is not a link", path.string()),
                       "name another folder");
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)) &&
        last_part(std::filesystem::read_symlink(path, error).string()) != "sluice")
      return bad_input(fmt::format("{} is a link to another program", path.string()),
                       "name another folder");
  }
  TRY_VOID(make_shim_links(folder.string(), program));
  if (words.json)
    print_for_programs("sluice.shims/1", folder.string());
  else
    fmt::print("{} commands in {}\n", shim_names().size(), folder.string());
  return ExitCode::kDone;
}

Result<ExitCode> print_environment(std::span<const std::string> given) {
  TRY(const Words words, read_words("env", given, 0));
  TRY(const std::string folder, own_folder());
  TRY(const std::string program, own_program());
  TRY_VOID(make_shim_links(folder, program));
  if (words.json) {
    print_for_programs("sluice.shims/1", folder);
    return ExitCode::kDone;
  }
  std::string quoted = "'";
  for (const char c : folder) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  fmt::print("PATH={}':'\"$PATH\"; export PATH\n", quoted + "'");
  return ExitCode::kDone;
}

// A command with the shims in front of PATH and a daemon of its own that ends with it.
Result<ExitCode> run_command(std::span<const std::string> words) {
  std::vector<std::string> command(words.begin(), words.end());
  if (!command.empty() && command.front() == "--")
    command.erase(command.begin());
  else if (!command.empty() && command.front().starts_with('-'))
    return bad_input(fmt::format("shims run: unknown option '{}'", command.front()),
                     "sluice shims run -- COMMAND…");
  if (command.empty()) return bad_input("no command is given", "sluice shims run -- COMMAND…");
  const char* temporary = std::getenv("TMPDIR");
  // The daemon's sockets have names of at most 107 bytes.
  std::string home = temporary != nullptr && std::strlen(temporary) < 60 ? temporary : "/tmp";
  home += "/sluice-shims.XXXXXX";
  if (::mkdtemp(home.data()) == nullptr)
    return failed(fmt::format("{}: {}", home, std::strerror(errno)));
  TRY(const std::string program, own_program());
  if (const char* policy = std::getenv("SLUICE_POLICY"); policy != nullptr) {
    std::error_code error;
    std::filesystem::copy_file(policy, home + "/policy.yaml", error);
    if (error)
      return bad_input(fmt::format("{}: {}", policy, error.message()), "see SLUICE_POLICY");
  }
  TRY_VOID(make_shim_links(home + "/shims", program));
  ::setenv("SLUICE_HOME", home.c_str(), 1);
  ::unsetenv("SLUICE_SOCKET");
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID", "SLUICE_JOB_ID", "SLUICE_STEP_SOCKET"})
    ::unsetenv(name);
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (home + "/shims:" + (path != nullptr ? path : "/usr/bin:/bin")).c_str(), 1);
  TRY_VOID(Connection::open());
  const pid_t child = ::fork();
  if (child < 0) return failed(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    fmt::print(stderr, "sluice: {}: {}\n", command.front(), std::strerror(errno));
    std::fflush(stderr);
    ::_exit(errno == ENOENT ? 127 : 126);
  }
  // Signals from the terminal reach the command by themselves; those for us alone are passed on.
  static pid_t running = 0;
  running = child;
  for (const int signal : {SIGTERM, SIGHUP})
    ::signal(signal, [](int number) { ::kill(running, number); });
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (auto daemon = Connection::open(StartDaemon::kNever))
    static_cast<void>(daemon->send("POST", "/v1/daemon/stop", to_json(StopRequest{true})));
  // It answers before it has ended; its files go with it.
  for (int i = 0; i < 200 && Connection::open(StartDaemon::kNever); ++i) ::usleep(20'000);
  std::error_code error;
  for (int i = 0; i < 50; ++i) {
    std::filesystem::remove_all(home, error);
    if (!error && !std::filesystem::exists(home, error)) break;
    ::usleep(20'000);
  }
  return static_cast<ExitCode>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

Result<ExitCode> run(std::span<const std::string> words) {
  const std::string verb = words.empty() ? "" : words.front();
  const auto rest = words.subspan(words.empty() ? 0 : 1);
  if (verb == "install") return install(rest);
  if (verb == "env") return print_environment(rest);
  if (verb == "run") return run_command(rest);
  if (verb == "list") {
    TRY(const Words read, read_words("list", rest, 0));
    if (read.json) {
      print_for_programs("sluice.shims/1", {});
      return ExitCode::kDone;
    }
    for (const std::string_view name : shim_names()) fmt::print("{}\n", name);
    return ExitCode::kDone;
  }
  if (verb == "attach" && rest.size() == 1) {
    DaemonDoor door;
    return static_cast<ExitCode>(run_attached_side(rest.front(), door));
  }
  // By name, where there is no link: sluice shims squeue -u me
  if (is_shim(verb)) {
    DaemonDoor door;
    return static_cast<ExitCode>(run_shim(verb, {rest.begin(), rest.end()}, door));
  }
  if (verb.empty()) return bad_input("no command given", kUsage);
  std::vector<std::string> known(std::begin(kOwnVerbs), std::end(kOwnVerbs));
  for (const std::string_view name : shim_names()) known.emplace_back(name);
  const auto near = nearest_word(verb, known);
  return bad_input(fmt::format("unknown {} {}{}", verb.starts_with('-') ? "option" : "command",
                               quoted(std::string_view(verb)),
                               near ? fmt::format("; did you mean '{}'?", *near) : ""),
                   kUsage);
}

}  // namespace

Result<void> make_shim_links(const std::string& folder, const std::string& program) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return failed(fmt::format("{}: {}", folder, error.message()));
  // Jobs of other users look in here too.
  ::chmod(folder.c_str(), 0755);
  for (const std::string_view name : shim_names()) {
    const std::string path = folder + "/" + std::string(name);
    char target[PATH_MAX] = {};
    if (::readlink(path.c_str(), target, sizeof target - 1) > 0 && program == target) continue;
    // In one step, so that a command that is called meanwhile is found.
    const std::string fresh = fmt::format("{}.{}", path, ::getpid());
    ::unlink(fresh.c_str());
    if (::symlink(program.c_str(), fresh.c_str()) != 0 ||
        ::rename(fresh.c_str(), path.c_str()) != 0)
      return failed(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  return {};
}

std::optional<int> run_as_shim(int argc, char** argv) {
  if (argc < 1 || !is_shim(argv[0])) return std::nullopt;
  DaemonDoor door;
  return run_shim(argv[0], {argv + 1, argv + argc}, door);
}

std::optional<ExitCode> run_shims(std::span<const std::string> arguments) {
  const auto asks_for_help = [](const std::string& word) {
    return word == "--help" || word == "-h";
  };
  if (!arguments.empty() && asks_for_help(arguments.front())) return std::nullopt;
  // Slurm's commands have a --help of their own.
  const bool own = !arguments.empty() && std::find(std::begin(kOwnVerbs), std::end(kOwnVerbs),
                                                   arguments.front()) != std::end(kOwnVerbs);
  if (own && arguments.size() > 1 && asks_for_help(arguments[1])) return std::nullopt;
  const auto ended = run(arguments);
  return ended ? *ended : report(ended.error());
}

void add_shims(Command& root, ExitCode&) {
  Command* verb = root.add_subcommand("shims", "Slurm's commands over this machine's engine");
  verb->operands("install DIR | env | run -- COMMAND… | list | squeue …");
  verb->footer(
      "  install DIR      links in DIR: sbatch, squeue, srun, … are this program\n"
      "  env              for one shell: eval \"$(sluice shims env)\"\n"
      "  run -- COMMAND…  with them in front of PATH and a daemon of its own that ends with the\n"
      "                   command; the exit status is the command's. SLUICE_POLICY names a policy\n"
      "                   file for it.\n"
      "  list             their names\n"
      "  squeue …         one of them by name\n"
      "install, env and list take --json.\n\n"
      "Examples:\n"
      "  sluice shims install ~/.local/slurm\n"
      "  sluice shims run -- snakemake --slurm --jobs 4\n"
      "  sluice shims run -- sh -c 'sbatch --wait --wrap hostname'");
}

}  // namespace sluice
