#include "chains/chain_folders.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "host/files/durable_file.h"
#include "host/files/folders.h"
#include "host/keeper/process_mark.h"
#include "text/scan.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLedger = "ledger.db";
// Longer than any one command to the cluster takes: between them the mark is touched.
constexpr Duration kSilence = seconds(600);
constexpr Duration kBetweenTries = seconds(30);
// Longer than jobs wait.
constexpr int kDaysKept = 30;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_ours(const std::string& folder) {
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) != 0 || facts.st_uid == ::geteuid();
}

std::string folder_of(ChainKind kind, const std::string& id) {
  return chains_folder(kind) + "/" + id;
}

bool has_ledger(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(folder + "/" + kLedger, ignored);
}

std::string marks_folder(ChainKind kind) { return chains_folder(kind) + "/.open"; }

std::string day_of(std::time_t time) {
  std::tm local{};
  ::localtime_r(&time, &local);
  return fmt::format("{:04}{:02}{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace

Instant now_on_clock() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

std::string chains_folder(ChainKind kind) {
  const char* name = kind == ChainKind::kChain ? "chains" : "routed";
  // The daemon knows where the chain is, whatever else is set.
  if (const std::string named = variable("SLUICE_CHAINS"); !named.empty())
    return fs::path(named).parent_path().string() + "/" + name;
  const std::string home = variable("SLUICE_HOME");
  const bool own = !home.empty() && is_ours(home);
  return (own ? home : FolderSetting::of_this_process().user_state()) + "/" + name;
}

std::string chain_folder(const std::string& id) {
  const std::string routed = folder_of(ChainKind::kRouted, id);
  return has_ledger(routed) ? routed : folder_of(ChainKind::kChain, id);
}

std::vector<std::string> chain_ids(ChainKind kind) {
  std::vector<std::string> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(chains_folder(kind), problem))
    if (has_ledger(entry.path().string())) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<std::string> chain_of_key(const std::string& key) {
  const std::size_t mark = key.rfind(".b");
  if (mark == std::string::npos || key.find('/') != std::string::npos) return std::nullopt;
  const std::string id = key.substr(0, mark);
  if (!has_ledger(chain_folder(id))) return std::nullopt;
  return id;
}

namespace {

// A chain may be named by the beginning of its id, which is a year.
bool is_job_number(const std::string& given) {
  constexpr std::size_t kShortestBeginning = 8;
  return !given.empty() && given.size() < kShortestBeginning &&
         given.find_first_not_of("0123456789") == std::string::npos;
}

// Ids tell seconds; of two in one second the later has the younger script, which is written once.
std::string latest_of(const std::vector<std::string>& ids) {
  constexpr std::size_t kUpToTheSecond = std::string_view("20261115-135114").size();
  const std::string second = ids.back().substr(0, kUpToTheSecond);
  std::string out = ids.back();
  std::optional<fs::file_time_type> latest;
  for (auto id = ids.rbegin(); id != ids.rend() && id->starts_with(second); ++id) {
    std::error_code problem;
    const auto written = fs::last_write_time(chain_folder(*id) + "/script", problem);
    if (problem || (latest && written <= *latest)) continue;
    latest = written;
    out = *id;
  }
  return out;
}

}  // namespace

Result<std::string> find_chain(const std::string& given) {
  const auto ids = chain_ids();
  if (is_job_number(given) && std::none_of(ids.begin(), ids.end(), [&](const std::string& id) {
        return id.starts_with(given);
      }))
    return bad_input(fmt::format("{} is a job, not a chain", given),
                     fmt::format("see it: sluice job {}", given));
  if (ids.empty())
    return bad_input("there is no chain yet",
                     "start one: sluice submit --chain --array=0-9 job.sh");
  if (given == "last") return latest_of(ids);
  std::vector<std::string> found;
  for (const std::string& id : ids) {
    if (id == given) return id;
    if (!given.empty() && id.starts_with(given)) found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    return bad_input(fmt::format("'{}' may be {} or {}", given, found[0], found[1]),
                     "write more of it");
  return bad_input(fmt::format("there is no chain '{}'", given), "sluice list shows them");
}

std::string new_chain_id() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  unsigned char bytes[6] = {};
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    bytes[0] = static_cast<unsigned char>(::getpid());
  std::string tail;
  for (const unsigned char byte : bytes) tail += "abcdefghijkmnpqrstuvwxyz23456789"[byte % 32];
  return fmt::format("{}-{:02}{:02}{:02}-{}", day_of(now), local.tm_hour, local.tm_min,
                     local.tm_sec, tail);
}

Result<OpenMark> OpenMark::set(ChainKind kind, const std::string& id) {
  const std::string folder = marks_folder(kind);
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return failed(fmt::format("cannot make the folder {}: {}", folder, problem.message()),
                  "nothing was submitted");
  const std::string path = folder + "/" + id;
  const auto written = write_durably(path, this_process().text() + "\n");
  if (!written)
    return failed(fmt::format("cannot write {}: {}", written.error().where, written.error().what),
                  "nothing was submitted");
  return OpenMark(path, id);
}

std::vector<OpenMark> OpenMark::left_behind(ChainKind kind) {
  std::vector<OpenMark> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(marks_folder(kind), problem)) {
    const std::string path = entry.path().string();
    const std::string id = entry.path().filename().string();
    if (id.starts_with('.') || id.ends_with(".new")) continue;
    std::ifstream file(path);
    std::string owner;
    std::string tried;
    if (!std::getline(file, owner)) continue;
    std::getline(file, tried);
    if (!is_left_behind(path, ProcessMark::read(owner), kSilence)) continue;
    if (const auto at = whole_number(std::string_view(tried)))
      if (now_on_clock() - instant_at(seconds(*at)) < kBetweenTries &&
          now_on_clock() >= instant_at(seconds(*at)))
        continue;
    out.push_back(OpenMark(path, id));
  }
  return out;
}

void OpenMark::renew() const { touch(path_); }

void OpenMark::tried() const {
  (void)write_durably(path_, fmt::format("{}\n{}\n", this_process().text(),
                                         to_seconds(now_on_clock().time_since_epoch())));
}

void OpenMark::remove() const {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void forget_old_submissions() {
  const std::string oldest = day_of(std::time(nullptr) - kDaysKept * 24 * 3600);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(chains_folder(ChainKind::kRouted), ignored)) {
    const std::string id = entry.path().filename().string();
    if (id.starts_with('.') || id.substr(0, oldest.size()) >= oldest) continue;
    if (fs::exists(marks_folder(ChainKind::kRouted) + "/" + id, ignored)) continue;
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace sluice
