#include "web/job_log.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "system/open_plain_file.h"
#include "views/json_fields.h"
#include "views/row_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

constexpr std::uint64_t kPiece = 256 << 10;
constexpr std::uint64_t kLastLines = 64 << 10;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

tl::unexpected<Error> cannot_read(const std::string& path, std::string why) {
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::move(why), path, {}});
}

Result<LogPiece> captured(HttpClient& daemon, const std::string& target, std::uint64_t from) {
  LogPiece piece;
  piece.start = from;
  TRY(const HttpResponse response,
      daemon.stream(fmt::format("{}/output?from={}", target, from), [&](std::string_view bytes) {
        piece.bytes += bytes.substr(0, kPiece - piece.bytes.size());
        return piece.bytes.size() < kPiece;
      }));
  if (response.status != 200) return failed("its output cannot be read now");
  return piece;
}

}  // namespace

Result<LogPiece> read_log_file(const std::string& path, std::optional<std::uint64_t> from) {
  const OpenedFile opened = open_plain_file(path);
  const Descriptor file(opened.descriptor);
  // The job may be about to write it.
  if (opened.problem == ENOENT)
    return LogPiece{{}, from.value_or(0), path, "the file is not there"};
  if (!opened.is_open())
    return cannot_read(path, opened.problem != 0 ? std::strerror(opened.problem) : "is not a file");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return cannot_read(path, std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  LogPiece piece;
  piece.path = path;
  piece.start = std::min(from.value_or(size > kLastLines ? size - kLastLines : 0), size);
  piece.bytes.resize(std::min(size - piece.start, kPiece));
  const ssize_t got = ::pread(file.number(), piece.bytes.data(), piece.bytes.size(),
                              static_cast<off_t>(piece.start));
  if (got < 0) return cannot_read(path, std::strerror(errno));
  piece.bytes.resize(static_cast<std::size_t>(got));
  return piece;
}

Result<LogPiece> read_job_log(const WebSources& sources, const std::string& job, LogStream stream,
                              std::optional<std::uint64_t> from) {
  if (!sources.has_daemon()) {
    TRY(const WrittenFiles paths, sources.output_paths(job));
    const std::string& named = stream == LogStream::kErrors ? paths.stderr_path : paths.stdout_path;
    if (!paths.has_started) return LogPiece{{}, from.value_or(0), {}, "it has not started yet"};
    if (named.empty())
      return LogPiece{{}, from.value_or(0), {}, "it writes no file: an interactive job"};
    return read_log_file(named, from);
  }
  TRY(HttpClient daemon, sources.daemon());
  const std::string target = "/v1/jobs/" + percent_encoded(job);
  TRY(const HttpResponse answer, daemon.request("GET", target));
  if (answer.status != 200) return failed(fmt::format("there is no job {}", job));
  TRY(const JobCard card, from_json<JobCard>(answer.body));
  if (card.line.array && !card.line.task)
    return failed(fmt::format("{} is an array: every task has its own output", job));
  if (card.captured) return captured(daemon, target, from.value_or(0));
  const std::string& path = stream == LogStream::kErrors && !card.stderr_path.empty()
                                ? card.stderr_path
                                : card.stdout_path;
  if (path.empty()) return LogPiece{{}, from.value_or(0), {}, "it has not written anything yet"};
  return read_log_file(path, from);
}

}  // namespace sluice
