// The history's rows are told in sacct's words: its reader knows requeues and sizes already.
#include "studies/daemon_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <utility>

#include "host/files/files.h"
#include "host/journal/sqlite_journal.h"
#include "model/outcome.h"
#include "slurm/table.h"

namespace sluice {
namespace {

constexpr std::string_view kSqlite{"SQLite format 3\0", 16};

// Gone when it is no longer needed.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code problem;
    std::string name =
        (std::filesystem::temp_directory_path(problem) / "sluice-journal-XXXXXX").string();
    if (problem || ::mkdtemp(name.data()) == nullptr)
      return failed("no temporary folder can be made for a copy of the journal: " + name);
    return TemporaryFolder(std::move(name));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

tl::unexpected<Error> not_copied(const std::string& path, const std::string& why) {
  return tl::unexpected<Error>(Error{ErrorKind::kBadInput, "cannot be copied: " + why, path, {}});
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// The log beside the file has what was committed last. A file that did not change meanwhile is
// whole; a log is whole as far as its checksums say, which SQLite looks at.
Result<void> copy_journal(const std::string& path, const std::string& to) {
  constexpr int kTries = 20;
  constexpr auto kOver = std::filesystem::copy_options::overwrite_existing;
  for (int i = 0; i < kTries; ++i) {
    struct stat before {};
    struct stat after {};
    std::error_code problem;
    if (::stat(path.c_str(), &before) != 0) return not_copied(path, "it is gone");
    std::filesystem::copy_file(path, to, kOver, problem);
    if (problem) return not_copied(path, problem.message());
    std::error_code no_log;
    if (!std::filesystem::copy_file(path + "-wal", to + "-wal", kOver, no_log))
      std::filesystem::remove(to + "-wal", problem);
    if (::stat(path.c_str(), &after) == 0 && same_file(before, after)) return {};
  }
  return not_copied(path, "it changes all the time");
}

// Neither packed nor standard input.
bool is_plain(const std::string& path) {
  std::array<char, kSqlite.size()> beginning{};
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), beginning.size());
  return path != "-" && file && is_daemon_journal({beginning.data(), beginning.size()});
}

std::string id_of(const HistoryRow& row) {
  return row.array == JobId{} ? fmt::to_string(row.job.value())
                              : fmt::format("{}_{}", row.array.value(), row.task);
}

std::string line_of(const HistoryRow& row) {
  const std::int64_t elapsed =
      row.started ? std::max<std::int64_t>(to_seconds(row.ended) - to_seconds(*row.started), 0) : 0;
  std::string out;
  const auto field = [&](std::string_view text) {
    if (!out.empty()) out += kFieldEnd;
    for (const char c : text) out += c == kFieldEnd || c == '\n' || c == '\r' ? ' ' : c;
  };
  field(id_of(row));
  field(row.user);
  field(row.account);
  field(row.qos);
  field(row.partition);
  field(row.name);
  field(fmt::to_string(to_seconds(row.submitted)));
  field(fmt::to_string(elapsed));
  field(fmt::to_string(std::max<std::int64_t>(to_seconds(row.limit) / 60, 1)));
  field(row.requested);
  field(row.allocated);
  field(row.requeued ? "REQUEUED" : slurm_name(row.outcome.state));
  return out;
}

}  // namespace

bool is_daemon_journal(std::string_view bytes) { return bytes.starts_with(kSqlite); }

Result<std::vector<LoggedRecord>> read_daemon_journal(const std::string& path,
                                                      std::string_view bytes) {
  TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string copy = folder / "journal.db";
  if (is_plain(path))
    TRY_VOID(copy_journal(path, copy));
  else
    TRY_VOID(write_file(copy, std::string(bytes)));
  auto journal = SqliteJournal::open(copy);
  if (!journal) {
    Error error = journal.error();
    error.kind = ErrorKind::kBadInput;
    error.where = path;
    return tl::unexpected<Error>(std::move(error));
  }
  TRY(std::vector<HistoryRow> rows, (*journal)->history({}));
  // Runs of one job follow each other.
  std::sort(rows.begin(), rows.end(), [](const HistoryRow& a, const HistoryRow& b) {
    return std::tuple(a.job, a.attempt) < std::tuple(b.job, b.attempt);
  });
  std::string dump =
      "JobID|User|Account|QOS|Partition|JobName|Submit|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|"
      "State\n";
  std::replace(dump.begin(), dump.end(), '|', kFieldEnd);
  for (const HistoryRow& row : rows) {
    dump += line_of(row);
    dump += '\n';
  }
  return parse_accounting_dump(dump, path, [&](std::uint32_t line, const std::string& what) {
    return bad_input(fmt::format("run {} of its history cannot be read: {}", line - 1, what));
  });
}

}  // namespace sluice
