// Segments are append-only and begin anew with every keeper.
#include "host/keeper/output_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace sluice {
namespace {

constexpr std::size_t kLongInMemory = 64U << 10;
constexpr std::uint64_t kLongSegment = 64U << 20;

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string read_part(int file, std::uint64_t from, std::size_t most) {
  std::string bytes;
  char buffer[65536];
  while (bytes.size() < most) {
    const ssize_t count = ::pread(file, buffer, std::min(sizeof buffer, most - bytes.size()),
                                  static_cast<off_t>(from + bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  return bytes;
}

std::string own_file(RunKey run) { return "run-" + to_text(run); }
std::string segment_file(std::uint64_t segment) { return fmt::format("segment-{:08}", segment); }

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (text.starts_with(':')) text.remove_prefix(1);
  return number;
}

}  // namespace

OutputStore::OutputStore(std::string folder) : folder_(std::move(folder)) {
  // Never appends to what an earlier keeper wrote: its tokens stay true.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("segment-")) continue;
    std::string_view digits = std::string_view(name).substr(8);
    segment_ = std::max(segment_, take_number(digits).value_or(0));
  }
}

OutputStore::~OutputStore() {
  for (const auto& [run, text] : texts_) {
    if (text.file >= 0) ::close(text.file);
  }
  if (segment_file_ >= 0) ::close(segment_file_);
}

void OutputStore::begin(RunKey run, std::uint32_t owner, std::uint64_t room) {
  // The output of what runs now is not counted yet.
  for (const auto& [other, text] : texts_)
    if (text.owner == owner) room -= std::min(room, text.size);
  rooms_[owner] = room;
  texts_[run].owner = owner;
}

void OutputStore::add(RunKey run, std::string_view bytes) {
  if (bytes.empty()) return;
  Text& text = texts_[run];
  if (text.cut) return;
  std::uint64_t* const users = text.owner ? &rooms_[*text.owner] : nullptr;
  const std::uint64_t own = kMostOutput - text.size;
  const std::uint64_t room = users != nullptr ? std::min(own, *users) : own;
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size()));
  keep(run, text, bytes.substr(0, taken));
  if (users != nullptr) *users -= taken;
  if (bytes.size() <= room) return;
  text.cut = true;
  keep(run, text, room < own ? kUsersOutputCut : kOutputCut);
}

void OutputStore::keep(RunKey run, Text& text, std::string_view bytes) {
  if (bytes.empty()) return;
  text.size += bytes.size();
  if (text.file < 0 && text.bytes.size() + bytes.size() <= kLongInMemory) {
    text.bytes.append(bytes);
    return;
  }
  if (text.file < 0) {
    const std::string path = folder_ + "/" + own_file(run);
    text.file =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    text.lost = text.file < 0 || !write_all(text.file, text.bytes);
    text.bytes.clear();
    text.bytes.shrink_to_fit();
  }
  if (text.file >= 0 && !text.lost) text.lost = !write_all(text.file, bytes);
}

std::string OutputStore::read(RunKey run, std::uint64_t from, std::size_t most) const {
  const auto found = texts_.find(run);
  if (found == texts_.end()) return {};
  const Text& text = found->second;
  if (text.file >= 0) return read_part(text.file, from, most);
  return from < text.bytes.size() ? text.bytes.substr(from, most) : std::string();
}

std::string OutputStore::finish(RunKey run) {
  const auto found = texts_.find(run);
  if (found == texts_.end()) return {};
  const Text text = std::move(found->second);
  texts_.erase(found);
  if (text.lost) lost_runs_.push_back(run);
  if (text.file < 0 && text.bytes.empty()) return {};
  if (text.file >= 0) {
    ::close(text.file);
    return own_file(run);
  }
  if (text.lost) return {};
  if (segment_size_ + unwritten_.size() >= kLongSegment) static_cast<void>(flush());
  if (segment_file_ < 0 || segment_size_ >= kLongSegment) {
    if (auto opened = open_segment(); !opened) {
      lost_runs_.push_back(run);
      return {};
    }
  }
  std::string token =
      fmt::format("{}:{}:{}", segment_, segment_size_ + unwritten_.size(), text.bytes.size());
  unwritten_ += text.bytes;
  unwritten_runs_.push_back(run);
  return token;
}

