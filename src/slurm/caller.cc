// Kept answers are files: a line with the time, then the text. A lock keeps others from asking the
// same at the same time.
#include "slurm/caller.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "slurm/answers.h"
#include "slurm/question.h"
#include "slurm/table.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// squeue waits up to MessageTimeout (10 s by default, 100 s at busy sites) by itself.
constexpr Duration kQuestionLimit = seconds(120);

// Names of kept answers that our own changes make old.
constexpr std::array<std::string_view, 4> kAboutTheQueue = {"queue", "mine", "assoc_mgr", "nodes"};

class Lock {
 public:
  explicit Lock(const std::string& path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (fd_ >= 0) ::flock(fd_, LOCK_EX);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_;
};

std::optional<Answered> kept(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  const auto time = whole_number<std::int64_t>(line);
  if (!time) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return Answered{std::move(text).str(), instant_at(Duration(*time)), {}};
}

// Questions about single jobs are asked in ever new combinations; their answers do not pile up.
void drop_old(const fs::path& folder) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (!entry.path().filename().string().starts_with("sacct-")) continue;
    const auto written = fs::last_write_time(entry.path(), problem);
    if (!problem && fs::file_time_type::clock::now() - written > std::chrono::hours(1))
      fs::remove(entry.path(), problem);
  }
}

void keep(const std::string& path, const Answered& answer) {
  const std::string fresh = fmt::format("{}.{}", path, ::getpid());
  {
    std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
    file << answer.as_of.time_since_epoch().count() << '\n' << answer.text;
    if (!file.flush()) return;
  }
  std::error_code problem;
  fs::rename(fresh, path, problem);
}

// What ended the command, where it says that; else all it said.
std::string one_line(std::string_view program, std::string text) {
  const std::string fatal = fmt::format("{}: fatal: ", program);
  if (const std::size_t at = text.rfind(fatal); at != std::string::npos) {
    text.erase(0, at + fatal.size());
    text.erase(std::min(text.find('\n'), text.size()));
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::vector<std::string> scrubbed_environment(const std::vector<std::string>& environment) {
  static constexpr std::string_view kDropped[] = {"SLURM_", "SBATCH_", "SRUN_",  "SALLOC_", "PMI_",
                                                  "PMIX_",  "SQUEUE_", "SACCT_", "SINFO_"};
  std::vector<std::string> out;
  for (const std::string& variable : environment) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    const bool dropped =
        name != "SLURM_CONF" && std::any_of(std::begin(kDropped), std::end(kDropped),
                                            [&](auto prefix) { return name.starts_with(prefix); });
    if (!dropped) out.push_back(variable);
  }
  return out;
}

Instant Caller::now() const {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

Result<CommandOutput> Caller::run(const std::vector<std::string>& argv, Duration limit,
                                  std::string_view input,
                                  const std::vector<std::string>* environment) const {
  return run_command(argv, environment != nullptr ? *environment : environment_to_ask(), limit,
                     input);
}

std::vector<std::string> Caller::environment_to_ask() const {
  std::vector<std::string> words = settings_.environment;
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with("LC_ALL=") || word.starts_with("LANG=");
  });
  words.emplace_back("LC_ALL=C.UTF-8");
  words.emplace_back("SLURM_TIME_FORMAT=%s");
  words.emplace_back("SLURM_BITSTR_LEN=0");  // Array lists are not cut.
  return words;
}

// The pauses alone count against the patience where a change should get through; the time of the
// attempts too, where a person waits for an answer.
Result<CommandOutput> Caller::repeated(const std::vector<std::string>& argv, Sort sort) const {
  const Duration patience = settings_.patience;
  Duration waited{0};
  for (Duration pause = seconds(1);; pause = std::min<Duration>(pause * 2, seconds(60))) {
    const auto begin = std::chrono::steady_clock::now();
    auto done = sort == Sort::kQuestion ? run_question(argv, environment_to_ask(), kQuestionLimit)
                                        : run(argv, kQuestionLimit);
    if (sort == Sort::kQuestion)
      waited += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin);
    bool again = !done && done.error().kind == ErrorKind::kUnknown;
    if (done && done->exit_code != 0) {
      const NoAnswer meaning = no_answer(done->error);
      again = meaning == NoAnswer::kNotSent || meaning == NoAnswer::kAmbiguous;
    }
    if (!again || waited >= patience) return done;
    pause = std::min(pause, patience - waited);
    std::this_thread::sleep_for(pause);
    waited += pause;
  }
}

Result<CommandOutput> Caller::insist(const std::vector<std::string>& argv) const {
  return repeated(argv, Sort::kChange);
}

Result<std::string> Caller::asked(const std::vector<std::string>& argv) const {
  TRY(CommandOutput done, repeated(argv, Sort::kQuestion));
  // sacct exits with 0 on some errors before 23.11.4. What it then prints is not all there is.
  const bool silent = done.exit_code == 0 && argv.front() == "sacct" &&
                      done.error.find("error:") != std::string::npos &&
                      no_answer(done.error) != NoAnswer::kRefused;
  if (done.exit_code == 0 && !silent) return std::move(done.output);
  return unreachable(fmt::format("{}: {}", argv.front(), one_line(argv.front(), done.error)),
                     daemon_asked(argv) == "slurmdbd"
                         ? "nothing was done; is slurmdbd up? type: sacctmgr show cluster"
                         : "nothing was done; is slurmctld up? type: scontrol ping");
}

Result<Answered> Caller::ask(std::string_view name, const std::vector<std::string>& argv,
                             Duration fresh_for) const {
  if (settings_.cache_folder.empty()) {
    TRY(std::string text, asked(argv));
    return Answered{std::move(text), now(), {}};
  }
  std::error_code ignored;
  fs::create_directories(settings_.cache_folder, ignored);
  fs::permissions(settings_.cache_folder, fs::perms::owner_all, ignored);
  const std::string path = fmt::format("{}/{}", settings_.cache_folder, name);
  const auto is_fresh = [&](const std::optional<Answered>& answer) {
    return answer && answer->as_of <= now() && now() - answer->as_of < fresh_for;
  };
  auto answer = kept(path);
  if (is_fresh(answer)) return *answer;
  const Lock lock(path + ".lock");
  answer = kept(path);
  if (is_fresh(answer)) return *answer;
  const Instant before = now();
  // After one query without an answer the others are left out. Without an earlier answer
  // the controller is asked all the same: there is nothing else to show.
  const std::string_view daemon = daemon_asked(argv);
  const bool database = daemon == "slurmdbd";
  const std::string mark = fmt::format("{}/{}-unanswered", settings_.cache_folder, daemon);
  const auto unanswered = kept(mark);
  if (unanswered && unanswered->as_of <= before && before - unanswered->as_of < settings_.silence &&
      (answer || database)) {
    if (!answer) return unreachable(unanswered->text);
    answer->problem = unanswered->text;
    return *answer;
  }
  auto text = asked(argv);
  if (text)
    fs::remove(mark, ignored);
  else
    keep(mark, {text.error().what, now(), {}});
  if (text) {
    const Answered out{std::move(*text), before, {}};
    keep(path, out);
    if (name.starts_with("sacct-")) drop_old(settings_.cache_folder);
    return out;
  }
  if (!answer) return tl::unexpected<Error>(text.error());
  answer->problem = text.error().what;
  return *answer;
}

void Caller::forget() const {
  if (settings_.cache_folder.empty()) return;
  std::error_code ignored;
  for (const std::string_view name : kAboutTheQueue)
    fs::remove(fmt::format("{}/{}", settings_.cache_folder, name), ignored);
}

}  // namespace sluice
