// Files, environment and terminal: everything that the pure rooms are not told by themselves.
#include "pools/routing_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "cli/table.h"
#include "host/files/files.h"
#include "host/files/folders.h"
#include "host/files/plain_file.h"
#include "policyfile/files/routing_file.h"
#include "text/scan.h"

extern char** environ;

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProjectFile = ".sluice.yaml";

Result<void> lay_over(const std::string& path, RoutingSettings& settings) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  TRY(const std::string text, read_routing_text(path));
  return read_routing_file(text, path, settings);
}

}  // namespace

std::vector<std::string> process_environment() {
  std::vector<std::string> out;
  for (char** word = environ; *word != nullptr; ++word) out.emplace_back(*word);
  return out;
}

std::string environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

std::string config_folder() { return FolderSetting::of_this_process().user_config(); }
std::string state_folder() { return FolderSetting::of_this_process().user_state(); }

std::vector<std::string> routing_files(const std::string& from) {
  std::vector<std::string> out = {"/etc/sluice/routing.yaml", config_folder() + "/routing.yaml",
                                  config_folder() + "/blocked.yaml"};
  std::error_code problem;
  // What a look into a folder that is gone, or closed to us, meets is no reason to stop.
  std::error_code ignored;
  for (fs::path folder = from.empty() ? fs::current_path(problem) : fs::path(from); !problem;
       folder = folder.parent_path()) {
    const fs::path file = folder / kProjectFile;
    // What anybody could have left in /tmp is no project's.
    if (fs::exists(file, ignored) && !may_be_planted(file.string())) {
      out.push_back(file.string());
      break;
    }
    if (folder == folder.parent_path()) break;
  }
  return out;
}

Result<std::string> read_routing_text(const std::string& file) {
  // It was found, not named: nobody waits for a pipe that somebody else made.
  return fs::path(file).filename() == kProjectFile ? read_included(file) : read_file(file);
}

Result<RoutingSettings> load_routing_settings(const std::string& from) {
  RoutingSettings out;
  for (const std::string& file : routing_files(from)) TRY_VOID(lay_over(file, out));
  return out;
}

Result<void> check_shape(const RoutingSettings& settings, const std::string& shape) {
  if (shape.empty() || settings.shapes.contains(shape)) return {};
  std::string known;
  for (const auto& [name, described] : settings.shapes) known += (known.empty() ? "" : ", ") + name;
  return bad_input(fmt::format("--shape: there is no shape '{}'", shape),
                   known.empty()
                       ? "describe it in routing.yaml: shapes: {NAME: {gpu: {…}, cpu: {…}}}"
                       : fmt::format("there are: {}", known));
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

std::size_t terminal_width() {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 1000;  // Nothing is cut where no person reads.
  const std::size_t width = Display::of_stdout().width;
  return width == 0 ? kWidest : std::clamp(width, kNarrowest, kWidest);
}

void wait_for(Duration time) { std::this_thread::sleep_for(time); }

std::unique_ptr<SlurmCluster> this_slurm(Look look) {
  CallerSettings settings = slurm_settings(process_environment());
  if (look == Look::kNow) settings.fresh_for = Duration(0);
  return std::make_unique<SlurmCluster>(std::move(settings));
}

std::vector<std::string> listed_names(const std::vector<std::string>& given) {
  std::vector<std::string> out;
  for (const std::string& list : given) {
    for (const std::string_view name : split(list, ','))
      if (!name.empty()) out.emplace_back(name);
  }
  return out;
}

}  // namespace sluice
