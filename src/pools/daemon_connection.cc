#include "pools/daemon_connection.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "host/cages/leave_cage.h"
#include "wire/http_client.h"

namespace sluice {
namespace {

Error unreachable(std::string what, std::string where, std::string hint) {
  return {ErrorKind::kUnreachable, std::move(what), std::move(where), std::move(hint)};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

// The daemon's own process: no terminal, no folder kept busy, its words in the log. Only what may
// be called after fork().
[[noreturn]] void become_daemon(const char* program, int log, int nothing, int ready,
                                bool for_everybody) {
  ::setsid();
  // The grandchild has no parent here: the command has no child to wait for.
  if (::fork() != 0) ::_exit(0);
  if (::chdir("/") != 0) ::_exit(127);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(ready, 3);
  // What this command inherited is not the daemon's to hold open: a job's files, its pipes.
  ::closefrom(4);
  drop_run_marks();
  ::execl(program, program, "daemon", "run", "--ready-fd=3",
          for_everybody ? "--system" : static_cast<char*>(nullptr), static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

Result<std::string> own_program() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return failed(std::string("/proc/self/exe: ") + std::strerror(errno));
  return std::string(path, static_cast<std::size_t>(length));
}

Result<void> start_daemon(const Folders& folders) {
  TRY_VOID(make_folders(folders));
  TRY(const std::string program, own_program());
  const std::string lock_path = folders.state + "/start.lock";
  const Descriptor lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.number() < 0 || ::flock(lock.number(), LOCK_EX) != 0)
    return tl::unexpected<Error>(unreachable(std::strerror(errno), lock_path, {}));
  // Another command may have been faster.
  if (daemon_answers(folders.api_socket())) return {};
  const std::string log_path = folders.daemon_log();
  Descriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  int ends[2] = {-1, -1};
  if (log.number() < 0 || nothing.number() < 0 || ::pipe2(ends, O_CLOEXEC) != 0)
    return tl::unexpected<Error>(unreachable(std::strerror(errno), log_path, {}));
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return tl::unexpected<Error>(unreachable(std::strerror(errno), "fork", {}));
  if (child == 0)
    become_daemon(program.c_str(), log.number(), nothing.number(), writing.number(),
                  folders.for_everybody);
  writing.close();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::string said;
  char piece[1024];
  ssize_t got = 0;
  while ((got = ::read(reading.number(), piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) said.append(piece, static_cast<std::size_t>(got));
  if (said == "ready\n") return {};
  if (said.starts_with("sluice: ")) said = said.substr(8);
  while (said.ends_with('\n')) said.pop_back();
  return tl::unexpected<Error>(
      unreachable("the daemon could not be started" + (said.empty() ? "" : ": " + said), {},
                  "its log is " + log_path));
}

Result<HttpClient> connect_to_daemon(StartDaemon start) {
  // Inside a job: the daemon that runs it, whatever else the environment says.
  if (const char* socket = std::getenv("SLUICE_SOCKET"); socket != nullptr && *socket != '\0')
    return HttpClient::connect(socket);
  TRY(const Folders folders, client_folders(FolderSetting::of_this_process()));
  auto client = HttpClient::connect(folders.api_socket());
  if (client || client.error().kind == ErrorKind::kNotAllowed || start == StartDaemon::kNever)
    return client;
  // A daemon for all users is started by the machine's operator, and by name.
  if (folders.scope == FolderScope::kMachine && ::geteuid() != 0) return client;
  if (::access(folders.everybody_mark().c_str(), F_OK) == 0)
    return tl::unexpected<Error>(unreachable("the daemon that serves all users is not running",
                                             folders.api_socket(),
                                             "start it: sluice daemon start --system"));
  TRY_VOID(start_daemon(folders));
  return HttpClient::connect(folders.api_socket());
}

}  // namespace sluice
