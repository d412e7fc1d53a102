#include "cli/attached_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "cli/connection.h"
#include "cli/local_time.h"
#include "cli/submission.h"
#include "cli/submission_notes.h"
#include "cli/wait.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// A job that waits longer than this is said to wait.
constexpr int kQuickStartMs = 300;
// The longest message: a command line is no longer in Linux either.
constexpr std::uint32_t kLongestMessage = std::uint32_t{8} << 20;

tl::unexpected<Error> system_error(const std::string& what) {
  return failed(fmt::format("{}: {}", what, std::strerror(errno)));
}

bool write_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool read_all(int from, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(from, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT})
    sigaddset(&set, signal);
  return set;
}

// Signals go to the job; one that has not started yet is given up instead.
void forward_signals(std::uint32_t job) {
  const sigset_t set = forwarded_signals();
  while (true) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    auto daemon = Connection::open(StartDaemon::kNever);
    if (!daemon) continue;
    const auto card = daemon->fetch<JobCard>(fmt::format("/v1/jobs/{}", job));
    const std::string target = fmt::format("/v1/jobs/{}/", job);
    if (card && card->line.state == JobState::kPending && signal != SIGUSR1 && signal != SIGUSR2)
      static_cast<void>(daemon->send("POST", target + "cancel", {}));
    else
      static_cast<void>(
          daemon->send("POST", target + "signal", to_json(SignalRequest{signal, false})));
  }
}

// Whether the other end is a process of the same user.
bool is_own_peer(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

// Waits for the job's end in a thread of its own and says so on a pipe.
struct EndWatch {
  std::thread thread;
  int ends[2] = {-1, -1};
  Result<JobCard> card = tl::unexpected<Error>(Error{});

  void begin(std::uint32_t job) {
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    thread = std::thread([this, job] {
      card = [&]() -> Result<JobCard> {
        TRY(Connection daemon, Connection::open());
        return daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}?wait=settled", job));
      }();
      const char done = 1;
      static_cast<void>(!::write(ends[1], &done, 1));
    });
  }
  ~EndWatch() {
    if (thread.joinable()) thread.join();
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
};

}  // namespace

void end_with_caller(int connection) {
  const pid_t leader = ::getpid();
  if (::fork() != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != leader) ::_exit(0);
  for (int i = 0; i < 3; ++i) ::close(i);
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::recv(connection, &byte, 1, 0);
  } while (got > 0 || (got < 0 && errno == EINTR));
  ::kill(leader, SIGTERM);
  ::sleep(5);
  ::kill(leader, SIGKILL);
  ::_exit(0);
}

Result<PrivateSocket> PrivateSocket::make() {
  PrivateSocket out;
  const char* temporary = std::getenv("TMPDIR");
  // A socket's name has room for 107 bytes.
  std::string folder = temporary != nullptr && std::strlen(temporary) < 60 ? temporary : "/tmp";
  folder += "/sluice-io.XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return system_error(folder);
  out.folder_ = folder;
  out.path_ = folder + "/s";
  out.descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(out.path_);
  if (out.descriptor_ < 0 ||
      ::bind(out.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(out.descriptor_, 16) != 0)
    return system_error(out.path_);
  return out;
}

PrivateSocket::PrivateSocket(PrivateSocket&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      path_(std::exchange(other.path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

PrivateSocket::~PrivateSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!path_.empty()) ::unlink(path_.c_str());
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

// Words are bytes, as in the command line they come from: each with a byte of zero behind it.
std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) (out += word) += '\0';
  return out;
}
std::vector<std::string> parted(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return out;
}

Result<void> send_work(int connection, const AttachedWork& work) {
  const std::string text = joined(work.words);
  const auto size = static_cast<std::uint32_t>(text.size());
  char head[sizeof size];
  std::memcpy(head, &size, sizeof size);
  iovec part{head, sizeof head};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof work.descriptors)] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* first = CMSG_FIRSTHDR(&message);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(sizeof work.descriptors);
  std::memcpy(CMSG_DATA(first), work.descriptors, sizeof work.descriptors);
  if (::sendmsg(connection, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof head) ||
      !write_all(connection, text.data(), text.size()))
    return system_error("the other side went away");
  return {};
}

Result<AttachedWork> receive_work(int connection) {
  std::uint32_t size = 0;
  char head[sizeof size];
  iovec part{head, sizeof head};
  int descriptors[3] = {-1, -1, -1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof head)) return failed("the caller went away");
  for (cmsghdr* it = CMSG_FIRSTHDR(&message); it != nullptr; it = CMSG_NXTHDR(&message, it))
    if (it->cmsg_level == SOL_SOCKET && it->cmsg_type == SCM_RIGHTS &&
        it->cmsg_len == CMSG_LEN(sizeof descriptors))
      std::memcpy(descriptors, CMSG_DATA(it), sizeof descriptors);
  std::memcpy(&size, head, sizeof size);
  if (size > kLongestMessage) return failed("the caller's message is too long");
  std::string text(size, '\0');
  if (!read_all(connection, text.data(), size)) return failed("the caller went away");
  AttachedWork work;
  work.words = parted(text);
  if (work.words.empty()) return failed("the caller's message says nothing");
  std::memcpy(work.descriptors, descriptors, sizeof descriptors);
  return work;
}

