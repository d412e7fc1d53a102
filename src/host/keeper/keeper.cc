// The keeper's loop: one socket to the daemon, the children's ends, captured output, due times.
#include "host/keeper/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "host/cages/cage.h"
#include "host/keeper/keeper_protocol.h"
#include "host/keeper/keeper_runs.h"
#include "host/keeper/processes.h"
#include "host/keeper/warden.h"
#include "host/machine/clock.h"

namespace sluice {
namespace {

// No daemon is connected and nothing runs: a daemon that restarts is back well before.
constexpr auto kLinger = std::chrono::seconds(60);

// No daemon is connected and all runs are over: how often it looks whether its folder is still
// there. Without it no daemon can come for what is kept.
constexpr auto kFolderLook = std::chrono::seconds(10);

// That a run is up can wait a moment: a quick one has ended by then, and one message does. So can
// an end whose place was handed on: nothing waits for the answer.
constexpr auto kSomeTime = std::chrono::milliseconds(50);
constexpr auto kSoon = std::chrono::milliseconds(10);

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (count > 0) have += static_cast<std::size_t>(count);
  }
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

class Keeper {
 public:
  Keeper(const KeeperSettings& settings, int lock) : settings_(settings), lock_(lock) {}
  ~Keeper();
  Result<void> prepare();
  void serve();

 private:
  Result<void> listen();
  void watch(int descriptor, std::uint64_t tag);
  void accept();
  void read_orders();
  void send(SteadyTime now);
  void hang_up();
  void hurry(KeeperRuns::Haste haste);
  int patience(SteadyTime now) const;
  bool only_keeps_ends() const { return daemon_ < 0 && !runs_->any_up(); }
  bool folder_is_gone() const;
  bool is_done(SteadyTime now);

  static constexpr std::uint64_t kListener = ~0ULL;
  static constexpr std::uint64_t kSignals = ~0ULL - 1;
  static constexpr std::uint64_t kDaemon = ~0ULL - 2;

