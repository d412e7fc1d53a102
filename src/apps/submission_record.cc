// One small file for each submission: stage, process, keys.
#include "apps/submission_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace sluice {
namespace {

namespace fs = std::filesystem;

// A process may have the number of one that is gone, so its start counts too.
std::string process_mark(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  // The 22nd field: when it started.
  std::size_t at = end + 1;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return fmt::format("{}:{}", pid, text.substr(at + 1, text.find(' ', at + 1) - at - 1));
}

bool is_alive(const std::string& mark) {
  const long pid = std::strtol(mark.c_str(), nullptr, 10);
  return pid > 0 && process_mark(static_cast<pid_t>(pid)) == mark;
}

bool sync_to_disk(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  const bool done = fd >= 0 && ::fsync(fd) == 0;
  if (fd >= 0) ::close(fd);
  return done;
}

}  // namespace

std::string new_key() {
  std::array<unsigned char, 16> bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Result<void> SubmissionRecord::write() const {
  const std::string fresh = path_ + ".new";
  {
    std::ofstream file(fresh, std::ios::trunc);
    file << (stage_ == Stage::kSubmitting ? "submitting" : "releasing") << '\n'
         << process_mark(::getpid()) << '\n';
    for (const std::string& key : keys_) file << key << '\n';
    if (!file.flush())
      return failed(fmt::format("cannot write {}: {}", fresh, std::strerror(errno)),
                    "nothing was submitted");
  }
  std::error_code problem;
  if (!sync_to_disk(fresh, O_RDONLY)) problem = std::error_code(errno, std::generic_category());
  if (!problem) fs::rename(fresh, path_, problem);
  if (!problem) sync_to_disk(fs::path(path_).parent_path().string(), O_RDONLY | O_DIRECTORY);
  if (problem)
    return failed(fmt::format("cannot write {}: {}", path_, problem.message()),
                  "nothing was submitted");
  return {};
}

Result<SubmissionRecord> SubmissionRecord::begin(const std::string& folder,
                                                 std::vector<std::string> keys) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return failed(fmt::format("cannot make the folder {}: {}", folder, problem.message()),
                  "nothing was submitted");
  SubmissionRecord out;
  out.path_ = folder + "/" + keys.front();
  out.keys_ = std::move(keys);
  TRY_VOID(out.write());
  return out;
}

Result<void> SubmissionRecord::releasing() {
  stage_ = Stage::kReleasing;
  return write();
}

void SubmissionRecord::end() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

std::vector<SubmissionRecord> SubmissionRecord::left_behind(const std::string& folder) {
  std::vector<SubmissionRecord> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".new") continue;
    std::ifstream file(entry.path());
    std::string stage;
    std::string owner;
    if (!std::getline(file, stage) || !std::getline(file, owner) || is_alive(owner)) continue;
    SubmissionRecord record;
    record.path_ = entry.path().string();
    record.stage_ = stage == "releasing" ? Stage::kReleasing : Stage::kSubmitting;
    for (std::string key; std::getline(file, key);)
      if (!key.empty()) record.keys_.push_back(key);
    if (!record.keys_.empty()) out.push_back(std::move(record));
  }
  return out;
}

Result<void> tidy_up(Cluster& cluster, const std::string& folder) {
  for (SubmissionRecord& record : SubmissionRecord::left_behind(folder)) {
    for (const std::string& key : record.keys()) {
      TRY(const std::vector<RemoteJob> jobs, cluster.find(key));
      // Of twins only the first counts; the others are held and can never run by themselves.
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const RemoteRef ref{jobs[i], std::nullopt};
        if (i == 0 && record.stage() == SubmissionRecord::Stage::kReleasing) {
          TRY_VOID(cluster.release(ref));
          fmt::print(stderr, "sluice: job {} of an interrupted submission is released\n",
                     jobs[i].job.value());
        } else {
          TRY_VOID(cluster.cancel(ref));
          fmt::print(stderr, "sluice: job {} of an interrupted submission is cancelled\n",
                     jobs[i].job.value());
        }
      }
    }
    record.end();
  }
  return {};
}

}  // namespace sluice