void take_descriptors(AttachedWork& work) {
  for (int i = 0; i < 3; ++i) {
    if (work.descriptors[i] < 0) continue;
    ::dup2(work.descriptors[i], i);
    ::close(work.descriptors[i]);
    work.descriptors[i] = i;
  }
}

Result<int> connect_to(const std::string& socket) {
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(socket);
  if (connection < 0 ||
      ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      !is_own_peer(connection)) {
    auto error = system_error(socket);
    if (connection >= 0) ::close(connection);
    return error;
  }
  return connection;
}

std::vector<std::string> attach_arguments(const std::string& socket) {
  return {"shims", "attach", socket};
}

bool is_attached(const JobCard& job) {
  return job.arguments.size() == 3 && attach_arguments(job.arguments.back()) == job.arguments;
}

int serve_attached(const std::string& socket, const AttachedRun& run) {
  const auto connection = connect_to(socket);
  if (!connection) {
    fmt::print(stderr, "sluice: the command that started this job is gone: {}\n",
               connection.error().text());
    return 1;
  }
  auto work = receive_work(*connection);
  if (!work) {
    fmt::print(stderr, "sluice: {}\n", work.error().text());
    return 1;
  }
  take_descriptors(*work);
  return run(*work, *connection);
}

void hold_signals_for_job() {
  const sigset_t set = forwarded_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Result<AttachedEnd> run_attached(JobSpec spec, const AttachedWork& work,
                                 const AttachedWatch& watch) {
  TRY(const PrivateSocket socket, PrivateSocket::make());
  char program[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", program, sizeof program - 1) <= 0)
    return system_error("/proc/self/exe");
  Launch& launch = spec.launch;
  launch.script.clear();
  launch.program = program;
  launch.arguments = attach_arguments(socket.path());
  launch.capture = true;
  hold_signals_for_job();
  TRY(Connection daemon, Connection::open());
  SubmitRequest wanted;
  wanted.jobs.push_back(std::move(spec));
  TRY(const std::string body, send_submission(daemon, wanted));
  TRY(const auto reply, from_json<SubmitReply>(body));
  AttachedEnd out;
  if (reply.results.empty() || !reply.results.front().job) {
    out.refused = true;
    if (!reply.results.empty()) {
      out.refusal = reply.results.front().refusal;
      out.reason = reply.results.front().reason;
      out.detail = reply.results.front().detail;
    }
    return out;
  }
  out.job = reply.results.front().job->value();
  remember_last({SubmittedAs::kJob, std::to_string(out.job)});
  std::thread(forward_signals, out.job).detach();
  EndWatch end;
  end.begin(out.job);
  std::vector<int> held;
  bool said = false;
  const Instant asked = now_here();
  int patience = kQuickStartMs;
  while (true) {
    pollfd waits[2] = {{socket.descriptor(), POLLIN, 0}, {end.ends[0], POLLIN, 0}};
    const int ready = ::poll(waits, 2, patience);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      const auto card = daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}", out.job));
      patience = -1;
      if (!card || card->line.state != JobState::kPending) continue;
      if (watch.patience && now_here() - asked >= *watch.patience - seconds(1)) {
        static_cast<void>(daemon.send("POST", fmt::format("/v1/jobs/{}/cancel", out.job), {}));
        out.gave_up = true;
        out.reason = card->line.reason;
        return out;
      }
      if (watch.patience)
        patience = static_cast<int>((*watch.patience - (now_here() - asked)) / Duration(1));
      if (watch.queued && !said) watch.queued(out.job);
      said = true;
      continue;
    }
    if ((waits[0].revents & POLLIN) != 0) {
      const int connection = ::accept4(socket.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      if (said && watch.allocated) watch.allocated(out.job);
      said = false;
      patience = -1;
      // Held until the job has ended: the job's side ends with this process.
      held.push_back(connection);
      if (!is_own_peer(connection) || !send_work(connection, work)) continue;
      if (watch.attached) {
        watch.attached(out.job);
        ::shutdown(connection, SHUT_RDWR);
      }
      continue;
    }
    if ((waits[1].revents & POLLIN) != 0) break;
  }
  for (const int connection : held) ::close(connection);
  if (!end.card) return tl::unexpected<Error>(end.card.error());
  if (end.card->line.state == JobState::kPending) {
    // Nothing will ever run: no job is left behind that no command waits for.
    static_cast<void>(daemon.send("POST", fmt::format("/v1/jobs/{}/cancel", out.job), {}));
    return failed(
        fmt::format("job {} can never start: it waits for {}", out.job, end.card->dependency),
        "it was cancelled");
  }
  out.status = exit_status(*end.card);
  out.ended_as = slurm_name(end.card->line.state);
  return out;
}

}  // namespace sluice
