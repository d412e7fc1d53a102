// predictions.jsonl in the state folder: a line each.
#include "apps/predictions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "host/files/durable_file.h"
#include "host/files/files.h"
#include "host/files/folders.h"
#include "sim/reports/report_words.h"
#include "text/scan.h"
#include "views/json_fields.h"

namespace sluice {

template <class Fields>
void json_fields(Fields& f, Like<Prediction> auto& it) {
  f("engine", it.engine);
  f("cluster", it.cluster);
  f("job", it.job);
  f("submitted", it.submitted);
  f("asked", it.asked);
  f("early", it.early);
  f("likely", it.likely);
  f("late", it.late);
  f("planned", it.planned);
}

namespace {

constexpr std::size_t kMostLines = 2000;
constexpr std::uintmax_t kLongestFile = std::uintmax_t{1} << 20;

Result<std::vector<std::string>> lines() {
  std::error_code problem;
  if (!std::filesystem::exists(predictions_file(), problem)) return std::vector<std::string>{};
  TRY(const std::string text, read_long_file(predictions_file()));
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) out.emplace_back(line);
  return out;
}

Error not_kept(const std::string& why) {
  return Error{ErrorKind::kFailed, why, predictions_file(),
               "set XDG_STATE_HOME or SLUICE_HOME to a folder that you may write"};
}

struct Errors {
  std::size_t count = 0;
  double median = 0;  // Of the distance, in seconds.
  double mean = 0;
  std::size_t early = 0;  // Said too early a start: by more than a minute.
  std::size_t late = 0;
};
Errors errors_of(const std::vector<double>& off) {
  Errors out;
  out.count = off.size();
  if (off.empty()) return out;
  std::vector<double> distance;
  for (const double each : off) {
    distance.push_back(std::abs(each));
    out.mean += std::abs(each) / static_cast<double>(off.size());
    out.early += each > 60 ? 1 : 0;
    out.late += each < -60 ? 1 : 0;
  }
  std::sort(distance.begin(), distance.end());
  out.median = distance[distance.size() / 2];
  return out;
}

struct Score {
  Errors all;
  std::size_t within = 0;
  Errors ours;   // Where the scheduler had a plan too,
  Errors plans;  // and its plans.
};
double off_by(Instant started, Instant said) {
  return static_cast<double>((started - said).count()) / 1000;
}
Score score_of(const Outcomes& outcomes) {
  Score out;
  std::vector<double> all;
  std::vector<double> ours;
  std::vector<double> plans;
  for (const auto& [said, started] : outcomes.settled) {
    all.push_back(off_by(started, said.likely));
    // Slurm tells starts in whole seconds.
    if (started >= said.early - seconds(1) && started <= said.late + seconds(1)) ++out.within;
    if (!said.planned) continue;
    ours.push_back(all.back());
    plans.push_back(off_by(started, *said.planned));
  }
  out.all = errors_of(all);
  out.ours = errors_of(ours);
  out.plans = errors_of(plans);
  return out;
}

std::string row(const char* name, const Errors& errors, const std::string& within) {
  return fmt::format("  {:<34} {:>6} {:>12} {:>12} {:>10} {:>9} {:>12}\n", name, errors.count,
                     span_text(errors.median), span_text(errors.mean), errors.early, errors.late,
                     within);
}

std::string errors_json(const Errors& errors) {
  return fmt::format(
      R"({{"count":{},"median_error":{:.3f},"mean_error":{:.3f},"too_early":{},"too_late":{}}})",
      errors.count, errors.median, errors.mean, errors.early, errors.late);
}

}  // namespace

std::string predictions_file() {
  const FolderSetting setting = FolderSetting::of_this_process();
  return (setting.sluice_home.empty() ? setting.user_state() : setting.sluice_home) +
         "/predictions.jsonl";
}

Result<void> keep_prediction(const Prediction& prediction) {
  const std::string path = predictions_file();
  std::error_code problem;
  const mode_t before = ::umask(077);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  ::umask(before);
  if (std::filesystem::exists(path, problem) &&
      std::filesystem::file_size(path, problem) > kLongestFile) {
    TRY(const std::vector<std::string> old, lines());
    std::string kept;
    for (std::size_t i = old.size() - std::min(old.size(), kMostLines); i < old.size(); ++i)
      kept += old[i] + "\n";
    TRY_VOID(write_durably(path, kept));
  }
  const std::string line = to_json(prediction) + "\n";
  const int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return tl::unexpected(not_kept(std::strerror(errno)));
  // One write of a line: another command that adds one meanwhile does not cut it in two.
  const ssize_t written = ::write(file, line.data(), line.size());
  const int why = errno;
  ::close(file);
  if (written != static_cast<ssize_t>(line.size()))
    return tl::unexpected(not_kept(written < 0 ? std::strerror(why) : "cut short"));
  return {};
}

Result<std::vector<Prediction>> kept_predictions() {
  TRY(const std::vector<std::string> all, lines());
  std::vector<Prediction> out;
  for (const std::string& line : all)
    if (auto read = from_json<Prediction>(line)) out.push_back(std::move(*read));
  return out;
}

std::string score_text(const Outcomes& outcomes) {
  const Score score = score_of(outcomes);
  if (outcomes.settled.empty())
    return fmt::format(
        "No prediction can be scored yet: {} of jobs that have not started, {} of jobs that were "
        "not submitted or are not known any more.\n",
        outcomes.waiting, outcomes.unknown);
  std::string out =
      fmt::format("{} of jobs that have started", plural(outcomes.settled.size(), "prediction"));
  if (outcomes.waiting > 0) out += fmt::format("; {} of jobs that still wait", outcomes.waiting);
  if (outcomes.unknown > 0)
    out += fmt::format("; {} not submitted or not known any more", outcomes.unknown);
  out += fmt::format(".\n\n  {:<34} {:>6} {:>12} {:>12} {:>10} {:>9} {:>12}\n", "", "COUNT",
                     "MEDIAN ERROR", "MEAN ERROR", "TOO EARLY", "TOO LATE", "WITHIN RANGE");
  out += row("sluice when", score.all,
             fmt::format("{}%", score.within * 100 / outcomes.settled.size()));
  if (score.plans.count > 0) {
    out += row("where squeue --start knew one too", score.ours, "");
    out += row("squeue --start", score.plans, "");
  } else {
    out += "  squeue --start had no time for any of them.\n";
  }
  out += "\nThe range is meant to hold for 80% of them.\n";
  return out;
}

std::string score_json(const Outcomes& outcomes) {
  const Score score = score_of(outcomes);
  return fmt::format(
      R"({{"schema":"sluice.when.score/1","settled":{},"waiting":{},"unknown":{},"within_range":{},)"
      R"("when":{},"when_where_planned":{},"squeue_start":{}}})"
      "\n",
      outcomes.settled.size(), outcomes.waiting, outcomes.unknown, score.within,
      errors_json(score.all), errors_json(score.ours), errors_json(score.plans));
}

}  // namespace sluice
