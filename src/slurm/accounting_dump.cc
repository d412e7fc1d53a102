// The header says which field stands where.
#include "slurm/accounting_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>

#include "slurm/table.h"
#include "text/begin_time.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/printed_tres.h"
#include "text/scan.h"

namespace sluice {
namespace {

enum Field : std::size_t {
  kJobId,
  kUser,
  kAccount,
  kQos,
  kPartition,
  kJobName,
  kSubmit,
  kStart,
  kEnd,
  kElapsedRaw,
  kElapsed,
  kTimelimitRaw,
  kTimelimit,
  kReqTres,
  kAllocTres,
  kReqCpus,
  kAllocCpus,
  kNCpus,
  kReqNodes,
  kNNodes,
  kReqMem,
  kState,
  kFields
};
constexpr std::array<std::string_view, kFields> kNames = {
    "JobID",     "User",    "Account",   "QOS",        "Partition", "JobName",
    "Submit",    "Start",   "End",       "ElapsedRaw", "Elapsed",   "TimelimitRaw",
    "Timelimit", "ReqTRES", "AllocTRES", "ReqCPUS",    "AllocCPUS", "NCPUS",
    "ReqNodes",  "NNodes",  "ReqMem",    "State"};

// What people write as they like.
constexpr std::array<std::string_view, 9> kFreeText = {"JobName",      "SubmitLine",    "Comment",
                                                       "AdminComment", "SystemComment", "WorkDir",
                                                       "Extra",        "Reason",        "WCKey"};

char delimiter_of(std::string_view header) {
  for (const char c : {'|', kFieldEnd, ';', '\t', ','})
    if (header.find(c) != std::string_view::npos) return c;
  return '|';
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Later times are mistakes, and could not be kept in milliseconds.
constexpr std::int64_t kLatest = 100'000'000'000;
constexpr std::int64_t kLongest = to_seconds(kLongestDuration);

std::optional<Instant> time_in(std::string_view text) {
  if (const auto epoch = whole_number<std::int64_t>(text)) {
    if (*epoch < 0 || *epoch > kLatest) return std::nullopt;
    return instant_at(seconds(*epoch));
  }
  const auto printed = parse_printed_time(text);
  return printed ? *printed : std::nullopt;
}

class Dump {
 public:
  Result<void> read_header(std::string_view line, std::string_view file) {
    delimiter_ = delimiter_of(line);
    const auto names = split(line, delimiter_);
    columns_ = names.size();
    at_.fill(std::nullopt);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t field = 0; field < kFields; ++field)
        if (same_ignoring_case(names[i], kNames[field])) at_[field] = i;
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const std::string_view free : kFreeText)
        if (same_ignoring_case(names[i], free)) free_text_.push_back(i);
    std::string missing;
    const auto need = [&](bool there, std::string_view what) {
      if (!there) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", what);
    };
    const auto any = [&](std::initializer_list<Field> fields) {
      for (const Field field : fields)
        if (at_[field]) return true;
      return false;
    };
    need(any({kJobId}), "JobID");
    need(any({kSubmit}), "Submit");
    need(any({kReqTres, kAllocTres, kReqCpus, kAllocCpus, kNCpus}), "ReqTRES or AllocCPUS");
    need(any({kElapsedRaw, kElapsed}) || (at_[kStart] && at_[kEnd]), "ElapsedRaw");
    if (missing.empty()) return {};
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, fmt::format("the header lacks {}", missing), std::string(file),
              "write it with: sacct -aPXD -S now-30days -o "
              "JobID,User,Account,QOS,Partition,Submit,Start,ElapsedRaw,TimelimitRaw,ReqTRES,"
              "AllocTRES,State"});
  }

  // Nothing for a step; an error says what cannot be read.
  Result<std::optional<LoggedRecord>> read(std::string_view line) {
    parts_ = split(line, delimiter_);
    if (parts_.size() == columns_) return read_parts();
    const auto wrong =
        bad_input(fmt::format("{} fields where the header has {}", parts_.size(), columns_));
    if (parts_.size() < columns_) return wrong;
    // Slurm does not escape: names and command lines may hold what separates the fields. Where the
    // rest can be read with some of them that much longer, that is where the surplus belongs.
    const std::vector<std::string_view> all = parts_;
    constexpr std::size_t kMostSurplus = 8;
    std::optional<std::optional<LoggedRecord>> found;
    if (const std::size_t surplus = all.size() - columns_; surplus <= kMostSurplus)
      spread(all, 0, 0, surplus, found);
    if (found) return std::move(*found);
    return wrong;
  }

  // Whether the entry that was read last was begun again.
  bool requeued() const { return requeued_; }

 private:
  // Joins `surplus` of the fields from `from` on to the free texts from the nth on, in every way,
  // until the line can be read.
  void spread(const std::vector<std::string_view>& all, std::size_t nth, std::size_t from,
              std::size_t surplus, std::optional<std::optional<LoggedRecord>>& found) {
    if (nth == 0) parts_.clear();
    const std::size_t kept = parts_.size();
    if (surplus == 0 || nth == free_text_.size()) {
      if (surplus > 0) return;
      parts_.insert(parts_.end(), all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
      if (auto read = read_parts(); read && (!*read || (*read)->cpus > 0)) found = std::move(*read);
      parts_.resize(kept);
      return;
    }
    // Of the header's columns that come before this text none is longer.
    const std::size_t before = free_text_[nth] - kept;
    for (std::size_t i = 0; i < before; ++i) parts_.push_back(all[from + i]);
    // Names have it more often than what comes behind them.
    for (std::size_t left = 0; left <= surplus && !found; ++left) {
      const std::size_t joined = surplus - left;
      const std::string_view first = all[from + before];
      const std::string_view last = all[from + before + joined];
      const char* const end = last.data() + last.size();
      parts_.emplace_back(first.data(), static_cast<std::size_t>(end - first.data()));
      spread(all, nth + 1, from + before + joined + 1, left, found);
      parts_.pop_back();
    }
    parts_.resize(kept);
  }

  Result<std::optional<LoggedRecord>> read_parts() {
    const std::string_view id = text(kJobId);
    if (id.empty()) return bad_input("no JobID");
    if (id.front() < '0' || id.front() > '9') return bad_input(fmt::format("JobID is '{}'", id));
    if (id.find('.') != std::string_view::npos) return std::optional<LoggedRecord>();
    LoggedRecord out;
    out.id = std::string(id);
    out.user = or_empty(text(kUser));
    out.account = or_empty(text(kAccount));
    out.qos = or_empty(text(kQos));
    out.partition = or_empty(text(kPartition));
    out.program = std::string(text(kJobName));
    const auto submitted = time_in(text(kSubmit));
    if (!submitted) return bad_input(fmt::format("Submit is '{}'", text(kSubmit)));
    out.submitted = *submitted;
    out.started = time_in(text(kStart));
    TRY_VOID(read_times(out));
    TRY_VOID(read_size(out));
    if (at_[kState]) {
      const auto state = printed_state(text(kState));
      if (!state) return bad_input(fmt::format("State is '{}'", text(kState)));
      out.state = *state;
      requeued_ = text(kState).starts_with("REQUEUED");
    }
    return std::optional(std::move(out));
  }

  std::string_view text(Field field) const {
    return at_[field] ? parts_[*at_[field]] : std::string_view{};
  }

  Result<void> read_times(LoggedRecord& out) const {
    if (at_[kElapsedRaw]) {
      const auto value = whole_number<std::int64_t>(text(kElapsedRaw));
      if (!value || *value < 0 || *value > kLongest)
        return bad_input(fmt::format("ElapsedRaw is '{}'", text(kElapsedRaw)));
      out.elapsed = seconds(*value);
    } else if (at_[kElapsed] && !text(kElapsed).empty()) {
      TRY(const TimeLimit elapsed, parse_duration(text(kElapsed)));
      out.elapsed = elapsed.duration;
    } else if (const auto end = time_in(text(kEnd)); end && out.started) {
      out.elapsed = *end - *out.started;
    }
    if (const auto raw = whole_number<std::int64_t>(text(kTimelimitRaw));
        raw && *raw > 0 && *raw <= kLongest / 60)
      out.limit = minutes(*raw);
    else if (const auto limit = parse_duration(text(kTimelimit));
             !text(kTimelimit).empty() && limit)
      out.limit = limit->duration;
    return {};
  }

  Result<void> read_size(LoggedRecord& out) const {
    // What was asked for counts; what was given is the next best.
    for (const Field field : {kReqTres, kAllocTres}) {
      const PrintedTres listed = read_printed_tres(text(field));
      if (out.cpus == 0) out.cpus = listed.cpus.value_or(0);
      // A job on whole nodes has their GPUs, and did not ask for them.
      if (out.gpus == 0 && (field == kReqTres || text(kReqTres).empty()))
        out.gpus = listed.gpus.value_or(0);
      if (out.nodes == 0) out.nodes = listed.nodes.value_or(0);
      if (const std::int64_t mb = listed.memory_mb.value_or(0); mb > 0 && !out.memory)
        out.memory = MemoryRequest{MemoryPer::kNode, mb / std::max<std::int64_t>(out.nodes, 1)};
    }
    for (const Field field : {kReqCpus, kAllocCpus, kNCpus})
      if (out.cpus == 0) out.cpus = whole_number<std::int64_t>(text(field)).value_or(0);
    for (const Field field : {kReqNodes, kNNodes})
      if (out.nodes == 0) out.nodes = whole_number<std::int64_t>(text(field)).value_or(0);
    if (!out.memory && !text(kReqMem).empty())
      if (const auto memory = parse_requested_memory(text(kReqMem)); memory && memory->mb > 0)
        out.memory = *memory;
    // Whole nodes, and whole cores, are more than was asked for: no other job could have the rest.
    const PrintedTres given = read_printed_tres(text(kAllocTres));
    const auto held = at_[kAllocTres] ? given.cpus : whole_number<std::int64_t>(text(kAllocCpus));
    if (held && *held > out.cpus && out.cpus > 0) {
      out.cpus = *held;
      if (const std::int64_t mb = given.memory_mb.value_or(0); mb > 0)
        out.memory = MemoryRequest{MemoryPer::kCpu, (mb + *held - 1) / *held};
      // Nodes differ, and those of another policy need not divide so many evenly.
      if (out.nodes > 1) out.nodes = 0;
    }
    if (out.cpus < 0 || out.gpus < 0 || out.nodes < 0) return bad_input("a size is below 0");
    return {};
  }

  char delimiter_ = '|';
  std::size_t columns_ = 0;
  std::vector<std::size_t> free_text_;  // Columns of kFreeText, from the left.
  std::array<std::optional<std::size_t>, kFields> at_{};
  std::vector<std::string_view> parts_;
  bool requeued_ = false;
};