Result<void> OutputStore::open_segment() {
  if (segment_file_ >= 0) ::close(segment_file_);
  const std::string path = folder_ + "/" + segment_file(segment_ + 1);
  segment_file_ =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (segment_file_ < 0) {
    return failed(fmt::format("{} cannot be made: {}", path, std::strerror(errno)));
  }
  ++segment_;
  segment_size_ = 0;
  return {};
}

Result<void> OutputStore::flush() {
  if (!unwritten_.empty()) {
    const std::string bytes = std::exchange(unwritten_, {});
    const std::vector<RunKey> runs = std::exchange(unwritten_runs_, {});
    // A network's disk may say only later that it is full; what it says now is believed.
    if (!write_all(segment_file_, bytes))
      lost_runs_.insert(lost_runs_.end(), runs.begin(), runs.end());
    struct stat found {};
    // After a short write the next token must say where its bytes really are.
    segment_size_ = ::fstat(segment_file_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size)
                                                        : segment_size_ + bytes.size();
  }
  if (!lost_runs_.empty()) {
    return failed("captured output could not be written to " + folder_, "Make room on that disk.");
  }
  return {};
}

Result<std::string> read_output(const std::string& folder, std::string_view token,
                                std::uint64_t from, std::size_t most) {
  if (token.empty()) return std::string();
  if (token == kLostOutput)
    return failed("the output of this run was lost: it could not be written when the run ended",
                  "The disk was full or failed; run the job again.");
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
  if (token.starts_with("run-")) {
    name = token;
    if (name.find('/') != std::string::npos) return bad_input("'" + name + "' names no output");
  } else {
    std::string_view rest = token;
    const auto segment = take_number(rest);
    const auto start = take_number(rest);
    const auto size = take_number(rest);
    if (!segment || !start || !size || !rest.empty()) {
      return bad_input(fmt::format("'{}' names no output", token));
    }
    name = segment_file(*segment);
    offset = *start;
    length = *size;
  }
  if (from >= length) return std::string();
  const std::string path = folder + "/" + name;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) {
    return failed(
        fmt::format("the captured output cannot be read: {}: {}", path, std::strerror(errno)));
  }
  std::string bytes = read_part(
      file, offset + from, static_cast<std::size_t>(std::min<std::uint64_t>(most, length - from)));
  ::close(file);
  return bytes;
}

std::uint64_t output_size(const std::string& folder, std::string_view token) {
  if (token.starts_with("run-") && token.find('/') == std::string_view::npos) {
    struct stat found {};
    const std::string path = folder + "/" + std::string(token);
    return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
  }
  // "SEGMENT:OFFSET:LENGTH"
  if (!take_number(token) || !take_number(token)) return 0;
  return take_number(token).value_or(0);
}

std::uint64_t stored_output(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

void remove_segments_before(const std::string& folder, std::uint64_t segment) {
  std::vector<std::uint64_t> there;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("segment-")) continue;
    std::string_view digits = std::string_view(name).substr(8);
    if (const auto number = take_number(digits)) there.push_back(*number);
  }
  std::sort(there.begin(), there.end());
  for (std::size_t i = 0; i + 2 < there.size() && there[i] < segment; ++i)
    ::unlink((folder + "/" + segment_file(there[i])).c_str());
}

// Only what has a file of its own.
bool has_file_of_its_own(std::string_view token) {
  return token.starts_with("run-") && token.find('/') == std::string_view::npos;
}

void remove_output(const std::string& folder, std::string_view token) {
  if (!has_file_of_its_own(token)) return;
  ::unlink((folder + "/" + std::string(token)).c_str());
}

}  // namespace sluice
