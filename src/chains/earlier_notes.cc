// A note of a submission: its stage, its process, then a key a line. A note of a move: the lines of
// MoveLine.
#include "chains/earlier_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "chains/routed_submission.h"
#include "host/files/folders.h"
#include "host/keeper/process_mark.h"
#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

using Say = std::function<void(const std::string&)>;

constexpr Duration kSilence = seconds(600);

enum MoveLine : std::size_t {
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

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<RemoteJob> job_of(std::string_view number, std::string_view submitted) {
  const auto job = whole_number(number);
  const auto time = whole_number(submitted);
  if (!job || !time) return std::nullopt;
  return RemoteJob{JobId(static_cast<std::uint32_t>(*job)), Instant(Duration(*time))};
}

IndexSet tasks_of(std::string_view text) {
  const auto spec = parse_array_spec(text);
  return spec ? spec->indices : IndexSet{};
}

Chain chain_for(const std::string& engine, std::optional<ArraySpec> array) {
  JobSpec spec;
  spec.array = std::move(array);
  ChainTerms terms;
  terms.engine = engine;
  return routed_chain(std::move(spec), std::move(terms));
}

Batch batch_of(std::uint32_t number, const std::string& key, IndexSet tasks) {
  Batch out;
  out.number = number;
  out.round = 1;
  out.key = key;
  out.tasks = std::move(tasks);
  out.intended = now_on_clock();
  return out;
}

// One task a job: which tasks it had does not matter to what is left to do.
Result<void> take_over_submission(const ChainPorts& ports, const std::string& engine,
                                  std::span<const std::string_view> lines) {
  std::vector<std::string> keys;
  for (const std::string_view line : lines.subspan(2))
    if (!line.empty()) keys.emplace_back(line);
  if (keys.empty()) return {};
  ArraySpec all;
  BatchesIntended intended;
  for (const std::string& key : keys) {
    const auto index = static_cast<std::uint32_t>(intended.batches.size());
    all.indices.insert(index);
    IndexSet one;
    one.insert(index);
    intended.batches.push_back(batch_of(index + 1, key, std::move(one)));
  }
  const Chain chain = chain_for(engine, all);
  TRY(const OpenMark mark, OpenMark::set(ChainKind::kRouted, chain.id));
  TRY(auto open, OpenChain::create(ports, chain));
  TRY_VOID(open->record(intended));
  // All jobs are there, and those that are held are released.
  if (lines[0] == "releasing")
    for (const Batch& batch : intended.batches) {
      TRY(const auto found, open->cluster().find(batch.key));
      TRY_VOID(found.empty() ? open->record(BatchWithdrawn{batch.number, GivenUp::kNo})
                             : open->record(BatchAccepted{batch.number, found.front()}));
    }
  TRY_VOID(open->tidy());
  if (is_settled(open->chain(), now_on_clock())) mark.remove();
  return {};
}

Result<void> take_over_move(const ChainPorts& ports, const std::string& engine,
                            std::span<const std::string_view> lines) {
  const auto old = job_of(lines[kOld], lines[kOldSubmitted]);
  if (!old) return {};
  std::optional<ArraySpec> array;
  IndexSet tasks;
  tasks.insert(0);
  if (lines[kTasks] != "-") {
    tasks = tasks_of(lines[kTasks]);
    array = ArraySpec{tasks, {}};
  }
  if (tasks.empty()) return {};
  const Chain chain = chain_for(engine, array);
  TRY(const OpenMark mark, OpenMark::set(ChainKind::kRouted, chain.id));
  TRY(auto open, OpenChain::create(ports, chain));
  TRY_VOID(open->record(BatchesIntended{{batch_of(1, chain.id + ".b1", tasks)}}));
  TRY_VOID(open->record(BatchAccepted{1, *old}));
  TRY_VOID(open->record(BatchReleased{1}));
  Batch next = batch_of(2, std::string(lines[kKey]), tasks);
  next.move =
      BatchMove{1, *old, std::string(lines[kPool].substr(0, lines[kPool].find('/'))), {}, {}};
  TRY_VOID(open->record(MoveIntended{next}));
  const auto job = job_of(lines[kNew], lines[kNewSubmitted]);
  const std::string_view stage = lines[kStage];
  if (job && stage != "submitting") {
    TRY_VOID(open->record(BatchAccepted{2, *job}));
    const IndexSet going = tasks_of(lines[kGoing]);
    if (stage != "submitted" && !going.empty()) TRY_VOID(open->record(TasksTaken{2, going}));
    if (stage == "releasing" && !going.empty()) TRY_VOID(open->record(MoveEnded{2, {}}));
  }
  TRY_VOID(open->tidy());
  if (is_settled(open->chain(), now_on_clock())) mark.remove();
  return {};
}

void take_over(const ChainPorts& ports, const std::string& folder, const std::string& engine,
               bool moves, const Say& say) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name.ends_with(".new") || !entry.is_regular_file(ignored))
      continue;
    const std::string text = text_of(entry.path());
    const auto lines = split(text, '\n');
    if (lines.size() < (moves ? std::size_t{kLines} : 2)) continue;
    if (!moves && !is_left_behind(entry.path().string(), ProcessMark::read(lines[1]), kSilence))
      continue;
    const auto done =
        moves ? take_over_move(ports, engine, lines) : take_over_submission(ports, engine, lines);
    if (!done) {
      say(fmt::format("{} could not be finished: {}", entry.path().string(), done.error().what));
      continue;
    }
    say(fmt::format("an interrupted {} of an earlier version is taken over",
                    moves ? "move" : "submission"));
    fs::remove(entry.path(), ignored);
  }
}

}  // namespace

void take_over_earlier_notes(const ChainPorts& ports, const Say& say) {
  const std::string state = FolderSetting::of_this_process().user_state();
  const char* home = std::getenv("SLUICE_HOME");
  const std::string here = home != nullptr && *home != '\0' ? home : state + "/embedded";
  take_over(ports, state + "/submissions", "slurm", false, say);
  take_over(ports, state + "/moves", "slurm", true, say);
  take_over(ports, here + "/submissions", kEmbeddedEngine, false, say);
  take_over(ports, here + "/moves", kEmbeddedEngine, true, say);
}

}  // namespace sluice
