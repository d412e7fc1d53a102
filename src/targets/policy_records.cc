// back-000012.json is a way back, back-000012.unfinished.json one whose apply was cut short.
#include "targets/policy_records.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "host/files/durable_file.h"
#include "host/files/files.h"
#include "host/files/folders.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".unfinished.json";
constexpr std::string_view kApplied = "applied.json";

}  // namespace

Result<PolicyRecords> PolicyRecords::open(const std::string& cluster) {
  return open_folder("policy/" + cluster);
}

Result<PolicyRecords> PolicyRecords::open_embedded() { return open_folder("policy-embedded"); }

Result<PolicyRecords> PolicyRecords::open_folder(const std::string& name) {
  TRY(const Folders folders, daemon_folders(FolderSetting::of_this_process()));
  PolicyRecords out;
  out.folder_ = folders.state + "/" + name;
  // Whose limits change is nobody else's business.
  const mode_t before = ::umask(077);
  std::error_code problem;
  fs::create_directories(out.folder_, problem);
  ::umask(before);
  if (problem)
    return failed(fmt::format("cannot make the folder '{}': {}", out.folder_, problem.message()),
                  "set SLUICE_HOME to a folder that you may write");
  return out;
}

Result<void> PolicyRecords::write(const std::string& name, const std::string& text) const {
  const auto written = write_durably(folder_ + "/" + name, text);
  if (!written)
    return failed(
        fmt::format("cannot write '{}': {}", written.error().where, written.error().what));
  return {};
}

std::vector<std::string> PolicyRecords::ways_back() const {
  std::vector<std::string> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder_, problem)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("back-") && name.ends_with(".json")) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::uint64_t PolicyRecords::last_number() const {
  std::uint64_t last = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("back-"))
      last = std::max<std::uint64_t>(last, std::stoull("0" + name.substr(5, 6)));
  }
  return last;
}

std::string PolicyRecords::unfinished() const {
  const std::vector<std::string> known = ways_back();
  return !known.empty() && known.back().ends_with(kUnfinished) ? known.back() : std::string();
}

void PolicyRecords::take_up() {
  if (const std::string name = unfinished(); !name.empty())
    current_ = name.substr(0, name.size() - kUnfinished.size());
}

Result<std::string> PolicyRecords::keep(const std::string& name, const std::string& text) const {
  TRY_VOID(write(name, text));
  return folder_ + "/" + name;
}

Result<void> PolicyRecords::begin(const std::string& way_back) {
  take_up();
  if (!current_.empty()) return {};
  current_ = fmt::format("back-{:06}", last_number() + 1);
  fresh_ = true;
  return write(current_ + std::string(kUnfinished), way_back);
}

void PolicyRecords::abandon() {
  std::error_code problem;
  if (fresh_) fs::remove(folder_ + "/" + current_ + std::string(kUnfinished), problem);
}

Result<void> PolicyRecords::begin(const Aim& aim, const Prospect& prospect) {
  // Where the cluster goes back to, and about what.
  Aim back;
  back.policy = prospect.live.policy;
  back.consent = aim.consent;
  back.restore = true;
  back.organizations = prospect.live.organizations;
  back.slurm_only = prospect.live.slurm_only;
  std::set<std::string> subjects;
  for (const PlanStep& step : prospect.plan.steps)
    if (step.needs.empty()) subjects.insert(step.subjects.begin(), step.subjects.end());
  std::uint64_t number = last_number() + 1;
  if (const std::string name = unfinished(); !name.empty()) {
    TRY(const PlanFile begun, read_plan_file(folder_ + "/" + name));
    back.policy = begun.aim.policy;
    back.organizations = begun.aim.organizations;
    back.slurm_only = begun.aim.slurm_only;
    subjects.insert(begun.subjects.begin(), begun.subjects.end());
    --number;
  }
  LivePolicy then = prospect.live;
  then.policy = as_slurm_keeps(aim.policy);
  then.policy.cluster = prospect.live.policy.cluster;
  then.notes.clear();
  then.slurm_only = aim.slurm_only;
  PlanOptions options;
  options.slurm_only = back.slurm_only;
  options.restore = true;
  options.organizations = back.organizations;
  options.only = subjects;
  Prospect way;
  way.live = then;
  way.plan = make_plan(then, back.policy, options);
  // Every subject is named, also where going back takes no command as seen from here.
  PlanStep named;
  named.subjects.assign(subjects.begin(), subjects.end());
  named.says = {"what apply changed"};
  way.plan.steps.push_back(std::move(named));
  current_ = fmt::format("back-{:06}", number);
  return write(current_ + std::string(kUnfinished), plan_file_text(back, way));
}

Result<void> PolicyRecords::finish(const Policy& now) {
  TRY_VOID(write(std::string(kApplied), write_policy_json(now)));
  if (current_.empty()) return {};
  const std::string path = folder_ + "/" + current_;
  std::error_code problem;
  fs::rename(path + std::string(kUnfinished), path + ".json", problem);
  if (problem) return failed(fmt::format("cannot rename '{}': {}", path, problem.message()));
  return {};
}

Result<std::optional<std::string>> PolicyRecords::last() const {
  const std::vector<std::string> known = ways_back();
  if (known.empty()) return std::optional<std::string>();
  return std::optional(folder_ + "/" + known.back());
}

Result<void> PolicyRecords::mark_undone(const std::string& path) const {
  std::error_code problem;
  fs::rename(path, path.substr(0, path.find(".json")) + ".undone", problem);
  if (problem) return failed(fmt::format("cannot rename '{}': {}", path, problem.message()));
  return {};
}

Result<std::optional<Policy>> PolicyRecords::applied() const {
  const std::string path = folder_ + "/" + std::string(kApplied);
  if (!fs::exists(path)) return std::optional<Policy>();
  TRY(const std::string text, read_file(path));
  TRY(Policy policy, read_policy(text, path));
  return std::optional(std::move(policy));
}

std::string PolicyRecords::applied_at() const {
  struct stat seen {};
  const std::string path = folder_ + "/" + std::string(kApplied);
  if (::stat(path.c_str(), &seen) != 0) return {};
  std::tm local{};
  ::localtime_r(&seen.st_mtime, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

}  // namespace sluice
