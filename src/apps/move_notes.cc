// A note is lines in a fixed order; "-" where there is nothing.
#include "apps/move_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "apps/durable_note.h"
#include "apps/files.h"
#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kStages = {"submitting", "submitted", "cancelling",
                                                     "releasing"};
constexpr const char* kDone = "/.done";
enum Line : std::size_t {
  kStage,
  kCluster,
  kKey,
  kOld,
  kOldSubmitted,
  kTasks,
  kPool,
  kIntended,
  kNew,
  kNewSubmitted,
  kGoing,
  kLines
};

std::string set_text(const IndexSet& set) { return set.empty() ? "-" : compress_indices(set); }

std::string stored(Instant time) { return std::to_string(time.time_since_epoch().count()); }

std::optional<Instant> instant_of(std::string_view text) {
  const auto count = whole_number(text);
  if (!count) return std::nullopt;
  return Instant(Duration(*count));
}

std::optional<RemoteJob> job_of(std::string_view number, std::string_view submitted) {
  const auto job = whole_number(number);
  const auto time = instant_of(submitted);
  if (!job || !time) return std::nullopt;
  return RemoteJob{JobId(static_cast<std::uint32_t>(*job)), *time};
}

std::optional<IndexSet> set_of(std::string_view text) {
  if (text == "-") return IndexSet{};
  const auto spec = parse_array_spec(text);
  if (!spec) return std::nullopt;
  return spec->indices;
}

std::optional<Replacement> read_note(const std::vector<std::string_view>& lines) {
  Replacement out;
  const auto stage = std::find(kStages.begin(), kStages.end(), lines[kStage]);
  const auto old = job_of(lines[kOld], lines[kOldSubmitted]);
  const auto intended = instant_of(lines[kIntended]);
  const auto going = set_of(lines[kGoing]);
  if (stage == kStages.end() || !old || !intended || !going) return std::nullopt;
  out.stage = static_cast<Replacement::Stage>(stage - kStages.begin());
  out.key = lines[kKey];
  out.old = *old;
  if (lines[kTasks] != "-") {
    out.tasks = set_of(lines[kTasks]);
    if (!out.tasks) return std::nullopt;
  }
  out.pool = lines[kPool];
  out.intended = *intended;
  out.job = job_of(lines[kNew], lines[kNewSubmitted]);
  out.going = *going;
  if (!out.job && out.stage != Replacement::Stage::kSubmitting) return std::nullopt;
  return out;
}

}  // namespace

Result<void> MoveNotes::write(const Replacement& it) {
  return write_note(
      path_of(it),
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n",
                  kStages[static_cast<std::size_t>(it.stage)], cluster_, it.key, it.old.job.value(),
                  stored(it.old.submitted), it.tasks ? set_text(*it.tasks) : "-", it.pool,
                  stored(it.intended), it.job ? std::to_string(it.job->job.value()) : "-",
                  it.job ? stored(it.job->submitted) : "-", set_text(it.going)));
}

void MoveNotes::end(const Replacement& it) {
  const std::string done = folder_ + kDone;
  std::error_code problem;
  if (it.stage == Replacement::Stage::kReleasing && !it.going.empty()) {
    fs::create_directory(done, problem);
    forget_old_notes(done);
    fs::rename(path_of(it), done + "/" + it.key, problem);
    if (!problem) return;
  }
  remove_note(path_of(it));
}

Result<void> MoveNotes::read_all(const std::string& folder, std::vector<Replacement>& out) const {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name.ends_with(".new")) continue;
    const auto text = read_file(entry.path().string());
    if (!text && !fs::exists(entry.path(), problem)) continue;  // Just done.
    if (!text) return tl::unexpected<Error>(text.error());
    std::vector<std::string_view> lines = split(*text, '\n');
    if (lines.size() > kCluster && lines[kCluster] != cluster_) continue;
    std::optional<Replacement> note;
    if (lines.size() >= kLines) note = read_note(lines);
    if (!note)
      return failed(fmt::format("cannot read {}, the note of a move", entry.path().string()),
                    "look at it and at your queue, then remove it");
    out.push_back(std::move(*note));
  }
  return {};
}

Result<std::vector<Replacement>> MoveNotes::left() const {
  std::vector<Replacement> out;
  TRY_VOID(read_all(folder_, out));
  return out;
}

Result<std::vector<Replacement>> MoveNotes::known() const {
  // In the order in which a note goes: one that is done meanwhile is found at least once.
  std::vector<Replacement> out;
  TRY_VOID(read_all(folder_, out));
  TRY_VOID(read_all(folder_ + kDone, out));
  return out;
}

}  // namespace sluice
