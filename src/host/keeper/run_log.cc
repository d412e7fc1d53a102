#include "host/keeper/run_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "host/keeper/keeper_fields.h"
#include "host/keeper/keeper_frames.h"
#include "host/keeper/processes.h"
#include "host/machine/clock.h"
#include "storage/checksum.h"

namespace sluice {
namespace {

constexpr std::size_t kChecksum = 4;
// What the kernel says of when a process was started is as exact as this, or better.
constexpr Duration kTick = Duration(20);
// A file shorter than this is never worth rewriting.
constexpr std::uint64_t kLongLog = 1U << 20;

std::string checksum_of(std::string_view frame) {
  const std::uint32_t sum = crc32c(frame);
  std::string bytes;
  for (std::size_t i = 0; i < kChecksum; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xff);
  return bytes;
}

void append_note(std::string& out, const RunNote& note) {
  const std::size_t from = out.size();
  append_message(out, note);
  out += checksum_of(std::string_view(out).substr(from));
}

// How a run ended of whose end nothing but its exit status is known.
std::optional<RunIsOver> over_by_status(RunKey run, const ProcessEnded& end) {
  // Perhaps for its memory, perhaps with the keeper.
  if (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL) return std::nullopt;
  RunIsOver over;
  over.run = run;
  over.ended = end.at;
  over.why = "its keeper was killed before it could note more than the exit status";
  Outcome& outcome = over.outcome;
  if (WIFEXITED(end.status)) outcome.exit_code = WEXITSTATUS(end.status);
  if (WIFSIGNALED(end.status)) outcome.signal = WTERMSIG(end.status);
  outcome.state = end.status == 0 ? JobState::kCompleted : JobState::kFailed;
  outcome.cpu_time = end.cpu_time;
  outcome.max_rss_kb = end.max_rss_kb;
  return over;
}

}  // namespace

template <class Fields>
void each_field(Fields& f, Like<LogBegins> auto& item) {
  auto& [boot] = item;
  f(1, boot);
}

template <class Fields>
void each_field(Fields& f, Like<RunBegins> auto& item) {
  auto& [run, after, at] = item;
  f(1, run);
  f(2, after);
  f(3, at);
}

template <class Fields>
void each_field(Fields& f, Like<RunHasProcess> auto& item) {
  auto& [run, pid] = item;
  f(1, run);
  f(2, pid);
}

template <class Fields>
void each_field(Fields& f, Like<ProcessEnded> auto& item) {
  auto& [pid, status, cpu_time, max_rss_kb, at, started] = item;
  f(1, pid);
  f(2, status);
  f(3, cpu_time);
  f(4, max_rss_kb);
  f(5, at);
  f(6, started);
}

template <class Fields>
void each_field(Fields& f, Like<RunSettled> auto& item) {
  auto& [run] = item;
  f(1, run);
}

RunsLeft runs_left(std::span<const RunNote> notes, const std::string& boot) {
  struct Known {
    RunIsUp up;
    std::optional<RunKey> after;
    std::optional<RunIsOver> over;
  };
  std::map<RunKey, Known> runs;
  std::map<std::int32_t, RunKey> processes;
  std::optional<RunKey> nameless;  // Began, and its process's number was not noted.
  bool same_boot = false;
  for (const RunNote& note : notes) {
    if (const auto* begins = std::get_if<LogBegins>(&note)) {
      same_boot = begins->boot == boot;
    } else if (const auto* run = std::get_if<RunBegins>(&note)) {
      runs[run->run] = Known{RunIsUp{run->run, 0, run->at}, run->after, std::nullopt};
      nameless = run->run;
    } else if (const auto* process = std::get_if<RunHasProcess>(&note)) {
      runs[process->run].up.pid = process->pid;
      processes[process->pid] = process->run;
      nameless.reset();
    } else if (const auto* ended = std::get_if<ProcessEnded>(&note)) {
      const auto found = processes.find(ended->pid);
      std::optional<RunKey> key = nameless;
      if (found != processes.end()) key = found->second;
      if (!key) continue;
      // A hook, or what a job put into a session of its own, was there before.
      if (found == processes.end() && ended->started + kTick < runs[*key].up.started) continue;
      Known& known = runs[*key];
      if (found == processes.end()) {
        known.up.pid = ended->pid;
        nameless.reset();
      } else {
        // The next process of this number is another one.
        processes.erase(found);
      }
      if (!known.over) known.over = over_by_status(*key, *ended);
      known.up.pid = 0;
    } else if (const auto* over = std::get_if<RunIsOver>(&note)) {
      runs[over->run].over = *over;
    } else if (const auto* settled = std::get_if<RunSettled>(&note)) {
      runs.erase(settled->run);
      if (nameless == settled->run) nameless.reset();
    }
  }
  RunsLeft left;
  for (auto& [key, known] : runs) {
    if (known.after) {
      const auto before = runs.find(*known.after);
      if (before != runs.end() && before->second.over) before->second.over->next = key;
    }
  }
  for (auto& [key, known] : runs) {
    if (known.over) {
      // Another start of the machine: how long ago that was is not known.
      if (!same_boot) known.over->ended = {};
      left.over.push_back(*known.over);
    } else if (same_boot) {
      left.unknown.push_back(known.up);
    }
  }
  return left;
}

std::vector<RunNote> RunLog::read(const std::string& path) {
  std::vector<RunNote> notes;
  const std::string text = read_kernel_file(path);
  std::string_view rest = text;
  while (rest.size() >= kFrameHead) {
    const std::size_t length = frame_length(rest);
    const std::size_t whole = kFrameHead + length;
    if (length == 0 || length > kLongestFrame || rest.size() < whole + kChecksum) break;
    if (rest.substr(whole, kChecksum) != checksum_of(rest.substr(0, whole))) break;
    auto note = read_message<RunNote>(rest.substr(kFrameHead, length));
    if (!note) break;
    notes.push_back(std::move(*note));
    rest.remove_prefix(whole + kChecksum);
  }
  return notes;
}

RunLog::~RunLog() {
  if (file_ >= 0) ::close(file_);
}

Result<void> RunLog::open(const std::string& path) {
  path_ = path;
  file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file_ < 0) return failed(fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  struct stat found {};
  if (::fstat(file_, &found) == 0) size_ = static_cast<std::uint64_t>(found.st_size);
  return {};
}

Result<void> RunLog::begin(const std::string& path, std::span<const RunNote> notes) {
  std::string bytes;
  append_note(bytes, LogBegins{boot_id()});
  for (const RunNote& each : notes) append_note(bytes, each);
  // The old file counts until the new one is whole.
  const std::string fresh = path + ".new";
  const int made =
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool written =
      made >= 0 && ::write(made, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (!written || ::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    if (made >= 0) ::close(made);
    ::unlink(fresh.c_str());
    return failed(fmt::format("{} cannot be written: {}", path, std::strerror(error)));
  }
  if (file_ >= 0) ::close(file_);
  path_ = path;
  file_ = made;
  size_ = bytes.size();
  most_ = size_ * 4 + kLongLog;
  unwritten_.clear();
  return {};
}

void RunLog::add(const RunNote& note) { append_note(unwritten_, note); }

void RunLog::write(const RunNote& note) {
  add(note);
  flush();
}

void RunLog::flush() {
  if (unwritten_.empty() || file_ < 0) return;
  ssize_t count = 0;
  do count = ::write(file_, unwritten_.data(), unwritten_.size());
  while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(unwritten_.size())) {
    size_ += unwritten_.size();
    unwritten_.clear();
    return;
  }
  // A note that is there in part would hide all that come after it.
  if (count > 0 && ::ftruncate(file_, static_cast<off_t>(size_)) != 0) {
    size_ += static_cast<std::uint64_t>(count);
    unwritten_.erase(0, static_cast<std::size_t>(count));
  }
}

}  // namespace sluice
