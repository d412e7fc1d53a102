// Reads a workload trace line by line.
#include "sim/workloads/swf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "sim/workloads/bad_lines.h"
#include "sim/workloads/request_table.h"

namespace sluice {
namespace {

constexpr std::size_t kColumns = 18;
// The columns used, counted from 0 (the format counts from 1).
enum Column : std::size_t {
  kNumber = 0,
  kSubmit = 1,
  kWait = 2,
  kRun = 3,
  kAllocated = 4,
  kUsedMemory = 6,
  kRequested = 7,
  kEstimate = 8,
  kMemory = 9,  // Kilobytes for each processor.
  kStatus = 10,
  kUser = 11,
  kGroup = 12,
  kProgram = 13,
  kQueue = 14,
  kPartition = 15,
};
constexpr std::int64_t kMostCpus = 1'000'000'000;
constexpr std::string_view kExample =
    "expected lines such as: 1 0 -1 97225 56 -1 -1 56 210000 -1 1 1 -1 -1 -1 -1 -1 -1";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Reads as many digits as there are among the next eight characters, all at once: numbers are of
// every length, and a loop over their digits ends where no processor expects it. Returns how many.
std::size_t read_eight(const char* c, std::uint64_t& value) {
  if constexpr (std::endian::native != std::endian::little) return 0;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, c, sizeof bytes);
  bytes ^= 0x3030303030303030;  // Digits are 0 to 9 now, and everything else is more.
  const std::uint64_t others =
      (((bytes & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | bytes) & 0x8080808080808080;
  const auto digits = static_cast<std::size_t>(std::countr_zero(others)) / 8;
  if (digits == 0) return 0;
  bytes <<= 64 - 8 * digits;  // Zeros before the first.
  bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ff;
  bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffff;
  value = (bytes * 10000 + (bytes >> 32)) & 0xffffffff;
  return digits;
}

// Reads up to 18 numbers from a line that ends with a newline, which stops every loop; fractions
// are cut off. Eight characters may be read at once up to `last_eight`. Leaves `c` behind what was
// read. Returns how many there were, or kNotNumbers.
constexpr std::size_t kNotNumbers = kColumns + 1;
std::size_t read_columns(const char*& c, const char* last_eight,
                         std::array<std::int64_t, kColumns>& out) {
  // Of the last five columns most traces know nothing.
  constexpr std::string_view kNothing = " -1 -1 -1 -1 -1\n";
  constexpr std::size_t kKnown = kColumns - 5;
  std::size_t count = 0;
  for (; count < kColumns; ++count) {
    if (count == kKnown && last_eight - c >= std::ssize(kNothing) - 8 &&
        std::memcmp(c, kNothing.data(), kNothing.size()) == 0) {
      std::fill(out.begin() + kKnown, out.end(), -1);
      c += kNothing.size() - 1;
      return kColumns;
    }
    while (*c == ' ') ++c;
    if (*c < ' ') {
      while (is_blank(*c)) ++c;
      if (*c == '\n') break;
    }
    // What a trace does not know is -1: half of most lines.
    if (*c == '-' && c[1] == '1' && (c[2] == ' ' || c[2] == '\n')) {
      c += 2;
      out[count] = -1;
      continue;
    }
    const bool negative = *c == '-';
    if (negative || *c == '+') ++c;
    const char* const digits = c;
    std::uint64_t value = 0;
    if (c <= last_eight) c += read_eight(c, value);
    for (; is_digit(*c); ++c) value = value * 10 + static_cast<unsigned>(*c - '0');
    if (c == digits || c - digits > kMostSwfDigits) return kNotNumbers;
    if (*c != ' ' && *c != '\n') {
      if (*c == '.') {
        ++c;
        while (is_digit(*c)) ++c;
      }
      if (!is_blank(*c) && *c != '\n') return kNotNumbers;
    }
    const auto amount = static_cast<std::int64_t>(value);
    out[count] = negative ? -amount : amount;
  }
  return count;
}

std::optional<std::int32_t> header_number(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + key.size());
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::int32_t value = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec != std::errc())
    return std::nullopt;
  return value > 0 ? std::optional(value) : std::nullopt;
}

// The trace's numbers of users or groups, and the names they are given.
class Names {
 public:
  Names(char letter, std::vector<std::string>& names) : letter_(letter), names_(names) {}
  std::uint32_t index_of(std::int64_t number) {
    if (number < 0) number = -1;
    if (number < kDense) {
      const auto slot = static_cast<std::size_t>(number + 1);
      if (slot >= dense_.size()) dense_.resize(slot + 1, 0);
      if (dense_[slot] == 0) dense_[slot] = add(number) + 1;
      return dense_[slot] - 1;
    }
    const std::string name = letter_ + std::to_string(number);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<std::uint32_t>(i);
    return add(number);
  }

