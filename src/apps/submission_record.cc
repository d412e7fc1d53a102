// One small file for each submission: stage, process, keys.
#include "apps/submission_record.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "apps/durable_note.h"
#include "host/process_mark.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// Longer than any one command to the cluster takes: between them the note is touched.
constexpr Duration kSilence = seconds(600);

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
  std::string text = fmt::format(
      "{}\n{}\n", stage_ == Stage::kSubmitting ? "submitting" : "releasing", this_process().text());
  for (const std::string& key : keys_) text += key + "\n";
  return write_note(path_, text);
}

Result<SubmissionRecord> SubmissionRecord::begin(const std::string& folder,
                                                 std::vector<std::string> keys) {
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

void SubmissionRecord::renew() const { touch(path_); }

void SubmissionRecord::end() { remove_note(path_); }

std::vector<SubmissionRecord> SubmissionRecord::left_behind(const std::string& folder) {
  std::vector<SubmissionRecord> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".new" || entry.path().filename().string().starts_with('.'))
      continue;
    std::ifstream file(entry.path());
    std::string stage;
    std::string owner;
    if (!std::getline(file, stage) || !std::getline(file, owner)) continue;
    // People have their home on several login nodes.
    if (!is_left_behind(entry.path().string(), ProcessMark::read(owner), kSilence)) continue;
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