  KeeperSettings settings_;
  std::string instance_ = random_name();
  int lock_ = -1;  // One keeper at a time holds it.
  int loop_ = -1;
  int listener_ = -1;
  int signals_ = -1;
  int daemon_ = -1;
  bool writing_ = false;  // The loop watches for room to write.
  bool urgent_ = false;   // Something in `out_` is worth waking the daemon for.
  std::optional<SteadyTime> send_by_;
  std::string out_;
  FrameReader in_;
  SteadyTime alone_since_ = std::chrono::steady_clock::now();
  SteadyTime look_at_folder_ = alone_since_;
  std::unique_ptr<KeeperRuns> runs_;
};

Keeper::~Keeper() {
  runs_.reset();
  if (listener_ >= 0) ::unlink(settings_.socket.c_str());
  for (const int descriptor : {daemon_, listener_, signals_, loop_, lock_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

bool fill_address(const std::string& path, sockaddr_un& address) {
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return true;
}

// Whether a keeper takes connections there.
bool anybody_listens(const std::string& path) {
  sockaddr_un address{};
  if (!fill_address(path, address)) return false;
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return false;
  const bool listens = ::connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(made);
  return listens;
}

// One that was killed leaves runs that its warden is ending: waited for. One that listens is not.
Result<int> take_lock(const KeeperSettings& settings) {
  constexpr int kLooks = 7000;
  constexpr int kDying = 50;  // One that was just killed may still seem to listen.
  const int lock = ::open(settings.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) {
    return failed(fmt::format("{} cannot be opened: {}", settings.lock, std::strerror(errno)));
  }
  for (int looks = 0; ::flock(lock, LOCK_EX | LOCK_NB) != 0; ++looks) {
    if (looks == kLooks || (looks >= kDying && anybody_listens(settings.socket))) {
      ::close(lock);
      return failed(fmt::format("another keeper holds {}", settings.lock));
    }
    ::usleep(10'000);
  }
  return lock;
}

Result<void> Keeper::listen() {
  sockaddr_un address{};
  if (!fill_address(settings_.socket, address)) {
    return failed(fmt::format("the path {} is too long for a socket", settings_.socket));
  }
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // We hold the lock: no process uses what lies there.
  ::unlink(settings_.socket.c_str());
  const mode_t before = ::umask(0177);
  const bool bound = made >= 0 &&
                     ::bind(made, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                     ::listen(made, 8) == 0;
  const int error = errno;
  ::umask(before);
  if (!bound) {
    if (made >= 0) ::close(made);
    return failed(
        fmt::format("{} cannot be listened on: {}", settings_.socket, std::strerror(error)));
  }
  listener_ = made;
  return {};
}

Result<void> Keeper::prepare() {
  // The process that started us may have ignored some signals; our children must not inherit that.
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&wanted, number);
  ::sigprocmask(SIG_SETMASK, &wanted, nullptr);
  signals_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  loop_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (signals_ < 0 || loop_ < 0) return failed("the kernel gave no event loop");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Others must not look into the memory of a process that knows every user's environment.
  if (::geteuid() == 0) ::prctl(PR_SET_DUMPABLE, 0);
  TRY(auto cages, make_cages(settings_.cage, settings_.socket));
  runs_ = std::make_unique<KeeperRuns>(
      settings_, std::move(cages),
      KeeperRuns::Wires{
          [this](const KeeperReport& report, KeeperRuns::Haste haste) {
            if (daemon_ < 0) return;
            append_frame(out_, report);
            hurry(haste);
          },
          [this](int descriptor, RunKey run) {
            watch(descriptor, static_cast<std::uint64_t>(run.job.value()) << 32 | run.attempt);
          },
          [this](int descriptor) { ::epoll_ctl(loop_, EPOLL_CTL_DEL, descriptor, nullptr); }});
  runs_->recall(run_log_path(settings_));
  TRY_VOID(listen());
  watch(listener_, kListener);
  watch(signals_, kSignals);
  return {};
}

void Keeper::watch(int descriptor, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  ::epoll_ctl(loop_, EPOLL_CTL_ADD, descriptor, &event);
}

void Keeper::accept() {
  const int came = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (came < 0) return;
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(came, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
      (who.uid != ::geteuid() && who.uid != 0)) {
    ::close(came);
    return;
  }
  // What happened before is in the hello.
  runs_->flush();
  // The newest daemon is the one that counts; an older one is dead or about to find out.
  hang_up();
  daemon_ = came;
  const int room = 1 << 20;
  ::setsockopt(came, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  watch(daemon_, kDaemon);
  runs_->daemon_is_here();
  KeeperHello hello;
  hello.instance = instance_;
  hello.boot = boot_id();
  hello.pid = ::getpid();
  runs_->describe(hello);
  append_frame(out_, hello);
  urgent_ = true;
}

void Keeper::hang_up() {
  if (daemon_ < 0) return;
  ::close(std::exchange(daemon_, -1));
  out_.clear();
  in_ = FrameReader();
  writing_ = false;
  urgent_ = false;
  send_by_.reset();
  alone_since_ = look_at_folder_ = std::chrono::steady_clock::now();
  runs_->daemon_is_gone();
}

// Only what the kernel says for certain: a file server that is away for a moment is not an answer.
bool Keeper::folder_is_gone() const {
  struct stat there {};
  struct stat held {};
  if (::stat(settings_.lock.c_str(), &there) != 0) return errno == ENOENT || errno == ENOTDIR;
  return ::fstat(lock_, &held) == 0 && (there.st_dev != held.st_dev || there.st_ino != held.st_ino);
}

bool Keeper::is_done(SteadyTime now) {
  if (runs_->told_to_quit() && !runs_->any_up()) return true;
  if (!only_keeps_ends()) return false;
  if (runs_->idle()) return now >= alone_since_ + kLinger;
  if (now < look_at_folder_) return false;
  look_at_folder_ = now + kFolderLook;
  return folder_is_gone();
}

void Keeper::read_orders() {
  char bytes[65536];
  for (;;) {
    const ssize_t count = ::recv(daemon_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) return hang_up();
    in_.add(std::string_view(bytes, static_cast<std::size_t>(count)));
    for (;;) {
      auto frame = in_.next();
      if (!frame) return hang_up();
      if (!*frame) break;
      auto order = read_order(**frame);
      if (!order) return hang_up();
      runs_->obey(std::move(*order));
    }
    if (static_cast<std::size_t>(count) < sizeof bytes) return;
  }
}

void Keeper::hurry(KeeperRuns::Haste haste) {
  if (haste == KeeperRuns::Haste::kNow) {
    urgent_ = true;
    return;
  }
  const SteadyTime by =
      std::chrono::steady_clock::now() + (haste == KeeperRuns::Haste::kSoon ? kSoon : kSomeTime);
  if (!send_by_ || by < *send_by_) send_by_ = by;
}

void Keeper::send(SteadyTime now) {
  if (daemon_ < 0 || out_.empty()) return;
  if (!urgent_ && (!send_by_ || now < *send_by_)) return;
  urgent_ = false;
  send_by_.reset();
  std::size_t sent = 0;
  while (sent < out_.size()) {
    const ssize_t count =
        ::send(daemon_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) return hang_up();
    sent += static_cast<std::size_t>(count);
  }
  out_.erase(0, sent);
  // What is left has to go as soon as there is room.
  if (!out_.empty()) urgent_ = true;
  if (writing_ == !out_.empty()) return;
  writing_ = !out_.empty();
  epoll_event event{};
  event.events = writing_ ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = kDaemon;
  ::epoll_ctl(loop_, EPOLL_CTL_MOD, daemon_, &event);
}

// Milliseconds to wait; -1: until something happens.
int Keeper::patience(SteadyTime now) const {
  std::optional<SteadyTime> next = runs_->next_due();
  if (only_keeps_ends()) {
    const SteadyTime look = runs_->idle() ? alone_since_ + kLinger : look_at_folder_;
    if (!next || look < *next) next = look;
  }
  if (send_by_ && (!next || *send_by_ < *next)) next = send_by_;
  if (!next) return -1;
  if (*next <= now) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
  return static_cast<int>(std::min<std::int64_t>(left, 1'000'000));
}

void Keeper::serve() {
  // What an earlier keeper left may have taken long to end.
  alone_since_ = look_at_folder_ = std::chrono::steady_clock::now();
  std::array<epoll_event, 64> events{};
  for (;;) {
    const SteadyTime before = std::chrono::steady_clock::now();
    const int count = ::epoll_wait(loop_, events.data(), events.size(), patience(before));
    for (int i = 0; i < count; ++i) {
      const std::uint64_t tag = events[static_cast<std::size_t>(i)].data.u64;
      if (tag == kListener) {
        accept();
      } else if (tag == kSignals) {
        std::array<signalfd_siginfo, 8> got{};
        const ssize_t bytes = ::read(signals_, got.data(), sizeof got);
        for (std::size_t k = 0; bytes > 0 && k < static_cast<std::size_t>(bytes) / sizeof got[0];
             ++k) {
          if (got[k].ssi_signo == SIGTERM || got[k].ssi_signo == SIGINT) {
            runs_->obey(QuitKeeper{});
          }
        }
        runs_->reap();
      } else if (tag == kDaemon) {
        if (daemon_ >= 0) read_orders();
      } else {
        runs_->read_output(
            RunKey{JobId(static_cast<std::uint32_t>(tag >> 32)), static_cast<std::uint32_t>(tag)});
      }
    }
    const SteadyTime now = std::chrono::steady_clock::now();
    runs_->handle_due(now);
    runs_->flush();
    send(now);
    runs_->get_ready();
    if (is_done(now)) return;
  }
}

void say_ready(const KeeperSettings& settings, const std::string& text) {
  if (settings.ready < 0) return;
  static_cast<void>(::write(settings.ready, text.data(), text.size()) == 0);
  ::close(settings.ready);
}

}  // namespace

int run_keeper(const KeeperSettings& settings) {
  const auto lock = take_lock(settings);
  if (!lock) {
    say_ready(settings, lock.error().text() + "\n");
    return 1;
  }
  return guard_keeper(settings, [&] {
    Keeper keeper(settings, *lock);
    if (auto prepared = keeper.prepare(); !prepared) {
      say_ready(settings, prepared.error().text() + "\n");
      return 1;
    }
    say_ready(settings, "ready\n");
    keeper.serve();
    return 0;
  });
}

}  // namespace sluice
