#include "cli/submission_notes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

bool (*any_older_chains)() = nullptr;

// A person looks back at the last few hundred at most.
constexpr std::size_t kMostRequests = 500;
// How far apart the note and the daemon's own time of the submission may be.
constexpr auto kSameTime = std::chrono::hours(1);

std::string (*&notes_folder())() {
  static std::string (*folder)() = nullptr;
  return folder;
}

std::string folder() { return notes_folder() != nullptr ? notes_folder()() : std::string(); }

constexpr std::pair<SubmittedAs, std::string_view> kWords[] = {{SubmittedAs::kJob, "job "},
                                                               {SubmittedAs::kChain, "chain "},
                                                               {SubmittedAs::kOnSlurm, "slurm "}};

// In its place with one step: a reader sees the old text or the new one.
void write_note(const std::string& name, std::string_view text) {
  const std::string where = folder();
  if (where.empty()) return;
  std::error_code ignored;
  if (!fs::is_directory(where, ignored)) {
    fs::create_directories(fs::path(where).parent_path(), ignored);
    if (::mkdir(where.c_str(), 0700) != 0 && errno != EEXIST) return;
  }
  const std::string temporary = fmt::format("{}/.{}.{}", where, name, ::getpid());
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  bool written = true;
  while (written && !text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    written = size > 0;
    if (written) text.remove_prefix(static_cast<std::size_t>(size));
  }
  ::close(file);
  if (written) fs::rename(temporary, where + "/" + name, ignored);
  if (!written || ignored) fs::remove(temporary, ignored);
}

std::optional<std::string> read_note(const std::string& name) {
  const std::string where = folder();
  std::ifstream file(where + "/" + name, std::ios::binary);
  if (where.empty() || !file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Now and then: looking through the folder costs more than a note.
void forget_old_requests() {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder(), problem))
    if (entry.path().extension() == ".json")
      found.emplace_back(fs::last_write_time(entry.path(), problem), entry.path());
  if (found.size() <= kMostRequests) return;
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i + kMostRequests < found.size(); ++i)
    fs::remove(found[i].second, problem);
}

}  // namespace

void use_older_chains(bool (*any)()) { any_older_chains = any; }
void use_notes_folder(std::string (*folder)()) { notes_folder() = folder; }

void remember_last(const LastSubmission& submission) {
  for (const auto& [as, word] : kWords)
    if (as == submission.as) write_note("last", fmt::format("{}{}\n", word, submission.id));
}

std::optional<LastSubmission> last_submission() {
  auto text = read_note("last");
  if (!text) return std::nullopt;
  while (text->ends_with('\n')) text->pop_back();
  for (const auto& [as, word] : kWords)
    if (text->starts_with(word)) return LastSubmission{as, text->substr(word.size())};
  return std::nullopt;
}

void remember_request(const SubmitRequest& request, const SubmitReply& reply) {
  for (std::size_t i = 0; i < reply.results.size() && i < request.jobs.size(); ++i) {
    if (!reply.results[i].job) continue;
    const std::uint32_t job = reply.results[i].job->value();
    SubmitRequest one;
    one.jobs.push_back(request.jobs[i]);
    write_note(fmt::format("{}.json", job), to_json(one));
    if (job % 64 == 0) forget_old_requests();
    remember_last({SubmittedAs::kJob, std::to_string(job)});
  }
}

Result<JobSpec> remembered_request(std::uint32_t job, Instant submitted) {
  const std::string name = fmt::format("{}.json", job);
  const auto unknown = [&] {
    return failed(fmt::format("how job {} was submitted is not known here", job),
                  "submit its script again; `rerun` knows your own recent submissions");
  };
  const auto text = read_note(name);
  if (!text) return unknown();
  struct stat facts {};
  if (::stat((folder() + "/" + name).c_str(), &facts) != 0) return unknown();
  const Instant written = instant_at(seconds(facts.st_mtime));
  if (std::max(written, submitted) - std::min(written, submitted) > Duration(kSameTime))
    return unknown();
  TRY(SubmitRequest request, from_json<SubmitRequest>(*text));
  if (request.jobs.empty()) return unknown();
  return std::move(request.jobs.front());
}

namespace {

tl::unexpected<Error> several(const std::string& jobs) {
  return bad_input(fmt::format("the last submission is the jobs {}", jobs), "name one of them");
}

}  // namespace

Result<std::string> meant_by(std::string_view word) {
  constexpr std::string_view kLast = "last";
  if (!word.starts_with(kLast)) return std::string(word);
  const std::string_view rest = word.substr(kLast.size());
  if (!rest.empty() && rest.front() != '_') return std::string(word);
  const auto last = last_submission();
  if (!last) {
    if (rest.empty() && any_older_chains != nullptr && any_older_chains()) return std::string(word);
    return bad_input("nothing was submitted yet", "submit a job: sluice submit job.sh");
  }
  if (last->as == SubmittedAs::kOnSlurm)
    return bad_input(fmt::format("the last submission is job {} on Slurm", last->id),
                     fmt::format("there: sluice why --on slurm {0}; its end: sacct -j {0}; to "
                                 "cancel it: scancel {0}",
                                 last->id));
  if (last->as == SubmittedAs::kChain && !rest.empty())
    return bad_input(
        fmt::format("the last submission is the chain {}", last->id),
        fmt::format("of one task: sluice logs {} --tasks={}", last->id, rest.substr(1)));
  if (!rest.empty() && last->id.find(',') != std::string::npos) return several(last->id);
  return last->id + std::string(rest);
}

Result<std::string> one_meant_by(std::string_view word) {
  TRY(std::string meant, meant_by(word));
  if (word == "last" && meant.find(',') != std::string::npos) return several(meant);
  return meant;
}

Result<std::string> dependencies_meant_by(std::string_view text, std::string_view engine) {
  constexpr std::string_view kBetween = ":,?";
  std::string out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    const auto last = word == "last" ? last_submission() : std::nullopt;
    std::string job(word);
    if (last && last->as == SubmittedAs::kOnSlurm && engine == "slurm") {
      job = last->id;
    } else if (last && last->as == SubmittedAs::kChain) {
      return bad_input(fmt::format("the last submission is the chain {}", last->id),
                       "wait for it, then submit: sluice wait last && sluice submit …");
    } else if (word.starts_with("last")) {
      TRY(job, meant_by(word));
    }
    // Of several jobs, all.
    std::replace(job.begin(), job.end(), ',', ':');
    out += job;
    text.remove_prefix(word.size());
    if (text.empty()) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

Result<std::vector<std::string>> meant_by(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    TRY(std::string meant, meant_by(std::string_view(word)));
    if (word == "last")
      for (const std::string_view one : split(meant, ',')) out.emplace_back(one);
    else
      out.push_back(std::move(meant));
  }
  return out;
}

}  // namespace sluice