bool comes_back(JobState state) {
  return state == JobState::kPreempted || state == JobState::kNodeFail ||
         state == JobState::kBootFail;
}

}  // namespace

bool is_accounting_table(std::string_view text) {
  const std::string_view header = without_return(text.substr(0, text.find('\n')));
  if (is_accounting_dump(text)) return false;
  for (const std::string_view name : split(header, ' '))
    if (same_ignoring_case(name, "JobID")) return true;
  return false;
}

bool is_accounting_dump(std::string_view text) {
  const std::string_view header = without_return(text.substr(0, text.find('\n')));
  for (const std::string_view name : split(header, delimiter_of(header)))
    if (same_ignoring_case(name, "JobID")) return true;
  return false;
}

Result<std::vector<LoggedRecord>> parse_accounting_dump(std::string_view text,
                                                        std::string_view file_name,
                                                        const OnBadLine& on_bad_line) {
  Dump dump;
  std::vector<LoggedRecord> out;
  // The entry of a job whose last run was begun again.
  std::map<std::string, std::size_t, std::less<>> open;
  std::uint32_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = without_return(line);
    if (number == 1) {
      TRY_VOID(dump.read_header(line, file_name));
      continue;
    }
    if (line.empty()) continue;
    auto read = dump.read(line);
    if (!read) {
      TRY_VOID(on_bad_line(number, read.error().what));
      continue;
    }
    if (!*read) continue;
    LoggedRecord record = std::move(**read);
    record.line = number;
    const bool again = dump.requeued() || comes_back(record.state);
    const auto earlier = open.find(record.id);
    if (earlier == open.end()) {
      if (again) open.emplace(record.id, out.size());
      out.push_back(std::move(record));
      continue;
    }
    LoggedRecord& whole = out[earlier->second];
    const Instant submitted = std::min(whole.submitted, record.submitted);
    whole = std::move(record);
    whole.submitted = submitted;
    if (!again) open.erase(earlier);
  }
  return out;
}

}  // namespace sluice