 private:
  // Numbers in real traces are small; a larger one is looked for by name.
  static constexpr std::int64_t kDense = 1'000'000;
  std::uint32_t add(std::int64_t number) {
    names_.push_back(number < 0 ? "unknown" : letter_ + std::to_string(number));
    return static_cast<std::uint32_t>(names_.size() - 1);
  }
  char letter_;
  std::vector<std::string>& names_;
  std::vector<std::uint32_t> dense_;  // Indices plus one; 0 is none yet.
};

// Small parts of a run (a job that was checkpointed, or moved): the whole has a line of its own.
bool is_part_of_a_run(std::int64_t status) { return status >= 2 && status <= 4; }

JobState state_of(std::int64_t status) {
  if (status == 0) return JobState::kFailed;
  return status == 5 ? JobState::kCancelled : JobState::kCompleted;
}

// Gives every line that is not empty to `header` or, as columns, to `job`, which returns nothing
// or what is wrong with it.
template <class Header, class Job>
Result<void> for_each_line(std::string_view text, std::string_view name, BadLineCount& bad,
                           Header header, Job job) {
  std::array<std::int64_t, kColumns> column{};
  std::int64_t line_number = 0;
  const auto read_lines = [&](std::string_view lines) -> Result<void> {
    const char* c = lines.data();
    const char* const end = c + lines.size();
    const char* const last_eight = lines.size() >= 8 ? end - 8 : c - 1;
    while (c != end) {
      ++line_number;
      const char* const line = c;
      if (*c == ';') {
        c = std::find(c, end, '\n');
        header(std::string_view(line, static_cast<std::size_t>(c - line)));
        ++c;
        continue;
      }
      const std::size_t count = read_columns(c, last_eight, column);
      if (*c != '\n') c = std::find(c, end, '\n');
      ++c;
      if (count == 0) continue;
      if (count == kNotNumbers) {
        TRY_VOID(
            bad.add(name, line_number, "a column is not a number, or far too large", kExample));
        continue;
      }
      if (count < 5) {
        TRY_VOID(bad.add(
            name, line_number,
            "a job needs at least 5 of SWF's 18 columns, this line has " + std::to_string(count),
            kExample));
        continue;
      }
      std::fill(column.begin() + static_cast<std::ptrdiff_t>(count), column.end(), -1);
      job(column, line_number);
    }
    return {};
  };
  // The last line may lack its newline.
  const std::size_t whole = text.rfind('\n') + 1;
  TRY_VOID(read_lines(text.substr(0, whole)));
  if (whole == text.size()) return {};
  return read_lines(std::string(text.substr(whole)) + '\n');
}

}  // namespace

Result<Workload> parse_swf(std::string_view text, std::string_view name, BadLines bad_lines) {
  Workload workload;
  workload.name = name;
  RequestTable requests(workload.requests);
  Names users('u', workload.users);
  Names groups('g', workload.accounts);
  Names queues('q', workload.labels);
  Names sections('p', workload.labels);
  Names programs('e', workload.labels);
  // 0 where the trace does not say.
  const auto label = [](Names& names, std::int64_t number) {
    return number < 0 ? 0U : names.index_of(number) + 1;
  };
  // Lines are rarely shorter, so this rarely allocates twice.
  workload.items.reserve(text.size() / 64);
  std::optional<std::int32_t> processors;
  std::optional<std::int32_t> nodes;
  bool sorted = true;
  BadLineCount bad(bad_lines, workload.left_out);
  const auto header = [&](std::string_view line) {
    if (!processors) processors = header_number(line, "MaxProcs:");
    if (!nodes) nodes = header_number(line, "MaxNodes:");
  };
  const auto job = [&](const std::array<std::int64_t, kColumns>& column, std::int64_t line) {
    const std::int64_t cpus = column[kRequested] > 0 ? column[kRequested] : column[kAllocated];
    if (cpus <= 0 || cpus > kMostCpus || column[kRun] < 0 || column[kSubmit] < 0 ||
        is_part_of_a_run(column[kStatus])) {
      ++workload.left_out.without_size;
      return;
    }
    WorkRequest request;
    request.cpus = static_cast<std::int32_t>(cpus);
    request.user = users.index_of(column[kUser]);
    request.account = groups.index_of(column[kGroup]);
    request.limit = seconds(column[kEstimate] > 0 ? column[kEstimate]
                                                  : std::max<std::int64_t>(column[kRun], 1));
    if (column[kEstimate] <= 0) ++workload.without_limit;
    // What was used is the next best where the trace does not say what was asked for.
    if (const std::int64_t memory = column[kMemory] > 0 ? column[kMemory] : column[kUsedMemory];
        memory > 0) {
      request.memory_mb = (memory + 1023) / 1024;
      request.memory_per = MemoryPer::kCpu;
    }
    request.queue = label(queues, column[kQueue]);
    request.log_section = label(sections, column[kPartition]);
    request.program = label(programs, column[kProgram]);
    WorkItem item;
    item.submit = instant_at(seconds(column[kSubmit]));
    item.run = seconds(column[kRun]);
    item.number = static_cast<std::uint32_t>(column[kNumber]);
    item.request = requests.number_of(request);
    item.log_line = static_cast<std::uint32_t>(line);
    item.ends = state_of(column[kStatus]);
    if (!workload.items.empty() && item.submit < workload.items.back().submit) sorted = false;
    workload.items.push_back(item);
  };
  TRY_VOID(for_each_line(text, name, bad, header, job));
  if (!sorted)
    std::stable_sort(workload.items.begin(), workload.items.end(),
                     [](const WorkItem& a, const WorkItem& b) { return a.submit < b.submit; });
  workload.machine_cpus = processors ? *processors : nodes.value_or(0);
  return workload;
}

Result<std::vector<SwfWait>> parse_swf_waits(std::string_view text, std::string_view name) {
  std::vector<SwfWait> waits;
  const auto job = [&](const std::array<std::int64_t, kColumns>& column, std::int64_t) {
    SwfWait wait;
    wait.number = static_cast<std::uint32_t>(column[kNumber]);
    wait.submit = instant_at(seconds(column[kSubmit]));
    if (column[kWait] >= 0) wait.wait = seconds(column[kWait]);
    waits.push_back(wait);
  };
  SkippedLines left_out;
  BadLineCount bad(BadLines::kStop, left_out);
  TRY_VOID(for_each_line(
      text, name, bad, [](std::string_view) {}, job));
  std::stable_sort(waits.begin(), waits.end(),
                   [](const SwfWait& a, const SwfWait& b) { return a.number < b.number; });
  return waits;
}

}  // namespace sluice
